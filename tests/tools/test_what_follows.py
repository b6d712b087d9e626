"""A contract that shows less than a text says so to the model, whatever ends the answer."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.registry import CONTRACTS, TEXT_EDITORS
from anyread.results import TextBlock

COUNTS = (1, 2, 9, 50, 400, 999, 1_001, 2_001, 2_500, 5_000, 20_000, 30_000)
LENGTHS = (7, 21, 60, 100, 250, 1_000, 2_100, 9_000, 30_000, 120_000)
MOST_CHARS = 700_000
SAID_ELSEWHERE = {
    # The proposal has this field in its output, and no words for the model.
    "mycode": '"truncated": true',
    # The script says that a text is cut, not where; here it is cut in the last line shown.
    "swe-agent": "<response clipped>",
}
"""What the original answers instead, where its text is the same."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in (*CONTRACTS, *TEXT_EDITORS) if name != "text-editor"])
def test_text_says_that_lines_follow(name: str, tmp_path: Path) -> None:
    """`claude-code` ended after 2,000 lines of 30,000, and looked as if the file ended there."""
    tool, path = anyread.tool(name, cwd=tmp_path), tmp_path / "memories" / "a.txt"
    path.parent.mkdir(exist_ok=True)
    call = tool.arguments_for("/memories/a.txt" if name == "anthropic-memory" else path)

    def answer(lines: list[str]) -> tuple[Any, str]:
        path.write_text("".join(lines))
        # One of them answers a second read within a millisecond from its memory.
        tool.session.forget(path)
        output = tool.call_sync(call)
        return output, "".join(block.text for block in tool.blocks(output) if isinstance(block, TextBlock))

    for count, length in product(COUNTS, LENGTHS):
        if count * length > MOST_CHARS:
            continue
        lines = [f"{f'<{number:05}>' * (length // 7)}\n" for number in range(1, count + 1)]
        output, text = answer(lines)
        last = max(map(int, re.findall(r"<(\d{5})>", text)), default=0)
        if last == count or tool.failed(output):
            continue
        if text == answer(lines[:last])[1]:
            assert SAID_ELSEWHERE.get(name, "nothing") in json.dumps(output), (count, length, last)
