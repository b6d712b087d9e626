"""The result of reading a notebook: cells, their outputs, and the page that holds them.

Loaded when the first notebook is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from anyread._native import count_tokens
from anyread.errors.base import quoted

from .blocks import Block, ImageBlock, TextBlock
from .markdown import fenced
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import BasePage, Continuation
from .values import DERIVED, Value, on_first_use


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
    """The other media types of the same output in the file, which are not shown."""


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


@on_first_use("token_estimate", int, lambda page, _: count_tokens(page.text, None))
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class NotebookPage(BasePage):
    """Cells of a notebook.

    `text` is for a model: the cells in order, each below a line that describes it.
    `blocks` has the same content, with the images at their positions.

    Example:
        >>> page = await anyread.read("analysis.ipynb", limit=10)
        >>> page.cells[0].source
        'import pandas as pd'
    """

    kind: ClassVar[Literal["notebook"]] = "notebook"

    footer: str = ""
    """The last line of `text`, which says what is left out; empty if nothing is."""
    language: str | None = None
    """The language of the code cells, as the file spells it; `None` if it is not declared."""
    cell_count: int = DERIVED
    """The number of cells in the file."""
    first_cell: int = DERIVED
    """The first cell shown, counted from 1."""
    last_cell: int = DERIVED
    """The last cell shown; one less than `first_cell` if none is."""
    cells: tuple[Cell, ...] = ()
    """The cells shown."""
    nbformat: int | None = None
    """The major version of the format; `None` if it is not declared."""
    nbformat_minor: int | None = None
    """The minor version of the format; `None` if it is not declared."""
    clipped: tuple[Continuation, ...] = ()
    """For each clipped text, the call that reads the rest of it from the file's JSON."""
    token_estimate: int = DERIVED
    """Tokens of text and images, the latter by the formula of the model's provider.

    Those of the text are exact with `Limits.tokenizer`, else an estimate.
    """
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
        """Return one line that says what was read, to replace the page in a history."""
        return f"notebook {quoted(self.path)}: {self._shown()}"

    def _shown(self) -> str:
        of = f" of {self.cell_count:,}"
        if self.last_cell < self.first_cell:
            return f"no cell{of}"
        if self.last_cell == self.first_cell:
            return f"cell {self.first_cell:,}{of}"
        return f"cells {self.first_cell:,}-{self.last_cell:,}{of}"

    def _repr_markdown_(self) -> str:
        parts = []
        for cell in self.cells:
            if cell.type == "markdown":
                parts.append(cell.source)
            else:
                parts.append(fenced(cell.source, self.language or "" if cell.type == "code" else "text"))
            parts += [fenced(output.text) for output in cell.outputs if output.text]
        return "\n\n".join([part for part in (*parts, self.footer) if part])
