"""Result classes: their slots, equality, summaries and blocks."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

import anyio
import pytest

import anyread
from anyread.results import TextBlock, TextPage

if TYPE_CHECKING:
    from pathlib import Path


def page_of(**values: Any) -> TextPage:
    """Return a page of one line, with other values of some fields."""
    values = {"text": "1\tone", "start_line": 1, "end_line": 1, "total_lines": 1, **values}
    return TextPage(path="a.txt", **values)


@pytest.fixture
def poem(tmp_path: Path) -> Path:
    path = tmp_path / "poem.txt"
    path.write_bytes(b"Tyger Tyger, burning bright,\r\nIn the forests of the night;\n")
    return path


@pytest.mark.parametrize(
    ("values", "summary"),
    [
        ({}, "text `a.txt`: line 1 of 1"),
        ({"end_line": 612, "total_lines": 30_697_984}, "text `a.txt`: lines 1-612 of 30,697,984"),
        (
            {"end_line": 612, "total_lines": None, "total_lines_estimate": 30_000_000},
            "text `a.txt`: lines 1-612 of about 30,000,000",
        ),
        ({"start_line": -100, "end_line": -1, "total_lines": None}, "text `a.txt`: lines -100 to -1"),
        ({"end_line": 0, "total_lines": 0}, "text `a.txt`: no line of 0"),
    ],
)
def test_summary_says_in_one_line_what_was_read(values: dict[str, Any], summary: str) -> None:
    page = page_of(**values)
    assert page.summary() == summary
    assert repr(page) == f"<TextPage {summary}>"


def test_blocks_are_never_blank() -> None:
    """Model APIs refuse a message with a blank text block."""
    page = page_of(text="\n\n", end_line=3, total_lines=3)
    assert page.blocks == (TextBlock("[blank: lines 1-3 of 3]"),)


def test_page_is_its_text_and_next_is_the_next_call(tmp_path: Path) -> None:
    """`**page.next` raised "must be a mapping", and its repr had two versions of 70 characters."""
    (tmp_path / "a.txt").write_text("a\nb\nc\n")
    # A file that was just written has no version yet, which pages that are compared would differ in.
    time.sleep(0.05)
    page = anyread.read_sync(tmp_path / "a.txt", limit=1)
    assert str(page) == f"{page}" == page.text
    assert page.next is not None
    assert repr(page.next) == "offset=2, limit=1"
    assert dict(page.next) == page.next.arguments
    assert len(page.next) == len(page.next.arguments)
    assert "column" not in page.next
    again = anyread.read_sync(tmp_path / "a.txt", **page.next)
    assert again == anyread.read_sync(tmp_path / "a.txt", **page.next.arguments)
    assert isinstance(again, TextPage)
    assert again.content == "b\n"


# ---------------------------------------------------------------- results of several files


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Files that differ under a budget: short, long, empty, of one long line, missing."""
    contents = [
        "a\n" * 3,
        "",
        "b" * 5_000 + "\n",
        "".join(f"line {n}\n" for n in range(200)),
        "c\n",
        None,
        "d\n" * 40,
    ]
    paths = [tmp_path / f"{number}.txt" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        if content is not None:
            path.write_text(content)
    return paths


async def shown(paths: list[Path], **arguments: Any) -> list[str]:
    return [
        result.summary() if isinstance(result, anyread.Failed) else result.text
        async for result in anyread.read_many(paths, **arguments)
    ]


@pytest.mark.anyio
@pytest.mark.parametrize("unit", ["budget_bytes", "budget_tokens"])
@pytest.mark.parametrize("budget", [1, 20, 100, 700, 2_500])
async def test_results_do_not_depend_on_batches(files: list[Path], unit: str, budget: int) -> None:
    named: Any = {unit: budget}
    batched = [await shown(files * 3, concurrency=threads, **named) for threads in (1, 2, 8)]
    assert batched[0] == batched[1] == batched[2]


@pytest.mark.anyio
async def test_file_without_room_gives_its_size_and_the_call_that_reads_it(files: list[Path]) -> None:
    named: Any = {"limit": 100, "offset": 2, "kind": "text"}
    # The first page and the line take the whole budget.
    plain = anyread.read_sync(files[3], **named)
    taken = len(plain.text.encode()) + 160
    results = [result async for result in anyread.read_many([files[3]] * 3, budget_bytes=taken, **named)]
    first, second, third = results
    assert isinstance(first, TextPage)
    assert isinstance(second, anyread.NotShown)
    assert isinstance(third, anyread.NotShown)
    assert first.text == plain.text
    size = files[3].stat().st_size
    line = f"[not shown: the budget is spent · {size:,} bytes · next: offset=2"
    assert second.text == f"{line} · the next file is not shown either]"
    assert third.text == ""
    assert (second.size_bytes, second.next.version) == (size, "")
    assert second.next.arguments == {"offset": 2, "limit": 100, "kind": "text"}
    assert anyread.read_sync(files[3], **second.next.arguments).text == plain.text


@pytest.mark.anyio
async def test_concurrent_iteration_of_results_is_refused(files: list[Path]) -> None:
    results = anyread.read_many(files)
    refused = []

    async def take() -> None:
        try:
            await anext(results)
        except RuntimeError as error:
            refused.append(str(error))

    async with anyio.create_task_group() as group:
        group.start_soon(take)
        group.start_soon(take)
    assert refused == ["another task or thread is waiting for these results: take them one at a time"]


@pytest.mark.anyio
async def test_closed_iterators_are_at_their_end(files: list[Path]) -> None:
    async with contextlib.aclosing(anyread.read_many(files)) as results:
        await anext(results)
    assert [result async for result in results] == []
    async with contextlib.aclosing(anyread.pages(files[3], limit=10)) as pages:
        await anext(pages)
    assert [page async for page in pages] == []
