"""Images of documents, slides and sheets, at known places, over random windows and budgets.

A text that is read for a model without images is the reference: it has all marks. Each image must follow the
line in which its mark ends, on exactly one page.
"""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest
import xlsxwriter
from openpyxl.drawing.image import Image as CellImage
from openpyxl.drawing.spreadsheet_drawing import AbsoluteAnchor, AnchorMarker, TwoCellAnchor
from openpyxl.drawing.xdr import XDRPoint2D, XDRPositiveSize2D
from openpyxl.utils import get_column_letter
from PIL import Image
from pptx.util import Emu

import anyread
from anyread import Limits, Model, Reader, Unchanged, errors, info_sync, read_sync
from anyread.formats.pictures import PackageImage
from anyread.results import ImageBlock, TextBlock
from anyread.results.parts import PartsPage
from helpers.waiting import until

SEEDS = range(12)
TEXT = Reader(model=Model.text_only(), limits=Limits(max_lines=100_000, max_tokens=10_000_000))
MARK = re.compile(r"\[image (\d+)(?: · [^\[\]]*)?\]")
REFUSED = re.compile(r" · not shown: ([^\[\]]*)(?=\])")
SHOWN = re.compile("\ue000(\\d+)\ue001")
WORDS = ["word", "Grüße", "字", "a|b", "[image 999 · image/png · 1 byte]", "long " * 30, "<b>", "]"]
EMU = 9_525
"""English Metric Units of a pixel."""


@dataclass
class Pictures:
    """The images of a file: each has a color of its own, by which it is found again."""

    rng: random.Random
    files: list[bytes] = field(default_factory=list)
    damaged: set[int] = field(default_factory=set)
    """Numbers of those that cannot be decoded."""

    def add(self) -> io.BytesIO:
        """Make the next one."""
        number = len(self.files) + 1
        width, height = self.rng.choice([(20, 10), (30, 30), (400, 300), (560, 420)])
        image = Image.new("RGB", (width, height), self.color(number))
        image.putpixel((width - 1, 0), (255, 255, 255))
        data = io.BytesIO()
        image.save(data, "PNG")
        self.files.append(data.getvalue())
        data.seek(0)
        return data

    @staticmethod
    def color(number: int) -> tuple[int, int, int]:
        return number % 8 * 32, number // 8 * 32, 100

    def number_of(self, block: ImageBlock) -> int:
        """Return the number of the image in a block; one that is not scaled has the same pixels."""
        with Image.open(io.BytesIO(block.data)) as image:
            shown = image.convert("RGB")
        number = next(n for n in range(1, len(self.files) + 1) if self.color(n) == shown.getpixel((0, 0)))
        with Image.open(io.BytesIO(self.files[number - 1])) as original:
            if original.size == shown.size:
                assert shown.tobytes() == original.convert("RGB").tobytes()
        return number

    def damage(self, path: Path) -> None:
        """Make some images of the file undecodable."""
        numbers = range(1, len(self.files) + 1)
        self.damaged = {number for number in numbers if self.rng.random() < 0.15}
        broken = {self.files[number - 1]: self.files[number - 1][:40] for number in self.damaged}
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, broken.get(content, content))


def document(pictures: Pictures, path: Path) -> None:
    """Write a document with images in paragraphs, in cells and in tables inside of cells."""
    rng, made = pictures.rng, docx.Document()

    def fill(paragraph: Any) -> None:
        for _ in range(rng.randint(0, 4)):
            if rng.random() < 0.4 and len(pictures.files) < 40:
                paragraph.add_run().add_picture(pictures.add())
            else:
                paragraph.add_run(f" {rng.choice(WORDS)} ")

    for _ in range(rng.randint(3, 25)):
        if rng.random() < 0.75:
            fill(made.add_paragraph())
            continue
        table = made.add_table(2, 2)
        for cell in (cell for row in table.rows for cell in row.cells):
            fill(cell.paragraphs[0])
            if rng.random() < 0.2:
                fill(cell.add_table(1, 1).cell(0, 0).paragraphs[0])
    made.save(str(path))


def presentation(pictures: Pictures, path: Path) -> None:
    """Write a presentation with images among texts; the shapes of a slide are in order from top to bottom."""
    rng, deck = pictures.rng, pptx.Presentation()
    for _ in range(rng.randint(2, 8)):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = rng.choice(WORDS[:4])
        for top in range(1, rng.randint(2, 7)):
            place = Emu(EMU), Emu(1_000_000 + top * EMU)
            if rng.random() < 0.6 and len(pictures.files) < 40:
                slide.shapes.add_picture(pictures.add(), *place)
            else:
                box = slide.shapes.add_textbox(*place, Emu(EMU), Emu(EMU))
                box.text_frame.text = rng.choice(WORDS).strip()
    deck.save(str(path))


def parts_of(page: PartsPage, pictures: Pictures, head: str) -> Iterator[tuple[int, list[str]]]:
    """Return the number of each part on a page and its lines, with a placeholder for each image."""
    lines: list[str] = []
    for block in page.blocks:
        if isinstance(block, TextBlock):
            lines += block.text.split("\n")
        else:
            assert isinstance(block, ImageBlock)
            lines.append(f"\ue000{pictures.number_of(block)}\ue001")
    assert "\n".join(line for line in lines if not SHOWN.match(line)) == page.text.strip("\n")
    if page.footer:
        assert lines.pop() == page.footer
    number, found = 0, list[str]()
    for line in lines:
        begun = re.match(head, line)
        if begun is None:
            found.append(line)
            continue
        if number:
            yield number, found
        number, found = int(begun[1]), [line[begun.end() :]]
    yield number, found


def walked(path: Path, budget: dict[str, int], **call: Any) -> Iterator[PartsPage]:
    """Read all pages from a call on; each fits its budgets."""
    following: dict[str, Any] = {**call}
    while True:
        page = read_sync(path, **{**following, **budget})
        assert isinstance(page, PartsPage)
        if all(notice.code != "over_budget" for notice in page.notices):
            assert len(page.text.encode()) <= budget.get("max_bytes", 1 << 60)
            assert page.token_estimate <= budget.get("max_tokens", 1 << 60)
        yield page
        if page.next is None:
            return
        assert dict(page.next.arguments) != following
        following = {name: value for name, value in page.next.arguments.items() if name not in budget}


def budget_of(rng: random.Random) -> dict[str, int]:
    return rng.choice([{"max_bytes": rng.randint(700, 9_000)}, {"max_tokens": rng.randint(900, 4_000)}, {}])


PARTS = pytest.mark.parametrize(
    ("name", "write", "head"),
    [
        ("a.docx", document, r"(\d+)\t"),
        ("a.pptx", presentation, r"\[slide (\d+) of \d+ · layout Title Only\]"),
    ],
)


@pytest.mark.parametrize("seed", range(4))
@PARTS
def test_no_page_ends_inside_the_mark_of_an_image(
    tmp_path: Path, seed: int, name: str, write: Callable[[Pictures, Path], None], head: str
) -> None:
    """The next page began with the rest of the mark."""
    pictures, path = Pictures(random.Random(f"{name} {seed}")), tmp_path / name
    write(pictures, path)
    reference = {number: "".join(lines) for number, lines in parts_of(read_sync_text(path), pictures, head)}
    reader = Reader(model=Model.text_only())
    for _ in range(12):
        seen, following = dict.fromkeys(reference, ""), dict[str, Any]()
        tokens = pictures.rng.randint(60, 900)
        while following is not None:
            page: Any = reader.read_sync(path, **{**following, "max_tokens": tokens})
            following = page.next
            for number, lines in parts_of(page, pictures, head):
                seen[number] += "".join(lines)
                end, whole = len(seen[number]), reference[number]
                assert whole.startswith(seen[number])
                marks = [mark for mark in MARK.finditer(whole) if mark[1] != "999"]
                assert not any(mark.start() < end < mark.end() for mark in marks), page.text
        assert seen == reference


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@PARTS
def test_each_image_follows_the_line_with_its_mark(
    tmp_path: Path, seed: int, name: str, write: Callable[[Pictures, Path], None], head: str
) -> None:
    pictures, path = Pictures(random.Random(f"{name} {seed}")), tmp_path / name
    write(pictures, path)
    pictures.damage(path)
    numbers = range(1, len(pictures.files) + 1)
    plain = read_sync_text(path)
    # Line feeds are left out, because a page does not end with one.
    reference = {number: "".join(lines) for number, lines in parts_of(plain, pictures, head)}
    # Each slide counts its own, and all of them are in the order in which they were made.
    counted = iter(numbers)
    names = {
        (part, mark): int(mark) if name == "a.docx" else next(counted)
        for part, text in reference.items()
        for mark in marks_of(text)
    }
    assert sorted(names.values()) == [*numbers]
    seen, shown, refused = dict.fromkeys(reference, ""), list[int](), list[int]()
    for page in walked(path, budget_of(pictures.rng)):
        for number, lines in parts_of(page, pictures, head):
            expected: list[int] = []
            for line in lines:
                if found := SHOWN.match(line):
                    shown.append(int(found[1]))
                    assert expected, (number, line)
                    assert expected.pop(0) == shown[-1]
                    continue
                assert not expected, (number, line)
                text = REFUSED.sub("", line)
                start, seen[number] = len(seen[number]), seen[number] + text
                whole = reference[number]
                assert whole.startswith(seen[number]), (number, line)
                ending = [mark[1] for mark in MARK.finditer(whole) if start < mark.end() <= len(seen[number])]
                ours = [names[number, mark] for mark in ending if mark != "999"]
                assert [reason[1] for reason in REFUSED.finditer(line)] == [
                    "damaged" for each in ours if each in pictures.damaged
                ]
                refused += [each for each in ours if each in pictures.damaged]
                expected = [each for each in ours if each not in pictures.damaged]
            assert not expected, number
    assert seen == reference
    assert sorted(shown + refused) == [*numbers]
    assert set(refused) == pictures.damaged


def read_sync_text(path: Path, **call: Any) -> PartsPage:
    page = TEXT.read_sync(path, **call)
    assert isinstance(page, PartsPage)
    assert page.next is None
    return page


def marks_of(text: str) -> list[str]:
    return [mark for mark in MARK.findall(text) if mark != "999"]


def workbook(pictures: Pictures, path: Path) -> tuple[list[int], list[tuple[int, int]]]:
    """Write a workbook; return the rows that have cells, and the anchors of the images in their order."""
    rng = pictures.rng
    rows = sorted(rng.sample(range(1, 200), rng.choice([0, 1, 5, 40])))
    anchors = sorted(
        (rng.choice([1, 2, 50, 199, 230]) + rng.randint(0, 9), rng.randint(1, 9)) for _ in range(12)
    )
    # By row and column, which the order in the file does not decide.
    files = [(anchor, pictures.add()) for anchor in anchors]
    rng.shuffle(files)
    if rng.random() < 0.5:
        with xlsxwriter.Workbook(str(path)) as book:
            sheet = book.add_worksheet()
            for row in rows:
                sheet.write(row - 1, rng.randint(0, 2), f"row {row}")
            for (row, column), data in files:
                options = {"image_data": data, "object_position": rng.choice([1, 2, 3])}
                sheet.insert_image(row - 1, column - 1, "a.png", options)
    else:
        made: Any = openpyxl.Workbook()
        for row in rows:
            made.active.cell(row, rng.randint(1, 3), f"row {row}")
        for (row, column), data in files:
            image: Any = CellImage(data)
            made.active.add_image(image, f"{get_column_letter(column)}{row}")
            marker = AnchorMarker(col=column - 1, row=row - 1)
            size = XDRPositiveSize2D(EMU, EMU)
            point = XDRPoint2D((column - 1) * 609_600 + 5, (row - 1) * 190_500 + 5)
            image.anchor = rng.choice(
                [
                    image.anchor,
                    TwoCellAnchor(_from=marker, to=AnchorMarker(col=20, row=300)),
                    AbsoluteAnchor(pos=point, ext=size),
                ]
            )
        made.save(path)
    return rows, anchors


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25))
def test_images_of_a_sheet_follow_the_row_of_their_cell(tmp_path: Path, seed: int) -> None:
    pictures, path = Pictures(random.Random(seed)), tmp_path / "a.xlsx"
    rows, anchors = workbook(pictures, path)
    pictures.damage(path)
    # What lies on empty rows belongs to the row before them; before the first row, it comes first.
    expected: list[str] = []
    for row in [0, *rows]:
        following = next((other for other in rows if other > row), 1 << 20)
        expected += [f"row {row}"] if row else []
        expected += [f"image {n}" for n, (at, _) in enumerate(anchors, 1) if row <= at < following]
    shown = sorted(set(range(1, 13)) - pictures.damaged)
    for rest in ({}, {"limit": pictures.rng.randint(1, 30)}):
        found, images = list[str](), list[int]()
        for page in walked(path, budget_of(pictures.rng), **rest):
            found += elements(page, pictures, anchors, images)
        assert found == expected
        assert images == shown
    first = pictures.rng.randint(1, 230)
    window = read_sync_window(path, first, 20, rows)
    if window is not None:
        # All images of a window are on its page, wherever it begins.
        found = [*elements(window, pictures, anchors, [])]
        last = next((row for row in rows if row >= first + 20), 1 << 20)
        assert [name for name in found if name.startswith("image")] == [
            f"image {n}" for n, (at, _) in enumerate(anchors, 1) if first <= at < last
        ]


def read_sync_window(path: Path, first: int, rows: int, filled: list[int]) -> PartsPage | None:
    if first > max(filled, default=1):
        with pytest.raises(errors.OffsetPastEndError):
            read_sync(path, offset=first, limit=rows)
        return None
    page = read_sync(path, offset=first, limit=rows)
    assert isinstance(page, PartsPage)
    return page


def elements(
    page: PartsPage, pictures: Pictures, anchors: list[tuple[int, int]], images: list[int]
) -> Iterator[str]:
    """Return the rows and the marks on a page, and add the images, each of which follows its mark."""
    expected = 0
    for block in page.blocks:
        if isinstance(block, ImageBlock):
            images.append(pictures.number_of(block))
            assert images[-1] == expected
            expected = 0
            continue
        assert isinstance(block, TextBlock)
        for line in block.text.split("\n"):
            assert not expected, page.text
            if row := re.match(r"\d+\t.*(row \d+)$", line):
                yield row[1]
            if mark := MARK.search(line):
                number = int(mark[1])
                row_number, column = anchors[number - 1]
                assert f" · at {get_column_letter(column)}{row_number} · " in line
                assert line.endswith(" · not shown: damaged]") == (number in pictures.damaged)
                expected = 0 if number in pictures.damaged else number
                yield f"image {number}"
    assert not expected, page.text


def png(width: int, height: int) -> io.BytesIO:
    data = io.BytesIO()
    Image.effect_noise((width, height), 60).convert("RGB").save(data, "PNG")
    data.seek(0)
    return data


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A document: line 1 has an image of 60 × 40 pixels, line 3 one of 600 × 400 and a small one."""
    made = docx.Document()
    made.add_paragraph("first ").add_run().add_picture(png(60, 40))
    run = made.add_paragraph().add_run("second ")
    run.add_picture(png(600, 400))
    run.add_picture(png(20, 20))
    path = tmp_path / "report.docx"
    made.save(str(path))
    return path


def with_members(path: Path, **changed: bytes | Callable[[bytes], bytes]) -> Path:
    """Write a copy of a package in which the members that contain a name are changed."""
    copy = path.with_name(f"changed-{path.name}")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(copy, "w") as target:
        for name in archive.namelist():
            content = archive.read(name)
            for part, change in changed.items():
                if part in name:
                    content = change if isinstance(change, bytes) else change(content)
            target.writestr(name, content)
    return copy


def images_of(page: Any) -> list[tuple[int, int]]:
    return [(block.width, block.height) for block in page.blocks if isinstance(block, ImageBlock)]


def test_line_is_cut_before_a_mark(report: Path) -> None:
    """A page ended, or the rest of a line began, inside the mark of an image."""
    reader = Reader(model=Model.text_only())
    for max_bytes in range(60, 130, 3):
        for page in reader.pages_sync(report, max_bytes=max_bytes):
            shown = page.text.removesuffix(getattr(page, "footer", ""))
            assert shown.count("[image ") == shown.count("B]"), max_bytes


def test_marks_say_why_an_image_is_not_shown(report: Path) -> None:
    emf = b"\x01\0\0\0" + bytes(36) + b" EMF" + bytes(100)
    for content, reason in (
        (emf, "damaged"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "unsupported format"),
        (b"GIF89a" + bytes(20), "damaged"),
        (b"", "damaged"),
    ):
        path = with_members(report, image1=content)
        page = read_sync(path, limit=1)
        assert f" · not shown: {reason}]" in page.text
        assert images_of(page) == []
        assert read_sync(path).text.count("not shown") == 1
        assert "not shown" not in TEXT.read_sync(path).text
    renamed = with_members(report, rels=lambda found: found.replace(b"media/image1.png", b"media/image1.emf"))
    assert "1\tfirst [image 1 · not in this file]\n" in read_sync(renamed).text
    outside = with_members(
        report,
        rels=lambda found: found.replace(
            b'Target="media/image1.png"', b'Target="file:///etc/hostname" TargetMode="External"'
        ),
    )
    page = read_sync(outside)
    assert page.text.startswith("1\tfirst [image 1 · not in this file]\n")
    assert images_of(page) == [(600, 400), (20, 20)]


def test_images_without_room_are_left_to_the_next_page_or_named(report: Path) -> None:
    page = Reader(limits=Limits(max_images=1)).read_sync(report)
    assert images_of(page) == [(60, 40)]
    assert page.next is not None
    assert page.next.arguments["offset"] == 3
    # The first image of a page is scaled down.
    small = read_sync(report, offset=3, max_tokens=150)
    [(width, height)] = images_of(small)
    assert width < 600
    assert width / height == pytest.approx(1.5, rel=0.02)
    assert small.next is not None
    assert small.next.arguments["column"] > 1
    assert images_of(read_sync(report, **small.next.arguments)) == [(20, 20)]
    tiny = read_sync(report, offset=3, max_tokens=30)
    assert "not shown: over the token budget" in tiny.text
    assert "images_left_out" in {notice.code for notice in tiny.notices}
    assert tiny.truncated


def test_image_of_unknown_size_is_paid(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a format that knows no sizes, small images were free, so that pages were over their budget."""

    def without_size(part: str, media_type: str, _size: Any, size_bytes: int, **_: Any) -> PackageImage:
        return PackageImage(part, media_type, None, size_bytes)

    monkeypatch.setattr("anyread.formats.document.PackageImage", without_size)
    monkeypatch.setattr("anyread.formats.pictures._HEADER_BYTES", 1 << 30)
    pages: list[Any] = [*anyread.pages_sync(report, max_tokens=300)]
    assert max(page.token_estimate for page in pages) <= 300
    assert sum(len(images_of(page)) for page in pages) == 3


def test_region_is_a_part_of_the_only_image(report: Path, tmp_path: Path) -> None:
    page = read_sync(report, limit=1, region=(10, 5, 30, 20))
    assert images_of(page) == [(30, 20)]
    assert " · region=(10, 5, 30, 20)]" in page.text
    with pytest.raises(errors.NotOneImageError, match="has 3 images") as several:
        read_sync(report, region=(0, 0, 9, 9))
    assert several.value.first == {"offset": 1, "limit": 1}
    with pytest.raises(errors.NotOneImageError, match="has 2 images") as two:
        read_sync(report, offset=3, region=(0, 0, 9, 9))
    page = read_sync(report, **two.value.first, region=(500, 300, 500, 500))
    assert images_of(page) == [(100, 100)]
    line = read_sync(report, offset=3, kind="document").lines[0].text
    column = line.index("[image 3") + 1
    assert images_of(read_sync(report, offset=3, column=column, region=(0, 0, 9, 9))) == [(9, 9)]
    with pytest.raises(errors.NotOneImageError, match="has no image"):
        read_sync(report, offset=2, limit=1, region=(0, 0, 9, 9))
    with pytest.raises(errors.BadArgumentError, match="region") as outside:
        read_sync(report, limit=1, region=(60, 0, 9, 9))
    assert not isinstance(outside.value, errors.NotOneImageError)
    with xlsxwriter.Workbook(str(tmp_path / "a.xlsx")) as book:
        sheet = book.add_worksheet("Data")
        sheet.write("A1", "text")
        for cell in ("B1", "D1", "D9"):
            sheet.insert_image(cell, "a.png", {"image_data": png(60, 40)})
    for at in ("D1", "Data!D1", "Data!D1:D2", "C5:F9"):
        assert images_of(read_sync(tmp_path / "a.xlsx", at=at, region=(0, 0, 9, 9))) == [(9, 9)]
    with pytest.raises(errors.NotOneImageError, match="has 3 images"):
        read_sync(tmp_path / "a.xlsx", region=(0, 0, 9, 9))


def test_version_says_how_the_file_is_shown(report: Path) -> None:
    until(lambda: bool(info_sync(report).version))
    page = read_sync(report, limit=1)
    assert re.search(r"-r\d+$", page.version)
    assert info_sync(report).version == page.version
    assert isinstance(read_sync(report, unless_version=page.version), Unchanged)
    other = page.version[:-1] + "0"
    assert isinstance(read_sync(report, unless_version=other), PartsPage)
    for version, codes in ((page.version, []), (other, ["changed_since"])):
        assert [notice.code for notice in read_sync(report, since_version=version).notices] == codes
