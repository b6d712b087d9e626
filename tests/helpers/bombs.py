"""Small files that would make a decoder without limits hang or run out of memory."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from helpers.media import HELVETICA, endless_pdf, file_of, pdf, stream, tiled_pdf

MIB = 1024 * 1024
FORM = b"<</XObject<</X 5 0 R>>>>"


def bombs() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file."""
    catalog = b"<</Type/Catalog/Pages 2 0 R>>"
    text = b"BT /F 1 Tf (aaaaaaaaaaaaaaaaaaaa) Tj ET "
    own_form = stream(b"/X Do", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources" + FORM)
    yield "endless-drawing.pdf", endless_pdf()
    yield "tiny-tiles.pdf", tiled_pdf()
    yield "own-child.pdf", file_of([catalog, b"<</Type/Pages/Kids[2 0 R]/Count 1>>"])
    yield "many-pages.pdf", file_of([catalog, b"<</Type/Pages/Kids[]/Count 2147483647>>"])
    yield "deep-arrays.pdf", file_of([b"<</Type/Catalog/Pages 2 0 R/X " + b"[" * MIB, b"<</Type/Pages>>"])
    yield "own-form.pdf", pdf([b"/X Do"], resources=FORM, more=(own_form,))
    yield "much-drawing.pdf", pdf([b"/X Do"], resources=FORM, more=(form(b"0 0 1 1 re f ", 20_000_000),))
    yield "deep-states.pdf", pdf([b"/X Do"], resources=FORM, more=(form(b"q ", 20_000_000),))
    yield "much-text.pdf", pdf([b"/X Do"], resources=FORM, more=(form(text, 400_000),))
    yield "huge-image.pdf", pdf([b"600 0 0 700 0 0 cm /X Do"], resources=FORM, more=(huge_image(30_000),))
    yield "large-pixels.png", png(7_000, 7_000, bits=16, color=6)
    yield "many-pixels.png", png(60_000, 60_000, bits=1, color=0)
    yield "huge-comment.png", png(8, 8, bits=8, color=0, more=zipped_text(256))
    yield (
        "huge.gif",
        b"GIF89a" + b"\xff" * 4 + b"\0" * 3 + b"," + b"\0" * 4 + b"\xff" * 4 + b"\0\x08\x01\0\0;",
    )
    header = struct.pack("<IiiHHIIiiII", 40, 2**30, 2**30, 1, 24, 0, 0, 1, 1, 0, 0)
    yield "huge.bmp", b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + header
    yield "own-page.tiff", b"II*\0" + struct.pack("<IHHHIII", 8, 1, 256, 4, 1, 2**31, 8)


def form(drawing: bytes, times: int) -> bytes:
    """Return a form that repeats a drawing `times` times, compressed twice."""
    data = zlib.compress(zlib.compress(drawing * times), 9)
    fields = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F %s>>>>" % HELVETICA
    return stream(data, fields + b"/Filter[/FlateDecode/FlateDecode]")


def huge_image(edge: int) -> bytes:
    """Return a square gray image of zeros for a PDF."""
    fields = b"/Type/XObject/Subtype/Image/Width %d/Height %d" % (edge, edge)
    data = deflated_zeros(edge * edge)
    return stream(data, fields + b"/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode")


def deflated_zeros(size: int) -> bytes:
    """Compress zeros without holding all of them in memory."""
    packer = zlib.compressobj(9)
    parts = [packer.compress(bytes(min(MIB, size - start))) for start in range(0, size, MIB)]
    return b"".join(parts) + packer.flush()


def png(width: int, height: int, *, bits: int, color: int, more: bytes = b"") -> bytes:
    """Return a PNG whose pixels are zeros; color 0 is gray, 6 is RGBA."""
    row = 1 + (width * bits * (4 if color == 6 else 1) + 7) // 8
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)
    parts = chunk(b"IHDR", header), more, chunk(b"IDAT", deflated_zeros(row * height)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def zipped_text(mib: int) -> bytes:
    """Return a compressed comment for a PNG."""
    return chunk(b"zTXt", b"Comment\0\0" + deflated_zeros(mib * MIB))


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
