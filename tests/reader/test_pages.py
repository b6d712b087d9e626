"""Pages of every kind: constructed by hand, distinguished by type, and written as JSON and for Jupyter."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, assert_never, assert_type

import pytest

import anyread
from anyread import (
    ImageView,
    NotebookPage,
    Page,
    PdfPages,
    TextPage,
)
from anyread.results import DirectoryPage, DocumentPage, RecordsPage, SheetPage, SlidesPage
from helpers.media import drawing, encoded, text_pdf
from helpers.notebooks import code, display, markdown, png, stream, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    paths = {"text": tmp_path / "a.txt", "image": tmp_path / "p.png", "pdf": tmp_path / "s.pdf"}
    paths["text"].write_bytes(b"one\r\ntwo\n")
    paths["image"].write_bytes(encoded(drawing(40, 30), "PNG"))
    paths["pdf"].write_bytes(text_pdf(2))
    paths["notebook"] = write(
        tmp_path, markdown("# T"), code("draw()", stream("x\n"), display(image_png=png()))
    )
    return paths


def named(page: Page) -> str:
    """Distinguish pages by type, as users do; a type checker refuses this function if a kind is missing."""
    match page:
        case TextPage():
            return f"{page.encoding} {page.total_lines}"
        case ImageView():
            return page.format
        case PdfPages() | NotebookPage() | DocumentPage() | SlidesPage():
            return str(page.count)
        case SheetPage():
            return page.sheet
        case RecordsPage():
            return page.form
        case DirectoryPage():
            return str(page.count)
        case _:
            assert_never(page)


def by_kind(page: Page) -> str:
    """Distinguish pages by `kind`."""
    if page.kind == "text":
        return f"{page.encoding} {page.total_lines}"
    if page.kind == "image":
        return page.format
    if page.kind == "records":
        return page.form
    return str(page.count)


@pytest.mark.parametrize(
    ("kind", "expected"), [("text", "utf-8 2"), ("image", "PNG"), ("pdf", "2"), ("notebook", "2")]
)
def test_pages_are_distinguished_by_type_and_kind(files: dict[str, Path], kind: str, expected: str) -> None:
    page = anyread.read_sync(files[kind])
    assert named(page) == by_kind(page) == expected
    assert page.kind == kind
    assert isinstance(page, Page)


async def test_kind_determines_the_type_of_a_page(files: dict[str, Path]) -> None:
    text = assert_type(anyread.read_sync(files["text"], kind="text"), TextPage)
    image = assert_type(await anyread.read(files["image"], kind="image"), ImageView)
    pdf = assert_type(anyread.read_sync(files["pdf"], kind="pdf", pages="1"), PdfPages)
    cells = assert_type(await anyread.read(files["notebook"], kind="notebook", limit=1), NotebookPage)
    assert [type(page) for page in (text, image, pdf, cells)] == [TextPage, ImageView, PdfPages, NotebookPage]
    assert_type(anyread.read_sync(files["notebook"], kind="records"), RecordsPage)
    async for page in anyread.pages(files["text"], kind="text", limit=1):
        assert_type(page, TextPage)
    seen = anyread.read_sync(files["text"], kind="text", unless_version="another")
    assert_type(seen, Page | anyread.Unchanged)
    assert isinstance(seen, TextPage)


@pytest.mark.parametrize("kind", ["image", "pdf", "notebook", "sheet", "document", "slides"])
@pytest.mark.parametrize("data", [b"plain text\n", b"", b'{"cells": '])
async def test_text_is_refused_as_any_other_kind(tmp_path: Path, kind: str, data: bytes) -> None:
    """`kind="notebook"` returned a text page."""
    path = tmp_path / "n.ipynb"
    path.write_bytes(data)
    with pytest.raises(anyread.WrongKindError) as caught:
        anyread.read_sync(path, kind=kind)
    assert caught.value.argument == "kind"
    with pytest.raises(anyread.WrongKindError):
        await anyread.read(path, kind=kind)
    assert anyread.read_sync(path).kind == "text"


# ---------------------------------------------------------------- JSON and Jupyter


@pytest.mark.parametrize("kind", ["text", "image", "pdf", "notebook"])
def test_page_is_written_as_json(files: dict[str, Path], kind: str) -> None:
    page = anyread.read_sync(files[kind])
    found = page.to_dict()
    assert json.loads(page.to_json()) == found
    assert (found["kind"], found["path"], found["text"]) == (kind, page.path, page.text)
    assert found["token_estimate"] == page.token_estimate
    assert not any(name.startswith("_") for name in found)


def test_bytes_are_left_out_of_json_unless_requested(files: dict[str, Path]) -> None:
    view = anyread.read_sync(files["image"], kind="image")
    assert view.image is not None
    size = {"media_type": "image/png", "width": 40, "height": 30}
    assert view.to_dict()["image"] == size
    found = json.loads(view.to_json(include_bytes=True))["image"]
    assert base64.b64decode(found.pop("data")) == view.image.data
    assert found == size


def test_jupyter_shows_images_as_images_and_texts_in_fences(files: dict[str, Path]) -> None:
    view = anyread.read_sync(files["image"], kind="image")
    assert view.image is not None
    assert view._repr_png_() == view.image._repr_png_() == view.image.data
    assert view._repr_jpeg_() is None
    assert ImageView(path="p", text="t")._repr_png_() is None
    assert TextPage(path="a", text="x\n```\ny")._repr_markdown_() == "````text\nx\n```\ny\n````"
    cells = anyread.read_sync(files["notebook"])
    assert cells._repr_markdown_().startswith("# T\n\n```\ndraw()\n```\n\n```text\nx")
