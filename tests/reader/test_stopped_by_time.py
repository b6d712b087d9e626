"""A call whose time is over shows what it has found; waiting for threads takes none of it."""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
import docx
import pptx
import pytest
import xlsxwriter

import anyread
from anyread import Limits, Reader, registry
from anyread.decoding.host.pool import shared_pool
from anyread.running import loop
from anyread.running.calls import WorkTarget, work
from anyread.running.deadline import NO_DEADLINE, call_deadline, current_deadline
from anyread.running.threads import run as run_sync
from helpers import notebooks

pytestmark = pytest.mark.slow
TIMEOUT_S = 1.0
SHORT = Reader(limits=Limits(timeout_s=TIMEOUT_S))
Cancel = anyread._native.Cancel


def document(path: Path) -> None:
    made = docx.Document()
    for number in range(60):
        made.add_paragraph(f"paragraph {number}")
    made.save(path)


def sheet(path: Path) -> None:
    with xlsxwriter.Workbook(path) as book:
        page = book.add_worksheet()
        for row in range(120):
            page.write(row, 0, f"row {row}")


def slides(path: Path) -> None:
    made = pptx.Presentation()
    for number in range(30):
        made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = f"slide {number}"
    made.save(str(path))


def records(path: Path) -> None:
    path.write_text("".join(json.dumps({"record": number}) + "\n" for number in range(120)))


FORMATS: dict[str, tuple[Callable[[Path], None], str, str, int, Callable[..., int]]] = {
    "docx": (document, "document.document_lines", "", 70, lambda _, first, lines, **__: first + lines - 1),
    "xlsx": (sheet, "sheet.book.Workbook", "rows", 70, lambda _, first, most, **__: first + most - 1),
    "pptx": (slides, "slides.Presentation", "show", 20, lambda numbers, **_: max(numbers)),
    "jsonl": (records, "records.Json", "rows", 70, lambda *_, first, rows, **__: first + rows - 1),
}
"""How a file is made, what of the core reads it, its method, the last part that it finds in time, and the
last part that a call asks for."""


@pytest.fixture
def slow_file(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, int]:
    """Return a file in which the core does not get past a part until its flag is set, and that part."""
    write, name, method, wall, reach = FORMATS[request.param]
    module, _, name = f"anyread.formats.{name}".rpartition(".")
    native = getattr(import_module(module), name)

    def slowed(function: Any) -> Any:
        def call(*arguments: Any, cancel: Any = None, **named: Any) -> Any:
            while reach(*arguments, **named) > wall and cancel is not None:
                if cancel.cancelled:
                    raise InterruptedError
                time.sleep(0.001)
            return function(*arguments, cancel=cancel, **named)

        return call

    class Slow:
        parse = getattr(native, "parse", None)

        def __init__(self, *arguments: Any, **named: Any) -> None:
            self.native = native(*arguments, **named)

        def __getattr__(self, name: str) -> Any:
            found = getattr(self.native, name)
            return slowed(found) if name == method else found

    monkeypatch.setattr(import_module(module), name, Slow if method else slowed(native))
    path = tmp_path / f"slow.{request.param}"
    write(path)
    return path, wall


def spans(path: Path, page: Any) -> Iterator[tuple[int, int]]:
    """Yield the first and the last part of a page, and of all that follow it."""
    yield page.first, page.last
    while page.next:
        page = anyread.read_sync(path, **page.next)
        yield page.first, page.last


def assert_complete(found: list[tuple[int, int]], count: int) -> None:
    assert [number for first, last in found for number in range(first, last + 1)] == [*range(1, count + 1)]


@pytest.mark.parametrize("slow_file", FORMATS, indirect=True)
def test_page_ends_before_what_takes_too_long(
    slow_file: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that was too slow for all that it asked for showed nothing of it."""
    path, wall = slow_file
    kind = "records" if path.suffix == ".jsonl" else None
    page: Any = SHORT.read_sync(path, kind=kind)
    assert page.truncated
    assert [notice.code for notice in page.notices] == ["stopped_by_time"]
    assert 1 <= page.last <= wall
    monkeypatch.undo()
    whole: Any = anyread.read_sync(path, kind=kind)
    assert_complete([*spans(path, page)], whole.last)


@pytest.mark.parametrize("slow_file", ["docx"], indirect=True)
async def test_page_ends_in_time_on_every_event_loop(slow_file: tuple[Path, int]) -> None:
    started = time.monotonic()
    page = await SHORT.read(slow_file[0], kind="document")
    assert page.next is not None
    assert time.monotonic() - started < TIMEOUT_S
    with pytest.raises(anyread.ReadTimeoutError):
        await SHORT.read(slow_file[0], offset=slow_file[1] + 1)


@pytest.mark.parametrize("slow_file", ["docx"], indirect=True)
def test_tool_shows_the_places_before_the_slow_one(slow_file: tuple[Path, int]) -> None:
    """One slow place made an error of all that a call had read."""
    path, wall = slow_file
    other = path.with_name("other.txt")
    other.write_text("found\n")
    tool = anyread.tool("anyread", reader=SHORT)
    places = [str(other), f"{path}:{wall + 1}-{wall + 2}", str(other.with_name("gone.txt"))]
    answer = tool.call_sync({"places": places})
    assert "found" in answer["content"][0]["text"]
    assert answer["next"] == {"places": places[1:]}


def test_hostile_document_shows_what_precedes_its_empty_elements(tmp_path: Path) -> None:
    """A tool without a time limit read 800 MB of such elements for 12 s, for each page again."""
    path = tmp_path / "hostile.docx"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr(
            "[Content_Types].xml", f'<Types><Override PartName="/d.xml" ContentType="{kind}"/></Types>'
        )
        relation = '<Relationship Id="a" Type="x/officeDocument" Target="d.xml"/>'
        package.writestr("_rels/.rels", f"<Relationships>{relation}</Relationships>")
        with package.open("d.xml", "w") as part:
            paragraphs = b"".join(b"<w:p><w:r><w:t>%d</w:t></w:r></w:p>" % number for number in range(10))
            part.write(b'<w:document xmlns:w="w"><w:body>' + paragraphs)
            for _ in range(60):
                part.write(b"<a/>" * 1_000_000)
            part.write(paragraphs + b"</w:body></w:document>")
    page = SHORT.read_sync(path, kind="document")
    assert "stopped_by_time" in [notice.code for notice in page.notices]
    with pytest.raises(anyread.ReadTimeoutError):
        SHORT.read_sync(path, offset=20)
    assert_complete([*spans(path, page)], 39)


def test_next_of_a_page_that_had_shown_all_is_empty(tmp_path: Path) -> None:
    """Only the part after a page tells whether it is the last one, and there was no time to look."""
    path = tmp_path / "a.docx"
    document(path)
    after = anyread.read_sync(path, kind="document").last + 1
    state = anyread.read_sync(path, limit=1).next
    assert state is not None
    page = anyread.read_sync(path, offset=after, since_version=state["since_version"])
    assert (page.next, page.text) == (None, "[no lines]")
    with pytest.raises(anyread.OffsetPastEndError):
        anyread.read_sync(path, offset=after)


def test_page_ends_before_an_image_that_gets_no_decoder(tmp_path: Path) -> None:
    plot = notebooks.code("plot()", notebooks.display(image_png=notebooks.png(40, 30)))
    path = notebooks.write(tmp_path, notebooks.code("before()"), plot, notebooks.code("after()"))
    pool = shared_pool()
    claims = [run_sync(pool.acquire) for _ in range(pool.size)]
    try:
        page = SHORT.read_sync(path, kind="notebook")
        first = SHORT.read_sync(path, kind="notebook", offset=2)
    finally:
        for claim in claims:
            pool.release(claim, is_fit=True)
    assert [cell.number for cell in page.cells] == [1]
    assert "plot()" in first.text
    for page in (page, first):  # noqa: B020 - each is followed
        assert page.next is not None
        assert [notice.code for notice in page.notices] == ["stopped_by_time"]
        rest = anyread.read_sync(path, **page.next)
        assert [type(block).__name__ for block in rest.blocks] == ["TextBlock", "ImageBlock", "TextBlock"]


async def test_waiting_for_a_thread_takes_none_of_the_time() -> None:
    """Of 3,000 reads at once, each of which may take 20 s, 289 timed out before they had a thread."""
    done: list[None] = []
    target = WorkTarget("a", lambda: None, lambda: None)

    async def one() -> None:
        with call_deadline("a", TIMEOUT_S):
            await loop.run(lambda: done.append(work(lambda _: time.sleep(0.02), target)))

    started = time.monotonic()
    async with anyio.create_task_group() as group:
        for _ in range(1_200):
            group.start_soon(one)
    assert len(done) == 1_200
    assert time.monotonic() - started > TIMEOUT_S


@pytest.mark.parametrize("name", registry.CONTRACTS)
def test_every_tool_has_a_time_limit(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for reader in (Reader(), SHORT):
        tool = anyread.tool(name, reader=reader, cwd=tmp_path)
        monkeypatch.setattr(tool, "_answered", lambda *_: found.append(current_deadline().timeout_s))
        tool.call_sync({})
    assert found == [30, TIMEOUT_S]
    assert current_deadline() is NO_DEADLINE
