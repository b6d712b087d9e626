"""The answers of Claude Code's Read: a union of tagged objects, and the blocks made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock
from anyread.tools.parts.attachments import PDF, encoded_block, prepared
from anyread.tools.parts.utf8 import encodable
from anyread.values import replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from anyread._native import Window
    from anyread.results import Block
    from anyread.results.image import ImageView
    from anyread.results.notebook import Cell, CellOutput, NotebookPage
    from anyread.results.pdf import PdfPages

CUT_MARKER: Final = "... [truncated]"
"""The end of a line that was cut."""
_NUMBERED: Final = Layout(line_ends="lf", final_newline="starts", separator="\t")
"""The layout of the lines that a model sees."""


def text(path: str, content: str, *, lines: int, start: int, total: int) -> dict[str, Any]:
    """Answer with lines of text."""
    file = {"filePath": path, "content": content, "numLines": lines, "startLine": start, "totalLines": total}
    return {"type": "text", "file": file}


def text_of(path: str, window: Window, *, is_partial: bool) -> dict[str, Any]:
    """Answer with a window of lines, which may be only the beginning of what was requested."""
    lines, total = window.last_line - window.first_line + 1, window.total_lines or 0
    answer = text(path, window.text, lines=lines, start=window.first_line if total else 1, total=total)
    if is_partial:
        answer["file"]["truncatedByTokenCap"] = True
    return answer


def image(view: ImageView) -> dict[str, Any]:
    """Answer with an image, or refuse it if the model does not accept it."""
    block, shown = view.image, view.shown
    if block is None or shown is None:
        return refused(view.text)
    dimensions = {
        "originalWidth": view.width,
        "originalHeight": view.height,
        "displayWidth": shown.width,
        "displayHeight": shown.height,
    }
    answer = image_of(prepared(block), block.media_type, view.size_bytes)
    answer["file"]["dimensions"] = dimensions
    return answer


def image_of(base64: str, media_type: str, size_bytes: int) -> dict[str, Any]:
    """Answer with an encoded image."""
    return {"type": "image", "file": {"base64": base64, "type": media_type, "originalSize": size_bytes}}


def pdf(path: str, base64: str, size_bytes: int, page_count: int | None) -> dict[str, Any]:
    """Answer with a complete document; its page count is for adapters."""
    file: dict[str, Any] = {"filePath": path, "base64": base64, "originalSize": size_bytes}
    if page_count is not None:
        file["pageCount"] = page_count
    return {"type": "pdf", "file": file}


def parts(path: str, shown: PdfPages) -> dict[str, Any]:
    """Answer with images of pages, in the answer itself and not in a directory."""
    file = {"filePath": path, "originalSize": shown.size_bytes, "count": len(shown.pages), "outputDir": ""}
    pages = [
        {"base64": "", "mediaType": "image/jpeg", "error": f"no image of {page.shown_text}"}
        if page.image is None
        else {"base64": prepared(page.image), "mediaType": page.image.media_type}
        for page in shown.pages
    ]
    return {"type": "parts", "file": file, "firstPage": shown.first, "pages": pages}


def notebook(path: str, page: NotebookPage) -> dict[str, Any]:
    """Answer with cells, and with their position if there are others."""
    file: dict[str, Any] = {"filePath": path, "cells": [_cell(cell, page.language) for cell in page.cells]}
    if len(page.cells) != page.count:
        file |= {"firstCell": page.first, "totalCells": page.count}
    return {"type": "notebook", "file": file}


def _cell(cell: Cell, language: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"cellType": cell.type, "source": cell.source, "cell_id": cell.id}
    if cell.type == "code":
        fields |= {"language": language, "execution_count": cell.execution_count}
    if cell.outputs:
        fields["outputs"] = [_output(output) for output in cell.outputs]
    return fields


def _output(output: CellOutput) -> dict[str, Any]:
    fields: dict[str, Any] = {"output_type": output.type}
    if output.text:
        fields["text"] = output.text
    image = output.image
    if image is not None and image.block is not None:
        fields["image"] = {"image_data": prepared(image.block), "media_type": image.block.media_type}
    elif image is not None:
        fields.setdefault("text", f"[image not shown: {image.media_type}, {image.size_bytes:,} bytes]")
    return fields


def unchanged(path: str) -> dict[str, Any]:
    """Answer that the file has not changed since the last read."""
    return {"type": "file_unchanged", "file": {"filePath": path}}


def refused(message: str) -> dict[str, Any]:
    """Answer that a call failed, in the format of a failed tool result."""
    return {"is_error": True, "content": f"<tool_use_error>{message}</tool_use_error>"}


# ------------------------------------------------------------------------------------------------------------
# What a model sees


def blocks(output: Mapping[str, Any]) -> list[Block]:
    """Convert an answer to the blocks of a message."""
    if output.get("is_error"):
        return [TextBlock(output["content"])]
    return list(_BLOCKS[output["type"]](output, output["file"]))


def _image_block(_: Mapping[str, Any], file: Mapping[str, Any]) -> Iterable[Block]:
    yield encoded_block(file["type"], file["base64"], "")


def _document_block(_: Mapping[str, Any], file: Mapping[str, Any]) -> Iterable[Block]:
    name = file["filePath"].rpartition("/")[2] or "document.pdf"
    block = encoded_block(PDF, file["base64"], name)
    count = file.get("pageCount", 1)
    yield replaced(block, page_count=count) if isinstance(block, DocumentBlock) else block


def _unchanged_block(_: Mapping[str, Any], file: Mapping[str, Any]) -> Iterable[Block]:
    yield TextBlock(f"[{file['filePath']} is unchanged: the earlier result is still valid]")


def _text_block(_: Mapping[str, Any], file: Mapping[str, Any]) -> Iterable[Block]:
    start, shown, total = file["startLine"], file["numLines"], file["totalLines"]
    if not total:
        yield _reminder("The file exists, and it is empty.")
    elif not shown:
        yield _reminder(f"The file has {total} lines: it ends before the offset {start}.")
    else:
        content = encodable(file["content"]).encode()
        text = _NUMBERED.window(content, 1, LARGEST, first_number=start).text
        if file.get("truncatedByTokenCap"):
            last = start + shown - 1
            partial = f"PARTIAL view: lines {start}-{last} of {total}."
            following = f"Read on with offset={last + 1} and a limit."
            if last == total:
                following = "Pass allow_large=true for the rest of the line."
            text += f"\n{_reminder(f'{partial} {following}').text}"
        yield TextBlock(text)


def _page_blocks(output: Mapping[str, Any], _: Mapping[str, Any]) -> Iterable[Block]:
    for number, page in enumerate(output.get("pages", ()), output.get("firstPage", 1)):
        if page.get("error"):
            yield TextBlock(page["error"])
            continue
        yield TextBlock(f"[page {number}]")
        yield encoded_block(page["mediaType"], page["base64"], "")


def _cell_blocks(_: Mapping[str, Any], file: Mapping[str, Any]) -> Iterable[Block]:
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
                yield encoded_block(result["image"]["media_type"], result["image"]["image_data"], "")
    if "totalCells" in file:
        last, total = first + len(file["cells"]) - 1, file["totalCells"]
        yield _reminder(f"PARTIAL view: cells {first}-{last} of {total}.")
    if not file["cells"]:
        yield _reminder("The notebook has no cells.")


def _reminder(text: str) -> TextBlock:
    return TextBlock(f"<system-reminder>{text}</system-reminder>")


_BLOCKS: Final[dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Iterable[Block]]]] = {
    "text": _text_block,
    "image": _image_block,
    "pdf": _document_block,
    "parts": _page_blocks,
    "notebook": _cell_blocks,
    "file_unchanged": _unchanged_block,
}
