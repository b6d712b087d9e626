"""Which paths `read_file` reads, and how it refuses the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyread


def test_workspace_may_be_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "a.txt").write_text("a")
    link = tmp_path / "link"
    link.symlink_to(real)
    tool: Any = anyread.tool("pilotdeck", cwd=link)
    assert tool.call_sync({"file_path": "a.txt"})["content"][0]["text"] == "1|a"
    link.unlink()
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("b")
    link.symlink_to(other)
    assert tool.call_sync({"file_path": "a.txt"})["content"][0]["text"] == "1|b"


def test_rules_of_the_reader_apply_too(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    inner = tmp_path / "inner"
    inner.mkdir()
    reader = anyread.Reader(roots=[inner], deny=["**/*.env"])
    tool: Any = anyread.tool("pilotdeck", cwd=tmp_path, reader=reader)
    output = tool.call_sync({"file_path": "a.txt"})
    assert (output["error"]["code"], output["error"]["message"]) == (
        "path_not_allowed",
        "Path a.txt resolves outside the PilotDeck workspace.",
    )
    (inner / "b.env").write_text("KEY=1")
    assert tool.call_sync({"file_path": "inner/b.env"})["error"]["code"] == "permission_denied"
