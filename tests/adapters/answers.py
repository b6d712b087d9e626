"""Answers of every kind, read from real files, and what adapters must send of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyread
from anyread.models.model import Model
from anyread.results.blocks import DocumentBlock, ImageBlock
from helpers.media import drawing, encoded, text_pdf

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
"""The names of the answers that every adapter must convert."""

PNG = encoded(drawing(40, 30), "PNG")
OTHER_PNG = encoded(drawing(8, 8), "PNG")
JPEG = encoded(drawing(64, 20), "JPEG")
GIF = encoded(drawing(20, 20), "GIF")
PDF = text_pdf(3)


@dataclass(frozen=True)
class Answer:
    """Something that anyread returned, and what an API must receive of it."""

    source: Readables
    media: tuple[bytes, ...] = ()
    """Bytes of images and documents, in order; those of the files where they are sent unchanged."""
    texts: tuple[str, ...] = ()
    """Substrings that the text must contain, in order."""
    is_error: bool = False


def write(directory: Path) -> None:
    """Write the files that the answers are read from."""
    (directory / "poem.txt").write_text("Tyger Tyger, burning bright,\nIn the forests of the night;\n")
    (directory / "chart.png").write_bytes(PNG)
    (directory / "photo.jpg").write_bytes(JPEG)
    (directory / "dot.gif").write_bytes(GIF)
    (directory / "report_v1.pdf").write_bytes(PDF)
    (directory / "plots.ipynb").write_text(json.dumps(notebook()))


def notebook() -> dict[str, Any]:
    def display(data: bytes) -> dict[str, Any]:
        bundle = {"image/png": base64.b64encode(data).decode()}
        return {"output_type": "display_data", "metadata": {}, "data": bundle}

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


def read_answers(directory: Path) -> dict[str, Answer]:
    """Read the files and return an answer for each of `NAMES`."""
    write(directory)
    pdf_reader = anyread.Reader(model=Model.anthropic())
    text = anyread.read_sync(directory / "poem.txt", limit=1)
    png = anyread.read_sync(directory / "chart.png")
    pages = anyread.read_sync(directory / "report_v1.pdf")
    plots = anyread.read_sync(directory / "plots.ipynb")
    assert isinstance(pages, anyread.PdfPages)
    assert isinstance(plots, anyread.NotebookPage)
    error = missing(directory)
    failed = anyread.Failed(error.path, error)
    unchanged = anyread.Unchanged("poem.txt", "v1")
    tyger, message = "1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]", str(error)
    return {
        "text": Answer(text, texts=(tyger,)),
        "png": Answer(png, (PNG,), ("[image: PNG 40×30]",)),
        "jpeg": Answer(anyread.read_sync(directory / "photo.jpg"), (JPEG,), ("[image: JPEG 64×20]",)),
        "gif": Answer(anyread.read_sync(directory / "dot.gif"), (GIF,), ("[image: GIF 20×20]",)),
        "pdf_document": Answer(
            pdf_reader.read_sync(directory / "report_v1.pdf"), (PDF,), ("[document: 3 pages",)
        ),
        "pdf_pages": Answer(
            pages,
            tuple(page.image.data for page in pages.pages if page.image),
            ("[page 1 of 3]\nline 1 of page 1", "[page 2 of 3]", "[page 3 of 3]"),
        ),
        "notebook": Answer(plots, (PNG, OTHER_PNG), ("first_plot()", "second_plot()")),
        "error": Answer(error, texts=(message,), is_error=True),
        "failed": Answer(failed, texts=(message,), is_error=True),
        "unchanged": Answer(unchanged, texts=("[`poem.txt`: unchanged]",)),
        "several": Answer(
            [text, failed, png],
            (PNG,),
            (f"[{text.summary()}]", tyger, f"error: {message}", f"[{png.summary()}]", "[image: PNG"),
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


def missing(directory: Path) -> anyread.ReadError:
    try:
        anyread.read_sync(directory / "gone.txt")
    except anyread.ReadError as error:
        return error
    raise AssertionError("a file that does not exist was read")


@cache
def type_adapter(module: str, name: str) -> Any:
    """Return what validates a type of an SDK.

    The SDK is imported here, because each worker would import it for seconds while tests are collected.
    """
    from pydantic import TypeAdapter

    return TypeAdapter(getattr(import_module(module), name))


def validate(of_sdk: tuple[str, str], shape: Any) -> None:
    """Validate every part of a message with a type; the types drop fields that they do not know."""
    assert consumed(type_adapter(*of_sdk).validate_python(shape)) == shape
    json.dumps(shape, ensure_ascii=False).encode()


def consumed(value: Any) -> Any:
    """Iterate over a value that pydantic validates lazily, and return it as lists and dictionaries."""
    if isinstance(value, dict):
        return {name: consumed(field) for name, field in value.items()}
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return value
    return [consumed(item) for item in value]


def check(answer: Answer, texts: Iterable[str], media: Iterable[str | bytes]) -> None:
    """Compare what an adapter returned with what the API must receive."""
    decoded = tuple(base64.b64decode(data) if isinstance(data, str) else data for data in media)
    assert decoded == answer.media
    check_texts(answer, texts)


def check_texts(answer: Answer, texts: Iterable[str]) -> None:
    shown = list(texts)
    assert all(text.strip() for text in shown)
    positions = list(positions_of("\0".join(shown), answer.texts))
    assert -1 not in positions
    assert positions == sorted(positions)


def positions_of(text: str, wanted: Iterable[str]) -> Iterator[int]:
    position = 0
    for part in wanted:
        position = text.find(part, max(position, 0))
        yield position


def of_data_url(url: str, media_type: str) -> str:
    """Return the base64 data of a data URL of the given type."""
    head, _, data = url.partition(",")
    assert head == f"data:{media_type};base64"
    return data


TEXTS = {"text", "output", "error"}
MEDIA = {"data", "bytes", "value", "blob", "url", "image_url", "file_data"}
"""The names of the fields that have texts and media in the APIs."""


def fields(shape: Any, name: str = "") -> Iterator[tuple[str, str | bytes]]:
    """Yield each text and each bytes object in a shape, with the name of its field."""
    if isinstance(shape, dict):
        for key, value in shape.items():
            # The tool message of Chat Completions has its text there.
            is_text = key == "content" and isinstance(value, str)
            yield from () if key == "_meta" else fields(value, "text" if is_text else key)
    elif isinstance(shape, list):
        for each in shape:
            yield from fields(each)
    elif isinstance(shape, (str, bytes)):
        yield name, shape


def texts(shape: Any) -> list[str]:
    return [str(value) for name, value in fields(shape) if name in TEXTS]


def media(shape: Any) -> list[str | bytes]:
    found = [value for name, value in fields(shape) if name in MEDIA]
    return [
        of_data_url(value, value[5:].partition(";")[0])
        if isinstance(value, str) and value.startswith("data:")
        else value
        for value in found
    ]
