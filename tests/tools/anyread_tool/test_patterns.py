"""A path with wildcards that no file has is a listing of the files that match it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import anyread
from anyread import Reader, _native


def test_pattern_lists_the_files_that_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [
        "src/a/part1.py",
        "src/part2.txt",
        "src/part.key",
        "src/out/part3.py",
        "part4.py",
        "src/b.py",
    ]:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x")
    Path(".git").mkdir()
    Path(".gitignore").write_text("out\n")
    tool = anyread.tool(reader=Reader(roots=tmp_path, deny=["*.key"]))

    def text_of(path: str, **arguments: int) -> str:
        text: str = tool.call_sync({"path": path, **arguments})["content"][0]["text"]
        return text

    both = "src/a/part1.py\nsrc/part2.txt\n"
    assert text_of("src/**/part*") == f"{both}[2 files of `src/**/part*`]"
    assert text_of(f"{tmp_path}/part?.py") == f"{tmp_path}/part4.py\n[1 file of `{tmp_path}/part?.py`]"
    assert text_of("*.py") == "part4.py\n[1 file of `*.py`]"
    assert text_of("src/**/part*", offset=-1).startswith("src/part2.txt\n[2-2 of 2 files")
    first = tool.call_sync({"path": "src/**/part*", "limit": 1})
    assert first["next"] == {"offset": 2}
    assert first["content"][0]["text"].endswith("\n[1-1 of 2 files of `src/**/part*` · next: offset=2]")
    assert text_of("src/**/part*", offset=2).startswith("src/part2.txt\n[2-2 of 2 files")
    assert asyncio.run(tool.call({"path": "*.py"}))["content"][0]["text"] == text_of("*.py")
    past = tool.call_sync({"path": "*.py", "offset": 2})
    assert past["content"][0]["text"] == (
        "file 2 is past the end of `*.py`, which has 1 file\nhint: pass offset=1 for the last file or"
        " offset=-10 for the last 10 files"
    )
    assert tool.call_sync({"path": "src/*.md"})["hint"] == "read `src`"
    assert tool.call_sync({"path": "gone/*.md"})["code"] == "not_found"
    assert tool.call_sync({"path": "../*"})["code"] == "outside_root"
    Path("[a]*.py").write_text("exactly this")
    assert text_of("[a]*.py").startswith("1\texactly this")
    files_only = anyread.tool(reader=Reader(roots=tmp_path, directories="error"))
    assert files_only.call_sync({"path": "*.py"})["code"] == "not_found"


def test_long_listing_ends_within_the_budget(tmp_path: Path) -> None:
    for number in range(500):
        (tmp_path / f"part{number:03}.py").write_text("x")
    tool = anyread.tool(reader=Reader(roots=tmp_path))
    names, arguments = [], {"path": "part*", "max_tokens": 400}
    while True:
        output = tool.call_sync(arguments)
        text = output["content"][0]["text"]
        assert _native.count_tokens(text, None) <= 400
        names += text.split("\n")[:-1]
        if output["next"] is None:
            break
        arguments |= output["next"]
    assert names == [f"part{number:03}.py" for number in range(500)]
