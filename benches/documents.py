"""A PDF and a small image written by hand, so that their bytes do not depend on installed libraries."""

from __future__ import annotations

import random
import struct
import zlib

_WORDS = (
    *("the", "order", "of", "goods", "from", "a", "region", "was", "paid", "late", "while", "transport"),
    *("rose", "and", "every", "quarter", "report", "names", "what", "changed", "since", "spring", "where"),
)
_LINES = 40
_FONTS = (
    b"<</Font<</T<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>"
    b"/H<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>>>>>"
)


def report(pages: int) -> bytes:
    """Return a PDF whose pages have a title, a chart with curves, and lines of text."""
    rng = random.Random(20)
    kids = b" ".join(b"%d 0 R" % (3 + 2 * number) for number in range(pages))
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, pages)]
    for number in range(pages):
        content = _title(number + 1) + _chart(rng) + _text(rng)
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources %s>>"
            % (4 + 2 * number, _FONTS)
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(content), content))
    return _file_of(objects)


def small_png(edge: int) -> bytes:
    """Return a square PNG whose pixels have different colors."""
    rows = b"".join(
        b"\0" + b"".join(bytes((x * 255 // edge, y * 255 // edge, 60)) for x in range(edge))
        for y in range(edge)
    )
    header = struct.pack("!IIBBBBB", edge, edge, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack("!I", len(data)) + name + data + struct.pack("!I", zlib.crc32(name + data))
        for name, data in chunks
    )


def _title(number: int) -> bytes:
    return b"BT /H 18 Tf 72 730 Td (Quarterly report, part %d) Tj ET\n" % number


def _chart(rng: random.Random) -> bytes:
    """Draw a frame with bars and curves."""
    drawn = [b"0.5 w 72 560 468 150 re S"]
    for bar in range(24):
        color = b"%.2f %.2f %.2f rg" % (rng.random(), rng.random(), rng.random())
        drawn.append(b"%s %d 560 14 %d re f" % (color, 78 + bar * 19, 10 + int(rng.random() * 130)))
    for _ in range(12):
        drawn.append(b"%.2f 0 0.4 RG 1.2 w 72 %d m" % (rng.random(), 570 + int(rng.random() * 100)))
        for x in range(72, 540, 36):
            heights = [565 + int(rng.random() * 140) for _ in range(3)]
            drawn.append(
                b"%d %d %d %d %d %d c" % (x + 12, heights[0], x + 24, heights[1], x + 36, heights[2])
            )
        drawn.append(b"S")
    return b"\n".join(drawn) + b"\n0 g\n"


def _text(rng: random.Random) -> bytes:
    lines = (
        " ".join(_WORDS[int(rng.random() * len(_WORDS))] for _ in range(14)).encode() for _ in range(_LINES)
    )
    return b"BT /T 11 Tf 12 TL 72 540 Td\n%s\nET" % b"\n".join(b"(%s) Tj T*" % line for line in lines)


def _file_of(objects: list[bytes]) -> bytes:
    data = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(data) + trailer % (len(objects) + 1, start)
