"""Windows of odd files, compared with the oracle (`tests/helpers/oracle.py`).

Hypothesis shrinks a difference to the smallest file and call.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import anyread
from anyread import Gutter, errors
from helpers import oracle
from helpers.texts import TextReader, read_text

MIB = 1024 * 1024
PLENTY = 10**9
DEFAULTS = oracle.Limits()

COMPARED = (
    "text",
    "footer",
    "content",
    "start_line",
    "end_line",
    "total_lines",
    "truncated",
    "encoding",
    "bom",
    "line_ending",
    "final_newline",
    "lossy",
)

# Runs are deterministic; examples that failed once are listed above their tests.
EXAMPLES = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

GUTTERS: dict[str, tuple[Gutter, tuple[int, str | None]]] = {
    "TAB": (Gutter.TAB, (0, "\t")),
    "CAT_N": (Gutter.CAT_N, (6, "\t")),
    "ARROW": (Gutter.ARROW, (6, "→")),
    "COLON": (Gutter.COLON, (0, ": ")),
    "PIPE": (Gutter.PIPE, (4, " | ")),
    "BAR": (Gutter.BAR, (0, "|")),
    "NONE": (Gutter.NONE, (0, None)),
    "own": (Gutter(width=3, separator="§ "), (3, "§ ")),
}

# Text that readers often get wrong: separators that do not end lines, wide characters whose UTF-16 units
# contain a 0x0A or 0x0D byte, combining marks, joined emoji, a BOM in the middle, NUL, bidi overrides.
TEXTS = (
    "",
    "a",
    "word ",
    "\t",
    "é",
    "я",
    "漢字",
    "한",
    "ぁ",
    "€",
    "😀",
    "👩‍👩‍👧",
    "e\u0301",
    "\u2028",
    "\u2029",
    "\u0085",
    "\v",
    "\f",
    "\x1c",
    "\x1b[0m",
    "\ufeff",
    "\u202e",
    "\ufffd",
    "\u010a",
    "\u0a00",
    "\u0d0a",
    "\u0a0d",
    "x" * 23,
    "y" * 150,
)
ENDINGS = ("\n", "\r\n", "\r", "\r\r\n", "\n\n")

# The encoding of the bytes, their BOM, and the encoding passed (None: it must be detected).
ENCODINGS: tuple[tuple[str, bytes, str | None], ...] = (
    ("utf-8", b"", None),
    ("utf-8", b"", "utf-8"),
    ("utf-8", b"\xef\xbb\xbf", None),
    ("utf-16-le", b"\xff\xfe", None),
    ("utf-16-be", b"\xfe\xff", None),
    ("utf-16-le", b"", "utf-16-le"),
    ("utf-16-be", b"", "utf-16-be"),
    ("utf-32-le", b"\xff\xfe\x00\x00", None),
    ("utf-32-be", b"\x00\x00\xfe\xff", None),
    ("windows-1252", b"", "windows-1252"),
    ("koi8-r", b"", "koi8-r"),
    ("gb18030", b"", "gb18030"),
    ("cp932", b"", "cp932"),
    ("cp949", b"", "cp949"),
    ("euc-jp", b"", "euc-jp"),
)


@dataclass(frozen=True)
class OddFile:
    """The content of a file, and the arguments that reading it needs."""

    data: bytes
    encoding: str | None
    kind: str | None

    @property
    def arguments(self) -> dict[str, Any]:
        kind = self.kind or (self.encoding and "text")
        return {name: value for name, value in (("encoding", self.encoding), ("kind", kind)) if value}


def is_odd(text: str) -> bool:
    """Return whether a text may be detected as binary if the caller passes no `kind`."""
    fine = "\t\n\v\f\r\x08"
    controls = (c for c in text if c not in fine and (c < " " or "\x7f" <= c < "\xa0" or c == "\ufffd"))
    return not text or any(True for _ in controls)


@st.composite
def odd_files(draw: st.DrawFn) -> OddFile:
    """Draw a file: an encoding and pieces of text and line endings in any order."""
    encoding, bom, passed = draw(st.sampled_from(ENCODINGS))
    endings = draw(st.sampled_from([("\n",), ("\r\n",), ("\r",), ENDINGS]))
    nul = ("\x00",) if passed or bom else ()
    texts = [text for text in TEXTS + nul if encodable(text, encoding)]
    piece = st.one_of(st.sampled_from(texts), st.sampled_from(texts), st.sampled_from(endings))
    text = "".join(draw(st.lists(piece, max_size=40)))
    if bom == b"\xff\xfe" and text.startswith("\0"):
        text = f"a{text}"  # this BOM followed by a NUL is the BOM of UTF-32
    kind = "text" if is_odd(text) or draw(st.booleans()) else None
    return OddFile(bom + text.encode(encoding), passed, kind)


def encodable(text: str, encoding: str) -> bool:
    """Return whether a text survives encoding, and decoding by the WHATWG tables."""
    if encoding in ("windows-1252", "koi8-r") and "\u0085" in text:
        return False
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeError:
        return False


windows = st.fixed_dictionaries(
    {},
    optional={
        "offset": st.integers(-12, 15),
        "limit": st.integers(1, 12),
        "column": st.integers(0, 30),
        "gutter": st.sampled_from(sorted(GUTTERS)),
    },
)
small_limits = st.builds(
    oracle.Limits,
    max_lines=st.one_of(st.just(2_000), st.integers(1, 8)),
    max_line_chars=st.one_of(st.just(2_000), st.integers(1, 24)),
    fill_one_line=st.booleans(),
    max_bytes=st.one_of(st.just(256 * 1024), st.integers(1, 200), st.integers(640, 900)),
)


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return new paths, so that nothing cached for one file affects another."""
    directory = tmp_path_factory.mktemp("odd")
    return (directory / f"file-{number}" for number in itertools.count())


def reader(limits: oracle.Limits = DEFAULTS, **more: Any) -> Any:
    """Return a reader with these limits; if `max_tokens` is `None`, tokens are not limited."""
    counted = {"max_tokens": limits.max_tokens, "tokenizer": limits.count_tokens}
    return TextReader(
        limits=anyread.Limits(
            max_lines=limits.max_lines,
            max_line_chars=limits.max_line_chars,
            fill_one_line=limits.fill_one_line,
            max_bytes=limits.max_bytes,
            **({"max_tokens": PLENTY} if limits.max_tokens is None else counted),
            **more,
        )
    )


def check(path: Path, data: bytes, limits: oracle.Limits, arguments: dict[str, Any]) -> None:
    """Write a file, and compare the result of one call with the oracle's."""
    path.write_bytes(data)
    named = arguments.get("gutter")
    gutter, layout = GUTTERS[named or "TAB"]
    call = arguments | ({"gutter": gutter} if named else {})
    window = {key: value for key, value in arguments.items() if key not in ("kind", "gutter")}
    try:
        expected = oracle.read(data, gutter=layout, limits=limits, **window)
    except oracle.PastEndError as past:
        total = past.total_lines
        with pytest.raises(errors.OffsetPastEndError) as caught:
            reader(limits).text(path, **call)
        assert caught.value.total_lines == total
        return
    except oracle.PastColumnError:
        with pytest.raises(errors.BadArgumentError) as refused:
            reader(limits).text(path, **call)
        assert refused.value.argument == "column"
        return
    page = reader(limits).text(path, **call)
    assert isinstance(page, anyread.TextPage)
    for name in COMPARED:
        assert getattr(page, name) == getattr(expected, name), name
    kept = {key: call[key] for key in ("limit", "encoding", "kind", "gutter") if key in call}
    if expected.next is None:
        assert page.next is None
    else:
        assert page.next is not None
        whole_lines = expected.next[0] - page.start_line
        if "limit" in kept and 0 < whole_lines < kept["limit"]:
            # The page was full before its limit, so the next page has the rest of the limit.
            kept["limit"] -= whole_lines
        found = dict(page.next.arguments)
        # It is set even while the file may be rewritten unnoticed, when it has no version.
        assert found.pop("since_version") == page.version or (not page.version and page.size_bytes)
        assert found == kept | position(*expected.next)
    assert [position_of(tail.arguments) for tail in page.clipped] == expected.clipped


def position(offset: int, column: int) -> dict[str, int]:
    """Return the arguments for the position at which a continuation begins."""
    return {"offset": offset} | ({"column": column} if column > 1 else {})


def position_of(arguments: Any) -> tuple[int, int]:
    """Return the offset and column of a continuation."""
    return arguments["offset"], arguments.get("column", 1)


# ---------------------------------------------------------------- any window of any odd file


@pytest.mark.slow
@settings(EXAMPLES, max_examples=400)
@given(file=odd_files(), window=windows, limits=small_limits)
@example(OddFile(b"", None, None), {}, oracle.Limits())
@example(OddFile(b"\xef\xbb\xbf", None, None), {"offset": 3}, oracle.Limits())
@example(OddFile(b"a\r", None, None), {}, oracle.Limits())
@example(OddFile(b"a\r\rb\n", None, None), {}, oracle.Limits())
@example(OddFile(b"\n\n\n\n\n", None, None), {"offset": 2, "limit": 2}, oracle.Limits())
@example(OddFile("😀😀😀\n".encode(), None, None), {"column": 2}, oracle.Limits(max_bytes=9))
@example(OddFile(b"\n\n", None, None), {}, oracle.Limits(max_bytes=1))
@example(OddFile(b"a\nb\n", None, None), {}, oracle.Limits(max_bytes=1))
@example(OddFile(b"x" * 2_000 + b"\n", None, None), {}, oracle.Limits(max_bytes=700))
@example(OddFile(b"x" * 90 + b"\n" + b"y\n" * 400, None, None), {"offset": 2}, oracle.Limits(max_bytes=800))
def test_any_window_equals_the_oracle(
    paths: Iterator[Path], file: OddFile, window: dict[str, Any], limits: oracle.Limits
) -> None:
    check(next(paths), file.data, limits, window | file.arguments)


@pytest.mark.slow
@settings(EXAMPLES, max_examples=200)
@given(
    file=odd_files(),
    window=windows,
    limits=st.builds(
        oracle.Limits,
        max_line_chars=st.integers(1, 24),
        max_tokens=st.one_of(st.integers(1, 60), st.integers(190, 400)),
    ),
)
@example(OddFile(b"a\nlong line\n", None, None), {}, oracle.Limits(max_line_chars=2, max_tokens=1))
@example(OddFile(b"y" * 300, None, None), {}, oracle.Limits(max_line_chars=1, max_tokens=192))
def test_window_with_a_token_budget_equals_the_oracle(
    paths: Iterator[Path], file: OddFile, window: dict[str, Any], limits: oracle.Limits
) -> None:
    check(next(paths), file.data, limits, window | file.arguments)


BROKEN: tuple[bytes, ...] = (
    b"a",
    b"\n",
    b"\r\n",
    b"\x80",
    b"\xc0\xaf",
    b"\xe0\x80\xaf",
    b"\xed\xa0\xbd",
    b"\xf0\x9f\x98",
    b"\xf4\x90\x80\x80",
    b"\xe1\x80A",
    b"\xc3",
    b"\xff",
    "é😀".encode(),
)


@pytest.mark.slow
@settings(EXAMPLES, max_examples=200)
@given(parts=st.lists(st.sampled_from(BROKEN), max_size=12), window=windows, limits=small_limits)
def test_broken_utf8_equals_the_oracle(
    paths: Iterator[Path], parts: list[bytes], window: dict[str, Any], limits: oracle.Limits
) -> None:
    check(next(paths), b"".join(parts), limits, window | {"encoding": "utf-8", "kind": "text"})


UNITS = ("a\0", "\n\0", "\r\0", "\x3d\xd8\x00\xde", "\x3d\xd8", "\x00\xde", "\x0a\x01", "\x00\x0a", "\0\0")


@pytest.mark.slow
@settings(EXAMPLES, max_examples=200)
@given(
    parts=st.lists(st.sampled_from([unit.encode("latin-1") for unit in UNITS]), max_size=12),
    odd=st.sampled_from([b"", b"\n", b"x"]),
    window=windows,
    limits=small_limits,
)
def test_broken_utf16_equals_the_oracle(
    paths: Iterator[Path], parts: list[bytes], odd: bytes, window: dict[str, Any], limits: oracle.Limits
) -> None:
    check(next(paths), b"".join(parts) + odd, limits, window | {"encoding": "utf-16-le", "kind": "text"})


# ---------------------------------------------------------------- joined pages are the whole file


def follow(reader: Any, path: Path, arguments: dict[str, Any]) -> Iterator[anyread.TextPage]:
    """Read pages as long as there is a next one."""
    while True:
        page = reader.text(path, **arguments)
        assert isinstance(page, anyread.TextPage)
        yield page
        if page.next is None:
            return
        assert page.content, "every page advances"
        arguments = dict(page.next.arguments)


@pytest.mark.slow
@settings(EXAMPLES, max_examples=200)
@given(file=odd_files(), limit=st.one_of(st.none(), st.integers(1, 5)), max_bytes=st.integers(1, 64))
def test_joined_contents_of_pages_encode_to_the_file(
    paths: Iterator[Path], file: OddFile, limit: int | None, max_bytes: int
) -> None:
    path = next(paths)
    path.write_bytes(file.data)
    arguments = file.arguments | {"kind": "text"} | ({"limit": limit} if limit else {})
    text_reader = reader(oracle.Limits(max_line_chars=PLENTY, max_bytes=max_bytes))
    pages = list(follow(text_reader, path, arguments))
    name, bom, _ = oracle.split_bom(file.data, file.encoding)
    assert pages[0].encoding == name
    assert pages[0].bom == bool(bom)
    assert bom + "".join(page.content for page in pages).encode(name) == file.data
    path.unlink()


@pytest.mark.slow
@settings(EXAMPLES, max_examples=200)
@given(file=odd_files(), max_line_chars=st.integers(1, 12))
def test_joined_contents_with_clipped_tails_encode_to_the_file(
    paths: Iterator[Path], file: OddFile, max_line_chars: int
) -> None:
    path = next(paths)
    path.write_bytes(file.data)
    text_reader = reader(oracle.Limits(max_line_chars=max_line_chars))
    arguments = file.arguments | {"kind": "text", "limit": 1}
    joined = ""
    for page in follow(text_reader, path, arguments):
        while page.clipped:
            # A clipped line is shown with its ending, and its tail has the ending too.
            shown, ending = page.content[:max_line_chars], page.content[max_line_chars:]
            joined += shown
            page = text_reader.read_sync(path, **page.clipped[0].arguments)
            assert page.content.endswith(ending)
        joined += page.content
    name, bom, _ = oracle.split_bom(file.data, file.encoding)
    assert bom + joined.encode(name) == file.data
    path.unlink()


def test_emoji_page_of_any_budget_equals_the_oracle(tmp_path: Path) -> None:
    data = "😀👩‍👩‍👧e\u0301\n".encode() * 2
    for max_bytes in range(1, 60):
        check(tmp_path / "emoji.txt", data, oracle.Limits(max_bytes=max_bytes), {})


# ---------------------------------------------------------------- one very long line


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a file of one line of 3 MiB without a newline, and the line."""
    unit = "abcdefgh é 漢 😀 "
    line = "".join(f"{number}{unit}" for number in range(3 * MIB // 27))
    path = tmp_path_factory.mktemp("endless") / "line.json"
    path.write_bytes(line.encode())
    return path, line


@pytest.mark.parametrize("place", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_any_column_of_an_endless_line_cold_and_warm(endless: tuple[Path, str], place: float) -> None:
    path, line = endless
    column = int(len(line) * place) + 1
    anyread.clear_caches()
    pages = [reader().text(path, column=column) for _ in range(3)]
    content = pages[0].content
    assert content == line[column - 1 : column - 1 + len(content)]
    assert len(content) > 100_000 or column + len(content) > len(line)
    assert {page.text for page in pages} == {pages[0].text}


def test_joined_pages_are_the_endless_line(endless: tuple[Path, str]) -> None:
    path, line = endless
    text_reader = reader(oracle.Limits(max_line_chars=PLENTY, max_bytes=100_000))
    pages = list(follow(text_reader, path, {}))
    assert "".join(page.content for page in pages) == line
    assert all(len(page.text.encode()) <= 100_000 + 200 for page in pages)


# ---------------------------------------------------------------- budgets in tokens


def body(page: anyread.TextPage) -> str:
    """Return what a budget limits: the shown lines without the footer."""
    return page.text.removesuffix(page.footer).removesuffix("\n") if page.footer else page.text


@pytest.mark.parametrize("tokenizer", [None, "o200k_base", "cl100k_base", len])
@pytest.mark.parametrize("max_tokens", [1, 7, 40, 300, 2_000])
def test_pages_stay_within_the_token_budget_and_join(tmp_path: Path, tokenizer: Any, max_tokens: int) -> None:
    path = tmp_path / "source.py"
    text = "".join(f"def handler_{n}(request, 漢):\n\treturn {n} + len('😀')\n" for n in range(40))
    path.write_bytes(text.encode())
    limits = anyread.Limits(max_tokens=max_tokens, tokenizer=tokenizer)
    pages = list(follow(TextReader(limits=limits), path, {}))
    assert "".join(page.content for page in pages) == text
    for page in pages:
        # A page always has at least one character, with the ending of its line.
        is_minimal = len(page.content.rstrip("\n")) <= 1
        assert page.token_estimate <= max_tokens or is_minimal
        if tokenizer is len:
            assert len(page.text) <= max_tokens or is_minimal


def test_token_budget_is_used_up(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"one two three four\n" * 500)
    limits = anyread.Limits(max_tokens=400, tokenizer="o200k_base")
    page = TextReader(limits=limits).text(path)
    longer = read_text(path, limit=page.end_line + 1)
    exact = TextReader(limits=anyread.Limits(tokenizer="o200k_base"))
    assert exact.read_sync(path, limit=page.end_line).token_estimate <= 400
    assert exact.read_sync(path, limit=page.end_line + 1).token_estimate > 400
    assert longer.end_line == page.end_line + 1


@pytest.mark.parametrize("limits", [{"max_bytes": 200}, {"max_tokens": 60}])
def test_over_budget_error_names_the_largest_limit_that_fits(tmp_path: Path, limits: Any) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(b"".join(b"line number %d\n" % n for n in range(100)))
    text_reader = TextReader(limits=anyread.Limits(over_budget="error", **limits))
    with pytest.raises(errors.OverBudgetError) as caught:
        text_reader.read_sync(path, offset=3, limit=90)
    assert caught.value.used > caught.value.budget
    largest = caught.value.largest_limit
    assert 1 <= largest < 90
    assert text_reader.text(path, offset=3, limit=largest).end_line == 2 + largest
    with pytest.raises(errors.OverBudgetError):
        text_reader.read_sync(path, offset=3, limit=largest + 1)


# ---------------------------------------------------------------- files whose lines are not counted


@pytest.fixture
def uncounted(tmp_path: Path) -> tuple[Path, list[str]]:
    """Return a log of 19 MB and its lines; with a `count_bytes` of 1 MiB its total is unknown."""
    lines = [f"{number:08d} {'request ' * (number % 58)}" for number in range(80_000)]
    path = tmp_path / "app.log"
    path.write_text("".join(f"{line}\n" for line in lines))
    # Counts are kept once no `write` can still be copying: 20 ms, and 20 ns a byte, after the time stamp.
    time.sleep(0.02 + 20e-9 * path.stat().st_size)
    return path, lines


def test_footer_of_an_uncounted_file_has_an_estimate(uncounted: tuple[Path, list[str]]) -> None:
    path, lines = uncounted
    page = reader(count_bytes=MIB).text(path, offset=5, limit=10)
    assert page.content == "".join(f"{line}\n" for line in lines[4:14])
    size = f"{path.stat().st_size / 1e6:.1f} MB"
    pattern = rf"\[lines 5-14 of about ([\d,]+) \({re.escape(size)}\) · next: offset=15\]"
    match = re.fullmatch(pattern, page.footer)
    assert match, page.footer
    about = int(match[1].replace(",", ""))
    assert abs(about - len(lines)) <= len(lines) // 10
    assert page.total_lines_estimate is not None
    assert abs(page.total_lines_estimate - len(lines)) <= len(lines) // 10


def test_estimates_are_not_below_the_lines_already_counted(tmp_path: Path) -> None:
    path = tmp_path / "dense-end.log"
    path.write_text(f"{'x' * 1_700}\n" * 10_000 + "y\n" * 500_000)
    r = reader(count_bytes=MIB)
    for offset in (1, 9_000, 250_000, 509_900):
        page = r.text(path, offset=offset, limit=10)
        about = int(page.footer.partition(" of about ")[2].partition(" ")[0].replace(",", ""))
        assert page.total_lines_estimate is not None
        assert page.total_lines_estimate > page.end_line
        assert page.end_line <= about
    last = r.text(path, offset=509_998, limit=3)
    assert last.footer == "[lines 509,998-510,000 of 510,000]"
    assert (last.total_lines, last.total_lines_estimate) == (510_000, None)


def test_tail_of_an_uncounted_file_is_numbered_from_the_end(uncounted: tuple[Path, list[str]]) -> None:
    path, lines = uncounted
    page = reader(count_bytes=MIB).text(path, offset=-3)
    assert body(page) == "".join(f"{n}\t{lines[n]}\n" for n in (-3, -2, -1)).removesuffix("\n")
    assert page.footer.startswith("[lines -3 to -1 of about ")
    assert (page.start_line, page.end_line) == (-3, -1)
    assert page.content == "".join(f"{line}\n" for line in lines[-3:])


def test_tail_pages_of_an_uncounted_file_join(uncounted: tuple[Path, list[str]]) -> None:
    path, lines = uncounted
    text_reader = reader(oracle.Limits(max_lines=7), count_bytes=MIB)
    pages = list(follow(text_reader, path, {"offset": -30}))
    assert "".join(page.content for page in pages) == "".join(f"{line}\n" for line in lines[-30:])
    assert [page.start_line for page in pages] == [-30, -23, -16, -9, -2]


@pytest.mark.posix("versions")
@pytest.mark.parametrize(
    "arguments", [{}, {"offset": 60_001, "limit": 3}, {"offset": -5}, {"offset": -79_000, "limit": 3}]
)
def test_total_of_a_large_file_is_exact_once_its_lines_were_counted(
    uncounted: tuple[Path, list[str]], arguments: dict[str, int]
) -> None:
    """A tail was searched backward, numbered from the end and given an estimated total all the same."""
    path, lines = uncounted
    text_reader = reader(count_bytes=MIB)
    first = text_reader.text(path, **arguments)
    assert (first.total_lines, first.total_lines_estimate is None) == (None, False)
    text_reader.text(path, offset=79_999)  # counts the whole file, so that its index is complete
    page = text_reader.text(path, **arguments)
    assert page.content == first.content
    assert (page.total_lines, page.total_lines_estimate) == (len(lines), None)
    assert page == reader().text(path, **arguments)
