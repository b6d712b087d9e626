"""GitHub Copilot CLI's `view`: what its recorded calls do not show."""

from __future__ import annotations

import re
from pathlib import Path

import anyread


def test_nothing_is_lost_at_the_line_that_is_cut(tmp_path: Path) -> None:
    """The tool goes on after that line, so the rest of it is never shown."""
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{number} é{'x' * (number % 190)}\n" for number in range(1, 1_500)))
    tool, following, shown = anyread.tool("copilot-cli", cwd=tmp_path), 1, ""
    while True:
        text = tool.call_sync({"path": "a.txt", "view_range": [following, -1]})["content"]
        text, _, said = text.partition("\n\n[Output truncated. ")
        found = re.search(r"view_range=\[(\d+), ", said)
        if found is None:
            break
        lines = int(found[1]) - following
        shown += "".join(line + "\n" for line in text.split("\n")[:lines])
        following = int(found[1])
    assert shown + text == path.read_text()


def test_line_over_the_limit_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n" + "x" * 30_000 + "\nthree\n")
    tool = anyread.tool("copilot-cli", cwd=tmp_path)
    text = tool.call_sync({"path": "a.txt", "view_range": [2, -1]})["content"]
    assert text.startswith("x" * 20_480 + "\n\n[Output truncated. Use view_range=[3, ...] to continue")
    assert text.endswith("Line 2 goes on: forceReadLargeFiles shows it.]")
    call = {"path": "a.txt", "view_range": [2, 3], "forceReadLargeFiles": True}
    assert tool.call_sync(call)["content"] == "x" * 30_000 + "\nthree"


def test_several_faults_are_listed(tmp_path: Path) -> None:
    answer = anyread.tool("copilot-cli", cwd=tmp_path).call_sync({"path": None, "view_range": ["1", 1.5]})
    assert answer["content"] == (
        "Invalid input: Multiple validation errors:\n"
        '- "path": Expected string, received null\n'
        '- "view_range.0": Expected number, received string\n'
        '- "view_range.1": Expected integer, received float'
    )
