"""The tables of docs/batch.md are complete; its examples run with those of the other pages."""

from __future__ import annotations

import re
from pathlib import Path

from anyread import batch

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "batch.md").read_text("utf-8")


def test_table_of_columns_is_complete_and_has_the_defaults() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| [^|]+ \| `(.*?)` \|$", PAGE, re.MULTILINE)
    documented = {name: eval(default) for names, default in rows for name in re.findall(r"\w+", names)}
    failed = batch.read_rows({"path": ["gone"]}, select=list(batch.ROW_TYPES))
    shown = {name: values[0] for name, values in failed.items() if name != "path"}
    assert documented | {name: shown[name] for name in ("error", "error_message")} == shown
    assert list(documented) == list(batch.ROW_TYPES)
