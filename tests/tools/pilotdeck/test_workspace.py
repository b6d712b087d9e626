"""Which paths `read_file` reads, and how it refuses the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import anyread


def test_path_outside_is_refused_whether_it_exists_or_not(deck: Any, tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("secret")
    for path in ["../outside.txt", "../there.txt", str(tmp_path / "there.txt"), "/dev/fd/3", "/"]:
        expected = "path_not_allowed", f"Path {path} is outside the PilotDeck workspace."
        assert deck.refusal(path) == expected


def test_path_is_shown_relative_to_the_workspace(deck: Any) -> None:
    path = deck.write("src/a.txt", "a")
    for given in ["src/a.txt", "./src//a.txt", "src/../src/a.txt", "src/a.txt/", str(path), f"/{path}"]:
        assert deck.read(given)["data"]["filePath"] == "src/a.txt"


def test_link_inside_is_followed_and_link_out_is_refused(deck: Any, tmp_path: Path) -> None:
    deck.write("a.txt", "inside")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "directory").mkdir()
    (deck.directory / "in.txt").symlink_to("a.txt")
    (deck.directory / "out.txt").symlink_to(tmp_path / "secret.txt")
    (deck.directory / "out").symlink_to(tmp_path / "directory")
    (deck.directory / "dangling.txt").symlink_to("nothing")
    (deck.directory / "loop.txt").symlink_to("loop.txt")
    assert deck.read("in.txt")["data"]["filePath"] == "in.txt"
    assert deck.refusal("out.txt") == (
        "path_not_allowed",
        "Path out.txt resolves outside the PilotDeck workspace.",
    )
    assert deck.refusal("out") == ("path_not_allowed", "Path out resolves outside the PilotDeck workspace.")
    assert deck.refusal("dangling.txt") == ("file_not_found", "File dangling.txt does not exist.")
    assert deck.refusal("loop.txt") == ("file_not_found", "File loop.txt does not exist.")


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


@pytest.mark.parametrize("name", ["sub", ".", "sub.png", "sub.pdf", "sub.ipynb"])
def test_directory_is_refused(deck_of: Callable[..., Any], name: str) -> None:
    deck = deck_of(model="everything")
    (deck.directory / name).mkdir(exist_ok=True)
    absolute = os.path.normpath(deck.directory / name)
    assert deck.refusal(name) == ("file_conflict", f"{absolute} is not a regular file.")


def test_additional_root_is_read_and_paths_start_from_it(deck_of: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "b.txt").write_text("b")
    for root in [str(tmp_path / "more"), "../more"]:
        deck = deck_of(settings={"additional_roots": (root,)})
        assert deck.read("../more/b.txt")["data"]["filePath"] == "b.txt"
        assert deck.refusal("../other/b.txt")[0] == "path_not_allowed"


def test_bypassed_permissions_allow_reads_everywhere(deck_of: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("b")
    deck = deck_of(settings={"bypass_permissions": True})
    assert deck.read("../b.txt")["data"]["filePath"] == "../b.txt"
    missing = tmp_path / "missing.txt"
    assert deck.refusal("../missing.txt") == (
        "tool_execution_failed",
        f"ENOENT: no such file or directory, stat '{missing}'",
    )


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


@pytest.mark.anyio
async def test_call_on_an_event_loop_answers_the_same(deck: Any) -> None:
    deck.write("a.txt", "one\ntwo\n" * 20_000)
    (deck.directory / "sub").mkdir()
    for arguments in [
        {"file_path": "a.txt", "offset": 5, "limit": 3},
        {"file_path": "a.txt"},
        {"file_path": "sub"},
        {"file_path": "../x"},
        {"offset": 1},
    ]:
        expected = deck.tool.call_sync(arguments)
        deck.tool.session.forget()
        assert await deck.tool.call(arguments, name="Read") == expected
        deck.tool.session.forget()
