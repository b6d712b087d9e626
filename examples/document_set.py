"""Build a set of documents: `python -m examples.document_set DIRECTORY > set.jsonl`.

Each line has a clean text (UTF-8, without line numbers) with its kind, encoding, lines
and tokens.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from examples.in_processes import in_processes

import anyread
from anyread.batch import ReadRows

FIELDS = (
    "path",
    "content",
    "kind",
    "encoding",
    "total_lines",
    "tokens",
    "truncated",
    "version",
)
WHOLE = anyread.Limits(
    max_lines=10_000_000,
    max_line_chars=100_000_000,
    max_bytes=100_000_000,
    max_tokens=100_000_000,
)
"""Limits that hold whole documents."""


def documents(directory: Path, *, workers: int = 2) -> Iterator[dict[str, Any]]:
    """Yield a document for each file with text, in any order."""
    paths = sorted(str(path) for path in directory.rglob("*") if path.is_file())
    read = ReadRows(
        gutter=anyread.Gutter.NONE,
        limits=WHOLE,
        deny="secrets",
        select=[*FIELDS[1:], "error", "error_message"],
    )
    for rows in in_processes(read, paths, workers=workers, batch_rows=200):
        for row in zip(
            *(rows[name] for name in (*FIELDS, "error_message")), strict=True
        ):
            document = dict(zip(FIELDS, row, strict=False))
            if row[-1]:
                print(row[-1], file=sys.stderr)
            elif document["kind"] != "image":
                yield document


def main() -> None:
    """Print the documents."""
    for document in documents(Path(sys.argv[1])):
        print(json.dumps(document, ensure_ascii=False))


if __name__ == "__main__":
    main()
