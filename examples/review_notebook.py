"""Review a notebook: `python -m examples.review_notebook NOTEBOOK`.

What a program can check is checked here; a model gets the cells with their images for
everything else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import anyread
from anyread.adapters.anthropic import content

QUESTION = "Review this notebook. For each problem, name the cell. Known problems:\n"
MAX_OUTPUT_BYTES = 100_000


class Finding(NamedTuple):
    """A problem of a cell."""

    cell: int
    """The number of the cell, counted from 1."""
    problem: str


def findings(notebook: Path) -> list[Finding]:
    """Return the problems that can be found without a model."""
    found = []
    last_run = 0
    for page in anyread.pages_sync(notebook, kind="notebook"):
        for cell in page.cells:
            if cell.type != "code":
                continue
            if not cell.source.strip():
                found.append(Finding(cell.number, "is empty"))
            elif cell.execution_count is None:
                found.append(Finding(cell.number, "was not run"))
            elif cell.execution_count < last_run:
                found.append(
                    Finding(
                        cell.number,
                        f"ran before the cell above it, as In [{cell.execution_count}]",
                    )
                )
            last_run = cell.execution_count or last_run
            for output in cell.outputs:
                if output.type == "error":
                    found.append(
                        Finding(
                            cell.number,
                            f"failed: {output.text.strip().splitlines()[0]}",
                        )
                    )
                if output.size_bytes > MAX_OUTPUT_BYTES:
                    found.append(
                        Finding(
                            cell.number, f"has an output of {output.size_bytes:,} bytes"
                        )
                    )
    return found


def request(notebook: Path, model: anyread.Model) -> list[dict[str, Any]]:
    """Return the content of a message that asks for a review of the cells."""
    known = (
        "".join(f"- cell {cell} {problem}\n" for cell, problem in findings(notebook))
        or "none\n"
    )
    page = anyread.Reader(model=model).read_sync(notebook, kind="notebook")
    return [
        {"type": "text", "text": QUESTION + known},
        *content(page, model=model),
    ]


def review(notebook: Path, ask: Callable[[list[dict[str, Any]]], str]) -> str:
    """Let a model review a notebook; `ask` sends a message and returns the reply."""
    return ask(request(notebook, anyread.Model.named("claude-sonnet-5")))


def main() -> None:
    """Print what can be found without a model."""
    for cell, problem in findings(Path(sys.argv[1])):
        print(f"cell {cell} {problem}")


if __name__ == "__main__":
    main()
