"""Everything that a read can return.

`MODULES` lists the names; each module is loaded when one of its names is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .any_page import *
    from .appended import *
    from .blocks import *
    from .directory import *
    from .document import *
    from .image import *
    from .info import *
    from .notebook import *
    from .notices import *
    from .page import *
    from .pdf import *
    from .records import *
    from .sheet import *
    from .slides import *
    from .text import *

MODULES = {
    "Appended": "appended",
    "BasePage": "page",
    "Block": "blocks",
    "Cell": "notebook",
    "CellImage": "notebook",
    "CellOutput": "notebook",
    "Continuation": "page",
    "DirectoryPage": "directory",
    "DocumentBlock": "blocks",
    "Entry": "directory",
    "Failed": "page",
    "ImageBlock": "blocks",
    "ImageView": "image",
    "Info": "info",
    "JsonRecord": "records",
    "NotShown": "page",
    "NotebookPage": "notebook",
    "Notice": "notices",
    "Page": "any_page",
    "PdfPage": "pdf",
    "PdfPages": "pdf",
    "RecordsPage": "records",
    "DocumentLine": "document",
    "DocumentPage": "document",
    "Sheet": "sheet",
    "SheetCell": "sheet",
    "SheetPage": "sheet",
    "SheetRow": "sheet",
    "Size": "image",
    "Slide": "slides",
    "SlidesPage": "slides",
    "TextBlock": "blocks",
    "TextPage": "text",
    "Unchanged": "page",
}
"""The module of each name."""

if not TYPE_CHECKING:
    # Type checkers understand only a literal list, and without one export what the modules above define.
    __all__ = list(MODULES)


def __getattr__(name: str) -> object:
    if name in MODULES:
        found = globals()[name] = getattr(import_module(f".{MODULES[name]}", __name__), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
