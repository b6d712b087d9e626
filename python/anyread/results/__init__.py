"""Everything that a read can return.

The pages of everything but text are in separate modules, which are loaded for the first such file.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .blocks import Block, DocumentBlock, ImageBlock, TextBlock
from .notices import Notice
from .page import BasePage, Continuation, Failed, NotShown, Unchanged
from .text import TextPage

if TYPE_CHECKING:
    from .any_page import Page
    from .appended import Appended
    from .directory import DirectoryPage, Entry
    from .image import ImageView, Size
    from .info import Info
    from .notebook import Cell, CellImage, CellOutput, NotebookPage
    from .pdf import PdfPage, PdfPages

LAZY = {
    "Appended": "appended",
    "Cell": "notebook",
    "CellImage": "notebook",
    "CellOutput": "notebook",
    "DirectoryPage": "directory",
    "Entry": "directory",
    "ImageView": "image",
    "Info": "info",
    "NotebookPage": "notebook",
    "Page": "any_page",
    "PdfPage": "pdf",
    "PdfPages": "pdf",
    "Size": "image",
}
"""The module of each class that is loaded when it is first used."""

__all__ = [
    "Appended",
    "BasePage",
    "Block",
    "Cell",
    "CellImage",
    "CellOutput",
    "Continuation",
    "DirectoryPage",
    "DocumentBlock",
    "Entry",
    "Failed",
    "ImageBlock",
    "ImageView",
    "Info",
    "NotShown",
    "NotebookPage",
    "Notice",
    "Page",
    "PdfPage",
    "PdfPages",
    "Size",
    "TextBlock",
    "TextPage",
    "Unchanged",
]


def __getattr__(name: str) -> object:
    if name in LAZY:
        return getattr(import_module(f".{LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
