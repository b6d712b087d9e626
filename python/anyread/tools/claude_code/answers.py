"""The answers of Claude Code's Read: a union of tagged objects, and the blocks made from them."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from anyread._native import Layout, Window
from anyread.arguments.request import LARGEST
from anyread.errors import ReadError
from anyread.results import Block, TextBlock
from anyread.results.blocks import DocumentBlock
from anyread.tools.parts.media import PDF, encoded, encoded_block, fit, prepared
from anyread.tools.parts.notebook_json import (
    NoJsonError,
    NotebookError,
    fields_of,
    joined,
    objects_of,
    read_notebook,
    written,
)
from anyread.tools.parts.paths import name_of
from anyread.tools.parts.utf8 import encodable
from anyread.values import replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from anyread.arguments.page_range import PageRange
    from anyread.decoding.host.pdf import DecodedPage
    from anyread.models.model import Model
    from anyread.reading.open_file import OpenFile
    from anyread.results.image import ImageView

Json = dict[str, Any]
MAX_PDF_PAGES: Final = 20
"""The most pages of a PDF per call."""
MAX_WHOLE_PDF_PAGES: Final = 10
"""The most pages of a PDF without `pages`."""
_SNIFFED_BYTES: Final = 8 * 1024
_NUMBERED: Final = Layout(line_ends="lf+crlf", final_newline="starts", separator="\t")
"""The layout of the lines that a model sees, without a carriage return at their ends."""


class Notebook(NamedTuple):
    """A notebook, and what its images must be."""

    file: OpenFile
    model: Model
    is_checked: bool
    """Whether images must decode, and are fitted to the model."""

    def cells(self) -> list[Json]:
        """Return its cells.

        Raises:
            TooLargeError: It is over the reader's limit.
            NotebookError: It is not JSON, or it has no list of cells.
        """
        notebook = read_notebook(self.file)
        cells = notebook.get("cells")
        if not isinstance(cells, list):
            must = 'must be an array of cell objects, each with a string or string-array "source"'
            raise NotebookError(f'top-level "cells" {must}')
        language = fields_of(fields_of(notebook.get("metadata")).get("language_info")).get("name")
        return encodable(
            [self._cell(f"cell-{at}", fields_of(cell), language) for at, cell in enumerate(cells)]
        )

    def _cell(self, default_id: str, cell: Json, language: Any) -> Json:
        kind, outputs = written(cell.get("cell_type")), objects_of(cell.get("outputs"))
        fields: Json = {"cellType": kind, "source": joined(cell.get("source"))}
        fields["cell_id"] = written(cell.get("id")) or default_id
        if kind == "code":
            fields |= {"language": written(language) or "python"}
            fields |= {"execution_count": cell.get("execution_count")}
        if outputs:
            fields["outputs"] = list(map(self._output, outputs))
        return fields

    def _output(self, output: Json) -> Json:
        data, traceback = fields_of(output.get("data")), output.get("traceback")
        fields: Json = {"output_type": written(output.get("output_type"))}
        texts = [joined(output.get("text")) or joined(data.get("text/plain"))]
        if fields["output_type"] == "error":
            texts = [f"{written(output.get('ename'))}: {written(output.get('evalue'))}"]
            texts += map(written, traceback if isinstance(traceback, list) else ())
        media_type = next((each for each in ("image/png", "image/jpeg") if data.get(each)), None)
        if media_type is not None:
            image = self._image(joined(data[media_type]), media_type)
            fields |= {"image": image} if isinstance(image, dict) else {}
            texts += [image] if isinstance(image, str) else []
        text = "\n".join(filter(None, texts))
        return {**fields, "text": text} if text else fields

    def _image(self, base64: str, media_type: str) -> Json | str:
        """Return an image that the model accepts, or why it is not shown."""
        why = "the model does not accept images"
        if "image" in self.model.inputs:
            try:
                data = b64decode(base64)
                if not self.is_checked:
                    return {"image_data": encoded(data, media_type), "media_type": media_type}
                block = fit(self.file, self.model, data=data, media_type=media_type).image
                return {"image_data": prepared(block), "media_type": block.media_type}
            except (ReadError, ValueError) as error:
                why = str(error)
        return f"[image not shown: {media_type}, {why}]"


def thrown(message: str) -> dict[str, Any]:
    """Answer that a call failed, in the format of a failed tool result."""
    return {"is_error": True, "content": message}


def size(number: int) -> str:
    """Write a number of bytes as the program does."""
    if number < 1024:
        return f"{number} bytes"
    unit, divisor = ("KB", 1024) if number < 1024 * 1024 else ("MB", 1024 * 1024)
    return f"{number / divisor:.1f}".removesuffix(".0") + unit


def text(path: str, content: str, *, lines: int, start: int, total: int) -> dict[str, Any]:
    """Answer with lines of text."""
    file = {"filePath": path, "content": content, "numLines": lines, "startLine": start, "totalLines": total}
    return {"type": "text", "file": file}


def text_of(path: str, window: Window, notice: str, truncated: str) -> dict[str, Any]:
    """Answer with a window of lines, and what is to be said about its encoding and about what is missing."""
    lines, total = window.last_line - window.first_line + 1, window.total_lines or 0
    # A carriage return at the end of the file belongs to no line ending.
    content = window.text.removesuffix("\r") if window.next is None else window.text
    answer = text(path, content, lines=lines, start=window.first_line, total=total)
    if notice:
        answer["file"]["notice"] = notice
    if truncated:
        answer["file"] |= {"truncatedByTokenCap": True, "truncated": truncated}
    return answer


def encoding_notice(file: OpenFile, window: Window) -> str:
    """Word that editors do not expect the encoding of a file; empty: UTF-8, or UTF-16 LE with a mark."""
    head = file.head(_SNIFFED_BYTES)
    if head.startswith(b"\xff\xfe") and not head.startswith(b"\xff\xfe\0\0"):
        return ""
    what, shown = "", " It was decoded as the most likely encoding." if file.is_text else ""
    if head.startswith(b"\xfe\xff"):
        what = f"is UTF-16 big-endian.{shown}"
    elif b"\0" in head:
        what = (
            "has NUL bytes in its first 8 KB: binary data, UTF-16/UTF-32 without a byte-order mark, or text"
        )
        what += f" with embedded NULs.{shown}"
    elif not window.text.isascii():
        try:
            file.read_range(window.start_byte, window.end_byte - window.start_byte).decode()
        except UnicodeDecodeError:
            what = "is not valid UTF-8: it uses a legacy encoding such as Windows-1252, Shift-JIS or GBK, or"
            is_guess = shown and "\ufffd" not in window.text
            what += f" it is binary.{shown if is_guess else ' Its undecodable bytes show above as U+FFFD.'}"
    change = "change it with a shell command that keeps its encoding, or ask the user whether to convert it"
    return f"[This file {what} Edit and Write will refuse it: {change} to UTF-8.]" if what else ""


def not_an_image(path: str, head: bytes) -> str:
    """Word that a file with the extension of an image is none."""
    return (
        "File has an image extension but its content is not a valid PNG/JPEG/GIF/WebP. Detected: unrecognized"
        f" bytes (hex: {head.hex(' ')}). This usually means a download saved an error/login page instead of"
        f' the image. Use `file "{path}"` to confirm, or read it as text with Bash (e.g. `head -c 500`).'
    )


def image(view: ImageView) -> dict[str, Any]:
    """Answer with an image, or refuse it if the model does not accept it."""
    block = view.image
    if block is None:
        return thrown(view.text)
    return image_of(prepared(block), block.media_type, view.size_bytes, view)


def is_unscaled(view: ImageView) -> bool:
    """Return whether an image is shown in its own size."""
    shown = view.shown
    return shown is not None and (shown.width, shown.height) == (view.width, view.height)


def image_of(base64: str, media_type: str, size_bytes: int, view: ImageView | None) -> dict[str, Any]:
    """Answer with an encoded image; its dimensions are known if it can be decoded."""
    file: dict[str, Any] = {"base64": base64, "type": media_type, "originalSize": size_bytes}
    if view is not None and view.shown is not None:
        original = {"originalWidth": view.width, "originalHeight": view.height}
        shown = {"displayWidth": view.shown.width, "displayHeight": view.shown.height}
        file["dimensions"] = {**original, **shown}
    return {"type": "image", "file": file}


def not_a_pdf(path: str, size_bytes: int) -> str:
    """Word that a file with the extension of a PDF is none."""
    if not size_bytes:
        return f"PDF file is empty: {path}"
    return f"File is not a valid PDF (missing %PDF- header): {path}"


def pages_outside(pages: PageRange | None, count: int) -> str | None:
    """Word why these pages of a PDF are refused; `None`: they are not."""
    at_most = f"aximum {MAX_PDF_PAGES} pages per request"
    if pages is None:
        if count <= MAX_WHOLE_PDF_PAGES:
            return None
        use = 'Use the pages parameter to read specific page ranges (e.g., pages: "1-5")'
        return f"This PDF has {count} pages, which is too many to read at once. {use}. M{at_most}."
    if (pages.last or count) <= count:
        return None
    which = f"page {pages} is" if pages.first == pages.last else f"pages {pages} are"
    has = f"PDF has {count} page{'s' if count > 1 else ''}"
    example = f'(e.g. pages: "1-{min(count, MAX_PDF_PAGES)}")'
    return (
        f"Requested {which} outside the document ({has}). Use a range within 1-{count}, m{at_most} {example}."
    )


def pdf(path: str, base64: str, size_bytes: int, page_count: int | None) -> dict[str, Any]:
    """Answer with a complete document; its page count is for adapters."""
    file: dict[str, Any] = {"filePath": path, "base64": base64, "originalSize": size_bytes}
    if page_count is not None:
        file["pageCount"] = page_count
    return {"type": "pdf", "file": file}


def parts(path: str, size_bytes: int, pages: Sequence[DecodedPage]) -> dict[str, Any]:
    """Answer with images of pages, in the answer itself and not in a directory."""
    file = {"filePath": path, "originalSize": size_bytes, "count": len(pages), "outputDir": ""}
    shown = [
        {"base64": "", "mediaType": "image/jpeg", "error": _page_text(page, "fonts are missing")}
        if page.image is None
        else {"base64": prepared(page.image), "mediaType": page.image.media_type}
        for page in pages
    ]
    return {"type": "parts", "file": file, "firstPage": pages[0].number, "pages": shown}


def page_texts(path: str, pages: Sequence[DecodedPage], count: int) -> dict[str, Any]:
    """Answer with the text of pages."""
    content = "\n\n".join(_page_text(page, f"of {count}") for page in pages)
    lines = content.count("\n") + 1
    return text(path, content, lines=lines, start=1, total=lines)


def _page_text(page: DecodedPage, about: str) -> str:
    return f"[page {page.number} {about}]\n{page.text}"


def no_notebook(error: NotebookError) -> str:
    """Word that a file with the extension of a notebook is none."""
    if isinstance(error, NoJsonError):
        return (
            "Notebook file is not valid JSON (it may be truncated, corrupted, or still being written):"
            f" {error}"
        )
    return f"Notebook file is not a valid Jupyter notebook ({error})."


def notebook(path: str, cells: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Answer with cells."""
    return {"type": "notebook", "file": {"filePath": path, "cells": cells}}


def unchanged(path: str) -> dict[str, Any]:
    """Answer that the file has not changed since the last read."""
    return {"type": "file_unchanged", "file": {"filePath": path}}


def blocks(output: Mapping[str, Any]) -> list[Block]:
    """Convert an answer to the blocks of a message."""
    if output.get("is_error"):
        return [TextBlock(output["content"])]
    return list(_BLOCKS[output["type"]](output, output["file"]))


def _image_block(_: Mapping[str, Any], file: Mapping[str, Any]) -> Iterable[Block]:
    yield encoded_block(file["type"], file["base64"], "")
    original, shown = (
        [file.get("dimensions", {}).get(f"{which}{edge}", 0) for edge in ("Width", "Height")]
        for which in ("original", "display")
    )
    if max(original) != max(shown):
        by = f"Multiply coordinates by {max(original) / max(shown):.2f} to map to original image."
        sizes = [f"{width}x{height}" for width, height in (original, shown)]
        yield TextBlock(f"[Image: original {sizes[0]}, displayed at {sizes[1]}. {by}]")


def _document_blocks(_: Mapping[str, Any], file: Mapping[str, Any]) -> Iterable[Block]:
    yield TextBlock(f"PDF file read: {file['filePath']} ({size(file['originalSize'])})")
    name = name_of(file["filePath"]) or "document.pdf"
    block = encoded_block(PDF, file["base64"], name)
    count = file.get("pageCount", 1)
    yield replaced(block, page_count=count) if isinstance(block, DocumentBlock) else block


def _page_blocks(output: Mapping[str, Any], file: Mapping[str, Any]) -> Iterable[Block]:
    of = f"from {file['filePath']} ({size(file['originalSize'])})"
    yield TextBlock(f"PDF pages extracted: {file['count']} page(s) {of}")
    for page in output["pages"]:
        yield (
            TextBlock(page["error"])
            if page.get("error")
            else encoded_block(page["mediaType"], page["base64"], "")
        )


def _unchanged_block(_: Mapping[str, Any], file: Mapping[str, Any]) -> Iterable[Block]:
    yield TextBlock(f"[{file['filePath']} is unchanged: the earlier result is still valid]")


def _text_blocks(_: Mapping[str, Any], file: Mapping[str, Any]) -> Iterable[Block]:
    start, total = file["startLine"], file["totalLines"]
    is_empty = total == 1 and not file["content"]
    if not file["numLines"] or is_empty:
        but = f"is shorter than the provided offset ({start}). The file has {total} lines."
        if start == 1:
            but = "the contents are empty."
        yield TextBlock(f"<system-reminder>Warning: the file exists but {but}</system-reminder>")
        return
    content = encodable(file["content"]).removesuffix("\r").encode()
    lines = _NUMBERED.window(content, 1, LARGEST, first_number=start).text
    yield TextBlock("\n\n".join(filter(None, (lines, file.get("notice")))))
    if "truncated" in file:
        yield TextBlock(file["truncated"])


def _cell_blocks(_: Mapping[str, Any], file: Mapping[str, Any]) -> Iterable[Block]:
    """Show the cells, with one block for all texts between two images."""
    pending: list[str] = []
    for cell in file["cells"]:
        name, kind = f'cell id="{cell["cell_id"]}"', cell["cellType"]
        about = "" if kind == "code" else f"<cell_type>{kind}</cell_type>"
        if cell.get("language") not in {None, "python"}:
            about += f"<language>{cell['language']}</language>"
        pending.append(f"<{name}>{about}{cell['source']}</{name}>")
        for result in cell.get("outputs", ()):
            if result.get("text"):
                pending.append(f"\n{result['text']}")
            if "image" in result:
                yield TextBlock("\n".join(pending))
                pending = []
                yield encoded_block(result["image"]["media_type"], result["image"]["image_data"], "")
    if not file["cells"]:
        pending = ["(Read completed with no output)"]
    if pending:
        yield TextBlock("\n".join(pending))


_BLOCKS: Final[dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Iterable[Block]]]] = {
    "text": _text_blocks,
    "image": _image_block,
    "pdf": _document_blocks,
    "parts": _page_blocks,
    "notebook": _cell_blocks,
    "file_unchanged": _unchanged_block,
}
