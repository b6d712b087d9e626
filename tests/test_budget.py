"""Pages that are made of parts, under all kinds of budgets: PDFs, notebooks and several files."""

from __future__ import annotations

import dataclasses
import random
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Limits, Model
from anyread._native import count_tokens
from anyread.formats.budget import Budget, Cost, footer_line, next_clause, without_next
from anyread.results import ImageBlock, TextBlock
from media import pdf, text_page
from notebooks import code, display, markdown, png, stream, write

TOKENS = [1, 30, 60, 150, 200, 400, 1_500, 25_000]
BYTES = [1, 200, 639, 640, 3_000, 262_144]
# Its images are small, so that they are decoded fast and fit small budgets.
SEEING = Model(max_long_edge=300, max_images=4)


def tenths(text: str) -> int:
    """Count tokens as no estimate does, and more than the sum of those of the parts."""
    return len(text) // 10 + len(text.split())


def test_footers_of_texts_and_of_parts_are_worded_alike(tmp_path: Path) -> None:
    """The core words the footer of a text, and Python all others, and removes the next call from either."""
    (tmp_path / "a").write_text("a\nb\n")
    footer = anyread.read_sync(tmp_path / "a", kind="text", limit=1).footer
    assert footer == footer_line("line 1 of 2", next_clause("offset=2"))
    assert without_next(footer) == "line 1 of 2"


def setting(chance: random.Random) -> tuple[Limits, Model]:
    limits = Limits(
        max_tokens=chance.choice(TOKENS),
        max_bytes=chance.choice(BYTES),
        tokenizer=chance.choice([None, None, "o200k_base", tenths]),
        max_images=chance.choice([1, 3, 20]),
        max_pdf_pages=chance.choice([2, 20]),
        max_cell_output_bytes=chance.choice([300, 20_480]),
    )
    model = chance.choice([SEEING, Model.text_only()])
    return limits, dataclasses.replace(model, token_factor=chance.choice([1.0, 1.0, 2.0]))


def words(chance: random.Random, most: int) -> str:
    line = [chance.choice(["sea", "Größe", "flow.mean()", "17,402"]) for _ in range(chance.randint(1, 14))]
    return "\n".join(" ".join(line) for _ in range(chance.randint(0, most)))


def verify(page: Any, limits: Limits, model: Model) -> None:
    """Check that a page fits its budget, or that a notice says that it cannot."""
    images = [block for block in page.blocks if isinstance(block, ImageBlock)]
    budget = Budget.of(limits, model.token_factor)
    cost = budget.cost(page.text, sum(model.tokens_of_image(one.width, one.height) for one in images))
    assert page.token_estimate == cost.tokens
    assert cost.is_within(budget.most) != ("over_budget" in codes(page))
    assert page.truncated or page.next is None


def codes(page: Any) -> list[str]:
    return [notice.code for notice in page.notices]


def followed(path: Path, limits: Limits, model: Model) -> list[Any]:
    """Follow `next` to the end, and check each page."""
    reader = anyread.Reader(limits=limits, model=model)
    pages: list[Any] = [reader.read_sync(path)]
    while pages[-1].next is not None:
        pages.append(reader.read_sync(path, **pages[-1].next.arguments))
        assert len(pages) < 400
    for page in pages:
        verify(page, limits, model)
    return pages


def check_refusal(path: Path, limits: Limits, model: Model, page: Any) -> None:
    """Check that with `over_budget="error"` a read returns the same page, or says how much fits."""
    strict = anyread.Reader(limits=dataclasses.replace(limits, over_budget="error"), model=model)
    try:
        same = strict.read_sync(path)
    except anyread.OverBudgetError as error:
        refused = error
    else:
        assert (same.text, same.blocks) == (page.text, page.blocks)
        return
    is_less = page.truncated or "over_budget" in codes(page)
    # Its images may only be scaled down or left out.
    assert is_less or any(isinstance(block, ImageBlock) for block in page.blocks) or "degraded" in codes(page)
    assert refused.used > refused.budget
    if refused.largest_limit:
        (hint,) = re.findall(r'^pass (limit|pages)="?([0-9-]+)"?, the most', refused.hint)
        name, value = hint
        arguments: Any = {name: int(value) if name == "limit" else value}
        fitting: Any = strict.read_sync(path, **arguments)
        assert len(fitting.cells if name == "limit" else fitting.pages) == refused.largest_limit


@pytest.mark.parametrize("seed", range(40))
def test_pages_of_a_pdf_are_shown_once_within_the_budget(tmp_path: Path, seed: int) -> None:
    """A page was continued by one character a call, and its image was sent with each part of its text."""
    chance = random.Random(seed)
    limits, model = setting(chance)
    texts = [words(chance, chance.choice([0, 2, 30])) for _ in range(chance.randint(1, 5))]
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf([text_page(*text.split("\n"), size=6) for text in texts]))
    pages = followed(path, limits, model)
    parts = [part for page in pages for part in page.pages]
    for number, text in enumerate(texts, 1):
        own = [part for part in parts if part.number == number]
        assert "".join(part.text for part in own).split() == text.split()
        assert all(len(part.text.encode()) >= 64 for part in own[:-1])
        images = sum(part.image is not None for part in own)
        if "image" in model.inputs and text:
            left_out = [
                notice for page in pages for notice in page.notices if notice.data.get("page") == number
            ]
            assert (images, len(left_out)) in {(1, 0), (0, 1)}
    assert [part.number for part in parts] == sorted(part.number for part in parts)
    check_refusal(path, limits, model, pages[0])


@pytest.mark.parametrize("seed", range(40))
def test_cells_of_a_notebook_are_shown_once_within_the_budget(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    limits, model = setting(chance)
    cells = []
    for _ in range(chance.randint(1, 8)):
        outputs = [stream(words(chance, 20)) for _ in range(chance.randint(0, 2))]
        outputs += [display(image_png=png(300, 200)) for _ in range(chance.choice([0, 0, 1, 3]))]
        source = words(chance, chance.choice([0, 3, 40]))
        cells.append(code(source, *outputs) if chance.random() < 0.8 else markdown(source))
    path = write(tmp_path, *cells)
    pages = followed(path, limits, model)
    shown = [cell for page in pages for cell in page.cells]
    # A cell that is cut is on several pages.
    assert [number for number, _ in groupby(cell.number for cell in shown)] == list(range(1, len(cells) + 1))
    notices = [notice for page in pages for notice in page.notices if notice.code == "images_left_out"]
    left_out = {number for notice in notices for number in notice.data["cells"]}
    for number, parts in groupby(shown, lambda cell: cell.number):
        images: dict[int, int] = {}
        for cell in parts:
            assert cell.source == cells[number - 1]["source"]
            for place, output in enumerate(cell.outputs):
                if output.image is not None:
                    images[place] = images.get(place, 0) + (output.image.block is not None)
        if "image" in model.inputs and number not in left_out:
            assert set(images.values()) <= {1}, (number, images)
    check_refusal(path, limits, model, pages[0])


@pytest.mark.parametrize("seed", range(25))
def test_several_files_are_shown_once_within_one_budget(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    limits, model = setting(chance)
    limits = dataclasses.replace(limits, max_tokens=25_000, max_bytes=262_144)
    paths = []
    for number in range(chance.randint(1, 12)):
        kind = chance.choice(["txt", "txt", "pdf", "ipynb"])
        paths.append(tmp_path / f"{number}.{kind}")
        text = words(chance, chance.choice([2, 40]))
        if kind == "txt":
            paths[-1].write_text(text, "utf-8")
        elif kind == "pdf":
            paths[-1].write_bytes(pdf([text_page(*text.split("\n"), size=6)]))
        else:
            write(tmp_path, code(text, display(image_png=png(300, 200))), name=paths[-1].name)
    reader = anyread.Reader(limits=limits, model=model)
    tokens, size = chance.choice([None, 30, 200, 600, 3_000]), chance.choice([None, 300, 700, 5_000])
    results: list[Any] = list(reader.read_many_sync(paths, budget_tokens=tokens, budget_bytes=size))
    assert [result.path for result in results] == [str(path) for path in paths]
    used = Cost(0, 0)
    budget = Budget.shared(limits, model.token_factor, max_bytes=size, max_tokens=tokens)
    for path, result in zip(paths, results, strict=True):
        blocks = getattr(result, "blocks", (TextBlock(result.text),))
        images = [block for block in blocks if isinstance(block, ImageBlock)]
        used = used.plus(
            budget.cost(result.text, sum(model.tokens_of_image(one.width, one.height) for one in images))
        )
        whole = reader.read_sync(path)
        pages = [result]
        while pages[-1].next is not None:
            pages.append(reader.read_sync(path, **pages[-1].next.arguments))
        shown = pages[1:] if isinstance(result, anyread.NotShown) else pages
        if isinstance(whole, anyread.TextPage):
            assert "".join(page.content for page in shown) == path.read_text("utf-8")
        else:
            assert [page.text for page in shown] == [whole.text]
    assert used.is_within(budget.most)


def test_tokens_of_a_pdf_are_those_of_the_tokenizer_and_the_model(tmp_path: Path) -> None:
    """PDFs ignored `tokenizer`, `token_factor` and `over_budget`."""
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf([text_page(*["word number one two three four five"] * 45, size=6)] * 30))
    exact = anyread.Reader(limits=Limits(tokenizer="o200k_base"), model=Model.text_only()).read_sync(path)
    assert exact.token_estimate == count_tokens(exact.text, "o200k_base")
    shown = []
    for factor in (1.0, 2.0):
        model = dataclasses.replace(Model.text_only(), token_factor=factor)
        shown.append(anyread.Reader(limits=Limits(max_tokens=3_000), model=model).read_sync(path))
    assert 2 * shown[1].token_estimate <= 3_000
    assert shown[0].token_estimate > 1_500
    strict = anyread.Reader(limits=Limits(max_tokens=3_000, over_budget="error"), model=Model.text_only())
    with pytest.raises(anyread.OverBudgetError) as caught:
        strict.read_sync(path, pages="3-20")
    last = 2 + caught.value.largest_limit
    assert caught.value.hint == f'pass pages="3-{last}", the most pages that fit'
    assert strict.read_sync(path, pages=f"3-{last}").next is None
    assert strict.read_sync(path, pages="3-4", kind="pdf").last == 4
