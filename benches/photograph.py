"""Draws a photograph, in a separate process because processes that read with anyread must not load Pillow.

`python -m benches.photograph` writes a JPEG of 12 megapixels to its output: soft light, textures at every
scale, and edges, compressed as by a phone.
The pixels are the same everywhere; the bytes depend on the version of Pillow.
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
    rng = random.Random(12)
    image = _texture(rng, 4)
    for across in (16, 64, 256, 1000):
        image = Image.blend(image, _texture(rng, across), 0.25)
    _draw_edges(image, rng)
    image = image.filter(ImageFilter.GaussianBlur(1))
    # The grain of a sensor: weak, and almost as fine as the pixels.
    image = ImageChops.add(image, _texture(rng, WIDTH // 2).point(lambda level: level // 24))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=_QUALITY, subsampling="4:2:0")
    return buffer.getvalue()


def _texture(rng: random.Random, across: int) -> Image.Image:
    """Return random colors in `across` columns, scaled up smoothly."""
    down = across * HEIGHT // WIDTH
    colors = Image.frombytes("RGB", (across, down), rng.randbytes(across * down * 3))
    return colors.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)


def _draw_edges(image: Image.Image, rng: random.Random) -> None:
    draw = ImageDraw.Draw(image)
    for _ in range(_EDGES):
        x, y = rng.randrange(WIDTH), rng.randrange(HEIGHT)
        size = rng.randrange(20, 400)
        color = (rng.randrange(256), rng.randrange(256), rng.randrange(256))
        draw.ellipse((x, y, x + size, y + size // 2), outline=color, width=6)
        draw.line((x, y, x + size, y - size), fill=color, width=3)


if __name__ == "__main__":
    sys.stdout.buffer.write(photograph())
