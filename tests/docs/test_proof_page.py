"""docs/proof.md says what its record says, and the record keeps what the page promises."""

from __future__ import annotations

import json
import re

from benches import plots
from benches.locate import publish

RECORD = json.loads(publish.RECORD.read_text("utf-8"))
ROWS = {row["reader"]: row for row in RECORD["sets"]["first"]}


def test_the_page_and_its_plot_are_those_of_the_record() -> None:
    page, plot = publish.made(RECORD)
    assert publish.PAGE.read_text("utf-8") == page
    assert publish.PLOT.read_text("utf-8") == plot


def test_every_family_in_which_anyread_is_not_first_has_its_reason() -> None:
    page = publish.PAGE.read_text("utf-8")
    for name in publish.lost(RECORD["sets"]["first"]):
        assert re.search(rf"^- \*\*{name}\*\* \(.*\): \S", page, re.MULTILINE), name


def test_anyread_is_as_good_as_promised() -> None:
    """At most 2.10 × the answer on the main families, and 32 % below the best other reader."""
    ours = ROWS["anyread"]
    best = min(row["main"] for name, row in ROWS.items() if name not in publish.OURS)
    assert ours["main"] <= 2.10
    assert ours["main"] <= 0.68 * best
    assert (ours["wrong"], ours["swallowed"], ours["missing"]) == (0, 0, 0)


def test_bars_are_as_long_as_their_costs() -> None:
    widths = re.findall(r'<rect y="\d+" width="(\d+)"', plots.costs([("anyread", 2.0), ("other", 4.0)], "x"))
    assert int(widths[1]) == 2 * int(widths[0])
