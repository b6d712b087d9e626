"""The result of reading a notebook: cells, their outputs, and the page that holds them.

Loaded when the first notebook is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from anyread.values import Value

from .blocks import Block, ImageBlock  # noqa: F401 - the names of inherited fields
from .markdown import fenced
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import Continuation  # noqa: F401 - the name of an inherited field
from .parts import PartsPage


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CellImage(Value):
    """An image that a cell displayed or refers to."""

    media_type: str = "image/png"
    """The media type declared in the notebook; that of the block is detected from the bytes."""
    size_bytes: int = 0
    """Bytes of the image as stored in the notebook."""
    width: int | None = None
    """Pixels from left to right according to the image's header; `None` if unknown."""
    height: int | None = None
    """Pixels from top to bottom according to the image's header; `None` if unknown."""
    block: ImageBlock | None = None
    """The image for a model; `None` if it is not shown."""
    reason: str = ""
    """Why it is not shown, as a clause; empty if it is shown or if the model accepts no images."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CellOutput(Value):
    """One output of a cell, under the names of nbformat 4."""

    type: str = "stream"
    """"stream", "execute_result", "display_data", "error", or any other value in the file."""
    name: str | None = None
    """"stdout" or "stderr" of a stream, the class of an error."""
    execution_count: int | None = None
    """The number of the execution that produced a result."""
    media_type: str | None = None
    """The media type of `text`, preferably "text/plain"; `None` if there is no text to show."""
    text: str = ""
    """The text as a terminal would show it, without escape sequences; clipped as on the page."""
    size_bytes: int = 0
    """Bytes of the whole text in UTF-8."""
    image: CellImage | None = None
    """The image, if there is one."""
    others: tuple[str, ...] = ()
    """The other media types of the same output in the file, which are not shown; "text/javascript" for the
    scripts of its HTML, "application/json" for an output of a type that no version of the format has."""
    pictures: tuple[CellImage, ...] = ()
    """The images in `data:` URLs of `text`, in order."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Cell(Value):
    """One cell of a notebook."""

    number: int = 1
    """Its position among the cells, counted from 1."""
    id: str | None = None
    """Its identifier in the file (nbformat 4.5 and later)."""
    type: str = "code"
    """"code", "markdown", "raw", or any other value in the file; old heading cells are "markdown"."""
    execution_count: int | None = None
    """The number of its execution; `None` if it was not run or is not a code cell."""
    source: str = ""
    """The exact source; if it is over the budget, its beginning, as much as fits."""
    outputs: tuple[CellOutput, ...] = ()
    """The outputs, in order; consecutive pieces of one stream are merged."""
    attachments: tuple[tuple[str, CellImage | None], ...] = ()
    """Images attached to the cell, by name."""
    pictures: tuple[CellImage, ...] = ()
    """The images in `data:` URLs of a Markdown source, in order."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class NotebookPage(PartsPage):
    """Cells of a notebook.

    `text` is for a model: the cells in order, each below a line that describes it.
    `blocks` has the same content, with the images at their positions.

    Example:
        >>> page = await anyread.read("analysis.ipynb", limit=10)
        >>> page.cells[0].source
        'import pandas as pd'
    """

    kind: ClassVar[Literal["notebook"]] = "notebook"
    unit: ClassVar[tuple[str, str]] = ("cell", "cells")
    facts_of_kind: ClassVar[tuple[str, ...]] = ("first", "last", "count", "language", "nbformat")

    language: str | None = None
    """The language of the code cells, as the file spells it; `None` if it is not declared."""
    cells: tuple[Cell, ...] = ()
    """The cells shown."""
    nbformat: int | None = None
    """The major version of the format; `None` if it is not declared."""
    nbformat_minor: int | None = None
    """The minor version of the format; `None` if it is not declared."""

    def _repr_markdown_(self) -> str:
        parts = []
        for cell in self.cells:
            if cell.type == "markdown":
                parts.append(cell.source)
            else:
                parts.append(fenced(cell.source, self.language or "" if cell.type == "code" else "text"))
            parts += [fenced(output.text) for output in cell.outputs if output.text]
        return "\n\n".join([part for part in (*parts, self.footer) if part])
