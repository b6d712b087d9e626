"""Instructions that contracts add to what they show."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import anyread


def project(tmp_path: Path) -> Path:
    """Return a directory with instructions at three levels, and a file at the innermost."""
    for name, text in {"AGENTS.md": "root", "a/AGENTS.md": "outer\n", "a/b/CLAUDE.md": "inner"}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "a/b/x.txt").write_text("x\n")
    (tmp_path / "a/b/y.txt").write_text("y\n")
    return tmp_path


def test_instructions_are_added_once_in_a_session(tmp_path: Path) -> None:
    root = project(tmp_path)
    inner, outer = (os.path.normpath(root / name) for name in ("a/b/CLAUDE.md", "a/AGENTS.md"))
    tool = anyread.tool("opencode", cwd=root)
    first = tool.call_sync({"filePath": "a/b/x.txt"})
    assert first["output"].endswith(
        f"</content>\n\n<system-reminder>\nInstructions from: {inner}\ninner\n\n"
        f"Instructions from: {outer}\nouter\n\n</system-reminder>"
    )
    assert first["metadata"]["loaded"] == [inner, outer]
    second = tool.call_sync({"filePath": "a/b/y.txt"})
    assert second["output"].endswith("</content>")
    assert second["metadata"]["loaded"] == []


def test_denied_instructions_are_not_read(tmp_path: Path) -> None:
    tool = anyread.tool("opencode", cwd=project(tmp_path), deny=["**/CLAUDE.md"])
    answer = tool.call_sync({"filePath": "a/b/x.txt"})
    assert answer["metadata"]["loaded"] == [os.path.normpath(tmp_path / "a/AGENTS.md")]


def test_files_outside_of_the_directory_have_no_instructions(tmp_path: Path) -> None:
    root = project(tmp_path)
    tool = anyread.tool("opencode", cwd=root / "a" / "b")
    assert tool.call_sync({"filePath": f"{root}/a/b/x.txt"})["metadata"]["loaded"] == []
    (root / "a" / "z.txt").write_text("z")
    assert tool.call_sync({"filePath": f"{root}/a/z.txt"})["metadata"]["loaded"] == []


def test_context_files_of_gemini_cli_follow_the_content(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/GEMINI.md").write_text("be brief")
    (tmp_path / "a/x.txt").write_text("x")
    tool = anyread.tool("gemini-cli", cwd=tmp_path, settings={"context_files": True})
    shown = "x\n\n--- Newly Discovered Project Context ---\nbe brief\n--- End Project Context ---"
    assert tool.call_sync({"file_path": "a/x.txt"})["llmContent"] == shown
    assert tool.call_sync({"file_path": "a/x.txt"})["llmContent"] == "x"
    assert anyread.tool("gemini-cli", cwd=tmp_path).call_sync({"file_path": "a/x.txt"})["llmContent"] == "x"


@pytest.mark.posix("one root for all paths")
def test_root_directory_of_the_machine_ends_the_search(tmp_path: Path) -> None:
    """With `/` as the working directory, the search for instructions never ended."""
    (tmp_path / "AGENTS.md").write_text("Be brief.\n")
    (tmp_path / "a.txt").write_text("text\n")
    output = anyread.tool("opencode", cwd="/").call_sync({"filePath": str(tmp_path / "a.txt")})
    assert output["metadata"]["loaded"] == [str(tmp_path / "AGENTS.md")]
