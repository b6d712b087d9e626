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
from .reader import Reader, pages, pages_sync, read, read_many, read_many_sync, read_sync
from .results import Continuation, Failed, Notice, Page, TextBlock, TextPage, Unchanged

if TYPE_CHECKING:
    from . import adapters, tools
    from .model import Model
    from .results.blocks import DocumentBlock, ImageBlock
    from .results.image import ImageView, Size
    from .results.notebook import Cell, CellOutput, CellPicture, NotebookPage
    from .results.pdf import PdfPage, PdfPages
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
    "pages_sync",
    "read",
    "read_many",
    "read_many_sync",
    "read_sync",
    "tool",
    "tools",
]


_LATER = {
    "Cell": "results.notebook",
    "CellOutput": "results.notebook",
    "CellPicture": "results.notebook",
    "DocumentBlock": "results.blocks",
    "ImageBlock": "results.blocks",
    "ImageView": "results.image",
    "Model": "model",
    "NotebookPage": "results.notebook",
    "PdfPage": "results.pdf",
    "PdfPages": "results.pdf",
    "Session": "session",
    "Size": "results.image",
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
