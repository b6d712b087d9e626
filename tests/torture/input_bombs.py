"""Files that expand when they are read, in addition to the images and PDFs of `bombs.py`."""

from __future__ import annotations

import base64
import itertools
import json
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from helpers.bombs import FORM, bombs, chunk, png
from helpers.media import file_of, pdf, stream
from helpers.notebooks import code, display

MIB = 1024 * 1024
GIB = 1024 * MIB
TIB = 1024 * GIB
PNG_START = b"\x89PNG\r\n\x1a\n"
PNG_END = chunk(b"IEND", b"")

Make: TypeAlias = Callable[[], tuple[int, bytes]]
"""Makes the size to which a file is extended, or 0, and its first bytes."""
Group: TypeAlias = Callable[[], Iterator[tuple[str, Make, list[dict[str, Any]]]]]


def write_bombs(
    directory: Path, most: int, groups: Iterable[str] = ()
) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """Write one bomb after another; yield the path of each, and the windows to read if it is a text.

    Args:
        directory: Where to write them.
        most: How many to write of each group, at most.
        groups: Some of `GROUPS`; empty: all of them.
    """
    for group in groups or GROUPS:
        for name, make, windows in itertools.islice(GROUPS[group](), most):
            path = directory / name
            size, data = make()
            path.write_bytes(data)
            if size:
                os.truncate(path, size)
            yield path, windows


def zeros(size: int) -> bytes:
    """Compress zeros at once, by repeating the compressed form of the first MiB."""
    packer = zlib.compressobj(9)
    first = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    count = size // MIB
    # What follows a full flush does not refer back to anything; only the first part has the header.
    body = first + first[2:] * (count - 1)
    return body + b"\3\0" + struct.pack(">I", (count * MIB % 65521) << 16 | 1)


# ---------------------------------------------------------------- images


def images() -> Iterator[tuple[str, bytes]]:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(bytes(9 * 8)))
    profile = chunk(b"iCCP", b"x\0\0" + zeros(512 * MIB))
    yield "profile.png", PNG_START + header + profile + pixels + PNG_END
    many = chunk(b"zTXt", b"Comment\0\0" + zeros(MIB)) * 2_000
    yield "many-comments.png", PNG_START + header + many + pixels + PNG_END
    yield "endless-pixels.png", PNG_START + header + chunk(b"IDAT", zeros(GIB)) + PNG_END
    wide = struct.pack(">IIBBBBB", 30_000, 30_000, 1, 3, 0, 0, 1)
    palette = chunk(b"PLTE", bytes(6))
    rows = chunk(b"IDAT", zeros(30_000 * 3_800))
    yield "interlaced.png", PNG_START + chunk(b"IHDR", wide) + palette + rows + PNG_END
    frame = struct.pack(">IIIIIHHBB", 0, 8, 8, 0, 0, 0, 1, 0, 0)
    frames = chunk(b"acTL", struct.pack(">II", 2**31 - 1, 0)) + chunk(b"fcTL", frame)
    later = b"".join(
        chunk(b"fdAT", struct.pack(">I", n) + zlib.compress(bytes(72))) for n in range(1, 20_000)
    )
    yield "frames.png", PNG_START + header + frames + pixels + later + PNG_END
    screen = b"GIF89a" + struct.pack("<HHBBB", 20_000, 20_000, 0x80, 0, 0) + bytes(6)
    inner = struct.pack("<HHHHB", 0, 0, 0xFFFF, 0xFFFF, 0) + b"\x08"
    yield "packed.gif", screen + b"," + inner + (b"\xff" + bytes(255)) * 4_000 + b"\0;"
    yield "deflated.tiff", tiff(60_000, 60_000, zeros(256 * MIB), compression=8)
    yield "pages.tiff", tiff_pages(200_000)
    extended = b"VP8X" + struct.pack("<II", 10, 2) + b"\xff\xff\xff" + b"\xff\xff\xff"
    animation = b"ANIM" + struct.pack("<IIH", 6, 0, 0)
    bits = b"VP8L" + struct.pack("<I", 14) + b"\x2f\xff\xff\xff\x0f" + bytes(9)
    shown = bytes(6) + b"\xff\x3f\0\xff\x3f\0" + b"\1\0\0\0" + bits
    body = b"WEBP" + extended + animation + (b"ANMF" + struct.pack("<I", len(shown)) + shown) * 10_000
    yield "frames.webp", b"RIFF" + struct.pack("<I", len(body)) + body
    jpeg = b"\xff\xd8\xff\xc2\0\x11\x08\xff\xdc\xff\xdc\x03\1\x44\0\2\x44\1\3\x44\1"
    scan = b"\xff\xda\0\x0c\3\1\0\2\x11\3\x11\0\x3f\0" + bytes(2)
    yield "scans.jpg", jpeg + scan * 100_000 + b"\xff\xd9"


def tiff(width: int, height: int, data: bytes, *, compression: int) -> bytes:
    """Return a gray TIFF with one strip."""
    tags = [(256, width), (257, height), (258, 8), (259, compression), (262, 1), (273, 8), (277, 1)]
    tags += [(278, height), (279, len(data))]
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    place = 8 + len(data) + len(data) % 2
    directory = struct.pack("<H", len(tags)) + entries + bytes(4)
    return b"II*\0" + struct.pack("<I", place) + data + bytes(len(data) % 2) + directory


def tiff_pages(count: int) -> bytes:
    """Return a TIFF with many pages that share their only strip."""
    tags = [(256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, 1), (279, 1)]
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    size = 2 + len(entries) + 4
    pages = [
        struct.pack("<H", len(tags)) + entries + struct.pack("<I", 10 + size * (number + 1))
        for number in range(count - 1)
    ]
    return b"II*\0" + struct.pack("<I", 10) + bytes(2) + b"".join(pages)


# ---------------------------------------------------------------- PDFs


def pdfs() -> Iterator[tuple[str, bytes]]:
    yield "forms.pdf", nested_forms(9, 10)
    yield "object-stream.pdf", object_stream(zeros(GIB), 2_000_000_000)
    yield "references.pdf", cross_references(zeros(GIB))
    yield "deep-tree.pdf", deep_tree(20_000)
    yield "wide-tree.pdf", wide_tree(300_000)
    huge = b"[0 0 1000000000 1000000000]"
    yield "huge-page.pdf", pdf([b"0 0 1 1 re f"], box=huge)
    yield "dashes.pdf", pdf([b"[.0001] 0 d 0 0 m 600 700 l S " * 200])


def nested_forms(depth: int, fan: int) -> bytes:
    """Return a PDF in which each form draws the next one `fan` times."""
    fields = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</X %d 0 R>>>>"
    forms = [stream(b"/X Do " * fan, fields % (6 + number)) for number in range(depth - 1)]
    last = stream(b"0 0 1 1 re f", b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]")
    return pdf([b"/X Do"], resources=FORM, more=(*forms, last))


def object_stream(data: bytes, count: int) -> bytes:
    fields = b"/Type/ObjStm/N %d/First 10/Filter/FlateDecode" % count
    catalog = b"<</Type/Catalog/Pages 2 0 R>>"
    return file_of([catalog, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", stream(data, fields)])


def cross_references(data: bytes) -> bytes:
    """Return a PDF whose table of references is a compressed stream of 1 GiB."""
    fields = b"/Type/XRef/Size 2147483647/W[1 8 8]/Root 1 0 R/Filter/FlateDecode"
    start = b"%PDF-1.7\n"
    return start + b"1 0 obj\n" + stream(data, fields) + b"\nendobj\nstartxref\n%d\n%%%%EOF" % len(start)


def deep_tree(depth: int) -> bytes:
    nodes = [b"<</Type/Pages/Kids[%d 0 R]/Count 1>>" % (number + 3) for number in range(depth)]
    page = b"<</Type/Page/MediaBox[0 0 9 9]/Parent %d 0 R>>" % (depth + 1)
    return file_of([b"<</Type/Catalog/Pages 2 0 R>>", *nodes, page])


def wide_tree(count: int) -> bytes:
    """Return a PDF with one page that is listed many times."""
    kids = b"3 0 R " * count
    page = b"<</Type/Page/MediaBox[0 0 9 9]/Parent 2 0 R>>"
    return file_of(
        [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count), page]
    )


# ---------------------------------------------------------------- notebooks


def notebooks() -> Iterator[tuple[str, bytes]]:
    start = b'{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":['
    yield "deep.ipynb", start + b"[" * 5_000_000
    yield "deep-metadata.ipynb", start.replace(b"{}", b'{"a":' * 1_000_000 + b"1" + b"}" * 1_000_000) + b"]}"
    yield "many-cells.ipynb", start + b",".join([b'{"cell_type":"code","source":""}'] * 400_000) + b"]}"
    yield "long-source.ipynb", notebook(code("x" * 40_000_000))
    yield "many-lines.ipynb", notebook(code("\n" * 10_000_000))
    large = base64.b64encode(png(20_000, 20_000, bits=1, color=0)).decode()
    yield "image-bombs.ipynb", notebook(*[code("x", display(image_png=large)) for _ in range(40)])
    yield "base64.ipynb", notebook(code("x", display(image_png="A" * 60_000_000)))
    yield "outputs.ipynb", notebook(code("x", *[display(text_plain="x")] * 300_000))
    number = b'"nbformat":' + b"9" * 30_000_000
    yield "number.ipynb", start.replace(b'"nbformat":4', number) + b"]}"


def notebook(*cells: dict[str, Any]) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


# ---------------------------------------------------------------- texts


def texts() -> Iterator[tuple[str, Make, list[dict[str, Any]]]]:
    ends: list[dict[str, Any]] = [{}, {"offset": -1}, {"offset": 2}]
    deep = [*ends, {"offset": 1_000_000_000}, {"column": 10**12}]
    japanese: list[dict[str, Any]] = [{"encoding": "iso2022_jp"}, {"encoding": "iso2022_jp", "offset": -1}]
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    yield "sparse-lines.log", lambda: (TIB, b"a line\n" * 5_000), deep
    yield "line.txt", lambda: (0, b"x" * 200_000_000), [*ends, {"column": 199_999_990}]
    yield "wide-line.txt", lambda: (0, "é漢😀".encode() * 10_000_000), [*ends, {"column": 29_999_990}]
    yield "empty-lines.txt", lambda: (0, b"\n" * 100_000_000), [*ends, {"offset": 99_999_990}]
    yield "invalid.txt", lambda: (0, b"a" + b"\xf0\x9f\x98" * 20_000_000), [{"encoding": "utf-8"}]
    yield "shifts.txt", lambda: (0, b"\x1b$B\x24\x22\x1b(B" * 5_000_000), japanese
    yield "utf-16.txt", lambda: (0, b"\xff\xfe" + b"\x3d\xd8" * 30_000_000), ends
    yield "laughs.svg", lambda: (0, f"<!DOCTYPE svg [{entities}]><svg>&a11;</svg>".encode()), [{}]


def _media(*sources: Callable[[], Iterator[tuple[str, bytes]]]) -> Group:
    def group() -> Iterator[tuple[str, Make, list[dict[str, Any]]]]:
        for name, data in itertools.chain(*(source() for source in sources)):
            yield name, lambda data=data: (0, data), []  # type: ignore[misc] # mypy infers no type for the default

    return group


GROUPS: dict[str, Group] = {
    "images": _media(images),
    "PDFs": _media(pdfs),
    "notebooks": _media(notebooks),
    "texts": texts,
    "both": _media(bombs),
}
"""The groups of bombs; "both" are the images and PDFs of `bombs.py`."""
