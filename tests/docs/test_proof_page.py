"""docs/proof.md says what its record says, and the record keeps what the page promises."""

from __future__ import annotations

import base64
import gzip
import json
import re
import zlib
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from benches import plots
from benches.locate import publish

from anyread_conformance.locate import running, scores, sources
from anyread_conformance.locate.reader import Reader
from anyread_conformance.locate.shell import Shell

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


@pytest.mark.parametrize("name", ["first", "second"])
def test_anyread_is_as_good_as_promised(name: str) -> None:
    """At most 2.10 × the answer on main families, 32 % below the best other reader, and 3.6 on new ones."""
    rows = {row["reader"]: row for row in RECORD["sets"][name]}
    ours = rows["anyread"]
    best = min(row["main"] for reader, row in rows.items() if reader not in publish.OURS)
    assert ours["main"] <= min(2.10, 0.68 * best)
    assert ours["new"] <= 3.6
    assert (ours["wrong"], ours["swallowed"], ours["missing"]) == (0, 0, 0)


@pytest.mark.slow
def test_the_figures_are_those_of_this_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the families whose files are made here, with the readers that need neither network nor tools."""
    header, tasks = sources.load(sources.TASKS)
    made = {
        each["path"]: each
        for each in header["generated"]
        if each["make"] not in {"log", "table", "text", "java"}
    }
    outside = {task["family"] for task in tasks if any(want["path"] not in made for want in task["wants"])}
    inside = [task for task in tasks if task["family"] not in outside]
    empty = {"sources": [], "trees": [], "edits": [], "generated": list(made.values())}
    path = tmp_path / "tasks.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, [{**header, **empty}, *inside])).encode()))
    packed = zlib.decompress((publish.ROOT / "rust/anyread-core/vocabularies/o200k_base.zlib").read_bytes())
    count = int.from_bytes(packed[:4], "little")
    ends = [4 + count, *accumulate(packed[4 : 4 + count], initial=4 + count)][1:]
    tokens = (base64.b64encode(packed[first:last]).decode() for first, last in pairwise(ends))
    (tmp_path / "o200k_base.json").write_text("".join(f"{t} {rank}\n" for rank, t in enumerate(tokens)))
    workspace = running.Workspace(path, tmp_path)
    shell = Shell(workspace.root, workspace.truth.lines)
    monkeypatch.chdir(workspace.root)
    for name in ("anyread", "anyread, brief"):
        reader = running.opened(workspace, shell, name=name)
        assert isinstance(reader, Reader)
        try:
            found = scores.Run(name, 0, running.run(workspace, reader, shell))
        finally:
            reader.caller.close()
        assert len(found.families) >= 15
        for family in found.families:
            assert scores.mean(found.of(family=family)) == ROWS[name]["families"][family], (name, family)


def test_the_readme_says_what_the_plot_shows() -> None:
    others = [row["main"] for name, row in ROWS.items() if name not in publish.OURS]
    said = (
        f"anyread {ROWS['anyread']['main']:.1f} times the tokens of its answer, a shell and other read tools"
    )
    readme = (publish.ROOT / "README.md").read_text("utf-8")
    assert f"{said} {min(others):.1f} to {max(others):.1f} times" in readme


def test_bars_are_as_long_as_their_costs() -> None:
    widths = re.findall(r'<rect y="\d+" width="(\d+)"', plots.costs([("anyread", 2.0), ("other", 4.0)], "x"))
    assert int(widths[1]) == 2 * int(widths[0])
