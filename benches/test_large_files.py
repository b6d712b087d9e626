"""P1, P2, P3, P4, P8 and the endless line: windows of huge files."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest
from benches import floor, inputs, judges

import anyread

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benches.conftest import Measure
    from benches.inputs import EndlessLine, Log

pytestmark = pytest.mark.benchmark

READER = anyread.Reader()
SHORT_READER = anyread.Reader(limits=anyread.Limits(fill_one_line=False))
"""Shows only 2,000 characters of a long line, so that finding them takes most of the time."""
EXACT = anyread.Reader(limits=anyread.Limits(exact_total=True))
NO_TOKEN_BUDGET = anyread.Reader(limits=anyread.Limits(max_tokens=10**9))
FAR_COLUMN = 2_000_000_001


def page_of(reader: anyread.Reader, path: Path, **arguments: Any) -> anyread.TextPage:
    page = reader.read_sync(path, **arguments)
    assert isinstance(page, anyread.TextPage)
    return page


def four_calls(path: Path, size_bytes: int, offset: int = 0) -> tuple[str, Callable[[], object]]:
    name = str(path)
    return floor.FOUR_CALLS, lambda: floor.four_calls(name, size_bytes, offset)


def test_count_and_first_page(measure: Measure, log_4_gib: Log) -> None:
    path = log_4_gib.path
    page = page_of(EXACT, path)
    assert page.total_lines == judges.wc_lines(path) == log_4_gib.lines
    assert page.content == judges.head(path, page.end_line)
    measure.pair(
        "count",
        lambda: EXACT.read_sync(path),
        lambda: judges.wc_lines(path),
        "wc -l",
        rounds=11,
        before=anyread.clear_caches,
    )


def test_count_beside_memory_bandwidth(measure: Measure, log_4_gib: Log) -> None:
    path = log_4_gib.path
    with floor.loads(path) as (name, load):
        measure.pair(
            "count-floor",
            lambda: EXACT.read_sync(path),
            load,
            name,
            rounds=11,
            before=anyread.clear_caches,
        )


def test_deep_window_cold(measure: Measure, log_4_gib: Log) -> None:
    path, first = log_4_gib.path, log_4_gib.lines * 9 // 10
    page = page_of(READER, path, offset=first, limit=100)
    assert (page.start_line, page.end_line) == (first, first + 99)
    assert page.content == judges.sed_window(path, first, first + 99)
    measure.pair(
        "deep-cold",
        lambda: READER.read_sync(path, offset=first, limit=100),
        lambda: judges.sed_window(path, first, first + 99),
        "sed -n 'A,Bp;Bq'",
        rounds=3,
        before=anyread.clear_caches,
    )


def test_deep_window_warm(measure: Measure, log_4_gib: Log) -> None:
    path, first = log_4_gib.path, log_4_gib.lines * 9 // 10
    page = page_of(READER, path, offset=first, limit=100)
    assert page.content == judges.sed_window(path, first, first + 99)
    measure.alone("deep-warm", lambda: READER.read_sync(path, offset=first, limit=100), rounds=2000)


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
def test_tail(measure: Measure, log_4_gib: Log, *, cold: bool) -> None:
    path = log_4_gib.path
    page = page_of(READER, path, offset=-100)
    assert (page.start_line, page.end_line) == (-100, -1)
    assert page.content == judges.tail(path, 100)
    measure.alone(
        "tail-cold" if cold else "tail",
        lambda: READER.read_sync(path, offset=-100),
        rounds=500 if cold else 2000,
        before=anyread.clear_caches if cold else None,
        floor=four_calls(path, len(page.content), log_4_gib.size_bytes - len(page.content)),
    )


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
@pytest.mark.parametrize(
    ("key", "reader", "limit"),
    [("first-100", READER, 100), ("first-page", READER, None), ("first-2000", NO_TOKEN_BUDGET, 2000)],
    ids=["100", "default", "2000"],
)
def test_first_page(
    measure: Measure, log_10_gb: Log, key: str, reader: anyread.Reader, limit: int | None, *, cold: bool
) -> None:
    path = log_10_gb.path
    page = page_of(reader, path, limit=limit)
    assert page.start_line == 1
    assert page.next is not None
    assert limit in {page.end_line, None}
    assert page.content == judges.head(path, page.end_line)
    measure.alone(
        f"{key}-cold" if cold else key,
        lambda: reader.read_sync(path, limit=limit),
        rounds=500 if cold else 1000,
        before=anyread.clear_caches if cold else None,
        floor=four_calls(path, len(page.content)),
    )


@pytest.mark.parametrize(("key", "offset"), [("grown", 1), ("grown-tail", -100)], ids=["head", "tail"])
def test_grown(measure: Measure, log_10_gb: Log, key: str, offset: int) -> None:
    path = log_10_gb.path
    os.truncate(path, log_10_gb.size_bytes)
    addition, added_lines = inputs.appended_lines(inputs.MIB)
    pages = [page_of(EXACT, path, offset=offset, limit=100)]

    def grow() -> None:
        # A stat in the same clock tick as a write is not trusted: wait, so that the index can be kept.
        time.sleep(0.03)
        EXACT.read_sync(path, offset=offset, limit=100)
        with path.open("ab") as file:
            file.write(addition)

    def read() -> None:
        pages.append(page_of(EXACT, path, offset=offset, limit=100))

    for _ in range(3):
        grow()
        read()
    totals = [page.total_lines for page in pages]
    assert totals == [log_10_gb.lines + grown * added_lines for grown in range(4)]
    if offset < 0:
        assert pages[-1].content == judges.tail(path, 100)
    measure.alone(key, read, rounds=30, before=grow)
    assert pages[-1].total_lines == judges.wc_lines(path)


def test_endless_line_first_call(measure: Measure, endless_line: EndlessLine) -> None:
    page = page_of(READER, endless_line.path, limit=1)
    assert endless_line.characters_at(1, 2000) in page.text
    measure.alone(
        "line-first",
        lambda: READER.read_sync(endless_line.path, limit=1),
        rounds=20,
        before=anyread.clear_caches,
    )


def test_endless_line_column_cold(measure: Measure, endless_line: EndlessLine) -> None:
    page = page_of(SHORT_READER, endless_line.path, column=FAR_COLUMN, limit=1)
    assert endless_line.characters_at(FAR_COLUMN, 2000) in page.text
    anyread.clear_caches()
    assert page_of(EXACT, endless_line.path, limit=1).total_lines == 1

    def count() -> None:
        anyread.clear_caches()
        EXACT.read_sync(endless_line.path, limit=1)

    measure.pair(
        "line-column-cold",
        lambda: SHORT_READER.read_sync(endless_line.path, column=FAR_COLUMN, limit=1),
        count,
        "counting its lines",
        rounds=5,
        before=anyread.clear_caches,
    )


def test_endless_line_column_warm(measure: Measure, endless_line: EndlessLine) -> None:
    page = page_of(SHORT_READER, endless_line.path, column=FAR_COLUMN, limit=1)
    assert endless_line.characters_at(FAR_COLUMN, 2000) in page.text
    measure.alone(
        "line-column-warm",
        lambda: SHORT_READER.read_sync(endless_line.path, column=FAR_COLUMN, limit=1),
        rounds=500,
    )
