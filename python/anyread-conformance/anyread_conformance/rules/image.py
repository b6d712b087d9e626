"""Rules about images: a block that decodes within the limits of model APIs, or a clear message."""

from __future__ import annotations

import io
import random
import struct
import zlib
from functools import cache
from typing import TYPE_CHECKING

from anyread_conformance.judging import expect_image_or_message, expect_usable_images, is_message
from anyread_conformance.lines import difference, text_of
from anyread_conformance.rule import rule
from anyread_conformance.stopping import RuleBrokenError

if TYPE_CHECKING:
    from anyread_conformance.trial import Trial

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@rule("png", "image", 25)
def png(trial: Trial) -> None:
    """A PNG is an image block that decodes, or a clear message.

    Its bytes as text cost thousands of tokens and show nothing.
    """
    reply = trial.read(trial.file(_encoded("PNG"), "drawing.png"))
    expect_image_or_message(reply, "a PNG")


@rule("jpeg", "image", 25)
def jpeg(trial: Trial) -> None:
    """A JPEG is an image block that decodes, or a clear message.

    Its bytes as text cost thousands of tokens and show nothing.
    """
    reply = trial.read(trial.file(_encoded("JPEG"), "photograph.jpg"))
    expect_image_or_message(reply, "a JPEG")


@rule("broken-image", "image", 7, 8)
def broken_image(trial: Trial) -> None:
    """A PNG that cannot be decoded is never an image block.

    A model API refuses the request, and as the block stays in the history, every later one too.
    """
    whole = _encoded("PNG")
    for content in (_SIGNATURE + b"noise" * 40, whole[: len(whole) // 3]):
        expect_image_or_message(trial.read(trial.file(content, "broken.png")), "a broken PNG")


@rule("image-bomb", "image", 30)
def image_bomb(trial: Trial) -> None:
    """A PNG of 30,000 × 30,000 pixels in a small file is scaled down or refused.

    Decoded, it takes gigabytes of memory, here or at the model's API.
    """
    expect_image_or_message(trial.read(trial.file(_black(30_000, 30_000), "bomb.png")), "an image bomb")


@rule("long-edge", "image", 26)
def long_edge(trial: Trial) -> None:
    """A PNG of 20,000 × 100 pixels is scaled down or refused.

    Model APIs refuse images with an edge of more than 8,000 pixels.
    """
    expect_image_or_message(trial.read(trial.file(_black(20_000, 100), "wide.png")), "a wide PNG")


@rule("heavy-image", "image", 27)
def heavy_image(trial: Trial) -> None:
    """An image of more bytes than a model accepts is made smaller or refused.

    A request with an image that is too large fails as a whole.
    """
    expect_image_or_message(trial.read(trial.file(_noise(), "noise.png")), "a heavy PNG")


@rule("wrong-media-type", "image", 10, 11)
def wrong_media_type(trial: Trial) -> None:
    """A JPEG named `.png` is an image block with the media type of its data, or a clear message.

    Model APIs compare the media type with the data, and refuse a request in which they differ.
    """
    expect_image_or_message(trial.read(trial.file(_encoded("JPEG"), "really-jpeg.png")), "a JPEG named .png")


@rule("text-named-png", "image", 2, 3)
def text_named_png(trial: Trial) -> None:
    """A text named `.png`, such as a saved error page, is shown as text or refused; it is no image block.

    Downloads that fail leave such files.
    """
    reply = trial.read(trial.file(text_of(1, 5), "page.png"))
    if reply.images:
        expect_usable_images(reply)
    if difference(reply.text, range(1, 6)) is not None and not is_message(reply):
        raise RuleBrokenError("a text named .png is neither shown nor refused")


@cache
def _encoded(format_: str) -> bytes:
    from PIL import Image

    image = Image.linear_gradient("L").resize((320, 240)).convert("RGB")
    buffer = io.BytesIO()
    image.save(buffer, format_)
    return buffer.getvalue()


@cache
def _noise() -> bytes:
    """Return a PNG of 9 MB, which no encoder without loss makes smaller."""
    from PIL import Image

    size = (1_900, 1_600)
    image = Image.frombytes("RGB", size, random.Random(1).randbytes(size[0] * size[1] * 3))  # noqa: S311
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=0)
    return buffer.getvalue()


@cache
def _black(width: int, height: int) -> bytes:
    """Return a black PNG with one bit per pixel, without holding its pixels in memory."""
    packer = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    parts = [packer.compress(row * min(1000, height - start)) for start in range(0, height, 1000)]
    data = b"".join(parts) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
