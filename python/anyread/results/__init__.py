"""Everything that a read can return.

The pages of images, PDFs and notebooks are in modules of their own, which the first such file loads.
"""

from .blocks import Block, DocumentBlock, ImageBlock, TextBlock
from .notices import Notice
from .page import Continuation, Failed, Page, Unchanged
from .text import TextPage

__all__ = [
    "Block",
    "Continuation",
    "DocumentBlock",
    "Failed",
    "ImageBlock",
    "Notice",
    "Page",
    "TextBlock",
    "TextPage",
    "Unchanged",
]
