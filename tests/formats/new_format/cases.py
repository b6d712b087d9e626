"""What works with a format of which the package knows nothing but one line and one module.

`test_new_format.py` runs these tests in a process of their own, with the plugin `plugged_formats`.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import pickle
import random
import re
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import pytest

import anyread
from anyread import Reader, adapters, cli
from anyread.errors import (
    BadArgumentError,
    BinaryFileError,
    DamagedFileError,
    DecoderUnavailableError,
    NotOneImageError,
    OffsetPastEndError,
    WrongKindError,
)
from anyread.results import ImageBlock, TextBlock
from formats.new_format.answers import answers
from helpers.bombs import png
from helpers.notebooks import code, display
from helpers.notebooks import write as notebook
from helpers.waiting import descriptors_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.results.parts import PartsPage

MEDIA_TYPE = "application/vnd.oasis.opendocument.text"
NAMES = {"album": "a.album", "letter": "a.odt", "records": "a.gz", "table": "a.csv"}
UNITS = {"album": "pages", "letter": "paragraphs", "records": "records", "table": "rows"}
HEAD = re.compile(r"^(\d+)\t", re.MULTILINE)
OURS = re.compile(r"^(?:==> .*|\[.*(?:next: |of |not shown).*\])$\n?", re.MULTILINE)
"""The lines that are not of the file."""
NOT_SHOWN = re.compile(r"(?<=bytes) · not shown: [^]\n]*")
"""Why an image is not shown, in its mark."""
NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
WORDS = ["a", "word", "Grüße", "字", "😀", "x" * 40, "several words"]
SEEDS = range(8)


def image(number: int) -> bytes:
    """Return a PNG whose width says of which page it is."""
    return png(100 + number, 40, bits=8, color=0)


def album(pages: Sequence[tuple[str, bytes]]) -> bytes:
    """Return an album with these pages."""
    return b"ALBUM\0" + b"".join(
        struct.pack(">II", len(text.encode()), len(data)) + text.encode() + data for text, data in pages
    )


def write(directory: Path, kind: str, texts: Sequence[str]) -> Path:
    """Write a file whose parts have these texts."""
    path = directory / NAMES[kind]
    if kind == "album":
        path.write_bytes(album([(text, image(number)) for number, text in enumerate(texts, 1)]))
        return path
    if kind == "records":
        path.write_bytes(gzip.compress("".join(f"{text}\x1e" for text in texts).encode()))
        return path
    if kind == "table":
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return path
    body = "".join(f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>" for text in texts)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", MEDIA_TYPE, zipfile.ZIP_STORED)
        xml = f'<w:document xmlns:w="{NAMESPACE}"><w:body>{body}</w:body></w:document>'
        archive.writestr("word/document.xml", xml)
    path.write_bytes(data.getvalue())
    return path


def made(rng: random.Random, kind: str, count: int) -> list[str]:
    """Return texts, a few of them longer than any page; those of records have several lines."""
    between = " \n" if kind == "records" else " "
    texts = []
    for _ in range(count):
        words = rng.choices(WORDS, k=rng.choice([0, 1, 3, 10, 30, 600]))
        texts.append("".join(f"{word}{rng.choice(between)}" for word in words).strip())
    return texts


def shown(page: PartsPage) -> list[tuple[int, str]]:
    """Return the numbers and texts on a page. Line feeds are left out: a page does not end with one."""
    return pieces(page.text.removesuffix(page.footer))


def pieces(text: str) -> list[tuple[int, str]]:
    """Return the numbers and texts in an answer, without headings, gaps and footers."""
    _, *found = HEAD.split(OURS.sub("", NOT_SHOWN.sub("", text)))
    return [
        (int(number), each.replace("\n", "")) for number, each in zip(found[::2], found[1::2], strict=True)
    ]


class Walk:
    """The pages of one file, from the first to the end."""

    def __init__(self, kind: str, texts: Sequence[str], budget: dict[str, Any]) -> None:
        self.kind, self.count, self.budget = kind, len(texts), budget
        self.texts = [text.replace("\n", "") for text in texts]
        if kind == "album":
            sizes = [(100 + number, len(image(number))) for number in range(1, self.count + 1)]
            marks = [f"[image 1 · image/png · {width}×40 · {size} bytes]" for width, size in sizes]
            self.texts = [f"{text}{mark}" for text, mark in zip(self.texts, marks, strict=True)]
        self.seen: dict[int, str] = {}

    def add(self, page: Any) -> dict[str, Any] | None:
        """Judge a page, and return the call for the next one."""
        assert page.kind == self.kind
        assert len(page.text.encode()) <= self.budget.get("max_bytes", 1 << 60)
        assert page.token_estimate <= self.budget.get("max_tokens", 1 << 60)
        found = shown(page)
        assert found
        assert (page.first, page.last) == (found[0][0], found[-1][0])
        for number, text in found:
            assert self.texts[number - 1].startswith(self.seen.get(number, "") + text), page
            assert text or number not in self.seen, page
            self.seen[number] = self.seen.get(number, "") + text
        assert page.truncated == (page.next is not None)
        if page.next is None:
            return None
        assert self.kind != "records" or page.count in {None, self.count}
        assert f"of {'at least ' if page.count is None else ''}" in page.footer
        return dict(page.next.arguments)

    def end(self, wanted: Sequence[int]) -> None:
        """Judge all pages together: everything that was chosen is shown, in order."""
        assert list(self.seen) == list(wanted)
        assert self.seen == {number: self.texts[number - 1] for number in wanted}


def case(kind: str, seed: int) -> tuple[list[str], dict[str, Any], dict[str, int], list[int]]:
    """Return the texts of a file, a call, its budget, and the numbers of the parts that it chooses."""
    rng = random.Random(f"{kind} {seed}")
    count = rng.choice([1, 2, 5, 12, 60, 150])
    texts = made(rng, kind, count)
    budget = rng.choice([{"max_bytes": rng.randint(640, 6_000)}, {"max_tokens": rng.randint(200, 3_000)}, {}])
    call: dict[str, Any] = {}
    if rng.random() < 0.5:
        ranges = []
        for _ in range(rng.randint(1, 4)):
            first = rng.choice([rng.randint(1, count), rng.randint(-count, -1), rng.randint(1, count + 9)])
            last = -1 if first < 0 else rng.choice([first, first + rng.randint(0, 20), -1])
            ranges.append((first, last))
        call["ranges"] = ranges
        chosen = _of_ranges(ranges, count)
    else:
        call["offset"] = rng.choice([1, rng.randint(1, count), -rng.randint(1, count), -count - 5])
        if rng.random() < 0.5:
            call["limit"] = rng.choice([1, 3, count, count + 1])
        first = call["offset"] if call["offset"] > 0 else max(1, count + 1 + call["offset"])
        chosen = set(range(first, count + 1))
    return texts, call, budget, sorted(chosen)


def _of_ranges(ranges: Sequence[tuple[int, int]], count: int) -> set[int]:
    found: set[int] = set()
    for pair in ranges:
        first, last = (number if number > 0 else count + 1 + number for number in pair)
        found |= set(range(max(1, first), min(last, count) + 1))
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", NAMES)
async def test_following_next_shows_everything_once(tmp_path: Path, kind: str, seed: int) -> None:
    texts, call, budget, wanted = case(kind, seed)
    path, walk = write(tmp_path, kind, texts), Walk(kind, texts, budget)
    arguments: dict[str, Any] = {**call, **budget}
    if not wanted:
        with pytest.raises(OffsetPastEndError):
            await anyread.read(path, **arguments)
        return
    following: dict[str, Any] | None = {**call, **budget}
    while following is not None:
        following = walk.add(await anyread.read(path, **following))
    walk.end(wanted)


@pytest.mark.parametrize("kind", NAMES)
def test_pages_that_are_full_before_their_limit_go_on_with_the_rest(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, kind, ["x" * (number % 200) for number in range(120)])
    pages: list[Any] = []
    following: Any = {"limit": 12, "max_bytes": 700}
    while following is not None:
        pages.append(anyread.read_sync(path, **following))
        following = pages[-1].next
    assert all((page.first - 1) // 12 == (page.last - 1) // 12 for page in pages)
    assert len(pages) > 12


@pytest.mark.parametrize("kind", NAMES)
def test_calls_at_the_end_of_a_file(tmp_path: Path, kind: str) -> None:
    path, unit = write(tmp_path, kind, [f"text {number}" for number in range(1, 13)]), UNITS[kind]
    page: Any = anyread.read_sync(path, limit=12)
    assert (page.next, page.count, page.footer) == (None, 12, "")
    page = anyread.read_sync(path, limit=11)
    assert page.next.arguments["offset"] == 12
    assert page.summary().endswith(f"{unit} 1-11 of {'at least 11' if kind == 'records' else '12'}")
    page = anyread.read_sync(path, offset=-2)
    assert (page.first, page.last, page.count, page.next) == (11, 12, 12, None)
    page = anyread.read_sync(path, ranges=[(11, 20)])
    assert (page.first, page.last, page.next) == (11, 12, None)
    page = anyread.read_sync(path, ranges=[(11, 12), (15, 20)])
    assert page.footer == f"[{unit} 11-12 of 12 · the file has no {unit} 15-20]"
    for call in ({"offset": 13}, {"offset": 30, "limit": 2}, {"ranges": [(13, 20)]}):
        with pytest.raises(OffsetPastEndError) as failed:
            anyread.read_sync(path, **call)
        assert f"12 {unit}" in str(failed.value), str(failed.value)
    with pytest.raises(BadArgumentError, match="column"):
        anyread.read_sync(path, offset=3, column=70)
    with pytest.raises(WrongKindError, match="pages"):
        anyread.read_sync(path, pages="1")
    assert not descriptors_of(path)


def test_footer_of_an_unknown_count(tmp_path: Path) -> None:
    path = write(tmp_path, "records", ["text"] * 1_234)
    page: Any = anyread.read_sync(path, offset=1_000, limit=20)
    assert page.footer == "[records 1,000-1,019 of at least 1,020 · next: offset=1020]"
    assert page.count is None


@pytest.mark.parametrize("kind", NAMES)
def test_read_as_that_kind(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, kind, ["one", "two"])
    page = anyread.read_sync(path, limit=1)
    assert anyread.read_sync(path, limit=1, kind=kind).text == page.text
    assert anyread.read_sync(path, limit=1, kind=page.media_type).text == page.text
    with pytest.raises(BadArgumentError, match=f'"{kind}"'):
        anyread.read_sync(path, kind="nothing")


@pytest.mark.parametrize("kind", NAMES)
def test_facts(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, kind, ["one", "two"])
    facts: dict[str, Any] = {
        "album": {"images": 2},
        "letter": {"paragraphs": 2},
        "records": {"packed_with": "gzip"},
        "table": {"rows": 2},
    }
    fact = facts[kind]
    info = anyread.info_sync(path)
    assert (info.kind, info.facts) == (kind, fact)
    (name, value), *_ = fact.items()
    assert f"{value}" in info.summary()
    assert json.loads(info.to_json())["facts"] == fact
    survey = anyread.batch.survey([str(path)])
    assert survey["kind"] == [kind]
    text_only = Reader(model=anyread.Model.text_only())
    assert survey["tokens"] == [text_only.read_sync(path).token_estimate]
    del name


def test_damaged_file_is_described_and_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "letter", ["one"])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", MEDIA_TYPE, zipfile.ZIP_STORED)
        archive.writestr("word/document.xml", "<w:document")
    with pytest.raises(DamagedFileError):
        anyread.read_sync(path)
    assert isinstance(anyread.info_sync(path).problem, DamagedFileError)
    (failed,) = list(anyread.read_many_sync([path]))
    assert isinstance(failed, anyread.Failed)
    assert not descriptors_of(path)


@pytest.mark.parametrize("kind", NAMES)
def test_page_as_a_value(tmp_path: Path, kind: str) -> None:
    page: Any = anyread.read_sync(write(tmp_path, kind, ["one", "two", "three"]), limit=2)
    assert pickle.loads(pickle.dumps(page)) == page
    found = json.loads(page.to_json())
    assert (found["kind"], found["first"], found["last"], found["text"]) == (kind, 1, 2, page.text)
    sent = adapters.anthropic.content(page)
    assert "\n".join(block["text"] for block in sent if block["type"] == "text") == page.text
    for adapter in (adapters.bedrock, adapters.gemini, adapters.mcp, adapters.openai_chat):
        content = str(adapter.content(page))
        assert all(repr(block["text"])[1:-1] in content for block in sent if block["type"] == "text")


def widths(blocks: Sequence[Any]) -> list[int]:
    """Return of which pages there are images, by their widths."""
    return [block.width - 100 for block in blocks if isinstance(block, ImageBlock)]


async def test_each_image_is_shown_once_and_within_its_limit(tmp_path: Path) -> None:
    path = write(tmp_path, "album", ["text"] * 8)
    reader = Reader(limits=anyread.Limits(max_images=3))
    found = [widths(page.blocks) async for page in reader.pages(path)]
    assert found == [[1, 2, 3], [4, 5, 6], [7, 8]]
    few: Any = Reader(model=anyread.Model(max_images=2)).read_sync(path)
    assert (widths(few.blocks), few.next.arguments["offset"]) == ([1, 2], 3)
    tool = anyread.tool(cwd=tmp_path, reader=reader)
    output = await tool.call({"path": path.name})
    assert (widths(tool.blocks(output)), output["next"]["offset"]) == ([1, 2, 3], 4)
    output = await tool.call({"places": [f"{path.name}:2,7"]})
    assert widths(tool.blocks(output)) == [2, 7]
    assert not descriptors_of(path)


def test_images_in_messages(tmp_path: Path) -> None:
    page: Any = anyread.read_sync(write(tmp_path, "album", ["one", "two"]))
    for adapter in (adapters.anthropic, adapters.openai_responses, adapters.openai_chat):
        sent = adapter.content(page)
        words = [part.get("text", "") for part in sent]
        assert [bool(each) for each in words] == [True, False, True, False]
        assert words[0].startswith("1\tone\n[image 1 ")
        for part, block in zip(
            sent[1::2], [each for each in page.blocks if isinstance(each, ImageBlock)], strict=True
        ):
            assert block.base64 in json.dumps(part)


def test_images_that_are_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.album"
    path.write_bytes(album([("one", image(1)), ("two", image(2)[:50]), ("three", image(3))]))
    page: Any = anyread.read_sync(path)
    assert (widths(page.blocks), page.notices) == ([1, 3], ())
    assert page.text.count("not shown: damaged]") == 1
    for validate_media in (True, False):
        tool = anyread.tool(cwd=tmp_path, validate_media=validate_media)
        output = tool.call_sync({"path": path.name})
        assert widths(tool.blocks(output)) == [1, 3]
    text_only: Any = Reader(model=anyread.Model.text_only()).read_sync(path)
    assert widths(text_only.blocks) == []
    assert NOT_SHOWN.sub("", text_only.text) == NOT_SHOWN.sub("", page.text)
    small: Any = Reader(limits=anyread.Limits(max_image_file_bytes=60)).read_sync(path)
    assert (widths(small.blocks), small.text.count("not shown: over 60 bytes]")) == ([], 2)
    path.write_bytes(album([("one", png(4_000, 4_000, bits=8, color=0))]))
    full: Any = anyread.read_sync(path, max_tokens=200)
    assert 100 < full.token_estimate <= 200
    assert 100 < full.blocks[1].width < 400


def test_region_of_an_image(tmp_path: Path) -> None:
    path = write(tmp_path, "album", ["one", "two"])
    page: Any = anyread.read_sync(path, offset=2, limit=1, region=(0, 0, 20, 20))
    assert [(block.width, block.height) for block in page.blocks if isinstance(block, ImageBlock)] == [
        (20, 20)
    ]
    with pytest.raises(NotOneImageError):
        anyread.read_sync(path, region=(0, 0, 20, 20))


@pytest.mark.parametrize("kind", NAMES)
async def test_own_tool(tmp_path: Path, kind: str) -> None:
    texts = made(random.Random(kind), kind, 40)
    path, walk = write(tmp_path, kind, texts), Walk(kind, texts, {})
    tool = anyread.tool(cwd=tmp_path)
    output = await tool.call({"path": path.name, "max_tokens": 900})
    assert (output["kind"], output["first"]) == (kind, 1)
    assert output["count"] == (None if kind == "records" else 40)
    assert output["content"][0]["text"].startswith("1\t")
    following: Any = {"path": path.name}
    while following is not None:
        output = await tool.call({**following, "max_tokens": 900})
        text = "\n".join(block.text for block in tool.blocks(output) if isinstance(block, TextBlock))
        for number, piece in pieces(text):
            walk.seen[number] = walk.seen.get(number, "") + piece
        following = output["next"] and {"path": path.name, **output["next"]}
    walk.end(range(1, 41))


@pytest.mark.parametrize("kind", NAMES)
async def test_places(tmp_path: Path, kind: str) -> None:
    texts = made(random.Random(kind), kind, 40)
    path, walk = write(tmp_path, kind, texts), Walk(kind, texts, {})
    (tmp_path / "a.txt").write_text("text\n")
    tool = anyread.tool(cwd=tmp_path)
    places = [f"{path.name}:3-30,39", "a.txt"]
    seen_text = False
    while places:
        output = await tool.call({"places": places, "max_tokens": 1_500})
        assert not output.get("is_error"), output
        text = "\n".join(block.text for block in tool.blocks(output) if isinstance(block, TextBlock))
        for part in text.split("==> ")[1:]:
            if part.partition(" <==")[0].endswith("a.txt"):
                seen_text = True
            else:
                for number, piece in pieces(f"==> {part}"):
                    walk.seen[number] = walk.seen.get(number, "") + piece
        assert output["next"] is None or output["next"]["places"] != places
        places = output["next"]["places"] if output["next"] else []
    assert seen_text
    walk.end([*range(3, 31), 39])


@pytest.mark.parametrize("kind", NAMES)
async def test_several_files(tmp_path: Path, kind: str) -> None:
    texts = made(random.Random(kind), kind, 30)
    path, walk = write(tmp_path, kind, texts), Walk(kind, texts, {})
    (tmp_path / "a.txt").write_text("text\n")
    results: list[Any] = [
        each async for each in anyread.read_many([tmp_path / "a.txt", path, path], budget_tokens=1_500)
    ]
    assert [type(each).__name__ for each in results[:1]] == ["TextPage"]
    assert sum(getattr(each, "token_estimate", 0) for each in results) <= 1_500
    following: Any = {}
    page: Any = next(each for each in results if getattr(each, "kind", "") == kind)
    while page is not None:
        following = walk.add(page)
        page = None if following is None else await anyread.read(path, **following)
    walk.end(range(1, 31))
    pages: list[Any] = [each async for each in anyread.pages(path, max_tokens=700)]
    assert sum(len(shown(each)) for each in pages) >= 30
    assert pages[-1].count == 30


@pytest.mark.parametrize("kind", NAMES)
def test_session_and_batch(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, kind, ["one", "two", "three"])
    session = anyread.Session()
    reader = Reader(session=session)
    page = reader.read_sync(path, limit=2)
    (record,) = session.records
    assert (record.kind, record.form) == (kind, "visual" if kind == "album" else "text")
    assert session.check(path) == "fresh"
    assert page.version == "" or isinstance(
        reader.read_sync(path, unless_version=page.version), anyread.Unchanged
    )
    rows = anyread.batch.read_rows({"path": [str(path)], "limit": [2]})
    assert (rows["kind"], rows["text"], rows["truncated"]) == ([kind], [page.text], [True])


@pytest.mark.parametrize("kind", NAMES)
def test_command_line(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, kind, ["one", "two", "three"])
    assert cli.main([str(path), "--limit", "2"]) == 0
    page: Any = anyread.read_sync(path, limit=2)
    assert pieces(capsys.readouterr().out) == shown(page)
    assert cli.main(["info", str(path)]) == 0
    assert kind in capsys.readouterr().out


def test_file_of_a_declared_extension(tmp_path: Path) -> None:
    path = write(tmp_path, "table", ["one", "two"]).rename(tmp_path / "a.tbl")
    page: Any = anyread.read_sync(path)
    assert (page.kind, page.media_type, page.notices) == ("table", "application/x-table", ())
    path.write_bytes(bytes(99))
    with pytest.raises(BinaryFileError):
        anyread.read_sync(path)


@pytest.mark.parametrize("kind", NAMES)
def test_required_sandbox_refuses_what_is_parsed_in_this_process(tmp_path: Path, kind: str) -> None:
    """It was parsed there, and nothing said so."""
    path, reader = write(tmp_path, kind, ["one"]), Reader(limits=anyread.Limits(require_sandbox=True))
    with pytest.raises(DecoderUnavailableError, match="parsed in this process"):
        reader.read_sync(path)
    assert isinstance(reader.info_sync(path).problem, DecoderUnavailableError)
    (tmp_path / "a.txt").write_text("text\n")
    assert reader.read_sync(tmp_path / "a.txt").kind == "text"


def test_contracts_of_other_tools_do_not_know_the_formats(tmp_path: Path) -> None:
    """A text that has a format of its own was binary for them."""
    paths = [write(tmp_path, kind, ["one", "two"]) for kind in ("album", "table")]
    paths += [tmp_path / "a.png", tmp_path / "a.txt", tmp_path / "a.ipynb"]
    paths[2].write_bytes(image(1))
    paths[3].write_text("one\ntwo\n")
    notebook(tmp_path, code("plot()", display(image_png=base64.b64encode(image(2)).decode())), name="a.ipynb")
    program = Path(__file__).with_name("answers.py")
    run = subprocess.run([sys.executable, program, *paths], stdout=subprocess.PIPE, text=True, check=True)
    assert [answers(path) for path in paths] == json.loads(run.stdout)


@pytest.mark.parametrize("kind", ["album", "letter"])
@pytest.mark.parametrize("name", anyread.tools.CONTRACTS)
def test_other_contracts_answer(tmp_path: Path, name: str, kind: str) -> None:
    """They call it binary or refuse it, as the tools do whose contracts they are."""
    path = write(tmp_path, kind, ["one", "two"])
    tool = anyread.tool(name, cwd=tmp_path)
    tool.call_sync(tool.arguments_for(path))
    assert not descriptors_of(path)
