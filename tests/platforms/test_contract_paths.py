r"""Which spellings of a Windows path the contracts accept: those that their originals do.

On other systems, the rules of Windows replace those of the system, and `C:\repo` stands for a directory.
"""

from __future__ import annotations

import json
import ntpath
import os
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.reading.open_file import OpenFile
from anyread.registry import CONTRACTS, TEXT_EDITORS
from anyread.results import TextBlock
from anyread.tools.parts import paths

NAMES = [
    name for name in (*CONTRACTS, *TEXT_EDITORS) if name not in {"anyread", "text-editor", "anthropic-memory"}
]
ABSOLUTE = {"native", "slashes", "lower drive", "rooted"}
RELATIVE = {"relative", "relative with \\"}
ACCEPTED = {
    **dict.fromkeys(NAMES, ABSOLUTE | RELATIVE),
    # They require absolute paths.
    **dict.fromkeys(("llm-gateway", "codelet", "openhands", "swe-agent", "strands", "qwen-code"), ABSOLUTE),
    # The reference refuses drives: its paths are below its own root.
    "deepagents": RELATIVE,
    # These know the paths of the shells of Unix for Windows.
    **dict.fromkeys(
        ("claude-code", "pi", "mcp-filesystem", "kimi-code"), ABSOLUTE | RELATIVE | {"of a Unix shell"}
    ),
}
SHOWN = {
    "claude-code": "{native}",
    "opencode": "<path>{native}</path>",
    "llm-gateway": '<file path="{slashes}"',
    "cline": '"query": "{slashes}"',
}
"""How contracts show a path that was passed with slashes."""


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Create a directory with a file, and return its path on Windows."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("needle\n")
    if os.name == "nt":
        return os.path.normpath(tmp_path)
    repo = r"C:\repo"
    opened = anyread.Reader.open_sync

    def open_sync(reader: anyread.Reader, path: Any, **options: Any) -> OpenFile:
        assert ntpath.isabs(path)
        return opened(reader, tmp_path / ntpath.relpath(path, repo).replace("\\", "/"), **options)

    monkeypatch.setattr(paths, "_system", ntpath)
    monkeypatch.setattr(anyread.Reader, "open_sync", open_sync)
    monkeypatch.setattr(OpenFile, "resolved_path", "C:/repo/sub/a.txt")
    monkeypatch.setattr("anyread.tools.kimi_code.located", lambda _, path: path)
    monkeypatch.setattr("anyread.tools._directory", lambda cwd, _: cwd)
    return repo


def spellings(repo: str) -> dict[str, str]:
    whole = rf"{repo}\sub\a.txt"
    slashes = whole.replace("\\", "/")
    return {
        "native": whole,
        "slashes": slashes,
        "lower drive": whole[:1].lower() + whole[1:],
        "rooted": slashes[2:],
        "relative": "sub/a.txt",
        "relative with \\": r"sub\a.txt",
        "of a Unix shell": f"/{slashes[0].lower()}{slashes[2:]}",
    }


@pytest.mark.parametrize("name", NAMES)
def test_contract_reads_each_spelling_that_its_original_accepts(name: str, repo: str, tmp_path: Path) -> None:
    accepted = set()
    for spelling, path in spellings(repo).items():
        tool = anyread.tool(name, cwd=repo, reader=anyread.Reader(roots=[tmp_path]))
        call = tool.arguments_for("a.txt")
        argument = next(iter(call))
        call[argument] = path if isinstance(call[argument], str) else [{"path": path}]
        output = tool.call_sync(call)
        shown = "".join(block.text for block in tool.blocks(output) if isinstance(block, TextBlock))
        if "needle" in shown and not tool.failed(output):
            accepted.add(spelling)
        if spelling == "slashes" and name in SHOWN:
            wanted = SHOWN[name].format(native=spellings(repo)["native"], slashes=path)
            assert wanted in json.dumps(output).replace("\\\\", "\\").replace('\\"', '"')
    assert accepted == ACCEPTED[name]
