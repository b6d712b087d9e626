"""What a read of a notebook gives back: cells, what they put out, and the page that holds them.

Loaded when the first notebook is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from anyread._native import count_tokens

from .blocks import Block, ImageBlock, TextBlock
from .page import Continuation, Page
from .values import Value


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CellPicture(Value):
    """A picture that a cell put out or refers to."""

    media_type: str
    """The media type that the notebook gives; the block's own says what the bytes are."""
    size_bytes: int
    """Bytes of the picture as the notebook has it."""
    width: int | None
    """Pixels from left to right by the picture's header; `None` if it does not tell."""
    height: int | None
    """Pixels from top to bottom by the picture's header; `None` if it does not tell."""
    block: ImageBlock | None
    """The picture for a model; `None` if it is not shown."""
    reason: str
    """Why it is not shown, as a clause; empty if it is, or if the model takes no pictures."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CellOutput(Value):
    """One output of a cell, under the names of nbformat 4."""

    type: str
    """"stream", "execute_result", "display_data", "error", or what else the file says."""
    name: str | None
    """"stdout" or "stderr" of a stream, the class of an error."""
    execution_count: int | None
    """The execution that a result is of."""
    media_type: str | None
    """What `text` is: "text/plain" before anything else; `None` if there is no text to show."""
    text: str
    """The text as a terminal would leave it, without escape sequences; cut where the page cuts it."""
    size_bytes: int
    """Bytes of the whole text in UTF-8."""
    picture: CellPicture | None
    """The picture, if there is one."""
    others: tuple[str, ...]
    """Media types in which the file has the same, and which are not shown."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Cell(Value):
    """One cell of a notebook."""

    number: int
    """Its place among the cells, counted from 1."""
    id: str | None
    """Its name in the file, from nbformat 4.5 on."""
    type: str
    """"code", "markdown", "raw", or what else the file says; old headings are "markdown"."""
    execution_count: int | None
    """The number of its execution; `None` if it was not run, and for cells that cannot be."""
    source: str
    """What was typed, exactly; of a text over the budget what the budget allows, from its start."""
    outputs: tuple[CellOutput, ...]
    """What came out, in order; pieces of one stream that follow one another are one."""
    attachments: tuple[tuple[str, CellPicture | None], ...]
    """Files that its text refers to: name and picture."""


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class NotebookPage(Page):
    """Cells of a notebook.

    `text` is for a model: the cells one below the other, each under a line that tells what it is.
    `blocks` is the same with the pictures in their places.

    Example:
        >>> page = await anyread.read("analysis.ipynb", limit=10)
        >>> page.cells[0].source
        'import pandas as pd'
    """

    kind: ClassVar[str] = "notebook"

    footer: str
    """The last line of `text`, which tells what is left out; empty if nothing is."""
    language: str | None
    """The language of the code cells, as the file spells it; `None` if it does not say."""
    cell_count: int
    """Cells in the file."""
    first_cell: int
    """The first cell shown, counted from 1."""
    last_cell: int
    """The last cell shown; one less than `first_cell` if none is."""
    cells: tuple[Cell, ...]
    """The cells shown."""
    nbformat: int | None
    """The major version of the format; `None` if the file does not say."""
    nbformat_minor: int | None
    """The minor version of the format; `None` if the file does not say."""
    clipped: tuple[Continuation, ...]
    """For each text that was cut, the call that reads the rest of it in the file's JSON."""
    _tokens: int | None
    _blocks: tuple[TextBlock | ImageBlock, ...]

    @property
    def token_estimate(self) -> int:
        """Tokens of `text`, pictures not counted: exact with `Limits.tokenizer`, else an estimate."""
        tokens = self._tokens
        if tokens is None:
            tokens = count_tokens(self.text, None)
            object.__setattr__(self, "_tokens", tokens)
        return tokens

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The page as the blocks of a message: text, and each shown picture behind its line."""
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
        return {
            "footer": footer,
            "last_cell": self.first_cell - 1,
            "cells": (),
            "clipped": (),
            "_tokens": count_tokens(footer, None),
            "_blocks": (TextBlock(footer),),
        }

    def _values(self) -> tuple[Any, ...]:
        # The estimate is compared and pickled as what it is.
        values = [getattr(self, name) for name in self._names()]
        values[-2] = self.token_estimate
        return tuple(values)
