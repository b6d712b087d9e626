"""Arguments of reads and readers: what is accepted, what is refused, and how the errors are worded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.arguments.paths import displayed, encoded
from anyread.arguments.request import (
    LARGEST,
    REPEATED,
    checked,
)
from anyread.errors import BadArgumentError, BadPathError

REFUSED: dict[str, list[Any]] = {
    "offset": [True, 1.0, "5", "", None, LARGEST + 1, -LARGEST - 1],
    "limit": [0, -1, False, 2.5, "20", LARGEST + 1],
    "column": [-1, True, "1", None],
    "pages": [
        *(0, -1, True, 2.0, LARGEST + 1, "0", "0-3", "5-1", "3-0", "-3", "1,3", "#a", "1-2-3", "3--"),
        "\N{ARABIC-INDIC DIGIT THREE}",
    ],
    "encoding": ["", "  ", 8],
    "kind": ["", "movie", "Text", "text/", 1],
    "region": [(0, 0, 5), (0, 0, 5, 0), (0, 0, -5, 5), (0, 0, 5.0, 5), (0, 0, True, 5), "0,0,5,5"],
    "unless_version": [5],
    "since_version": [b"v"],
    "gutter": ["tab", "\t"],
}


@pytest.mark.parametrize(
    ("argument", "value"), [(name, value) for name, values in REFUSED.items() for value in values]
)
def test_invalid_argument_is_refused(argument: str, value: Any) -> None:
    with pytest.raises(BadArgumentError) as caught:
        checked("notes.txt", **{argument: value})
    error = caught.value
    assert (error.argument, error.path) == (argument, "notes.txt")
    assert error.message.startswith(f"the argument `{argument}` for `notes.txt` must be {error.reason}: ")
    assert len(str(error)) < 500
    assert f"{argument}=" in error.hint or "`version`" in error.hint


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("offset", {0: 1, -5: -5, LARGEST: LARGEST}),
        ("column", {0: 1}),
        ("limit", {None: None}),
        ("pages", {"": None, None: None, "3": "3", 3: "3", "1-5": "1-5", "2-": "2-", "7-7": "7-7"}),
        ("region", {(-3, 0, 10, 10): (-3, 0, 10, 10)}),
        ("kind", {"notebook": "notebook", "text/x-python": "text/x-python"}),
        ("encoding", {"utf-8": "utf-8"}),
        ("unless_version", {"": ""}),
        ("gutter", {anyread.Gutter.BAR: anyread.Gutter.BAR}),
    ],
)
def test_valid_argument_is_normalized(name: str, values: dict[Any, Any]) -> None:
    for passed, value in values.items():
        assert dict(checked("a", **{name: passed}))[name] == value
    assert checked("a", region=[0, 0, 1, 1])["region"] == (0, 0, 1, 1)  # type: ignore[arg-type] # a list too


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("argument", "value"), [("limit", 0), ("column", -1), ("offset", True), ("kind", "movie")]
)
async def test_every_read_function_checks_its_arguments(tmp_path: Path, argument: str, value: Any) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    named: Any = {argument: value}
    with pytest.raises(BadArgumentError):
        anyread.read_sync(tmp_path / "a.txt", **named)
    with pytest.raises(BadArgumentError):
        await anyread.read(tmp_path / "a.txt", **named)
    with pytest.raises(BadArgumentError):
        await anext(anyread.pages(tmp_path / "a.txt", **named))
    with pytest.raises(BadArgumentError):
        anyread.read_many([tmp_path / "a.txt"], **named)


@pytest.mark.parametrize("name", ["budget_tokens", "budget_bytes", "concurrency"])
@pytest.mark.parametrize("value", [0, -1, True, 1.5, "5", 2**60])
def test_budget_that_is_not_a_positive_integer_is_refused_at_once(name: str, value: Any) -> None:
    with pytest.raises(BadArgumentError, match=f"the argument `{name}` for `a` must be an integer"):
        anyread.read_many(["a"], **{name: value})


def test_next_call_for_a_text_repeats_what_is_declared(tmp_path: Path) -> None:
    """The binding had a list of its own, so `next` dropped an argument that was missing in it."""
    (tmp_path / "a").write_text("a\nb\n" * 3)
    passed: dict[str, Any] = {
        "encoding": "utf-8",
        "find": "a",
        "max_tokens": 20_000,
        "max_bytes": 200_000,
        "gutter": anyread.Gutter.BAR,
        "kind": "text",
    }
    assert [name for name, _ in REPEATED] == list(passed)
    following = anyread.read_sync(tmp_path / "a", limit=1, **passed).next
    assert following is not None
    assert {name: following[name] for name in following if name != "since_version"} == {
        "offset": 4,
        "limit": 1,
        **passed,
    }


# ---------------------------------------------------------------- paths


@pytest.mark.parametrize("path", [5, None, 1.5, ["a"], True])
def test_value_that_is_not_a_path_is_a_bad_path(path: Any) -> None:
    with pytest.raises(BadPathError, match=r"a path must be str, bytes or os\.PathLike, not "):
        anyread.read_sync(path)


@pytest.mark.posix("names of files without lone surrogates")
@pytest.mark.parametrize("path", ["a\ud800b", Path("a\ud800b")])
def test_character_that_no_file_name_can_contain_is_a_bad_path(path: Any) -> None:
    with pytest.raises(BadPathError, match="no file name can contain its character 2") as caught:
        anyread.read_sync(path)
    caught.value.path.encode()


def test_bytes_that_are_not_utf8_are_shown_escaped(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/f\xff.txt"
    Path(os.fsdecode(name)).write_text("x\n")
    assert displayed(name) == f"{tmp_path}/f\\xff.txt"
    for path in (name, os.fsdecode(name)):
        assert encoded(path) == name
        assert anyread.read_sync(path).path == displayed(name)


# ---------------------------------------------------------------- readers


@pytest.mark.anyio
async def test_closed_reader_refuses_to_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    async with anyread.Reader(roots=[tmp_path]) as reader:
        assert (await reader.read("a.txt")).text == "1\tx"
    with pytest.raises(RuntimeError, match="this reader is closed"):
        await reader.read("a.txt")
    with pytest.raises(RuntimeError, match="this reader is closed"):
        reader.read_sync("a.txt")
    with pytest.raises(RuntimeError, match="this reader is closed"):
        reader.stats()
