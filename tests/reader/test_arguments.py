"""Arguments of reads and readers: what is accepted, what is refused, and how the errors are worded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.arguments.paths import displayed, encoded
from anyread.arguments.request import (
    ARGUMENTS,
    LARGEST,
    REPEATED,
    Request,
    checked,
    explicit,
    foreign,
    repeated,
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


def test_huge_integer_is_described_by_its_size() -> None:
    with pytest.raises(BadArgumentError, match="an integer of 16,610 bits"):
        checked("a", limit=10**5000)


def test_reversed_pages_are_corrected_in_the_message() -> None:
    with pytest.raises(BadArgumentError, match='in rising order, such as "1-5"'):
        checked("a", pages="5-1")


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


def test_checked_arguments_are_complete() -> None:
    request = checked("a", offset=3)
    assert list(request) == list(ARGUMENTS)
    assert {name: value for name, value in request.items() if value is not None} == {"offset": 3, "column": 1}
    assert checked("a") == {**request, "offset": 1}


@pytest.mark.parametrize(
    ("arguments", "kind", "name"),
    [
        ({"pages": "1"}, "pdf", None),
        ({"pages": "1"}, "notebook", "pages"),
        ({"column": 2}, "image", "column"),
        ({"offset": 1, "column": 1}, "image", None),
        ({"column": 2}, "pdf", None),
        ({"limit": 5, "encoding": "utf-8", "gutter": anyread.Gutter.BAR}, "image", None),
        ({"kind": "image", "since_version": "v", "unless_version": "v"}, "image", None),
    ],
)
def test_argument_of_another_kind_is_foreign(arguments: Request, kind: str, name: str | None) -> None:
    assert foreign(checked("a", **arguments), kind) == name


def test_next_call_for_a_text_repeats_what_is_declared(tmp_path: Path) -> None:
    """The binding had a list of its own, so `next` dropped an argument that was missing in it."""
    (tmp_path / "a").write_text("a\nb\n" * 3)
    passed: dict[str, Any] = {
        "encoding": "utf-8",
        "max_tokens": 20_000,
        "max_bytes": 200_000,
        "gutter": anyread.Gutter.BAR,
        "kind": "text",
    }
    assert [name for name, _ in REPEATED] == list(passed)
    following = anyread.read_sync(tmp_path / "a", limit=2, **passed).next
    assert following is not None
    assert {name: following[name] for name in following if name != "since_version"} == {
        "offset": 3,
        "limit": 2,
        **passed,
    }


def test_next_call_repeats_what_fits_the_kind() -> None:
    request = checked("a", offset=5, kind="pdf", gutter=anyread.Gutter.BAR, unless_version="v", limit=3)
    assert repeated(request, "pdf") == {"kind": "pdf"}
    assert repeated(request, "notebook") == {"gutter": anyread.Gutter.BAR, "kind": "pdf"}
    assert explicit(request) == {"offset": 5, "limit": 3, "kind": "pdf", "gutter": anyread.Gutter.BAR}


def test_unknown_argument_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="ofset"):
        anyread.read_sync("a.txt", ofset=5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="ofset"):
        anyread.read_many(["a.txt"], ofset=5)  # type: ignore[call-arg]


# ---------------------------------------------------------------- paths


@pytest.mark.parametrize("kind", [str, os.fsencode, Path])
def test_path_may_be_text_bytes_or_pathlike(tmp_path: Path, kind: Any) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    page = anyread.read_sync(kind(tmp_path / "a.txt"))
    assert page.path == str(tmp_path / "a.txt")


@pytest.mark.parametrize("path", [5, None, 1.5, ["a"], True])
def test_value_that_is_not_a_path_is_a_bad_path(path: Any) -> None:
    with pytest.raises(BadPathError, match=r"a path must be str, bytes or os\.PathLike, not "):
        anyread.read_sync(path)


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


def test_reader_keeps_its_arguments(tmp_path: Path) -> None:
    limits, model = anyread.Limits(max_lines=3), anyread.Model.bedrock()
    reader = anyread.Reader(
        roots=[tmp_path], limits=limits, model=model, gutter=anyread.Gutter.BAR, notebook="raw", mmap="never"
    )
    assert (reader.limits, reader.model, reader.gutter) == (limits, model, anyread.Gutter.BAR)
    assert (reader.notebook, reader.mmap) == ("raw", "never")
    (tmp_path / "a.txt").write_text("x\n")
    assert reader.read_sync("a.txt").text == "1|x"


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


@pytest.mark.anyio
async def test_stats_count_the_hops(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    reader = anyread.Reader()
    reader.read_sync(tmp_path / "a.txt")
    assert reader.stats()["hops"] == 0
    before = reader.stats()["hops"]
    _ = [result async for result in reader.read_many([tmp_path / "a.txt"] * 3)]
    assert reader.stats()["hops"] == before + 1
    hopping = anyread.Reader(limits=anyread.Limits(inline_bytes=1))
    await hopping.read(tmp_path / "a.txt")
    assert hopping.stats()["hops"] == 1


def test_file_that_still_has_its_version_is_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x\n")
    # A file that was just written has no version: a rewrite in the same clock tick would not change it.
    os.utime(path, (1, 1))
    page = anyread.read_sync(path)
    if page.version:
        assert anyread.read_sync(path, unless_version=page.version) == anyread.Unchanged(
            str(path), page.version
        )
    assert isinstance(anyread.read_sync(path, unless_version=""), anyread.TextPage)


def test_timeout_ends_a_synchronous_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.log").open("wb") as huge:
        huge.write(b"line\n" * 4_000)
        # The file is almost all hole; counting its lines takes minutes.
        huge.truncate(1 << 40)
    reader = anyread.Reader(limits=anyread.Limits(timeout_s=0.1, exact_total=True))
    with pytest.raises(anyread.ReadTimeoutError) as caught:
        reader.read_sync(tmp_path / "huge.log")
    assert caught.value.timeout_s == 0.1


@pytest.mark.anyio
async def test_guard_records_a_read_that_blocks_the_loop(tmp_path: Path, blocked_reads: list[bytes]) -> None:
    """The fixture that all tests rely on detects such a read."""
    (tmp_path / "a.txt").write_text("x\n")
    reader = anyread.Reader()
    name = os.fsencode(tmp_path / "a.txt")
    core = reader._engine._live()
    core.read(name, checked("a"), may_wait=True)
    assert blocked_reads == [name]
    blocked_reads.clear()
