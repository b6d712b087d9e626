"""Real files of other projects, for the tests and benchmarks that can use them.

They have their own licenses and are not in the repository. `ANYREAD_CORPUS` names their directory.
"""

from __future__ import annotations

import os
from pathlib import Path

BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[3] / "shared" / "corpus"
CORPUS = Path(os.environ.get("ANYREAD_CORPUS", BESIDE_THE_REPOSITORY))

MISSING = "needs real files of other projects: ANYREAD_CORPUS names no directory that has them"


def corpus_files(*directories: str, pattern: str = "*") -> list[Path]:
    """Return the files below some directories of the corpus, or an empty list if it is missing."""
    found = [path for directory in directories for path in (CORPUS / "files" / directory).rglob(pattern)]
    return sorted(path for path in found if path.is_file())
