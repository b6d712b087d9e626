"""S3: every real file ends in a result or a typed error, in every way to read it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from anyread.tools import CONTRACTS
from helpers.corpus import MISSING, corpus_files
from helpers.media import drawing, encoded, text_pdf
from helpers.notebook_samples import older, oldest
from helpers.sources import ROOT
from torture.read_hosts import read_in_parallel

TIMEOUT_S = 11.0
"""One second more than decoding may take, so that a decoder's own deadline comes first."""
KINDS = ("text", "image", "pdf", "notebook")
NAMES = [name for name in CONTRACTS if name != "anyread"]
DIRECTORIES = ("benches", "docs", "python", "rust", "tests", ".ci")


def own_files() -> list[Path]:
    """Return the files of this tree, without those that a build makes."""
    top = [path for path in ROOT.iterdir() if path.is_file()]
    below = [path for name in DIRECTORIES for path in (ROOT / name).rglob("*") if path.is_file()]
    return [path for path in sorted(top + below) if path.suffix not in (".pyc", ".so")]


def made_files(directory: Path) -> list[Path]:
    """Write a file of each format that tests make."""
    import json

    contents = {
        f"drawing.{kind.lower()}": encoded(drawing(60, 40), kind) for kind in ("PNG", "JPEG", "GIF", "WEBP")
    }
    contents |= {
        f"drawing.{kind.lower()}": encoded(drawing(60, 40), kind) for kind in ("BMP", "TIFF", "AVIF")
    }
    contents |= {
        "pages.pdf": text_pdf(3),
        "cut.pdf": text_pdf(3)[:400],
        "cut.png": contents["drawing.png"][:90],
    }
    contents |= {"2.ipynb": json.dumps(oldest()).encode(), "3.ipynb": json.dumps(older()).encode()}
    for name, data in contents.items():
        (directory / name).write_bytes(data)
    return sorted(directory.iterdir())


def entries(paths: list[Path]) -> list[tuple[str, list[str]]]:
    """Return each path with every way to read it; the contracts other than our own take turns."""
    shared = ["kind:", *(f"kind:{kind}" for kind in KINDS), "read", "tool:anyread", "info"]
    return [(str(path), [*shared, f"tool:{name}"]) for path, name in zip(paths, cycle(NAMES), strict=False)]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_file_ends_in_a_result_or_a_typed_error(
    tmp_path: Path, scale: Callable[..., int], score: Any
) -> None:
    own = own_files()
    count = scale(12, len(own))
    paths = made_files(tmp_path) + own[:: max(1, len(own) // count)][:count]
    if count == len(own):
        paths += corpus_files("") or pytest.skip(MISSING)
    chosen = entries(paths)
    report = read_in_parallel(chosen, TIMEOUT_S, 2)
    failures = report.failures
    print("\n".join(failures[:40]), report.tally, sep="\n")
    assert len(report.reads) == sum(len(ways) for _, ways in chosen)
    assert report.tally["result"] > len(paths)
    detail = f"{len(paths):,} files, each read in {len(chosen[0][1])} ways"
    score("S3", "files", failures=len(failures), of=len(report.reads), unit="reads", detail=detail)
