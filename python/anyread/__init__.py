"""An AI agent's read tool as a library.

`await anyread.read(path)` returns any window of a file as a model should see it, with exact line numbers,
even of a log of 10 GB, without blocking the event loop. It reads text, images, PDFs, notebooks, Excel
workbooks, Word documents, presentations, JSON records and directories.

Example:
    >>> page = await anyread.read("server.log", offset=120_000, limit=50)
    >>> print(page.text)
"""

from __future__ import annotations

import sys
from importlib import import_module

from . import host_process, lazy  # noqa: F401 - the first one may refuse the import
from ._native import __version__, clear_caches

# Importing `typing` takes half as long as starting Python, so that `anyread --version` does without.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import adapters, batch, errors, integrations, results, tools
    from .arguments.gutter import *
    from .arguments.limits import *
    from .errors import *
    from .lazy import *
    from .reader import *
    from .tools import *

__all__ = [
    "AccessError",
    "BadArgumentError",
    "BinaryFileError",
    "DeniedError",
    "DocumentBlock",
    "Failed",
    "Gutter",
    "ImageBlock",
    "ImageView",
    "Info",
    "Limits",
    "Model",
    "NotFoundError",
    "NotShown",
    "NotebookPage",
    "OffsetPastEndError",
    "OutsideRootError",
    "Page",
    "PdfPages",
    "ReadError",
    "ReadTimeoutError",
    "Reader",
    "Session",
    "TextBlock",
    "TextPage",
    "Tool",
    "Unchanged",
    "__version__",
    "adapters",
    "batch",
    "clear_caches",
    "errors",
    "files",
    "follow",
    "follow_sync",
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
    "results",
    "tool",
    "tools",
]

_MODULES = {"adapters", "batch", "errors", "integrations", "results", "tools"}
_MOST_USED = ("reader", "errors", "results", "arguments.limits", "arguments.gutter")
"""The modules of the other names, which `anyread --version` does not load: it would take twice as long."""


def __getattr__(name: str) -> Any:
    if name in lazy.MODULES:
        return getattr(lazy, name)
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    # This name, and results and errors that are not listed here, were once; programs may still use them.
    if name == "drop_indexes":
        return clear_caches
    of_results = import_module(".results", __name__).MODULES
    if name in __all__ or name in of_results or name.endswith("Error"):
        for module in [import_module(f".{each}", __name__) for each in _MOST_USED]:
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    from .arguments.other_names import COMMANDS

    other = COMMANDS.get(name)
    said = f" (did you mean `anyread.{other.function}`?)" if other and other.function else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{said}")


def __dir__() -> list[str]:
    return __all__


if getattr(sys, "argv", [])[1:] not in (["-V"], ["--version"]):
    # Loaded here, because loading them at the first read would stop an event loop for 20 ms.
    for _name in _MOST_USED:
        import_module(f".{_name}", __name__)
