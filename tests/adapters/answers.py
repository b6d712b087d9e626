"""Answers of every sort, read from real files, and what an adapter must make of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyread
from anyread.model import Model
from anyread.results.blocks import DocumentBlock, ImageBlock
from media import encoded, picture, text_pdf

if TYPE_CHECKING:
    from anyread.adapters.content import Readables

NAMES = (
    "text",
    "png",
    "jpeg",
    "gif",
    "pdf_document",
    "pdf_pages",
    "notebook",
    "error",
    "failed",
    "unchanged",
    "several",
    "blocks",
)
"""The answers that every adapter must spell."""

PNG = encoded(picture(40, 30), "PNG")
OTHER_PNG = encoded(picture(8, 8), "PNG")
JPEG = encoded(picture(64, 20), "JPEG")
GIF = encoded(picture(20, 20), "GIF")
PDF = text_pdf(3)


@dataclass(frozen=True)
class Answer:
    """An answer of anyread, and what of it must arrive."""

    source: Readables
    media: tuple[bytes, ...] = ()
    """Bytes of pictures and documents, in order; those of the files themselves where they are sent."""
    texts: tuple[str, ...] = ()
    """What must be found in the text, in order."""
    is_error: bool = False


def write(folder: Path) -> None:
    """Write the files that are read."""
    (folder / "poem.txt").write_text("Tyger Tyger, burning bright,\nIn the forests of the night;\n")
    (folder / "chart.png").write_bytes(PNG)
    (folder / "photo.jpg").write_bytes(JPEG)
    (folder / "dot.gif").write_bytes(GIF)
    (folder / "report_v1.pdf").write_bytes(PDF)
    (folder / "plots.ipynb").write_text(json.dumps(notebook()))


def notebook() -> dict[str, Any]:
    def display(data: bytes) -> dict[str, Any]:
        pictured = {"image/png": base64.b64encode(data).decode()}
        return {"output_type": "display_data", "metadata": {}, "data": pictured}

    def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
        return {
            "cell_type": "code",
            "source": source,
            "metadata": {},
            "execution_count": 1,
            "outputs": [*outputs],
        }

    cells = [code("first_plot()", display(PNG)), code("second_plot()", display(OTHER_PNG))]
    return {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}


def made(folder: Path) -> dict[str, Answer]:
    """Read the files; the same names as `NAMES`."""
    write(folder)
    seeing = anyread.Reader(model=Model.anthropic())
    text = anyread.read_sync(folder / "poem.txt", limit=1)
    png = anyread.read_sync(folder / "chart.png")
    pages = anyread.read_sync(folder / "report_v1.pdf")
    plots = anyread.read_sync(folder / "plots.ipynb")
    assert isinstance(pages, anyread.PdfPages)
    assert isinstance(plots, anyread.NotebookPage)
    error = missing(folder)
    failed = anyread.Failed(error.path, error)
    unchanged = anyread.Unchanged("poem.txt", "v1")
    tyger, told = "1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]", str(error)
    return {
        "text": Answer(text, texts=(tyger,)),
        "png": Answer(png, (PNG,), ("[image: PNG 40×30]",)),
        "jpeg": Answer(anyread.read_sync(folder / "photo.jpg"), (JPEG,), ("[image: JPEG 64×20]",)),
        "gif": Answer(anyread.read_sync(folder / "dot.gif"), (GIF,), ("[image: GIF 20×20]",)),
        "pdf_document": Answer(seeing.read_sync(folder / "report_v1.pdf"), (PDF,), ("[document: 3 pages",)),
        "pdf_pages": Answer(
            pages,
            tuple(page.image.data for page in pages.pages if page.image),
            ("[page 1 of 3]\nline 1 of page 1", "[page 2 of 3]", "[page 3 of 3]"),
        ),
        "notebook": Answer(plots, (PNG, OTHER_PNG), ("first_plot()", "second_plot()")),
        "error": Answer(error, texts=(told,), is_error=True),
        "failed": Answer(failed, texts=(told,), is_error=True),
        "unchanged": Answer(unchanged, texts=("[`poem.txt`: unchanged]",)),
        "several": Answer(
            [text, failed, png],
            (PNG,),
            (f"[{text.summary()}]", tyger, f"error: {told}", f"[{png.summary()}]", "[image: PNG"),
        ),
        "blocks": Answer(
            [
                anyread.TextBlock("two files"),
                ImageBlock.from_bytes(PNG),
                DocumentBlock.from_bytes(PDF, name="a.pdf", page_count=3),
            ],
            (PNG, PDF),
            ("two files",),
        ),
    }


def missing(folder: Path) -> anyread.ReadError:
    try:
        anyread.read_sync(folder / "gone.txt")
    except anyread.ReadError as error:
        return error
    raise AssertionError("a file that does not exist was read")


def consumed(value: Any) -> Any:
    """Unroll what pydantic validates only while it is iterated over."""
    if isinstance(value, dict):
        return {name: consumed(field) for name, field in value.items()}
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return value
    return [consumed(item) for item in value]


def check(answer: Answer, texts: Iterable[str], media: Iterable[str | bytes]) -> None:
    """Compare what an adapter spelt with what must arrive."""
    decoded = tuple(base64.b64decode(data) if isinstance(data, str) else data for data in media)
    assert decoded == answer.media
    check_texts(answer, texts)


def check_texts(answer: Answer, texts: Iterable[str]) -> None:
    shown = list(texts)
    assert all(text.strip() for text in shown)
    places = list(found("\0".join(shown), answer.texts))
    assert -1 not in places
    assert places == sorted(places)


def found(text: str, wanted: Iterable[str]) -> Iterator[int]:
    place = 0
    for part in wanted:
        place = text.find(part, max(place, 0))
        yield place


def of_data_url(url: str, media_type: str) -> str:
    """Take the base64 out of a data URL of that type."""
    head, _, data = url.partition(",")
    assert head == f"data:{media_type};base64"
    return data
