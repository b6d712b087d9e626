"""Draws a photograph, as a program of its own, because no process that reads with anyread loads Pillow.

`python -m benches.photograph` writes 12 megapixels as JPEG to its output: soft light, textures of every
scale, and edges, pressed as a telephone does.
The pixels are the same everywhere; the bytes are those of the Pillow that is installed.
"""

from __future__ import annotations

import io
import random
import sys

from PIL import Image, ImageChops, ImageDraw, ImageFilter

WIDTH, HEIGHT = 4000, 3000
_QUALITY = 88
_EDGES = 60


def photograph() -> bytes:
    """Return the photograph, encoded."""
    chance = random.Random(12)
    picture = _texture(chance, 4)
    for across in (16, 64, 256, 1000):
        picture = Image.blend(picture, _texture(chance, across), 0.25)
    _draw_edges(picture, chance)
    picture = picture.filter(ImageFilter.GaussianBlur(1))
    # The grain of a sensor: weak, and as fine as the pixels.
    picture = ImageChops.add(picture, _texture(chance, WIDTH // 2).point(lambda level: level // 24))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=_QUALITY, subsampling="4:2:0")
    return buffer.getvalue()


def _texture(chance: random.Random, across: int) -> Image.Image:
    """Return random colours in so many columns, scaled up softly."""
    down = across * HEIGHT // WIDTH
    colours = Image.frombytes("RGB", (across, down), chance.randbytes(across * down * 3))
    return colours.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)


def _draw_edges(picture: Image.Image, chance: random.Random) -> None:
    draw = ImageDraw.Draw(picture)
    for _ in range(_EDGES):
        x, y = chance.randrange(WIDTH), chance.randrange(HEIGHT)
        size = chance.randrange(20, 400)
        colour = (chance.randrange(256), chance.randrange(256), chance.randrange(256))
        draw.ellipse((x, y, x + size, y + size // 2), outline=colour, width=6)
        draw.line((x, y, x + size, y - size), fill=colour, width=3)


if __name__ == "__main__":
    sys.stdout.buffer.write(photograph())
