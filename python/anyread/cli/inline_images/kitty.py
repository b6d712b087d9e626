"""The graphics protocol of kitty, which Ghostty has too.

Source: sw.kovidgoyal.net/kitty/graphics-protocol, 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyread.results import ImageBlock

    from .screen import Screen

_CHUNK = 4_096
"""The maximum number of characters in one escape sequence."""


def sequence(png: ImageBlock, screen: Screen) -> bytes:
    """Return the escape sequences that show a PNG at the cursor."""
    data = png.base64.encode()
    # a=T: show; f=100: PNG; q=2: send no reply, which the shell would read as typed text.
    keys = f"a=T,f=100,q=2,c={screen.columns_for(png.width, png.height)},"
    parts = []
    for start in range(0, len(data), _CHUNK):
        has_more = start + _CHUNK < len(data)
        parts.append(b"\x1b_G%sm=%d;%s\x1b\\" % (keys.encode(), has_more, data[start : start + _CHUNK]))
        keys = ""
    return b"".join(parts)
