"""The Python code of README.md and docs passes strict type checks as written.

`make integrations` checks that of docs/integrations.md, because it needs the frameworks.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = [path for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "integrations.md"]
PAGES = [ROOT / "README.md", *DOCS]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.types


@pytest.fixture
def blocks(tmp_path: Path) -> Path:
    """Write each block to a file that is named by its page and line."""
    for page in PAGES:
        text = page.read_text("utf-8")
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 2
            (tmp_path / f"{page.stem.lower()}_line_{line}.py").write_text(found[1], "utf-8")
    assert len(list(tmp_path.iterdir())) > 15
    return tmp_path


def checked(directory: Path, *command: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", *command], cwd=directory, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_code_of_the_docs_passes_mypy(blocks: Path) -> None:
    (blocks / "mypy.ini").write_text("[mypy]\nstrict = True\n")
    cache = ROOT / ".mypy_cache" / "docs"
    checked(blocks, "mypy", "--cache-dir", str(cache), *sorted(path.name for path in blocks.glob("*.py")))


def test_code_of_the_docs_passes_pyright(blocks: Path) -> None:
    (blocks / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "standard"}))
    checked(blocks, "basedpyright", "--pythonpath", sys.executable)
