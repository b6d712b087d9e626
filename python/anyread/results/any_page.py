"""The union of the pages of all kinds of files, for annotations and exhaustive `match` statements."""

from __future__ import annotations

from typing import TypeAlias

from .directory import DirectoryPage
from .document import DocumentPage
from .image import ImageView
from .notebook import NotebookPage
from .pdf import PdfPages
from .records import RecordsPage
from .sheet import SheetPage
from .slides import SlidesPage
from .text import TextPage

Page: TypeAlias = (
    TextPage
    | ImageView
    | PdfPages
    | NotebookPage
    | SheetPage
    | DocumentPage
    | SlidesPage
    | RecordsPage
    | DirectoryPage
)
"""The result of a read: a page of the file's kind."""
