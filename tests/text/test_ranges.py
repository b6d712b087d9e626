"""Several ranges of lines in one call: each is shown as a read of its own shows it, and nothing is lost."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

import anyread
from anyread import Gutter, Limits, Reader
from anyread.errors import BadArgumentError

GAP = re.compile(r"\[lines? [\d,-]+ not shown\]")
LINES = 700
Pairs = list[tuple[int, int]]


def written(directory: Path, name: str) -> Path:
    """Write a file with short, long, empty and accented lines in an encoding, and return its path."""
    rng = Random(name)
    alphabet = {"shift_jis": "日本語テスト", "utf-16": "żółć 𝄞 ", "latin-1": "déjà "}.get(name, "abc déf ")
    lines = [f"{n} " + "".join(rng.choices(alphabet, k=rng.choice([0, 5, 40, 300]))) for n in range(LINES)]
    ending = "\r\n" if name == "crlf" else "\n"
    data = ending.join(lines).encode(name if name not in {"crlf", "large"} else "utf-8")
    if name == "large":
        data = data + b"\n" + b"filler line\n" * 200_000
    path = directory / f"{name}.txt"
    path.write_bytes(data)
    return path


@pytest.fixture(scope="module", params=["utf-8", "crlf", "utf-16", "shift_jis", "latin-1", "large"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("ranges"), request.param)


def merged(pairs: Pairs, total: int) -> Pairs:
    """Return what the ranges mean, computed in the plainest way: from a set of lines."""
    from_start = [tuple(line if line > 0 else max(0, total + 1 + line) for line in pair) for pair in pairs]
    lines = {line for first, last in from_start for line in range(max(1, first), min(last, total) + 1)}
    result: Pairs = []
    for line in sorted(lines):
        if result and result[-1][1] == line - 1:
            result[-1] = (result[-1][0], line)
        else:
            result.append((line, line))
    return result


def lines_of(page: anyread.TextPage) -> list[str]:
    """Return the lines of a page without its footer."""
    return page.text.removesuffix(page.footer).removesuffix("\n").split("\n") if page.text else []


def test_each_range_is_shown_as_a_read_of_its_own(file: Path) -> None:
    rng = Random(file.name)
    limits = Limits(max_line_chars=60, max_bytes=10_000_000, max_tokens=10_000_000)
    total = Reader().info_sync(file).lines
    assert total is not None
    for _ in range(10):
        gutter = rng.choice([Gutter.TAB, Gutter.TENS, Gutter.NONE])
        reader = Reader(limits=limits, gutter=gutter)
        pairs = [(first, first + rng.choice([0, 1, 9, 50])) for first in rng.sample(range(1, LINES), 6)]
        pairs += [(-9, -3)] if rng.random() < 0.5 else []
        page = reader.read_sync(file, kind="text", ranges=pairs)
        expected, contents, previous = [], [], 0
        for first, last in merged(pairs, total):
            # Each jump is visible: by the numbers on both sides, or by a line.
            if previous and not (gutter.shows(previous) and gutter.shows(first)):
                expected.append(f"gap of {first - previous - 1}")
            single = reader.read_sync(file, kind="text", offset=first, limit=last - first + 1)
            expected += lines_of(single)
            contents.append(single.content)
            previous = last
        shown = ["gap" if GAP.fullmatch(line) else line for line in lines_of(page)]
        assert shown == ["gap" if line.startswith("gap of") else line for line in expected], pairs
        assert page.content == "".join(contents)
        assert page.ranges == tuple(merged(pairs, total))
        assert page.next is None


@pytest.mark.parametrize("tokenizer", [None, "o200k_base", len])
def test_following_next_shows_every_line_once_within_the_budget(file: Path, tokenizer: object) -> None:
    rng = Random(file.name)
    for size, tokens in [(700, 10_000_000), (10_000_000, 250), (3_000, 400)]:
        limits = Limits(max_bytes=size, max_tokens=tokens, tokenizer=tokenizer, max_line_chars=80)  # type: ignore[arg-type] # the tokenizers are valid
        reader = Reader(limits=limits)
        pairs = [(first, first + rng.choice([0, 3, 20])) for first in rng.sample(range(1, LINES - 30), 12)]
        wanted = [line for first, last in merged(pairs, LINES) for line in range(first, last + 1)]
        seen: list[int] = []
        inside = 0
        arguments: dict[str, object] = {"ranges": pairs, "kind": "text"}
        while arguments:
            page = reader.read_sync(file, **arguments)  # type: ignore[call-overload] # as in `next`
            assert len(page.text.encode()) <= size
            assert page.token_estimate <= tokens, (limits, page.text)
            shown = [line for first, last in page.ranges for line in range(first, last + 1)]
            # A page may begin inside the line in which the one before it ends.
            seen += shown[1:] if shown[0] == inside else shown
            arguments = dict(page.next.arguments) if page.next is not None else {}
            inside = seen[-1] if "column" in arguments else 0
        assert seen == wanted


def test_a_single_line_has_ten_lines_before_and_after_it(file: Path) -> None:
    page = anyread.read_sync(file, kind="text", ranges=[200, (240, 241), 3])
    assert page.ranges == ((1, 13), (190, 210), (240, 241))
    assert ": lines 1-13, 190-210, 240-241 of" in page.summary()
    around = anyread.read_sync(file, kind="text", around=200, limit=5)
    assert (around.start_line, around.end_line) == (198, 202)
    assert anyread.read_sync(file, kind="text", around=200).end_line == 210
    assert anyread.read_sync(file, kind="text", around=3).end_line == 13


@pytest.mark.parametrize(
    ("ranges", "reason"),
    [
        ([], "a list of pairs"),
        ([(0, 5)], "there is no line 0"),
        ([(30, 10)], "in rising order, such as (10, 30)"),
        ([(-1, -5)], "in rising order, such as (-5, -1)"),
        ([(1, 2)] * 10_000, "at most 256 ranges; these are 10,000"),
        ([(1, 2, 3)], "a list of pairs"),
        ([("1", 2)], "a list of pairs"),
        ([(1, 2**60)], "from 1 to"),
        ("1-5", "a list of pairs"),
    ],
)
def test_bad_ranges_have_a_sentence_each(tmp_path: Path, ranges: object, reason: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    with pytest.raises(BadArgumentError, match=re.escape(reason)):
        anyread.read_sync(path, ranges=ranges)  # type: ignore[call-overload] # that is the test
