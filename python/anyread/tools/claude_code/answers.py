"""The answers of Claude Code's Read: a union of tagged objects, and what a model sees of each."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any, cast

from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock
from anyread.results.image import ImageView
from anyread.results.notebook import NotebookPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from anyread.results import Block, Page, TextPage
    from anyread.results.notebook import Cell, CellOutput
    from anyread.results.pdf import PdfPage, PdfPages

CUT_MARKER = "... [truncated]"
"""What stands behind a line that was cut."""


def text(path: str, content: str, *, lines: int, start: int, total: int) -> dict[str, Any]:
    """Answer with lines of text."""
    file = {"filePath": path, "content": content, "numLines": lines, "startLine": start, "totalLines": total}
    return {"type": "text", "file": file}


def of_page(path: str, page: Page, *, max_lines: int | None) -> dict[str, Any]:
    """Answer with a page of any kind but a PDF; a picture that is not shown is a refusal."""
    if isinstance(page, NotebookPage):
        return notebook(path, page)
    if isinstance(page, ImageView):
        return refused(page.text) if page.image is None else image(page)
    return text_of(path, cast("TextPage", page), max_lines=max_lines)


def text_of(path: str, page: TextPage, *, max_lines: int | None) -> dict[str, Any]:
    """Answer with a page; `max_lines` is what it may have had, `None`: as many as were asked for."""
    count = page.end_line - page.start_line + 1
    if count < 1:
        return text(path, "", lines=0, start=1, total=page.total_lines or 0)
    ends_inside = page.next is not None and "column" in page.next.arguments
    content = _content(page, ends_inside=ends_inside)
    answer = text(path, content, lines=count, start=page.start_line, total=page.total_lines or page.end_line)
    if max_lines is not None and page.next is not None and (ends_inside or count < max_lines):
        answer["file"]["truncatedByTokenCap"] = True
    return answer


def _content(page: TextPage, *, ends_inside: bool) -> str:
    """Give the lines joined by line feeds, those that were cut with a marker."""
    content = page.content
    if page.line_ending != "lf":
        content = content.replace("\r\n", "\n")
    if page.line_ending == "cr":
        content = content.replace("\r", "\n")
    content = content.removesuffix("\n")
    if not page.clipped and not ends_inside:
        return content
    lines = content.split("\n")
    cut = {place.arguments["offset"] - page.start_line for place in page.clipped}
    for index in cut | ({len(lines) - 1} if ends_inside else set()):
        lines[index] += CUT_MARKER
    return "\n".join(lines)


def image(view: ImageView) -> dict[str, Any]:
    """Answer with a picture that the model takes."""
    block, shown = view.image, view.shown
    if block is None or shown is None:
        raise ValueError("a picture that is not shown has no answer")
    dimensions = {
        "originalWidth": view.original.width,
        "originalHeight": view.original.height,
        "displayWidth": shown.width,
        "displayHeight": shown.height,
    }
    return image_of(block.base64, block.media_type, view.size_bytes, dimensions)


def image_of(
    base64: str, media_type: str, size_bytes: int, dimensions: dict[str, int] | None = None
) -> dict[str, Any]:
    """Answer with an encoded picture."""
    file: dict[str, Any] = {"base64": base64, "type": media_type, "originalSize": size_bytes}
    if dimensions is not None:
        file["dimensions"] = dimensions
    return {"type": "image", "file": file}


def pdf(path: str, base64: str, size_bytes: int, page_count: int | None) -> dict[str, Any]:
    """Answer with a whole document; its pages are told besides, for who passes it on."""
    file: dict[str, Any] = {"filePath": path, "base64": base64, "originalSize": size_bytes}
    if page_count is not None:
        file["pageCount"] = page_count
    return {"type": "pdf", "file": file}


def parts(path: str, shown: PdfPages) -> dict[str, Any]:
    """Answer with pictures of pages, which are in the answer and in no folder."""
    file = {"filePath": path, "originalSize": shown.size_bytes, "count": len(shown.pages), "outputDir": ""}
    pages = [_page(page) for page in shown.pages]
    return {"type": "parts", "file": file, "firstPage": shown.first_page, "pages": pages}


def _page(page: PdfPage) -> dict[str, Any]:
    if page.image is not None:
        return {"base64": page.image.base64, "mediaType": page.image.media_type}
    return {"base64": "", "mediaType": "image/jpeg", "error": f"no picture of {page.shown_text}"}


def notebook(path: str, page: NotebookPage) -> dict[str, Any]:
    """Answer with cells; if they are not all, which ones they are."""
    file: dict[str, Any] = {"filePath": path, "cells": [_cell(cell, page.language) for cell in page.cells]}
    if len(page.cells) < page.cell_count:
        file |= {"firstCell": page.first_cell, "totalCells": page.cell_count}
    return {"type": "notebook", "file": file}


def _cell(cell: Cell, language: str | None) -> dict[str, Any]:
    is_code = cell.type == "code"
    told: dict[str, Any] = {"cellType": cell.type, "source": cell.source, "cell_id": cell.id}
    if is_code:
        told |= {"language": language, "execution_count": cell.execution_count}
    if cell.outputs:
        told["outputs"] = [_output(output) for output in cell.outputs]
    return told


def _output(output: CellOutput) -> dict[str, Any]:
    told: dict[str, Any] = {"output_type": output.type}
    if output.text:
        told["text"] = output.text
    picture = output.picture
    if picture is not None and picture.block is not None:
        told["image"] = {"image_data": picture.block.base64, "media_type": picture.block.media_type}
    elif picture is not None:
        told.setdefault("text", f"[picture not shown: {picture.media_type}, {picture.size_bytes:,} bytes]")
    return told


def unchanged(path: str) -> dict[str, Any]:
    """Answer that the file is as it was read before."""
    return {"type": "file_unchanged", "file": {"filePath": path}}


def refused(message: str) -> dict[str, Any]:
    """Answer that a call failed, as a tool result is marked for the model."""
    return {"is_error": True, "content": f"<tool_use_error>{message}</tool_use_error>"}


# ------------------------------------------------------------------------------------------------------------
# What a model sees


def blocks(output: Mapping[str, Any]) -> list[Block]:
    """Read an answer back into the blocks of a message."""
    if output.get("is_error"):
        return [TextBlock(output["content"])]
    return list(_SEEN[output["type"]](output))


def _image_block(output: Mapping[str, Any]) -> Iterable[Block]:
    file = output["file"]
    yield ImageBlock.from_bytes(b64decode(file["base64"]), media_type=file["type"])


def _document_block(output: Mapping[str, Any]) -> Iterable[Block]:
    file = output["file"]
    name = file["filePath"].rpartition("/")[2] or "document.pdf"
    pages = file.get("pageCount", 1)
    yield DocumentBlock.from_bytes(b64decode(file["base64"]), name=name, page_count=pages)


def _unchanged_block(output: Mapping[str, Any]) -> Iterable[Block]:
    yield TextBlock(f"[{output['file']['filePath']} is unchanged: what was read of it before still holds]")


def _text_block(output: Mapping[str, Any]) -> Iterable[Block]:
    yield TextBlock(_numbered(output["file"]))


def _numbered(file: Mapping[str, Any]) -> str:
    start, shown, total = file["startLine"], file["numLines"], file["totalLines"]
    if not total:
        return "<system-reminder>The file exists, and it is empty.</system-reminder>"
    if not shown:
        told = f"The file has {total} lines: it ends before the offset {start}."
        return f"<system-reminder>{told}</system-reminder>"
    lines = [f"{number}\t{line}" for number, line in enumerate(file["content"].split("\n"), start)]
    if file.get("truncatedByTokenCap"):
        last = start + shown - 1
        lines.append(
            f"<system-reminder>PARTIAL view: lines {start}-{last} of {total}. Read on with"
            f" offset={last + 1} and a limit.</system-reminder>"
        )
    return "\n".join(lines)


def _page_blocks(output: Mapping[str, Any]) -> Iterable[Block]:
    for number, page in enumerate(output.get("pages", ()), output.get("firstPage", 1)):
        if page.get("error"):
            yield TextBlock(page["error"])
            continue
        yield TextBlock(f"[page {number}]")
        yield ImageBlock.from_bytes(b64decode(page["base64"]), media_type=page["mediaType"])


def _cell_blocks(output: Mapping[str, Any]) -> Iterable[Block]:
    file = output["file"]
    first = file.get("firstCell", 1)
    for number, cell in enumerate(file["cells"], first):
        count = f" [{cell['execution_count']}]" if cell.get("execution_count") is not None else ""
        yield TextBlock(
            f'<cell number="{number}" type="{cell["cellType"]}"{count}>\n{cell["source"]}\n</cell>'
        )
        for result in cell.get("outputs", ()):
            if result.get("text"):
                yield TextBlock(result["text"])
            if "image" in result:
                picture = result["image"]
                data = b64decode(picture["image_data"])
                yield ImageBlock.from_bytes(data, media_type=picture["media_type"])
    if "totalCells" in file:
        last, total = first + len(file["cells"]) - 1, file["totalCells"]
        yield TextBlock(f"<system-reminder>PARTIAL view: cells {first}-{last} of {total}.</system-reminder>")
    if not file["cells"]:
        yield TextBlock("<system-reminder>The notebook has no cells.</system-reminder>")


_SEEN: dict[str, Callable[[Mapping[str, Any]], Iterable[Block]]] = {
    "text": _text_block,
    "image": _image_block,
    "pdf": _document_block,
    "parts": _page_blocks,
    "notebook": _cell_blocks,
    "file_unchanged": _unchanged_block,
}
