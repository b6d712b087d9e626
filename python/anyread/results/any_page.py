"""The union of the pages of all kinds of files, for annotations and exhaustive `match` statements."""

from __future__ import annotations

from typing import TypeAlias

from .image import ImageView
from .notebook import NotebookPage
from .parts import PartsPage
from .pdf import PdfPages
from .text import TextPage

Page: TypeAlias = TextPage | ImageView | PdfPages | NotebookPage | PartsPage
"""The result of a read: a page of the file's kind."""
