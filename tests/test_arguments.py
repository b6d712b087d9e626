"""Arguments of reads and readers: what is accepted, what is refused, and how the errors are worded."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anyread
from anyread.arguments.page_range import PageRange
from anyread.arguments.paths import displayed, encoded
from anyread.arguments.request import (
    ARGUMENTS,
    DEFAULTS,
    LARGEST,
    REPEATED,
    Request,
    checked,
    explicit,
    foreign,
    repeated,
)
from anyread.errors import BadArgumentError, BadPathError, WrongKindError

REFUSED: list[tuple[str, Any]] = [
    ("offset", True),
    ("offset", 1.0),
    ("offset", "5"),
    ("offset", ""),
    ("offset", None),
    ("offset", LARGEST + 1),
    ("offset", -LARGEST - 1),
    ("limit", 0),
    ("limit", -1),
    ("limit", False),
    ("limit", 2.5),
    ("limit", "20"),
    ("limit", LARGEST + 1),
    ("column", -1),
    ("column", True),
    ("column", "1"),
    ("column", None),
    ("pages", 0),
    ("pages", -1),
    ("pages", True),
    ("pages", 2.0),
    ("pages", LARGEST + 1),
    ("pages", "0"),
    ("pages", "0-3"),
    ("pages", "5-1"),
    ("pages", "3-0"),
    ("pages", "-3"),
    ("pages", "1,3"),
    ("pages", "#a"),
    ("pages", "1-2-3"),
    ("pages", "\N{ARABIC-INDIC DIGIT THREE}"),
    ("encoding", ""),
    ("encoding", "  "),
    ("encoding", 8),
    ("kind", ""),
    ("kind", "movie"),
    ("kind", "Text"),
    ("kind", "text/"),
    ("kind", 1),
    ("region", (0, 0, 5)),
    ("region", (0, 0, 5, 0)),
    ("region", (0, 0, -5, 5)),
    ("region", (0, 0, 5.0, 5)),
    ("region", (0, 0, True, 5)),
    ("region", "0,0,5,5"),
    ("unless_version", 5),
    ("since_version", b"v"),
    ("gutter", "tab"),
    ("gutter", "\t"),
]


@pytest.mark.parametrize(("argument", "value"), REFUSED)
def test_invalid_argument_is_refused(argument: str, value: Any) -> None:
    with pytest.raises(BadArgumentError) as caught:
        checked("notes.txt", **{argument: value})
    error = caught.value
    assert (error.argument, error.path) == (argument, "notes.txt")
    assert error.message.startswith(f"the argument `{argument}` for `notes.txt` must be {error.reason}: ")
    assert len(str(error)) < 500
    assert f"{argument}=" in error.hint or "`version`" in error.hint


def test_refused_value_is_shown_as_its_repr() -> None:
    with pytest.raises(BadArgumentError, match=r"must be an integer .*: `'5'`\n"):
        checked("a", offset="5")  # type: ignore[arg-type]


def test_huge_integer_is_described_by_its_size() -> None:
    with pytest.raises(BadArgumentError, match="an integer of 16,610 bits"):
        checked("a", limit=10**5000)


def test_reversed_pages_are_corrected_in_the_message() -> None:
    with pytest.raises(BadArgumentError, match='in rising order, such as "1-5"'):
        checked("a", pages="5-1")


@pytest.mark.parametrize(
    ("arguments", "field", "value"),
    [
        ({"offset": 0}, "offset", 1),
        ({"offset": -5}, "offset", -5),
        ({"offset": LARGEST}, "offset", LARGEST),
        ({"column": 0}, "column", 1),
        ({"limit": None}, "limit", None),
        ({"pages": ""}, "pages", None),
        ({"pages": None}, "pages", None),
        ({"pages": "3"}, "pages", "3"),
        ({"pages": 3}, "pages", "3"),
        ({"pages": "1-5"}, "pages", "1-5"),
        ({"pages": "2-"}, "pages", "2-"),
        ({"region": (-3, 0, 10, 10)}, "region", (-3, 0, 10, 10)),
        ({"region": [0, 0, 1, 1]}, "region", (0, 0, 1, 1)),
        ({"kind": "notebook"}, "kind", "notebook"),
        ({"kind": "text/x-python"}, "kind", "text/x-python"),
        ({"encoding": "utf-8"}, "encoding", "utf-8"),
        ({"unless_version": ""}, "unless_version", ""),
        ({"gutter": anyread.Gutter.BAR}, "gutter", anyread.Gutter.BAR),
    ],
)
def test_valid_argument_is_normalized(arguments: dict[str, Any], field: str, value: Any) -> None:
    assert dict(checked("a", **arguments))[field] == value


@given(first=st.integers(1, 10**6), more=st.none() | st.integers(-1, 10**6), dash=st.booleans())
def test_pages_in_rising_order_are_accepted(first: int, more: int | None, dash: bool) -> None:
    pages = (
        f"{first}-" if more == -1 else f"{first}" if more is None or not dash else f"{first}-{first + more}"
    )
    assert checked("a", pages=pages)["pages"] == pages


@given(st.text(alphabet="0123456789-, x", min_size=1, max_size=8))
def test_pages_are_either_accepted_or_refused(pages: str) -> None:
    """No value of `pages` raises another exception."""
    try:
        checked("a", pages=pages)
    except BadArgumentError as error:
        assert error.argument == "pages"  # noqa: PT017 - no exception is correct too


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


@pytest.mark.parametrize("function", [anyread.read, anyread.read_sync])
def test_signature_has_the_declared_arguments_in_their_order(function: Callable[..., object]) -> None:
    """Frameworks that build a schema from a signature need every argument instead of `**arguments`."""
    path, *others = inspect.signature(function).parameters.values()
    assert path.name == "path"
    assert [(each.name, each.default) for each in others] == list(DEFAULTS.items())
    hints = get_type_hints(function)
    assert {each.name: hints[each.name] for each in others} == get_type_hints(Request)


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
        ({"offset": 2}, "image", "offset"),
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


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("3", PageRange(3, 3)),
        ("1-5", PageRange(1, 5)),
        ("2-", PageRange(2, None)),
        (" 7-9 ", PageRange(7, 9)),
    ],
)
def test_range_of_pages_is_parsed_and_written(text: str, pages: PageRange) -> None:
    assert PageRange.parse(text) == pages
    assert pages.is_rising
    assert str(pages) == text.strip()


@pytest.mark.parametrize("text", ["", "-3", "1,3", "a", "1-2-3", "3--", "1" * 16])
def test_invalid_range_of_pages_is_none(text: str) -> None:
    assert PageRange.parse(text) is None


@pytest.mark.parametrize("text", ["5-1", "0-3", "0"])
def test_range_that_does_not_rise_is_detected(text: str) -> None:
    pages = PageRange.parse(text)
    assert pages is not None
    assert not pages.is_rising


def test_unknown_argument_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="ofset"):
        anyread.read_sync("a.txt", ofset=5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="ofset"):
        anyread.read_many(["a.txt"], ofset=5)  # type: ignore[call-overload]


@pytest.mark.parametrize("arguments", [{"pages": "1"}, {"region": (0, 0, 1, 1)}])
def test_argument_that_does_not_fit_text_is_the_wrong_kind(tmp_path: Path, arguments: dict[str, Any]) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    with pytest.raises(WrongKindError) as caught:
        anyread.read_sync(tmp_path / "a.txt", **arguments)
    assert (caught.value.argument, caught.value.kind) == (next(iter(arguments)), "text")


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


def test_nul_in_a_path_is_a_bad_path() -> None:
    with pytest.raises(BadPathError):
        anyread.read_sync("a\0b")


def test_bytes_that_are_not_utf8_are_shown_escaped(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/f\xff.txt"
    Path(os.fsdecode(name)).write_text("x\n")
    assert displayed(name) == f"{tmp_path}/f\\xff.txt"
    for path in (name, os.fsdecode(name)):
        assert encoded(path) == name
        assert anyread.read_sync(path).path == displayed(name)


# ---------------------------------------------------------------- readers


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"roots": 5}, TypeError),
        ({"roots": [5]}, TypeError),
        ({"model": 5}, TypeError),
        ({"deny": "**/.env"}, TypeError),
        ({"gutter": "tab"}, TypeError),
        ({"notebook": "markdown"}, ValueError),
        ({"mmap": "always"}, ValueError),
    ],
)
def test_reader_refuses_invalid_arguments(arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=rf"Reader\({next(iter(arguments))}=…\) must be "):
        anyread.Reader(**arguments)


def test_reader_keeps_its_arguments(tmp_path: Path) -> None:
    limits, model = anyread.Limits(max_lines=3), anyread.Model.bedrock()
    reader = anyread.Reader(
        roots=[tmp_path], limits=limits, model=model, gutter=anyread.Gutter.BAR, notebook="raw", mmap="never"
    )
    assert (reader.limits, reader.model, reader.gutter) == (limits, model, anyread.Gutter.BAR)
    assert (reader.notebook, reader.mmap) == ("raw", "never")
    (tmp_path / "a.txt").write_text("x\n")
    assert reader.read_sync("a.txt").text == "1|x"


def test_reader_without_a_model_uses_any() -> None:
    assert anyread.Reader().model == anyread.Model.any()


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


def test_quick_synchronous_read_ends_before_its_timeout(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    reader = anyread.Reader(limits=anyread.Limits(timeout_s=60))
    assert reader.read_sync(tmp_path / "a.txt").text == "1\tx"
    with pytest.raises(anyread.NotFoundError):
        reader.read_sync(tmp_path / "absent.txt")


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
