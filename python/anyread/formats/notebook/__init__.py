"""Notebooks: the core parses and lays out texts, this composes cells into a page within its budgets.

A read is `prepare` in a thread, one call for all pictures that are to be shown, and `Draft.page`, which
only joins what is there.
How a page looks, and why, is told in docs/design/008-notebook-rendering.md.
"""

from __future__ import annotations

import errno
import os
from functools import partial
from typing import TYPE_CHECKING, Protocol

from anyread._native import Notebook
from anyread.errors import FileChangedError, FileSystemError, TooLargeError, WrongKindError
from anyread.gutter import Gutter
from anyread.results.notices import Notice, make_notice
from anyread.results.values import restored

from .composing import Draft, render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.arguments import Request
    from anyread.formats.opened import Hop, HopSync, Opened
    from anyread.limits import Limits
    from anyread.model import Model
    from anyread.results import TextPage
    from anyread.results.blocks import ImageBlock
    from anyread.results.notebook import NotebookPage

    from .composing import Picture

__all__ = [
    "Draft",
    "FitImages",
    "FitImagesSync",
    "NoNotebookError",
    "noted",
    "parse",
    "prepare",
    "read",
    "read_sync",
    "render",
]


class FitImages(Protocol):
    """Check pictures and fit them to the model: for each a block, or as a clause why there is none."""

    async def __call__(self, pictures: Sequence[Picture], /) -> list[ImageBlock | str]:
        """Fit them."""


class FitImagesSync(Protocol):
    """The same for callers that wait."""

    def __call__(self, pictures: Sequence[Picture], /) -> list[ImageBlock | str]:
        """Fit them."""


class NoNotebookError(Exception):
    """The file is no notebook after all: it is to be read as text, with this notice."""

    def __init__(self, notice: Notice) -> None:
        self.notice = notice
        super().__init__(notice.message)


async def read(
    opened: Opened,
    request: Request,
    *,
    limits: Limits,
    model: Model,
    fit_images: FitImages,
    hop: Hop,
    gutter: Gutter = Gutter.TAB,
) -> NotebookPage:
    """Read a page of cells; all but the fitting of its pictures is done in a thread.

    Args:
        opened: The file.
        request: Which cells; `offset` and `limit` count cells.
        limits: What the page shows and may cost.
        model: What the model behind the agent takes.
        fit_images: What checks pictures and fits them to the model.
        hop: What runs work in a thread.
        gutter: How line numbers stand before lines where the request does not say.

    Raises:
        NoNotebookError: It is broken JSON, or no notebook.
        OffsetPastEndError: The page would begin behind the last cell.
        OverBudgetError: It is over a budget and `Limits.over_budget` is "error".
        TooLargeError: It is over `Limits.max_notebook_bytes`.
        WrongKindError: An argument is for other kinds of files.
        FileChangedError: It changed while it was read.
        FileSystemError: It could not be read.
    """
    draft = await hop(partial(prepare, opened, request, limits=limits, model=model, gutter=gutter))
    return draft.page(await fit_images(draft.pictures))


def read_sync(
    opened: Opened,
    request: Request,
    *,
    limits: Limits,
    model: Model,
    fit_images: FitImagesSync,
    hop: HopSync,
    gutter: Gutter = Gutter.TAB,
) -> NotebookPage:
    """Read a page of cells and wait for it; everything else is as in `read`."""
    draft = hop(partial(prepare, opened, request, limits=limits, model=model, gutter=gutter))
    return draft.page(fit_images(draft.pictures))


def noted(page: TextPage, notice: Notice) -> TextPage:
    """Give a page of text with one more notice: the one of a `NoNotebookError`."""
    names = list(type(page).__dataclass_fields__)
    # Not by `_values`, which would decode the content of the page.
    values = {name: getattr(page, name) for name in names if name != "kind"}
    values["notices"] = (*page.notices, notice)
    return restored(type(page), tuple(values.values()))


def parse(opened: Opened, limits: Limits) -> Notebook:
    """Read and check the whole file; for a thread.

    Raises:
        NoNotebookError: It is broken JSON, or no notebook.
        TooLargeError: It is over `Limits.max_notebook_bytes`.
        FileChangedError: It changed meanwhile.
        FileSystemError: It could not be read.
    """
    if opened.size_bytes > limits.max_notebook_bytes:
        size, maximum = opened.size_bytes, limits.max_notebook_bytes
        raise TooLargeError(opened.path, size=size, maximum=maximum, unit="bytes")
    data = _contents(opened)
    if not opened.recheck():
        raise FileChangedError(opened.path, change="rewritten")
    try:
        return Notebook(data)
    except MemoryError as error:
        raise FileSystemError(opened.path, errno=errno.ENOMEM, operation="read") from error
    except ValueError as broken:
        line, column, fault, detail = broken.args
    raise NoNotebookError(make_notice("broken_json", line=line, column=column, fault=fault, detail=detail))


def _contents(opened: Opened) -> bytes:
    """Read the file up to the size that it was opened with; one call, if the system gives all at once."""
    chunks: list[bytes] = []
    have = 0
    while have < opened.size_bytes:
        try:
            chunk = os.pread(opened.fileno(), opened.size_bytes - have, have)
        except OSError as error:
            raise FileSystemError(opened.path, errno=error.errno or 0, operation="read") from error
        except MemoryError as error:
            raise FileSystemError(opened.path, errno=errno.ENOMEM, operation="read") from error
        if not chunk:
            raise FileChangedError(opened.path, change="truncated")
        chunks.append(chunk)
        have += len(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def prepare(
    opened: Opened, request: Request, *, limits: Limits, model: Model, gutter: Gutter = Gutter.TAB
) -> Draft:
    """Do all of a read but fitting the pictures; for a thread. It raises what `read` raises."""
    if request.column > 1:
        raise WrongKindError(opened.path, argument="column", kind="notebook")
    return render(parse(opened, limits), opened, request, limits=limits, model=model, gutter=gutter)
