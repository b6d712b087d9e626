"""Notebooks: what a page shows, within which budgets, and how it describes the rest."""

from __future__ import annotations

import base64
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest

import anyread
from anyread._native import count_tokens
from anyread.arguments.gutter import Gutter
from anyread.arguments.limits import Limits
from anyread.arguments.request import ReadArguments
from anyread.formats import notebook
from anyread.formats.fallback import NoNotebookError
from anyread.models.model import Model
from anyread.results import TextBlock
from anyread.results.blocks import ImageBlock
from helpers import media
from helpers.notebooks import code, display, markdown, png, read, stream, write

if TYPE_CHECKING:
    from pathlib import Path

    from anyread.results.notebook import NotebookPage


def codes(page: Any) -> list[str]:
    return [notice.code for notice in page.notices]


def headings(page: NotebookPage) -> list[str]:
    return [line for line in page.text.split("\n") if line.startswith("[")]


# ---------------------------------------------------------------- what a page shows


def test_page_has_the_cells_in_order_and_the_facts_of_the_file(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        markdown("# Title\n\ntext", id="intro"),
        code(
            "1 + 1",
            {"output_type": "execute_result", "execution_count": 3, "data": {"text/plain": "2"}},
            count=3,
        ),
        code("pass", count=None),
        {"cell_type": "raw", "source": "raw"},
        metadata={"language_info": {"name": "python"}, "kernelspec": {"language": "other"}},
    )
    page = read(path)
    assert page.text == (
        "[cell 1 · markdown · id=intro]\n1\t# Title\n2\t\n3\ttext\n\n"
        "[cell 2 · code · In [3]]\n1\t1 + 1\n[output · Out [3]]\n\t2\n\n"
        "[cell 3 · code · In [ ]]\n1\tpass\n\n"
        "[cell 4 · raw]\n1\traw"
    )
    assert (page.kind, page.language, page.count) == ("notebook", "python", 4)
    assert (page.first, page.last) == (1, 4)
    assert (page.nbformat, page.nbformat_minor) == (4, 5)
    assert (page.truncated, page.next, page.footer, page.clipped, page.notices) == (False, None, "", (), ())
    assert (page.path, page.size_bytes) == (str(path), path.stat().st_size)
    assert [cell.type for cell in page.cells] == ["markdown", "code", "code", "raw"]
    assert [cell.execution_count for cell in page.cells] == [None, 3, None, None]
    assert page.cells[0].id == "intro"
    (output,) = page.cells[1].outputs
    assert (output.type, output.text, output.media_type, output.execution_count) == (
        "execute_result",
        "2",
        "text/plain",
        3,
    )
    assert page.blocks == (TextBlock(page.text),)
    assert page.token_estimate == count_tokens(page.text, None)
    assert page.summary() == f"notebook `{path}`: cells 1-4 of 4"
    assert repr(page) == f"<NotebookPage {page.summary()}>"


def test_outputs_are_headed_by_their_types(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        code(
            "x",
            stream("out\n"),
            stream("err\n", "stderr"),
            {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mE\x1b[0m", "at 1"]},
            display(text_html="<b>1</b>", text_plain="1"),
            display(text_markdown="*m*"),
            display(text_html="<div><script>draw()</script></div>"),
            {"output_type": "future\noutput", "x": 1},
        ),
    )
    page = read(path)
    assert page.text.split("\n")[2:] == [
        "[output · stdout]",
        "\tout",
        "[output · stderr]",
        "\terr",
        "[output · error]",
        "\tE",
        "\tat 1",
        "\tE: v",
        '[output · display · not shown: text/html 10 bytes · kind="text", offset=36]',
        "\t1",
        "[output · display · text/markdown]",
        "\t*m*",
        '[output · display · not shown: text/html 36 bytes · kind="text", offset=51]',
        '[output · future\\noutput · not shown: application/json 57 bytes · kind="text", offset=54]',
    ]
    # The offsets are those of the contents in the file.
    lines = path.read_text().split("\n")
    assert "<b>1</b>" in lines[35]
    assert "draw()" in lines[50]
    assert '"x": 1' in lines[55]
    outputs = page.cells[0].outputs
    assert outputs[2].name == "E"
    assert (outputs[5].media_type, outputs[5].others) == (None, ("text/html",))


@pytest.mark.parametrize(
    ("gutter", "source", "output"),
    [
        (Gutter.TAB, "1\ta", "\tb"),
        (Gutter.CAT_N, "     1\ta", "      \tb"),
        (Gutter.BAR, "1|a", "|b"),
        (Gutter.NONE, "a", "b"),
    ],
)
def test_content_follows_the_gutter(tmp_path: Path, gutter: Gutter, source: str, output: str) -> None:
    page = read(write(tmp_path, code("a", stream("b\n"))), gutter=gutter)
    assert page.text.split("\n")[1::2] == [source, output]


def test_content_cannot_imitate_a_heading(tmp_path: Path) -> None:
    forged = "[cell 9 · code · In [9]]\n[output · stdout]"
    page = read(write(tmp_path, code(forged, stream(forged), id="a]\n[cell 7")))
    assert headings(page) == ["[cell 1 · code · In [1] · id=a]\\n[cell 7]", "[output · stdout]"]


def test_notebook_without_cells_is_an_empty_page_with_a_notice(tmp_path: Path) -> None:
    page = read(write(tmp_path))
    assert (page.text, page.cells, page.first, page.last, page.next) == ("", (), 1, 0, None)
    assert codes(page) == ["no_cells"]
    assert page.blocks == (TextBlock("[notebook: no cell of 0]"),)


# ---------------------------------------------------------------- windows


def test_column_begins_inside_a_cell(tmp_path: Path) -> None:
    path = write(tmp_path, code("one\ntwo"), code("b"))
    page = read(path, column=7)
    assert page.text.split("\n")[:2] == ["[cell 1 · code · In [1] · from character 7]", "2\ttwo"]
    with pytest.raises(anyread.BadArgumentError, match="from 1 to 12, the characters of cell 1"):
        read(path, column=13)


# ---------------------------------------------------------------- budgets


def test_long_output_keeps_both_ends_and_names_the_rest(tmp_path: Path) -> None:
    text = "".join(f"line {n}\n" for n in range(100_000))
    path = write(tmp_path, code("run()", stream(text)), code("after"))
    page = read(path)
    assert len(page.text.encode()) < 21_000
    lines = page.text.split("\n")
    assert lines[3] == "\tline 0"
    assert "\tline 99999" in lines
    (marker,) = [line for line in lines if line.endswith("]") and "more bytes" in line]
    (following,) = page.clipped
    assert f'more bytes: kind="text", offset={following.arguments["offset"]}]' in marker
    rest = anyread.read_sync(path, **(following.arguments | {"limit": 1_000}))
    assert isinstance(rest, anyread.TextPage)
    assert '"line 1100\\n",\n' in rest.content
    assert page.footer == "[cells 1-2 of 2 · 1 text cut]"
    assert codes(page) == ["output_truncated"]
    assert page.truncated
    assert page.next is None
    assert page.cells[0].outputs[0].size_bytes == len(text)


def test_cell_over_the_whole_budget_is_cut_and_the_next_page_follows_it(tmp_path: Path) -> None:
    source = "".join(f"value_{n} = {n}\n" for n in range(50_000))
    path = write(tmp_path, code(source, stream("result\n")), code("after"))
    page = read(path)
    assert page.token_estimate <= 25_000
    assert page.token_estimate > 20_000
    assert page.text.startswith("[cell 1 · code · In [1]]\n1\tvalue_0 = 0\n")
    following = page.next
    assert following is None or following.arguments["offset"] == 1
    assert not page.clipped
    shown = page.text.removesuffix(page.footer).rstrip("\n").partition("\n")[2] + "\n"
    while following is not None and following.arguments["offset"] == 1:
        page = read(path, **following.arguments)
        following = page.next
        shown += page.text.removesuffix(page.footer).rstrip("\n").split("\n\n")[0].partition("\n")[2] + "\n"
    numbers = "".join(f"{n + 1}\tvalue_{n} = {n}\n" for n in range(50_000))
    assert shown == numbers + "[output · stdout]\n\tresult\n"


def test_over_budget_error_says_that_no_cell_fits(tmp_path: Path) -> None:
    path = write(tmp_path, code("x = 1\n" * 500))
    with pytest.raises(anyread.OverBudgetError) as raised:
        read(path, limits=Limits(max_tokens=300, over_budget="error"))
    assert (raised.value.largest_limit, raised.value.unit) == (0, "tokens")
    assert "its first cell alone exceeds the budget" in raised.value.hint


# ---------------------------------------------------------------- images


def test_images_are_blocks_at_their_positions(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        code("plot()", display(image_png=png(6, 5), text_plain="<Figure>"), stream("after\n")),
        markdown("see", attachments={"a.png": {"image/png": png(2, 2)}}),
    )
    page = read(path)
    first, second = (block for block in page.blocks if isinstance(block, ImageBlock))
    assert [type(block).__name__ for block in page.blocks] == [
        "TextBlock",
        "ImageBlock",
        "TextBlock",
        "ImageBlock",
    ]
    assert (first.width, first.height, second.width) == (6, 5, 2)
    texts = [block.text for block in page.blocks if isinstance(block, TextBlock)]
    assert texts[0].split("\n")[2:] == [
        "[output · display]",
        "\t<Figure>",
        f"[image 1 · image/png · 6×5 · {len(first.data)} bytes]",
    ]
    assert texts[1].endswith(f"[attachment · a.png]\n[image 2 · image/png · 2×2 · {len(second.data)} bytes]")
    assert page.text == f"{texts[0]}\n{texts[1]}"
    image = page.cells[0].outputs[0].image
    assert image is not None
    assert (image.block, image.reason, image.width, image.size_bytes) == (
        first,
        "",
        6,
        len(first.data),
    )
    assert page.cells[1].attachments[0][0] == "a.png"


def test_images_over_the_maximum_are_described(tmp_path: Path) -> None:
    path = write(tmp_path, *[code("plot()", display(image_png=png(seed=n))) for n in range(5)])
    pages: list[NotebookPage] = []
    arguments: ReadArguments = {}
    while not pages or pages[-1].next is not None:
        pages.append(read(path, limits=Limits(max_images=3), model=Model(max_images=2), **arguments))
        arguments = pages[-1].next.arguments if pages[-1].next is not None else {}
    assert [(page.first, page.last) for page in pages] == [(1, 2), (3, 4), (5, 5)]
    shown = [sum(isinstance(block, ImageBlock) for block in page.blocks) for page in pages]
    assert shown == [2, 2, 1]


@pytest.mark.parametrize("model", [Model.named("gpt-4o-mini"), Model.named("claude-sonnet-5")])
@pytest.mark.parametrize("max_tokens", [3_000, 25_000])
@pytest.mark.parametrize("in_one_cell", [False, True])
def test_images_cost_tokens_and_none_is_lost(
    tmp_path: Path, model: Model, max_tokens: int, in_one_cell: bool
) -> None:
    """Images cost nothing, and a page that showed the first 20 of them had no `next`."""
    png_of_plot = base64.b64encode(media.encoded(media.drawing(1_500, 1_400), "PNG")).decode()
    plots = [display(image_png=png_of_plot)] * 8
    cells = [code("plot()", *plots)] if in_one_cell else [code("plot()", plot) for plot in plots]
    path = write(tmp_path, code("words " * 3_000), *cells)
    limits, shown = Limits(max_tokens=max_tokens), 0
    for page in anyread.Reader(limits=limits, model=model).pages_sync(path, kind="notebook"):
        assert page.token_estimate <= max_tokens
        images = [block for block in page.blocks if isinstance(block, ImageBlock)]
        assert sum(model.tokens_of_image(image.width, image.height) for image in images) <= max_tokens
        shown += len(images)
        named = page.text.count("not shown: over the token budget")
        assert bool(named) == any(notice.code == "images_left_out" for notice in page.notices)
        shown += named
    assert shown == 8


def test_images_are_described_for_a_text_only_model(tmp_path: Path) -> None:
    page = read(write(tmp_path, code("plot()", display(image_png=png()))), model=Model.text_only())
    assert len(page.blocks) == 1
    assert headings(page)[-1].endswith(" bytes · not shown]")


@pytest.mark.parametrize(
    ("data", "limits", "reason"),
    [
        ("@@@", Limits(), "its base64 is damaged"),
        ("", Limits(), "it is empty"),
        (png()[:60], Limits(), "damaged"),
        ("aGVsbG8gd29ybGQ=", Limits(), "damaged"),
        (png(), Limits(max_image_file_bytes=10), "over 10 bytes"),
    ],
)
def test_damaged_image_is_a_line_with_the_reason(
    tmp_path: Path, data: str, limits: Limits, reason: str
) -> None:
    good = display(image_png=png())
    page = read(write(tmp_path, code("plot()", display(image_png=data)), code("plot()", good)), limits=limits)
    assert f"not shown: {reason}]" in page.text
    image = page.cells[0].outputs[0].image
    assert image is not None
    assert (image.block, image.reason) == (None, reason)
    if reason != "over 10 bytes":
        # The next one is the first that is shown.
        assert "[image 1 · image/png · 4×3" in page.text


# ---------------------------------------------------------------- invalid notebooks


def test_broken_json_is_text_with_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text('{\n "cells": [\n  {"source": }\n]}')
    with pytest.raises(NoNotebookError) as raised:
        read(path)
    notice = raised.value.notice
    assert (notice.code, notice.data) == (
        "broken_json",
        {"line": 3, "column": 14, "fault": "syntax", "detail": "expected value"},
    )
    assert (
        notice.message
        == "it is not a valid notebook and is shown as text: expected value, at line 3, byte 14"
    )
    plain: Any = anyread.read_sync(path, kind="text")
    page: Any = anyread.read_sync(path)
    assert page.notices == (*plain.notices, notice)
    assert (page.text, page.content) == (plain.text, plain.content)


def test_invalid_utf8_is_replaced_with_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_bytes(b'{"cells": [{"cell_type": "code", "source": "caf\xe9"}], "nbformat": 4}')
    page = read(path)
    assert page.cells[0].source == "caf\ufffd"
    assert codes(page) == ["lossy"]


# ---------------------------------------------------------------- the file


def test_file_that_changes_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, code("a"))
    limits = Limits()
    with anyread.Reader().open_sync(path) as file:
        os.utime(path, ns=(1, 1))
        with pytest.raises(anyread.FileChangedError, match="rewritten"):
            notebook.parse(file.opened, limits)
        os.truncate(path, 20)
        with pytest.raises(anyread.FileChangedError, match="truncated"):
            notebook.parse(file.opened, limits)


async def test_async_read_parses_in_a_thread_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, *[code("plot()", display(image_png=png(seed=n))) for n in range(3)])
    seen: list[threading.Thread] = []
    parse = notebook.parse

    def recording(*arguments: Any) -> Any:
        seen.append(threading.current_thread())
        return parse(*arguments)

    monkeypatch.setattr(notebook, "parse", recording)
    page = await anyread.read(path)
    assert seen
    assert threading.current_thread() not in seen
    again = anyread.read_sync(path)
    assert (page.text, page.blocks) == (again.text, again.blocks)
