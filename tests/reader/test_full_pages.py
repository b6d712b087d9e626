"""A page that is full before its `limit` has a notice, and `next` requests only the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

import anyread
from anyread import Limits, Reader, TextPage


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "server.log"
    path.write_text("".join(f"{number:,} served\n" for number in range(1, 101)))
    return path


def codes(page: anyread.Page) -> list[str]:
    return [notice.code for notice in page.notices]


@pytest.mark.parametrize("limits", [Limits(max_tokens=120), Limits(max_bytes=300)])
def test_page_full_before_its_limit_has_a_notice_and_next_requests_the_rest(
    log: Path, limits: Limits
) -> None:
    """A page with `limit=3000` ended early without a notice, and `next` requested 3,000 lines again."""
    reader = Reader(limits=limits)
    page = reader.read_sync(log, offset=11, limit=60)
    assert isinstance(page, TextPage)
    shown = page.end_line - 10
    assert 0 < shown < 60
    (notice,) = [notice for notice in page.notices if notice.code == "page_full"]
    assert notice.message == (
        f"the page reached its token or byte limit after {shown} of the 60 requested lines"
    )
    assert notice.data == {"lines": shown, "limit": 60}
    assert page.next is not None
    assert page.next.arguments["limit"] == 60 - shown
    content = page.content
    while "page_full" in codes(page):
        assert page.next is not None
        page = reader.read_sync(log, **page.next.arguments)
        assert isinstance(page, TextPage)
        content += page.content
    assert content == "".join(f"{number:,} served\n" for number in range(11, 71))


def test_next_requests_the_rest_of_lines_counted_from_the_end(log: Path) -> None:
    page = Reader(limits=Limits(max_tokens=120, count_bytes=1)).read_sync(log, offset=-50, limit=40)
    assert isinstance(page, TextPage)
    assert page.next is not None
    assert page.next.arguments["limit"] == 40 - (page.end_line - page.start_line + 1)
