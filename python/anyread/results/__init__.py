"""Everything that a read can return.

The pages of images, PDFs and notebooks are in separate modules, which are loaded for the first such file.
"""

from typing import TYPE_CHECKING

from .blocks import Block, DocumentBlock, ImageBlock, TextBlock
from .notices import Notice
from .page import BasePage, Continuation, Failed, NotShown, Unchanged
from .text import TextPage

if TYPE_CHECKING:
    from .any_page import Page

__all__ = [
    "BasePage",
    "Block",
    "Continuation",
    "DocumentBlock",
    "Failed",
    "ImageBlock",
    "NotShown",
    "Notice",
    "Page",
    "TextBlock",
    "TextPage",
    "Unchanged",
]


def __getattr__(name: str) -> object:
    if name == "Page":
        from .any_page import Page

        return Page
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
