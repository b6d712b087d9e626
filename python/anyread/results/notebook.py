"""What a read of a notebook gives back: cells, what they put out, and the page that holds them.

Loaded when the first notebook is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from anyread._native import count_tokens

from .blocks import Block, ImageBlock, TextBlock
from .markdown import fenced
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import BasePage, Continuation
from .values import DERIVED, Value, on_first_use


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CellPicture(Value):
    """An image that a cell put out or refers to."""

    media_type: str = "image/png"
    """The media type that the notebook gives; the block's own says what the bytes are."""
    size_bytes: int = 0
    """Bytes of the image as the notebook has it."""
    width: int | None = None
    """Pixels from left to right by the image's header; `None` if it does not tell."""
    height: int | None = None
    """Pixels from top to bottom by the image's header; `None` if it does not tell."""
    block: ImageBlock | None = None
    """The image for a model; `None` if it is not shown."""
    reason: str = ""
    """Why it is not shown, as a clause; empty if it is, or if the model takes no images."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CellOutput(Value):
    """One output of a cell, under the names of nbformat 4."""

    type: str = "stream"
    """"stream", "execute_result", "display_data", "error", or what else the file says."""
    name: str | None = None
    """"stdout" or "stderr" of a stream, the class of an error."""
    execution_count: int | None = None
    """The execution that a result is of."""
    media_type: str | None = None
    """What `text` is: "text/plain" before anything else; `None` if there is no text to show."""
    text: str = ""
    """The text as a terminal would leave it, without escape sequences; cut where the page cuts it."""
    size_bytes: int = 0
    """Bytes of the whole text in UTF-8."""
    picture: CellPicture | None = None
    """The image, if there is one."""
    others: tuple[str, ...] = ()
    """Media types in which the file has the same, and which are not shown."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Cell(Value):
    """One cell of a notebook."""

    number: int = 1
    """Its place among the cells, counted from 1."""
    id: str | None = None
    """Its name in the file, from nbformat 4.5 on."""
    type: str = "code"
    """"code", "markdown", "raw", or what else the file says; old headings are "markdown"."""
    execution_count: int | None = None
    """The number of its execution; `None` if it was not run, and for cells that cannot be."""
    source: str = ""
    """What was typed, exactly; of a text over the budget what the budget allows, from its start."""
    outputs: tuple[CellOutput, ...] = ()
    """What came out, in order; pieces of one stream that follow one another are one."""
    attachments: tuple[tuple[str, CellPicture | None], ...] = ()
    """Files that its text refers to: name and image."""


@on_first_use("token_estimate", int, lambda page, _: count_tokens(page.text, None))
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class NotebookPage(BasePage):
    """Cells of a notebook.

    `text` is for a model: the cells one below the other, each under a line that tells what it is.
    `blocks` is the same with the images in their places.

    Example:
        >>> page = await anyread.read("analysis.ipynb", limit=10)
        >>> page.cells[0].source
        'import pandas as pd'
    """

    kind: ClassVar[Literal["notebook"]] = "notebook"

    footer: str = ""
    """The last line of `text`, which tells what is left out; empty if nothing is."""
    language: str | None = None
    """The language of the code cells, as the file spells it; `None` if it does not say."""
    cell_count: int = DERIVED
    """Cells in the file."""
    first_cell: int = DERIVED
    """The first cell shown, counted from 1."""
    last_cell: int = DERIVED
    """The last cell shown; one less than `first_cell` if none is."""
    cells: tuple[Cell, ...] = ()
    """The cells shown."""
    nbformat: int | None = None
    """The major version of the format; `None` if the file does not say."""
    nbformat_minor: int | None = None
    """The minor version of the format; `None` if the file does not say."""
    clipped: tuple[Continuation, ...] = ()
    """For each text that was cut, the call that reads the rest of it in the file's JSON."""
    token_estimate: int = DERIVED
    """Tokens of `text`, images not counted: exact with `Limits.tokenizer`, else an estimate."""
    _blocks: tuple[Block, ...] = DERIVED

    def __post_init__(self) -> None:
        BasePage.__post_init__(self)
        first, last = (self.cells[0].number, self.cells[-1].number) if self.cells else (1, 0)
        blocks = (TextBlock(self.text),) if self.text else ()
        self._derive(first_cell=first, last_cell=last, cell_count=last, _blocks=blocks)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The page as the blocks of a message: text, and each shown image after its line."""
        if self._blocks:
            return self._blocks
        return (TextBlock(f"[notebook: {self._shown()}]"),)

    def summary(self) -> str:
        """Say in one line what was read, for a history in place of the page."""
        return f"notebook `{self.path}`: {self._shown()}"

    def _shown(self) -> str:
        of = f" of {self.cell_count:,}"
        if self.last_cell < self.first_cell:
            return f"no cell{of}"
        if self.last_cell == self.first_cell:
            return f"cell {self.first_cell:,}{of}"
        return f"cells {self.first_cell:,}-{self.last_cell:,}{of}"

    def _empty(self, footer: str) -> dict[str, Any]:
        blocks = (TextBlock(footer),)
        return {
            "footer": footer,
            "last_cell": self.first_cell - 1,
            "cells": (),
            "clipped": (),
            "_blocks": blocks,
        }

    def _repr_markdown_(self) -> str:
        parts = []
        for cell in self.cells:
            if cell.type == "markdown":
                parts.append(cell.source)
            else:
                parts.append(fenced(cell.source, self.language or "" if cell.type == "code" else "text"))
            parts += [fenced(output.text) for output in cell.outputs if output.text]
        return "\n\n".join([part for part in (*parts, self.footer) if part])
