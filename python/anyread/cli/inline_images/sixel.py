"""Sixels: images as columns of six pixels, which foot, mlterm, Contour and others show.

Colors are those of a cube of 6 × 6 × 6, with ordered dithering, because a better palette would take
seconds in Python.
Source: VT330/VT340 Programmer Reference Manual, chapter 14.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyread.results import ImageBlock

_BAYER = ((0, 8, 2, 10), (12, 4, 14, 6), (3, 11, 1, 9), (15, 7, 13, 5))
_LEVELS = 6
_TRANSPARENT = 255
_HALF = 128
_REPEATED = re.compile(rb"(.)\1{3,}", re.DOTALL)


def sequence(image: ImageBlock) -> bytes:
    """Return the escape sequence that shows RGBA pixels at the cursor; transparent ones stay unchanged."""
    indexes = _indexes(image)
    used = sorted(set(indexes) - {_TRANSPARENT})
    # The second parameter: pixels that are not set keep their color. Then the aspect ratio and the size.
    parts = [b'\x1bP0;1;0q"1;1;%d;%d' % (image.width, image.height)]
    for color in used:
        percents = [level * 100 // (_LEVELS - 1) for level in (color // 36, color // 6 % 6, color % 6)]
        parts.append(b"#%d;2;%d;%d;%d" % (color, *percents))
    width = image.width
    tables: dict[tuple[int, int], bytes] = {}
    for top in range(0, image.height, 6):
        rows = [
            indexes[start : start + width]
            for start in range(top * width, min(top + 6, image.height) * width, width)
        ]
        present = sorted(set().union(*rows) - {_TRANSPARENT})
        # `$` returns to the left edge, for the next color of the same rows.
        parts += [b"#%d%b$" % (color, _band(rows, color, tables)) for color in present]
        parts.append(b"-")
    parts.append(b"\x1b\\")
    return b"".join(parts)


def _band(rows: list[bytes], color: int, tables: dict[tuple[int, int], bytes]) -> bytes:
    """Return the columns in which one color occurs, as characters; the lowest bit is the top pixel."""
    total = 0
    for bit, row in enumerate(rows):
        table = tables.get((color, bit))
        if table is None:
            table = tables[color, bit] = bytes(color) + bytes([1 << bit]) + bytes(255 - color)
        # Each byte has its own bit, so adding whole rows as numbers carries nothing over.
        total += int.from_bytes(row.translate(table))
    characters = bytes(byte + 63 for byte in total.to_bytes(len(rows[0]))).rstrip(b"?")
    return _REPEATED.sub(lambda found: b"!%d%b" % (len(found[0]), found[1]), characters)


def _indexes(image: ImageBlock) -> bytes:
    """Return the color of each pixel as an index into the cube."""
    tables = [
        [
            [bytes(_level(value, threshold) * weight for value in range(256)) for threshold in row]
            for row in _BAYER
        ]
        for weight in (36, 6, 1)
    ]
    rows = []
    for y in range(image.height):
        pixels = image.data[4 * y * image.width : 4 * (y + 1) * image.width]
        total = 0
        for channel in range(3):
            values = pixels[channel::4]
            levels = bytearray(image.width)
            for phase in range(4):
                levels[phase::4] = values[phase::4].translate(tables[channel][y % 4][phase])
            # An index is at most 215, so adding whole rows as numbers carries nothing over.
            total += int.from_bytes(levels)
        row = bytearray(total.to_bytes(image.width))
        opacity = pixels[3::4]
        if min(opacity) < _HALF:
            for x, value in enumerate(opacity):
                if value < _HALF:
                    row[x] = _TRANSPARENT
        rows.append(bytes(row))
    return b"".join(rows)


def _level(value: int, threshold: int) -> int:
    """Return the level of a channel, rounded up or down depending on the position of the pixel."""
    scaled = value * (_LEVELS - 1) * 16
    return min(_LEVELS - 1, (scaled + (2 * threshold + 1) * 255 // 2) // (255 * 16))
