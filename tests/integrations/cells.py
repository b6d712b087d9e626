"""What each framework shows of each kind of file: the record of the tests, and its table in the docs.

`python tests/integrations/cells.py` writes the table of docs/integrations.md from the record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias, get_args

DIRECTORY = Path(__file__).parent
RECORD = DIRECTORY / "cells.json"
DOCUMENT = DIRECTORY.parents[1] / "docs" / "integrations.md"
TABLE = re.compile(r"(?<=<!-- cells -->\n\n).*?(?=\n<!-- end of cells -->)", re.DOTALL)

Kind: TypeAlias = Literal["text", "PNG", "JPEG", "GIF", "PDF", "notebook", "error"]
Shown: TypeAlias = Literal["native", "text", "not shown"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SHOWN: tuple[Shown, ...] = get_args(Shown)

Cells: TypeAlias = dict[Kind, Shown]
RecordCell: TypeAlias = Callable[[Kind, Shown], None]
"""The fixture `cell`."""


def load() -> dict[str, Cells]:
    """Return the recorded cells by framework."""
    found: dict[str, Cells] = json.loads(RECORD.read_text("utf-8"))
    return found


def record(framework: str, cells: Cells) -> None:
    """Replace the recorded cells of a framework; one line for each framework keeps merges simple."""
    found = load()
    found[framework] = {kind: cells[kind] for kind in KINDS if kind in cells}
    lines = (f'  "{name}": {json.dumps(found[name])}' for name in sorted(found))
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def table(found: dict[str, Cells]) -> str:
    """Return the cells as a table in Markdown, with a row for each framework."""
    rows = [["framework", *KINDS], ["---"] * (len(KINDS) + 1)]
    rows += [[f"`{name}`", *(found[name].get(kind, "") for kind in KINDS)] for name in sorted(found)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def publish() -> None:
    """Write the table of the document."""
    text = DOCUMENT.read_text("utf-8")
    DOCUMENT.write_text(TABLE.sub(lambda _: table(load()), text), "utf-8")


if __name__ == "__main__":
    publish()
