"""Pages of a file that grows during the reads; other writers are in `torture/test_s07_live_files.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

import anyread
from anyread import errors
from helpers.live_writer import line, writing
from helpers.texts import read_text

MIB = 1024 * 1024


@pytest.mark.slow
def test_pages_follow_a_growing_log(tmp_path: Path) -> None:
    path = tmp_path / "live.log"
    with writing(path, "append", rows=1_000, pause_s=0):
        content = ""
        arguments: anyread.ReadArguments = {"offset": 1, "limit": 500}
        while len(content) < 2 * MIB:
            try:
                page = read_text(path, **arguments)
            except errors.OffsetPastEndError:
                continue
            # A page may end inside a line that is still being written: it is read again from its start.
            complete = page.content[: page.content.rfind("\n") + 1]
            content += complete
            arguments["offset"] += complete.count("\n")
    # Nothing was ever removed, so row N of the file is line N of the writer.
    assert content == "".join(line(number, number) for number in range(1, content.count("\n") + 1))
