"""The read tool of an AI agent as a library.

`await anyread.read(path)` gives any window of any text file as a model should see it, with exact
line numbers, from a source file as from a log of 10 GB, without blocking the event loop.

Example:
    >>> page = await anyread.read("server.log", offset=120_000, limit=50)
    >>> print(page.text)
"""

from typing import TYPE_CHECKING, Any

from ._native import __version__, drop_indexes
from .errors import (
    AccessError,
    AmbiguousPathError,
    BadArgumentError,
    BadPathError,
    BinaryFileError,
    DamagedFileError,
    DecoderCrashedError,
    DecoderMemoryError,
    DecoderTimeoutError,
    DecoderUnavailableError,
    DeniedError,
    DirectoryError,
    FileChangedError,
    FileSystemError,
    NotFoundError,
    NotRegularFileError,
    OffsetPastEndError,
    OutsideRootError,
    OverBudgetError,
    PasswordRequiredError,
    ReadError,
    ReadTimeoutError,
    StaleReadError,
    TooLargeError,
    UnsupportedFormatError,
    WrongKindError,
)
from .gutter import Gutter
from .limits import Limits
from .reader import Reader, pages, read, read_many, read_sync
from .results import Continuation, Failed, Notice, Page, TextBlock, TextPage, Unchanged

if TYPE_CHECKING:
    from . import adapters, tools
    from .blocks import DocumentBlock, ImageBlock
    from .cells import Cell, CellOutput, CellPicture, NotebookPage
    from .image_view import ImageView, Size
    from .model import Model
    from .pdf_pages import PdfPage, PdfPages
    from .session import Session
    from .tools import tool

__all__ = [
    "AccessError",
    "AmbiguousPathError",
    "BadArgumentError",
    "BadPathError",
    "BinaryFileError",
    "Cell",
    "CellOutput",
    "CellPicture",
    "Continuation",
    "DamagedFileError",
    "DecoderCrashedError",
    "DecoderMemoryError",
    "DecoderTimeoutError",
    "DecoderUnavailableError",
    "DeniedError",
    "DirectoryError",
    "DocumentBlock",
    "Failed",
    "FileChangedError",
    "FileSystemError",
    "Gutter",
    "ImageBlock",
    "ImageView",
    "Limits",
    "Model",
    "NotFoundError",
    "NotRegularFileError",
    "NotebookPage",
    "Notice",
    "OffsetPastEndError",
    "OutsideRootError",
    "OverBudgetError",
    "Page",
    "PasswordRequiredError",
    "PdfPage",
    "PdfPages",
    "ReadError",
    "ReadTimeoutError",
    "Reader",
    "Session",
    "Size",
    "StaleReadError",
    "TextBlock",
    "TextPage",
    "TooLargeError",
    "Unchanged",
    "UnsupportedFormatError",
    "WrongKindError",
    "__version__",
    "adapters",
    "drop_indexes",
    "pages",
    "read",
    "read_many",
    "read_sync",
    "tool",
    "tools",
]


_LATER = {
    "Cell": "cells",
    "CellOutput": "cells",
    "CellPicture": "cells",
    "DocumentBlock": "blocks",
    "ImageBlock": "blocks",
    "ImageView": "image_view",
    "Model": "model",
    "NotebookPage": "cells",
    "PdfPage": "pdf_pages",
    "PdfPages": "pdf_pages",
    "Session": "session",
    "Size": "image_view",
    "tool": "tools",
}
_MODULES = {"adapters", "tools"}


def __getattr__(name: str) -> Any:
    # Loaded when it is first named: most readers never do, and each class costs a millisecond.
    from importlib import import_module

    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
