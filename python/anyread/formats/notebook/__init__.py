"""Notebooks: the core parses and lays out texts, and this package composes pages within the budgets.

A read runs `prepare` in a thread, then fits all images concurrently, and then calls `NotebookDraft.page`.
The layout of a page and the reasons for it are in docs/design/008-notebook-rendering.md.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

from anyread._native import Notebook
from anyread.decoding.host.fitting import fit_all
from anyread.errors import (
    FileChangedError,
    FileSystemError,
    ReadError,
    ReadTimeoutError,
    WrongKindError,
)
from anyread.formats.fallback import NoNotebookError, require_size, unchanged
from anyread.gutter import Gutter
from anyread.results.notices import make_notice
from anyread.running.calls import once, with_decoder, work

from .composing import NotebookDraft, render

if TYPE_CHECKING:
    from anyread._native import Cancel, Opened
    from anyread.arguments import Request
    from anyread.limits import Limits
    from anyread.model import Model
    from anyread.results.notebook import NotebookPage
    from anyread.running.calls import WorkTarget

__all__ = ["NotebookDraft", "parse", "prepare", "read", "render"]


def read(
    opened: Opened,
    request: Request,
    target: WorkTarget,
    *,
    limits: Limits,
    model: Model,
    gutter: Gutter = Gutter.TAB,
) -> NotebookPage:
    """Read a page of cells; everything except fitting its images runs in a thread.

    Args:
        opened: The file.
        request: Which cells; `offset` and `limit` count cells.
        target: The description of the file for the threads that work on it.
        limits: The limits of the reader.
        model: What the model accepts.
        gutter: The gutter to use unless the request sets one.

    Raises:
        NoNotebookError: It is broken JSON, or not a notebook.
        OffsetPastEndError: The page would begin after the last cell.
        OverBudgetError: It is over a budget and `Limits.over_budget` is "error".
        TooLargeError: It is over `Limits.max_notebook_bytes`.
        WrongKindError: An argument is for other kinds of files.
        FileChangedError: It changed while it was read.
        FileSystemError: It could not be read.
    """
    # Its images may be fitted in another thread.
    draft = once(
        ("notebook", id(opened)),
        lambda: work(
            lambda cancel: prepare(opened, request, limits=limits, model=model, gutter=gutter, cancel=cancel),
            target,
        ),
    )
    if not draft.images:
        return draft.page([])
    with_decoder(target)
    fitted = fit_all(draft.images, path=opened.path, rules=opened.rules, limits=limits, model=model)
    for result in fitted:
        if isinstance(result, ReadTimeoutError):
            # The deadline of the whole call has passed, not only that of the image.
            raise result
    return draft.page([_reason(one) if isinstance(one, ReadError) else one.image for one in fitted])


def describe(opened: Opened, target: WorkTarget, *, limits: Limits) -> dict[str, Any]:
    """Return the number of cells and the language of the code.

    Raises:
        NoNotebookError: It is broken JSON, or not a notebook.
        ReadError: As `parse`.
    """
    notebook = work(lambda cancel: parse(opened, limits, cancel), target)
    return {"cells": notebook.cell_count, "language": notebook.language_info or notebook.kernel_language}


def _reason(error: ReadError) -> str:
    """Return why an image cannot be shown, as a clause."""
    return error.code.replace("_", " ")


def parse(opened: Opened, limits: Limits, cancel: Cancel | None = None) -> Notebook:
    """Read and parse the whole file; for a thread.

    Raises:
        InterruptedError: `cancel` was set.
        NoNotebookError: It is broken JSON, or not a notebook.
        TooLargeError: It is over `Limits.max_notebook_bytes`.
        FileChangedError: It changed while it was read.
        FileSystemError: It could not be read.
    """
    require_size(opened, limits.max_notebook_bytes)
    with unchanged(opened):
        data = _contents(opened)
    try:
        return Notebook(data, cancel)
    except MemoryError as error:
        raise FileSystemError(opened.path, errno=errno.ENOMEM, operation="read") from error
    except ValueError as broken:
        line, column, fault, detail = broken.args
    raise NoNotebookError(make_notice("broken_json", line=line, column=column, fault=fault, detail=detail))


def _contents(opened: Opened) -> bytes:
    """Read the file up to the size that it had when it was opened."""
    data = opened.read_at(0, opened.size_bytes)
    if len(data) < opened.size_bytes:
        raise FileChangedError(opened.path, change="truncated")
    return data


def prepare(
    opened: Opened,
    request: Request,
    *,
    limits: Limits,
    model: Model,
    gutter: Gutter = Gutter.TAB,
    cancel: Cancel | None = None,
) -> NotebookDraft:
    """Do everything in a read except fitting the images; for a thread.

    It raises the errors of `read`, and `InterruptedError` once `cancel` is set.
    """
    if request["column"] > 1:
        raise WrongKindError(opened.path, argument="column", kind="notebook")
    notebook = parse(opened, limits, cancel)
    return render(notebook, opened, request, limits=limits, model=model, gutter=gutter, cancel=cancel)
