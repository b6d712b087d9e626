"""Presentations, judged by python-pptx over random slides, budgets and damage."""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pptx
import pytest
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from anyread import Limits, Reader, errors, read_sync
from anyread.results import SlidesPage

SEEDS = range(20)
WORDS = ["flow", "Grüße", "字", "😀", "a|b", "<b>&amp;", "back\\slash", "long " * 40, "[slide 9 of 9]"]


def png(width: int, height: int) -> io.BytesIO:
    data = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(data, "PNG")
    data.seek(0)
    return data


def add_slide(deck: Any, title: str, *, layout: int = 5) -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    slide.shapes.title.text = title
    return slide


def add_text(slide: Any, text: str, left: float, top: float) -> None:
    slide.shapes.add_textbox(Inches(left), Inches(top), Inches(1), Inches(1)).text_frame.text = text


def hide(slide: Any) -> None:
    slide._element.set("show", "0")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """Four slides with everything that has a form of its own; the third one is hidden."""
    deck = pptx.Presentation()
    first = add_slide(deck, "Flow by month", layout=1)
    body = first.placeholders[1].text_frame
    body.text = "Higher in spring"
    below = body.add_paragraph()
    below.text, below.level = "because of rain", 1
    table = first.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    for row, texts in enumerate((("month", "m³"), ("May", "4|1"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    first.notes_slide.notes_text_frame.text = "Mention the leak."
    second = add_slide(deck, "Costs")
    add_text(second, "right", 5, 2)
    add_text(second, "left", 1, 2)
    second.shapes.add_picture(png(64, 48), Inches(1), Inches(3))
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["May"]
    for name in ("in", "out"):
        data.add_series(name, [41])
    chart = second.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(4), Inches(1), Inches(1), data
    ).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Flow"
    hide(add_slide(deck, "Secret"))
    add_slide(deck, "End")
    path = tmp_path / "plan.pptx"
    deck.save(str(path))
    return path


FIRST = """\
[slide 1 of 4 · layout Title and Content]
# Flow by month
- Higher in spring
  - because of rain
| month | m³ |
| --- | --- |
| May | 4\\|1 |
[notes] Mention the leak.
"""


def test_slides_show_their_content_as_markdown(plan: Path) -> None:
    page = read_sync(plan)
    assert isinstance(page, SlidesPage)
    image = re.search(r"· ([\d.]+ k?bytes|[\d.]+ kB) · image.png\]", page.text)
    assert image is not None
    second = f"""\
[slide 2 of 4 · layout Title Only]
# Costs
left
right
[image 1 · image/png · 64×48 · {image[1]} · image.png]
[chart: Flow; 2 series: in, out]
|  | in | out |
| --- | --- | --- |
| May | 41 | 41 |
"""
    end = "[slide 4 of 4 · layout Title Only]\n# End\n[slides 1-4 of 4 · hidden: 3]"
    assert page.text == FIRST + second + end
    assert [slide.title for slide in page.slides] == ["Flow by month", "Costs", "End"]
    assert (page.hidden, page.count, page.next) == ((3,), 4, None)
    assert [notice.code for notice in page.notices] == ["hidden_slides"]


def test_hidden_slides_are_shown_only_by_number(plan: Path) -> None:
    shown = "[slide 3 of 4 · layout Title Only · hidden]\n# Secret"
    assert read_sync(plan, pages="3").text == shown
    assert read_sync(plan, ranges=[3]).text.startswith(shown)
    for window in ({"pages": "2-4"}, {"ranges": [(2, 4)]}):
        page = read_sync(plan, **window)
        assert isinstance(page, SlidesPage)
        assert [slide.number for slide in page.slides] == [2, 4]
        assert "hidden: 3" in page.footer


def test_hidden_slides_of_a_later_range_are_left_out(tmp_path: Path) -> None:
    """`next` chose only hidden slides, and so showed them, and no footer named them before."""
    deck = pptx.Presentation()
    for number in range(1, 8):
        slide = add_slide(deck, f"Title {number}")
        if number in {4, 5, 7}:
            hide(slide)
    deck.save(str(tmp_path / "deck.pptx"))
    for ranges in ([(1, 2), (4, 5)], [(1, 2), (4, 6)], [(2, 3), (5, 7)]):
        page = read_sync(tmp_path / "deck.pptx", ranges=ranges)
        assert isinstance(page, SlidesPage)
        asked = [number for first, last in ranges for number in range(first, last + 1)]
        assert [slide.number for slide in page.slides] == [n for n in asked if n in {1, 2, 3, 6}]
        named = ", ".join(str(number) for number in asked if number in {4, 5, 7})
        assert page.footer.endswith(f"hidden: {named}]")
        assert page.next is None


def test_content_decides_what_is_a_presentation(plan: Path, tmp_path: Path) -> None:
    renamed = plan.rename(tmp_path / "plan.txt")
    assert read_sync(renamed).kind == "slides"
    archive = tmp_path / "other.pptx"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("a", "b")
    for kind in (None, "slides"):
        with pytest.raises(errors.UnsupportedFormatError, match="application/zip"):
            read_sync(archive, kind=kind)


def test_a_presentation_without_slides_says_so(tmp_path: Path) -> None:
    """Its error named the pages 1 to 0."""
    path = tmp_path / "empty.pptx"
    pptx.Presentation().save(str(path))
    page = read_sync(path)
    assert isinstance(page, SlidesPage)
    assert (page.text, page.count, page.next) == ("[no slides]", 0, None)
    with pytest.raises(errors.NoSuchPageError) as caught:
        read_sync(path, pages="2")
    assert "1-0" not in str(caught.value)


def pages_of(reader: Reader, path: Path) -> Iterator[SlidesPage]:
    page = reader.read_sync(path)
    while True:
        assert isinstance(page, SlidesPage)
        yield page
        if page.next is None:
            return
        page = reader.read_sync(path, **page.next.arguments)


def random_deck(chance: random.Random, path: Path) -> dict[int, list[str]]:
    """Write a deck; return the texts of each slide that is shown, in their order."""
    deck, expected = pptx.Presentation(), {}
    for number in range(1, chance.randint(2, 12)):
        title = chance.choice(WORDS)
        slide = add_slide(deck, title)
        boxes: dict[tuple[int, int], str] = {}
        for _ in range(chance.randint(0, 5)):
            at = (chance.randint(2, 9), chance.randint(0, 9))
            boxes.setdefault(at, " ".join(chance.choices(WORDS, k=chance.randint(1, 4))))
        for (top, left), text in chance.sample([*boxes.items()], len(boxes)):
            add_text(slide, text, left, top)
        if chance.random() < 0.2:
            hide(slide)
        else:
            texts = [text.rstrip() for _, text in sorted(boxes.items())]
            expected[number] = [f"# {' '.join(title.split())}", *texts]
    deck.save(str(path))
    return expected


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_pages_have_every_slide_once_and_in_order(seed: int, tmp_path: Path) -> None:
    chance, path = random.Random(seed), tmp_path / "deck.pptx"
    expected = random_deck(chance, path)
    if not expected:
        return
    texts: dict[int, str] = {}
    reader = Reader(limits=Limits(max_bytes=chance.choice([400, 1_000, 100_000])))
    for page in pages_of(reader, path):
        assert len(page.text.encode()) <= reader.limits.max_bytes
        for slide in page.slides:
            texts[slide.number] = texts.get(slide.number, "") + slide.text
    assert list(texts) == list(expected)
    assert {number: text.splitlines() for number, text in texts.items()} == expected


@pytest.mark.slow
def test_damage_is_an_error_with_a_type_or_changes_nothing(plan: Path, tmp_path: Path) -> None:
    """A flipped byte must not crash, hang, or show other text."""
    content, whole = plan.read_bytes(), read_sync(plan).text
    chance, path = random.Random(1), tmp_path / "mutant.pptx"
    shown = 0
    for _ in range(200):
        mutant = bytearray(content)
        mutant[chance.randrange(len(mutant))] ^= 1 << chance.randrange(8)
        path.write_bytes(mutant[: chance.choice([len(mutant)] * 9 + [len(mutant) // 2])])
        try:
            page = read_sync(path)
        except errors.ReadError:
            continue
        shown += page.text == whole
    assert shown
