"""The inline images protocol of iTerm2, which WezTerm and mintty have too.

Source: iterm2.com/documentation-images.html, 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyread.results import ImageBlock

    from .screen import Screen


def sequence(image: ImageBlock, screen: Screen) -> bytes:
    """Return the escape sequence that shows an image at the cursor."""
    columns = screen.columns_for(image.width, image.height)
    keys = f"inline=1;size={len(image.data)};width={columns};preserveAspectRatio=1"
    return f"\x1b]1337;File={keys}:{image.base64}\x07".encode()
