"""The read tool of an AI agent as a library.

`await anyread.read(path)` returns any window of any text file as a model should see it, with exact line
numbers, even of a log of 10 GB, without blocking the event loop.

Example:
    >>> page = await anyread.read("server.log", offset=120_000, limit=50)
    >>> print(page.text)
"""

from __future__ import annotations

from importlib import import_module

from . import forks, lazy, subinterpreters  # noqa: F401 - first, because the last one may refuse the import
from ._native import __version__, drop_indexes

# Importing `typing` takes half as long as starting Python, so that `anyread --version` does without.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import adapters, batch, tools
    from .arguments import ReadArguments
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
    from .following import Follow
    from .gutter import Gutter
    from .limits import Limits
    from .many import Many, ManySync
    from .model import Model
    from .open_file import OpenFile
    from .paging import Pages, PagesSync
    from .reader import (
        Reader,
        follow,
        info,
        info_sync,
        pages,
        pages_sync,
        read,
        read_many,
        read_many_sync,
        read_sync,
    )
    from .results import Block, Continuation, Failed, Notice, NotShown, Page, TextBlock, TextPage, Unchanged
    from .results.appended import Appended
    from .results.blocks import DocumentBlock, ImageBlock
    from .results.image import ImageView, Size
    from .results.info import Info
    from .results.notebook import Cell, CellImage, CellOutput, NotebookPage
    from .results.pdf import PdfPage, PdfPages
    from .session import Record, Session, Stamp
    from .tools import Contract, Definition, Tool, tool
    from .written_places import places

__all__ = [
    "AccessError",
    "AmbiguousPathError",
    "Appended",
    "BadArgumentError",
    "BadPathError",
    "BinaryFileError",
    "Block",
    "Cell",
    "CellImage",
    "CellOutput",
    "Continuation",
    "Contract",
    "DamagedFileError",
    "DecoderCrashedError",
    "DecoderMemoryError",
    "DecoderTimeoutError",
    "DecoderUnavailableError",
    "Definition",
    "DeniedError",
    "DirectoryError",
    "DocumentBlock",
    "Failed",
    "FileChangedError",
    "FileSystemError",
    "Follow",
    "Gutter",
    "ImageBlock",
    "ImageView",
    "Info",
    "Limits",
    "Many",
    "ManySync",
    "Model",
    "NotFoundError",
    "NotRegularFileError",
    "NotShown",
    "NotebookPage",
    "Notice",
    "OffsetPastEndError",
    "OpenFile",
    "OutsideRootError",
    "OverBudgetError",
    "Page",
    "Pages",
    "PagesSync",
    "PasswordRequiredError",
    "PdfPage",
    "PdfPages",
    "ReadArguments",
    "ReadError",
    "ReadTimeoutError",
    "Reader",
    "Record",
    "Session",
    "Size",
    "StaleReadError",
    "Stamp",
    "TextBlock",
    "TextPage",
    "TooLargeError",
    "Tool",
    "Unchanged",
    "UnsupportedFormatError",
    "WrongKindError",
    "__version__",
    "adapters",
    "batch",
    "drop_indexes",
    "follow",
    "info",
    "info_sync",
    "integrations",
    "pages",
    "pages_sync",
    "places",
    "read",
    "read_many",
    "read_many_sync",
    "read_sync",
    "tool",
    "tools",
]


_MODULES = {"adapters", "batch", "integrations", "tools"}
_MOST_USED = ("reader", "errors", "results", "limits", "gutter", "paging", "arguments")
"""The modules of the other names, loaded together when the first of these names is used.

They take longer to load than Python takes to start, and `anyread --version` needs none of them.
"""


def __getattr__(name: str) -> Any:
    if name in lazy.MODULES:
        return getattr(lazy, name)
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if not name.startswith("__"):
        for module in [import_module(f".{each}", __name__) for each in _MOST_USED]:
            if name in __all__ and hasattr(module, name):
                globals()[name] = getattr(module, name)
                break
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
