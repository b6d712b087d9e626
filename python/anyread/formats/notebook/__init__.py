"""Notebooks: the core parses and lays out texts, and this package makes parts of them.

The layout of a cell and the reasons for it are in docs/design/008-notebook-rendering.md.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from functools import partial
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from anyread._native import Notebook
from anyread.arguments.gutter import Gutter
from anyread.arguments.request import ReadArguments
from anyread.errors import FileSystemError, NoSuchNameError, ReadError
from anyread.formats.fallback import NoNotebookError, at_lines, require_size, unchanged
from anyread.formats.parts import Parts, blocks_of, continuation
from anyread.formats.pictures import decode, shrink
from anyread.results.notebook import NotebookPage
from anyread.results.notices import make_notice

from .wording import CellPart, NotebookImage, render_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from anyread._native import Cancel, Opened, ShownCell
    from anyread.arguments.limits import Limits
    from anyread.arguments.request import Request
    from anyread.formats.parts import How
    from anyread.formats.selection import Selection
    from anyread.results.notices import Notice

_CELLS_AT_ONCE = 1_000
"""How many cells are laid out together; a page may have twice as many."""
_IMAGE_FAULTS = {
    "missing": "it is not in the file",
    "empty": "it is empty",
    "bad_base64": "its base64 is damaged",
}
"""Why an image cannot be decoded, by the core's code."""


def parts_of(opened: Opened, _request: Request | None, how: How) -> NotebookParts:
    """Read and parse the whole file.

    Raises:
        NoNotebookError: It is broken JSON, or not a notebook.
        ReadError: As `parse`.
    """
    return NotebookParts(opened, parse(opened, how.limits, how.cancel, how.native(Notebook)), how)


_EXECUTED = re.compile(r"(?i)(?:cell )?\s*(?:in|out)\s?\[(\d{1,15})\]")


def named(opened: Opened, request: Request, how: How) -> tuple[Request, list[Notice]]:
    """Replace the number of an execution, such as `In[17]`, by that of its cell.

    Raises:
        NoSuchNameError: No cell has it.
        NoNotebookError: As `parts_of`.
    """
    at = request["at"] or ""
    executed = _EXECUTED.match(at)
    notebook = parse(opened, how.limits, how.cancel, how.native(Notebook))
    counts: dict[int, list[int]] = {}
    start, most = 0, min(notebook.cell_count, opened.size_bytes)
    while start < most:
        cells = notebook.show(
            start,
            most,
            gutter=Gutter.NONE,
            max_line_chars=1,
            max_source_bytes=1,
            max_output_bytes=1,
            max_bytes=how.limits.max_bytes,
            cancel=how.cancel,
        )
        if not cells:
            break
        for cell in cells:
            if cell.execution_count is not None:
                counts.setdefault(cell.execution_count, []).append(cell.number)
        start += len(cells)
    found = counts.get(int(executed[1])) if executed else None
    if not found:
        near = tuple(f"In[{count}]" for count in sorted(counts))
        raise NoSuchNameError(opened.path, value=at, unit="cell", near=near[-10:])
    return at_lines(request, found), []


def parse(
    opened: Opened, limits: Limits, cancel: Cancel | None = None, parsed: type[Notebook] = Notebook
) -> Notebook:
    """Read and parse the whole file; for a thread.

    Raises:
        InterruptedError: `cancel` was set.
        NoNotebookError: It is broken JSON, or not a notebook.
        TooLargeError: It is over `Limits.max_notebook_bytes`.
        FileChangedError: It changed while it was read.
        FileSystemError: It could not be read.
    """
    require_size(opened, limits.max_notebook_bytes)
    try:
        with unchanged(opened):
            return parsed(opened, cancel)
    except ReadError:
        raise
    except MemoryError as error:
        raise FileSystemError(opened.path, errno=errno.ENOMEM, operation="read") from error
    except ValueError as broken:
        line, column, fault, detail = broken.args
    raise NoNotebookError(make_notice("broken_json", line=line, column=column, fault=fault, detail=detail))


class NotebookParts(Parts[CellPart]):
    """The cells of a notebook."""

    joint = "\n\n"

    def __init__(self, opened: Opened, notebook: Notebook, how: How) -> None:
        self._opened, self._how = opened, how
        self._notebook = notebook
        # A cell has at least one byte; the core may be a decoder's.
        self.count = min(notebook.cell_count, opened.size_bytes)
        self.most = how.limits.max_lines
        self._language = notebook.language_info or notebook.kernel_language
        self._version = notebook.nbformat, notebook.nbformat_minor
        self._is_lossy = notebook.lossy
        self._wanted: list[NotebookImage] = []
        self._contents: list[Callable[[], bytes]] = []

    def shows(self, number: int) -> bool:
        return True

    def facts(self) -> Mapping[str, object]:
        return {"cells": self.count, "language": self._language}

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[CellPart]:
        coming = iter(numbers)
        # One alone that begins inside; then neighbours together, because the core lays out many at a time.
        while some := [*islice(coming, 1 if column > 1 else _CELLS_AT_ONCE)]:
            runs = groupby(enumerate(some), lambda pair: pair[1] - pair[0])
            for _, pairs in runs:
                run = [number for _, number in pairs]
                # The core returns no more than a page has room for.
                while run and (cells := self._layout(run[0] - 1, run[-1], column)):
                    del run[: len(cells)]
                    for shown in cells:
                        yield render_cell(shown, self._how).since(column)
                        column = 1

    def _layout(self, first: int, stop: int, column: int) -> Sequence[ShownCell]:
        limits = self._how.limits
        return self._notebook.show(
            first,
            stop,
            gutter=self._how.gutter,
            max_line_chars=limits.max_line_chars,
            # More than a page: what precedes the column, at up to 4 bytes a character, and what may be shown.
            max_source_bytes=4 * column + limits.max_bytes,
            max_output_bytes=limits.max_cell_output_bytes,
            max_bytes=limits.max_bytes,
            cancel=self._how.cancel,
        )

    def shrink(self, part: CellPart, tokens: int) -> None:
        shrink(part, self._how.model, tokens)

    def end(self, parts: Sequence[CellPart]) -> None:
        images = [image for part in parts for image in part.shown_images]
        decoded = self._notebook.images([image.image.range for image in images])
        # A decoder may return fewer.
        for image, data in zip(images, decoded, strict=False):
            if isinstance(data, str):
                image.refuse(_IMAGE_FAULTS[data])
            else:
                self._wanted.append(image)
                self._contents.append(partial(bytes, data))

    def close(self) -> None:
        # Its images have been copied; the rest of the file is not needed any more.
        del self._notebook

    def settle(self) -> None:
        decode(self._wanted, self._contents, self._opened, self._how)

    def marks(self, parts: Sequence[CellPart]) -> list[str]:
        hidden = sum(len(part.hidden) for part in parts)
        return [f"{hidden:,} text{'' if hidden == 1 else 's'} cut"] if hidden else []

    def notices(self, parts: Sequence[CellPart], chosen: Selection) -> list[Notice]:
        notices, cells = [], parts
        if self._is_lossy:
            notices.append(make_notice("lossy", encoding="utf-8"))
        if not self.count:
            notices.append(make_notice("no_cells"))
        left_out = _left_out(cells)
        if left_out:
            notices.append(make_notice("images_left_out", cells=left_out))
        cut = sum(bool(cell.hidden) for cell in cells)
        if cut:
            notices.append(make_notice("output_truncated", cells=cut))
        return notices

    def page(self, parts: Sequence[CellPart], common: dict[str, Any]) -> NotebookPage:
        cells, clipped = parts, []
        for line, column in [position for cell in cells for position in cell.hidden]:
            arguments = ReadArguments(offset=line, kind="text")
            if column > 1:
                arguments["column"] = column
            clipped.append(continuation(self._opened, arguments))
        return NotebookPage(
            **common,
            language=self._language,
            cells=tuple(cell.described() for cell in cells),
            nbformat=self._version[0],
            nbformat_minor=self._version[1],
            clipped=tuple(clipped),
            _blocks=blocks_of(self, parts, common["text"]),
        )


def _left_out(cells: Sequence[CellPart]) -> list[int]:
    """Return the cells with images for which the page has no room."""
    return [cell.number for cell in cells if any(image.is_left_out for image in cell.images.values())]
