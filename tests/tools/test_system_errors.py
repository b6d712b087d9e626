"""Errors of the file system in the words of each tool, as its released version gives them."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any, NoReturn

import pytest

import anyread
from anyread.results import TextBlock
from helpers.file_permissions import applied_to_root

LONG = "n" * 300
DEEP = "a/" * 2_100 + "b"
NODE = {
    "no.txt": "EACCES: permission denied, {call} '{path}'",
    "closed/a.txt": "EACCES: permission denied, {below} '{path}'",
    "loop": "ELOOP: too many symbolic links encountered, {below} '{path}'",
    "no.txt/a.txt": "ENOTDIR: not a directory, {below} '{path}'",
    LONG: "ENAMETOOLONG: name too long, {below} '{path}'",
    DEEP: "ENAMETOOLONG: name too long, {deep} '{path}'",
    "closed": "EACCES: permission denied, {call} '{path}'",
    "link": "EACCES: permission denied, {call} '{target}'",
    "open": "EISDIR: illegal operation on a directory, read",
}
"""The messages of a tool in Node.js, by the name of a file."""
LINKS = {
    "loop": "loop",
    "ring": "loop/a",
    "link": "no.txt",
    "way": "closed",
    "through": "closed/a.txt",
    "nowhere": "none",
}
WORDS: dict[str, dict[str, str]] = {
    "pi": {
        name: text.format(call="access", below="access", deep="access", path="{path}", target="{path}")
        for name, text in NODE.items()
    },
    "mcp-filesystem": {
        name: text.format(call="open", below="realpath", deep="open", path="{path}", target="{dir}/no.txt")
        for name, text in NODE.items()
    }
    | {
        "way": "EACCES: permission denied, open '{dir}/closed'",
        "nowhere/a": "Parent directory does not exist: {dir}/nowhere",
    },
    "gemini-cli": {
        "no.txt": "Error reading file no.txt: EACCES: permission denied, open '{path}'",
        "link": "Error reading file no.txt: EACCES: permission denied, open '{dir}/no.txt'",
        "closed/a.txt": "Failed to resolve path: EACCES: permission denied, lstat '{path}'",
        "closed/a/b": "Failed to resolve path: EACCES: permission denied, lstat '{dir}/closed/a'",
        f"closed/{LONG}": "Failed to resolve path: EACCES: permission denied, lstat '{path}'",
        "way/a.txt": "Failed to resolve path: EACCES: permission denied, lstat '{dir}/closed/a.txt'",
        "through": "Failed to resolve path: EACCES: permission denied, stat '{path}'",
        "loop/a": "Failed to resolve path: ELOOP: too many symbolic links encountered, stat '{dir}/loop'",
        "loop": "Failed to resolve path: ELOOP: too many symbolic links encountered, stat '{path}'",
        "no.txt/a.txt": "Could not read file because no file was found at the specified path.",
        "closed": "Could not read file because the provided path is a directory, not a file.",
    },
    "opencode": {
        "no.txt": "PermissionDenied: FileSystem.open ({path})",
        "link": "PermissionDenied: FileSystem.open ({path})",
        "closed/a.txt": "PermissionDenied: FileSystem.stat ({path})",
        "loop": "BadResource: FileSystem.stat ({path})",
        "no.txt/a.txt": "BadResource: FileSystem.stat ({path})",
        LONG: "Unknown: FileSystem.stat ({path})",
        "closed": "Filesystem operation failed: readDirectoryEntries: EACCES: permission denied, scandir"
        " '{path}'",
    },
    "deepagents": {
        "no.txt": "Error: Error reading file '/no.txt': [Errno 13] Permission denied: '{path}'",
        "link": "Error: Error reading file '/link': [Errno 13] Permission denied: '{dir}/no.txt'",
        "through": "Error: Error reading file '/through': [Errno 13] Permission denied: '{dir}/closed/a.txt'",
        "ring": "Error: Error reading file '/ring': Symlink loop from '{dir}/loop/a'",
        "closed/a.txt": "Error: Error reading file '/closed/a.txt': [Errno 13] Permission denied: '{path}'",
        "loop": "Error: Error reading file '/loop': Symlink loop from '{path}'",
        "no.txt/a.txt": "Error: File '/no.txt/a.txt' not found",
        LONG: f"Error: Error reading file '/{LONG}': [Errno 36] File name too long: '{{path}}'",
        "closed": "Error: File '/closed' not found",
    },
    "anthropic-toolset": {
        "no.txt": "read: {path}: permission denied",
        "link": "read: {path}: permission denied",
        "closed/a.txt": "read: path '{path}': permission denied",
        "loop": "read: path '{path}': too many levels of symbolic links",
        "no.txt/a.txt": "read: {path}: not a directory",
        LONG: "read: path '{path}': file name too long",
        "closed": "read: {path}: not a regular file",
    },
    "openhands": {
        "no.txt": "[Errno 13] Permission denied: '{path}'",
        "no.png": "Failed to read image file {path}: [Errno 13] Permission denied: '{path}'",
        "closed/a.txt": "[Errno 13] Permission denied: '{path}'",
        "loop": "Invalid `path` parameter: {path}. The path {path} does not exist."
        " Please provide a valid path.",
        LONG: "[Errno 36] File name too long: '{path}'",
        "closed": "[Errno 13] Permission denied: '{path}'",
    },
    "swe-agent": {
        "no.txt": "PermissionError: [Errno 13] Permission denied: '{path}'",
        "closed": "[no output]",
        "way": "Here's the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        "\n{path}",
    },
    "strands": {
        "no.txt": "Error: PermissionError - [Errno 13] Permission denied: '{path}'",
        "link": "Error: PermissionError - [Errno 13] Permission denied: '{path}'",
        "closed/a.txt": "Error: PermissionError - [Errno 13] Permission denied: '{dir}/closed'",
        "closed/a/b": "Error: PermissionError - [Errno 13] Permission denied: '{dir}/closed/a'",
        "way/a.txt": "Error: PermissionError - [Errno 13] Permission denied: '{dir}/way'",
        "through": "Error: PermissionError - [Errno 13] Permission denied: '{path}'",
        "loop/a": "Error: OSError - [Errno 40] Too many levels of symbolic links: '{dir}/loop'",
        DEEP: "Error: OSError - [Errno 36] File name too long: '{parent}'",
        "loop": "Error: OSError - [Errno 40] Too many levels of symbolic links: '{path}'",
        "no.txt/a.txt": "Error: The path {path} does not exist. Please provide a valid path.",
        LONG: "Error: The path {path} does not exist. Please provide a valid path.",
        "closed": "Here's the files and directories up to 2 levels deep in {path}, excluding hidden items:",
    },
    "anthropic-memory": {
        "no.txt": "[Errno 13] Permission denied: '{path}'",
        "link": "[Errno 13] Permission denied: '{dir}/no.txt'",
        "ring": "Symlink loop from '{dir}/loop/a'",
        "closed/a.txt": "[Errno 13] Permission denied: '{path}'",
        "loop": "Symlink loop from '{path}'",
        "no.txt/a.txt": "The path /memories/no.txt/a.txt does not exist. Please provide a valid path.",
        LONG: "[Errno 36] File name too long: '{path}'",
    },
    "forge": {
        "no.txt": "Failed to read file from {path}\n\nCaused by:\n    0: Failed to read file {path}\n"
        "    1: Permission denied (os error 13)",
        "link": "Failed to read file from {path}\n\nCaused by:\n    0: Failed to read file {path}\n"
        "    1: Permission denied (os error 13)",
        "closed/a.txt": "Failed to get metadata for file {path}\n\nCaused by:\n"
        "    Permission denied (os error 13)",
    },
    "mycode": {"no.txt": "EACCES: permission denied, open '{path}'", "loop": "File does not exist"},
    "llm-gateway": {"no.txt": "Cannot read file: {path}: EACCES: permission denied, open '{path}'"},
    "pilotdeck": {"no.txt": "EACCES: permission denied, open '{path}'"},
    "codelet": {"no.txt": "Failed to read file: Permission denied (os error 13)"},
}


@pytest.mark.parametrize("name", WORDS)
def test_errors_of_the_file_system_have_the_words_of_the_tool(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine tools answered a file without permission in this library's words, with a hint."""
    # Without a deadline, the call stays in this thread, which alone gives up its rights.
    monkeypatch.setattr("anyread.tools.TOOL_TIMEOUT_S", None)
    cwd = tmp_path / "memories" if name == "anthropic-memory" else tmp_path
    for directory in ("closed", "open"):
        (cwd / directory).mkdir(parents=True)
        (cwd / directory / "a.txt").write_text("a\n")
    for file in ("no.txt", "no.png"):
        (cwd / file).write_text("a\n")
        (cwd / file).chmod(0)
    for link, target in LINKS.items():
        (cwd / link).symlink_to(target)
    (cwd / "closed").chmod(0)
    tool = anyread.tool(name, cwd=tmp_path)
    for file, words in WORDS[name].items():
        arguments: dict[str, Any] = tool.arguments_for(cwd / file)
        if name == "anthropic-memory":
            arguments["path"] = f"/memories/{file}"
        with applied_to_root():
            answer = tool.call_sync(arguments)
        text = "\n".join(block.text for block in tool.blocks(answer) if isinstance(block, TextBlock))
        assert text.rstrip("\n") == words.format(path=cwd / file, dir=cwd, parent=(cwd / file).parent)
    (cwd / "closed").chmod(0o700)
    shutil.rmtree(cwd)


@pytest.mark.parametrize("contract", [name for name in anyread.tools.CONTRACTS if name != "anyread"])
def test_no_answer_has_a_hint_of_this_library(contract: str, tmp_path: Path) -> None:
    """The hints name what this library's own tool accepts, and the tools end with their own words."""
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    (tmp_path / ".env").write_text("KEY=1\n")
    tool = anyread.tool(contract, cwd=tmp_path, deny=["**/.env"])
    for file in ("a.png", ".env", "missing.txt", "../outside", "."):
        answer = tool.call_sync(tool.arguments_for(tmp_path / file))
        assert "hint:" not in str(answer)


@pytest.mark.parametrize("contract", anyread.tools.CONTRACTS)
def test_links_that_change_during_a_call_end_in_an_answer(
    contract: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three contracts raised `OSError`: what had been a link was none when its target was read."""
    (tmp_path / "root" / "directory").mkdir(parents=True)
    for name, target in (("out", "../secret"), ("broken", "nowhere"), ("way", "directory"), ("up", "..")):
        (tmp_path / "root" / name).symlink_to(target)
    (tmp_path / "secret").write_text("words\n")
    tool = anyread.tool(contract, cwd=tmp_path / "root", roots=[tmp_path / "root"])

    def fail(path: str) -> NoReturn:
        raise OSError(errno.EINVAL, "Invalid argument", path)

    monkeypatch.setattr(os.path, "realpath", fail)
    for name in ("out", "broken", "way", "way/missing", "up/secret", "up/nothing"):
        answer = tool.call_sync(tool.arguments_for(tmp_path / "root" / name))
        assert "words" not in str(answer)
        assert tool.session.check(tmp_path / "root" / name) == "unread"


@pytest.mark.parametrize("contract", [*anyread.tools.CONTRACTS, "strands", "swe-agent"])
def test_answer_tells_nothing_about_links_that_lead_out(contract: str, tmp_path: Path) -> None:
    """Errors of three contracts named the target, also of any link of the machine."""
    workspace = tmp_path / "workspace"
    (workspace / "private").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    links = {
        workspace / "out": "../elsewhere/customers",
        workspace / "denied": "private/customers",
        tmp_path / "other": "elsewhere/customers",
    }
    for link, target in links.items():
        link.symlink_to(target)
    for made in (False, True):
        if made:
            for directory in (workspace / "private", tmp_path / "elsewhere"):
                (directory / "customers").write_text("words\n")
        tool = anyread.tool(contract, cwd=workspace, roots=[workspace], deny=["private/**"])
        for link in links:
            for path in (link, link / "below"):
                answer = tool.call_sync(tool.arguments_for(path))
                assert "customers" not in str(answer)


@pytest.mark.parametrize("contract", [*anyread.tools.CONTRACTS, "strands", "swe-agent", "anthropic-memory"])
def test_failure_does_not_repeat_megabytes(contract: str, tmp_path: Path) -> None:
    """Three contracts repeated a path of 3 MB, and another one looked for links in it for minutes."""
    tool = anyread.tool(contract, cwd=tmp_path)
    required = tool.arguments_for(tmp_path / "a.txt")
    key = next(iter(tool.input_schema["properties"]))
    for text in ("a" * 300_000, "a/" * 150_000, "/memories/" + "a" * 300_000, "\0" * 300_000):
        for definition in tool.definitions():
            argument = [text] if "paths" in definition.input_schema["properties"] else text
            path_name = "paths" if isinstance(argument, list) else key
            answer = tool.call_sync({**required, path_name: argument}, name=definition.name)
            assert len(json.dumps(answer)) < 50_000
    for name in tool.input_schema["properties"]:
        for value in ("9" * 300_000, ["9" * 300_000] * 2, {"x": "9" * 300_000}):
            answer = tool.call_sync({**required, name: value})
            assert len(json.dumps(answer)) < 50_000
