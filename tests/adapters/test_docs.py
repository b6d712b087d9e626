"""The table of docs/adapters.md; its examples run with those of the other pages."""

from __future__ import annotations

import re
from pathlib import Path

from anyread import adapters

PAGE = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text("utf-8")


def test_table_lists_every_target_and_its_functions() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (`.*?) \|", PAGE, re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted(adapters.__all__)
    for name, functions in rows:
        for function in re.findall(r"`(\w+)\(", functions):
            assert callable(getattr(getattr(adapters, name), function))
