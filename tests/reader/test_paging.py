"""Synchronous iteration over the pages of one file, and over several files with one budget."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import anyread
from helpers.media import drawing, encoded

pages_sync: Any = anyread.pages_sync
read_many = anyread.read_many
read_many_sync: Any = anyread.read_many_sync


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Six texts, one image, and one file that does not exist."""
    paths = [tmp_path / f"{number}.txt" for number in range(6)]
    for number, path in enumerate(paths):
        path.write_text("".join(f"file {number} line {n}\n" for n in range(1, 51)))
    image = tmp_path / "a.png"
    image.write_bytes(encoded(drawing(20, 20), "PNG"))
    return [*paths[:3], image, tmp_path / "absent", *paths[3:]]


async def test_synchronous_pages_equal_asynchronous_ones(files: list[Path]) -> None:
    found = [page async for page in anyread.pages(files[0], limit=7)]
    again = list(pages_sync(files[0], limit=7))
    assert [page.text for page in again] == [page.text for page in found]
    assert len(again) == 8
    assert "".join(page.content for page in again) == files[0].read_text()


def test_closed_synchronous_pages_are_at_their_end(files: list[Path]) -> None:
    pages = pages_sync(files[0], limit=7)
    assert next(pages).start_line == 1
    pages.close()
    assert list(pages) == []


@pytest.mark.parametrize("budget", [{}, {"budget_bytes": 2_000}, {"budget_tokens": 700}])
async def test_synchronous_results_equal_asynchronous_ones(files: list[Path], budget: dict[str, Any]) -> None:
    def seen(result: Any) -> Any:
        return result.error.code if isinstance(result, anyread.Failed) else result.text

    found = [result async for result in read_many(files, **budget)]
    again = list(read_many_sync(files, **budget))
    assert [seen(result) for result in again] == [seen(result) for result in found]
    assert seen(again[4]) == "not_found"
    assert any("not shown" in seen(result) for result in again) == bool(budget)


def test_closed_synchronous_results_are_at_their_end(files: list[Path]) -> None:
    results = read_many_sync(files)
    assert next(results).path == str(files[0])
    results.close()
    assert list(results) == []


def test_session_and_deadline_apply_to_several_files(files: list[Path]) -> None:
    session = anyread.Session()
    reader = anyread.Reader(session=session, limits=anyread.Limits(timeout_s=30))
    results = list(reader.read_many_sync(files))
    assert [isinstance(result, anyread.Failed) for result in results].index(True) == 4
    assert sorted(record.path for record in session.records) == sorted(
        str(path) for path in files if path.name != "absent"
    )


def test_images_without_room_are_left_out(files: list[Path]) -> None:
    image = next(iter(read_many_sync([files[3]])))
    shown: Any = list(read_many_sync([files[0], files[3]], budget_tokens=1_000, limit=1))[1]
    assert shown.image is not None
    left_out = next(iter(read_many_sync([files[3]], budget_tokens=4)))
    assert isinstance(left_out, anyread.NotShown)
    assert (left_out.path, left_out.text) == (image.path, "")
    assert left_out.size_bytes == files[3].stat().st_size


def test_two_threads_do_not_share_one_iterator(files: list[Path]) -> None:
    results = read_many_sync(files)
    with results._waiter, pytest.raises(RuntimeError, match="one at a time"):
        next(results)
    taken: list[Any] = []
    thread = threading.Thread(target=lambda: taken.extend(results))
    thread.start()
    thread.join(30)
    assert len(taken) == len(files)
