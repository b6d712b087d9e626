"""A path with wildcards that no file has is a listing of the files that match it."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Reader, _native
from anyread.arguments.paths import displayed
from anyread.errors.base import escaped_path


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


def test_other_arguments_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    tool = anyread.tool(reader=Reader(roots=tmp_path))
    for argument, value in (("pages", "3"), ("at", "main"), ("region", [0, 0, 5, 5])):
        output = tool.call_sync({"path": "*.py", argument: value})
        assert (output["code"], output["data"]["argument"]) == ("wrong_kind", argument)


@pytest.mark.parametrize("seed", range(12))
def test_following_next_names_each_file_once_within_the_budget(tmp_path: Path, seed: int) -> None:
    """Also with names that are long, that have line feeds, or that are not UTF-8."""
    rng = random.Random(seed)
    letters = ["a", "b", "ü", "\n", "\x7f", "漢", "\udcff", "."]
    made = {
        "x" + "".join(rng.choices(letters, k=rng.choice((1, 9, 60)))) for _ in range(rng.choice((1, 90, 700)))
    }
    for name in made:
        (tmp_path / name).write_text("x")
    tool = anyread.tool(reader=Reader(roots=tmp_path))
    pattern = "x*" + "*" * rng.choice((0, 200))
    arguments: dict[str, Any] = {"path": pattern, "max_tokens": rng.choice((300, 700, 5_000))}
    if rng.random() < 0.5:
        arguments["limit"] = rng.choice((1, 7, 100))
    names: list[str] = []
    for _ in range(len(made) + 1):
        output = tool.call_sync(arguments)
        *shown, footer = output["content"][0]["text"].split("\n")
        assert _native.count_tokens(output["content"][0]["text"], None) <= arguments["max_tokens"]
        assert 0 < len(shown) <= arguments.get("limit", 2_000)
        assert footer.startswith("[")
        names += shown
        if output["next"] is None:
            break
        arguments |= output["next"]
    listed = Reader(roots=tmp_path).files(".", "/x*")
    assert names == [escaped_path(displayed(name.removeprefix("./"))) for name in listed]
    assert len(names) == len(made)
