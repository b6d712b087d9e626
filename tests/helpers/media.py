"""Small images and PDFs made by tests, and files opened as the core opens them."""

from __future__ import annotations

import importlib
import io
import os
import struct
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Unpack, cast

from PIL import Image

from anyread._native import Opened, open_passed
from anyread.arguments.limits import Limits
from anyread.arguments.request import Request, checked
from anyread.decoding.host.pool import Pool
from anyread.models.model import Model
from anyread.results import Notice

if sys.platform == "win32":
    import msvcrt


def request_of(**arguments: Unpack[Request]) -> Request:
    """Return the checked arguments of a read."""
    return checked("a file", **arguments)


PLAIN = request_of()


class OpenedFile:
    """A file as the core passes it to a format reader: an open descriptor and its metadata."""

    def __init__(self, path: Path, kind: str, media_type: str, notices: tuple[Notice, ...] = ()) -> None:
        self.path = str(path)
        self.resolved_path = str(path.resolve())
        self.kind = kind
        self.media_type = media_type
        self.notices = notices
        flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        self._descriptor = os.open(path, flags)
        state = os.fstat(self._descriptor)
        self.size_bytes = state.st_size
        self.modified_ns = state.st_mtime_ns
        self.version = self.state = f"{state.st_ino}-{state.st_size}-{state.st_mtime_ns}"

    rules = 0

    def fileno(self) -> int:
        if sys.platform == "win32":
            return msvcrt.get_osfhandle(self._descriptor)
        return self._descriptor

    def read_at(self, offset: int, maximum: int) -> bytes:
        return open_passed(self.fileno(), 0).read_at(offset, maximum)

    def recheck(self) -> bool:
        state = os.fstat(self._descriptor)
        return self.version == f"{state.st_ino}-{state.st_size}-{state.st_mtime_ns}"

    def close(self) -> None:
        os.close(self._descriptor)


@contextmanager
def opened(
    path: Path, kind: str | None = None, *, media_type: str = "", notices: tuple[Notice, ...] = ()
) -> Iterator[Opened]:
    """Open a file; without `kind`, detect it from the first bytes."""
    with path.open("rb") as file:
        is_pdf = b"%PDF-" in file.read(1024)
    found = kind or ("pdf" if is_pdf else "image")
    media_type = media_type or ("application/pdf" if found == "pdf" else "image/unknown")
    result = OpenedFile(path, found, media_type, notices)
    try:
        yield cast("Opened", result)
    finally:
        result.close()


def read_opened(
    file: Opened,
    request: Request = PLAIN,
    *,
    limits: Limits | None = None,
    model: Model | None = None,
    passwords: Any = (),
    pool: Pool | None = None,
) -> Any:
    """Read an opened image or PDF; part of a call."""
    from anyread import formats
    from anyread.arguments.gutter import Gutter
    from anyread.formats.composing import composed
    from anyread.formats.fallback import unchanged
    from anyread.formats.parts import How
    from anyread.kinds import BY_KIND

    chosen = (limits or Limits()).lowered(max_tokens=request["max_tokens"], max_bytes=request["max_bytes"])
    how = How(chosen, model or Model.any(), Gutter.TAB, tuple(passwords), pool=pool)
    kind = cast("OpenedFile", file).kind
    module = importlib.import_module(f"{formats.__name__}.{kind}")
    with unchanged(file):
        found = composed(BY_KIND[kind], module, file, request, how)
    return found.page()


def read_sync(path: Path, request: Request = PLAIN, **more: Any) -> Any:
    """Read an image or PDF."""
    from anyread.running import threads

    with opened(path) as file:
        return threads.run(lambda: read_opened(file, request, **more))


async def read(path: Path, request: Request = PLAIN, **more: Any) -> Any:
    """Read an image or PDF without blocking."""
    from anyread.running import loop

    with opened(path) as file:
        return await loop.run(lambda: read_opened(file, request, **more))


# ---------------------------------------------------------------------------------------------------------


def drawing(width: int, height: int, mode: str = "RGB") -> Image.Image:
    """Draw an image whose corners differ, so that rotating or cropping it is visible."""
    across = Image.linear_gradient("L").rotate(90).resize((width, height))
    down = Image.linear_gradient("L").resize((width, height))
    return Image.merge("RGB", (across, down, Image.new("L", (width, height), 60))).convert(mode)


def noise(width: int, height: int) -> Image.Image:
    """Make an image that no encoding can compress."""
    return Image.frombytes("RGB", (width, height), os.urandom(width * height * 3))


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def decoded(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def thumbnail(image: Image.Image) -> list[Any]:
    """Return the colors of an image at 8 × 8 pixels; what is invisible is white."""
    pixels = image.convert("RGBA")
    seen = Image.new("RGB", image.size, "white")
    seen.paste(pixels.convert("RGB"), mask=pixels.getchannel("A").point([0, *[255] * 255]))
    small = seen.resize((8, 8), Image.Resampling.BOX)
    values = small.tobytes()
    return [tuple(values[start : start + 3]) for start in range(0, len(values), 3)]


def difference(one: Image.Image, other: Image.Image) -> int:
    """Return the largest difference of two images at 8 × 8 pixels, 0 to 255."""
    pairs = zip(thumbnail(one), thumbnail(other), strict=True)
    return max(abs(int(a) - int(b)) for left, right in pairs for a, b in zip(left, right, strict=True))


# ---------------------------------------------------------------------------------------------------------

HELVETICA = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
UNHEARD_CJK = (
    b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[<</Type/Font"
    b"/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)"
    b"/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/STSong-Light/Flags 4>>>>]>>"
)


def pdf(
    contents: list[bytes],
    *,
    box: bytes = b"[0 0 612 792]",
    resources: bytes = b"",
    more: tuple[bytes, ...] = (),
) -> bytes:
    """Write a PDF by hand: one page per content; the objects in `more` are numbered from 3 + 2 × pages."""
    resources = resources or b"<</Font<</F " + HELVETICA + b"/S " + UNHEARD_CJK + b">>>>"
    count = len(contents)
    kids = b" ".join(b"%d 0 R" % (3 + 2 * number) for number in range(count))
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count)]
    for number, content in enumerate(contents):
        page = b"<</Type/Page/Parent 2 0 R/MediaBox %s/Contents %d 0 R/Resources %s>>"
        objects.append(page % (box, 4 + 2 * number, resources))
        objects.append(stream(content))
    return file_of([*objects, *more])


def one_page(
    content: bytes, *more: bytes, page: bytes = b"", catalog: bytes = b"", resources: bytes = b""
) -> bytes:
    """Write a PDF of one page, with more fields of its page and of the catalog.

    Object 3 is the page, 4 its content, and those in `more` are numbered from 5.
    """
    resources = b"/Resources<</Font<</F " + HELVETICA + b">>" + resources + b">>"
    return file_of(
        [
            b"<</Type/Catalog/Pages 2 0 R" + catalog + b">>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R" + resources + page + b">>",
            stream(content),
            *more,
        ]
    )


def text_at(x: float, y: float, text: str, *, matrix: str = "1 0 0 1", size: float = 12) -> bytes:
    """Return the content of a page that draws a text there."""
    return f"BT /F {size} Tf {matrix} {x} {y} Tm ({text}) Tj ET ".encode("latin-1")


def stream(content: bytes, fields: bytes = b"") -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (fields, len(content), content)


def file_of(objects: list[bytes], trailer: bytes = b"") -> bytes:
    data = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return data + b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        trailer,
        start,
    )


def object_stream_pdf(text: bytes) -> bytes:
    """Write a PDF whose objects and cross-references are in streams, as LaTeX writes them."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 5 0 R/Resources<</Font<</F 4 0 R>>>>>>",
        HELVETICA,
    ]
    starts = [sum(len(one) + 1 for one in objects[:number]) for number in range(len(objects))]
    index = b" ".join(b"%d %d" % (number, start) for number, start in enumerate(starts, 1)) + b" "
    fields = b"/Type/ObjStm/N %d/First %d/Filter/FlateDecode" % (len(objects), len(index))
    # The cross-reference entry of each object: free, in object stream 6, or at an offset in the file.
    entries = [(0, 0, 255), *((2, 6, number) for number in range(len(objects)))]
    data = b"%PDF-1.5\n"
    for number, body in (
        (5, stream(b"BT /F 20 Tf 20 40 Td (%s) Tj ET" % text)),
        (6, stream(zlib.compress(index + b" ".join(objects)), fields)),
    ):
        entries.append((1, len(data), 0))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    entries.append((1, len(data), 0))
    table = b"".join(struct.pack(">BHB", *entry) for entry in entries)
    fields = b"/Type/XRef/Size %d/W[1 2 1]/Root 1 0 R" % len(entries)
    return data + b"7 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF" % (stream(table, fields), len(data))


def text_page(*lines: str, font: str = "F", size: int = 12) -> bytes:
    shown = b" ".join(b"(%s) Tj T*" % line.encode("latin-1") for line in lines)
    return b"BT /%s %d Tf 14 TL 72 720 Td %s ET" % (font.encode(), size, shown)


def text_pdf(pages: int, lines: int = 3) -> bytes:
    return pdf(
        [
            text_page(*(f"line {line} of page {page} tells of the sea" for line in range(1, lines + 1)))
            for page in range(1, pages + 1)
        ]
    )


def endless_pdf(levels: int = 9) -> bytes:
    """Write a PDF whose only page draws 10 ** `levels` rectangles."""
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]"
    forms = []
    for level in range(levels):
        last = level == levels - 1
        inner = b"" if last else b"/Resources<</XObject<</X %d 0 R>>>>" % (6 + level)
        forms.append(stream(b"0 0 1 1 re f" if last else b"/X Do " * 10, form + inner))
    return pdf([b"/X Do"], resources=b"<</XObject<</X 5 0 R>>>>", more=tuple(forms))


def tiled_pdf() -> bytes:
    """Write a PDF that fills a page with tiles of 0.001 points: hours of work, little memory."""
    pattern = (
        b"/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 .01 .01]/XStep .001/YStep .001"
        b"/Resources<<>>"
    )
    return pdf(
        [b"/Pattern cs /P scn 0 0 612 792 re f"],
        resources=b"<</Pattern<</P 5 0 R>>>>",
        more=(stream(b"0 0 .001 .001 re f", pattern),),
    )


# ---------------------------------------------------------------------------------------------------------


def tiff(
    size: tuple[int, int], data: bytes, *, bits: int, samples: int = 1, photometric: int = 1, **tags: int
) -> bytes:
    """Write an uncompressed TIFF of one strip by hand, for layouts that Pillow does not write.

    `sample_format` is 1 for unsigned integers, 2 for signed ones, 3 for floats; `extra` is 1 for
    premultiplied alpha; `compression` and `orientation` are as in the specification.
    """
    width, height = size
    entries = {256: width, 257: height, 259: tags.get("compression", 1), 262: photometric}
    entries |= {274: tags.get("orientation", 1), 277: samples, 278: height, 279: len(data)}
    lists = {258: [bits] * samples, 339: [tags.get("sample_format", 1)] * samples}
    if "extra" in tags:
        entries[338] = tags["extra"]
    count = len(entries) + len(lists) + 1
    after = 8 + 2 + 12 * count + 4
    packed = b""
    fields = {tag: struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries.items()}
    for tag, values in lists.items():
        array = struct.pack(f"<{samples}H", *values)
        if len(array) > 4:
            offset, packed = after + len(packed), packed + array
            fields[tag] = struct.pack("<HHII", tag, 3, samples, offset)
        else:
            fields[tag] = struct.pack("<HHI", tag, 3, samples) + array.ljust(4, b"\0")
    fields[273] = struct.pack("<HHII", 273, 4, 1, after + len(packed))
    directory = struct.pack("<H", count) + b"".join(fields[tag] for tag in sorted(fields)) + bytes(4)
    return b"II*\0" + struct.pack("<I", 8) + directory + packed + data


def bmp(header: bytes, *, after: bytes = b"") -> bytes:
    """Write a BMP from its info header without the length field, and the data after it."""
    offset = 14 + 4 + len(header)
    body = struct.pack("<I", 4 + len(header)) + header + after
    return b"BM" + struct.pack("<IHHI", 14 + len(body), 0, 0, offset) + body


def profile(*, red: tuple[float, float, float] = (0.51512, 0.2412, -0.00105), gamma: float = 2.2) -> bytes:
    """Write an RGB color profile with the given red primary and gamma."""
    rest = {b"gXYZ": (0.29198, 0.69225, 0.04189), b"bXYZ": (0.1571, 0.06657, 0.78407)}
    points = {b"wtpt": (0.9642, 1.0, 0.8249), b"rXYZ": red, **rest}
    tags = {name: b"XYZ " + bytes(4) + fixed(*values) for name, values in points.items()}
    tags |= {name: curve(gamma) for name in (b"rTRC", b"gTRC", b"bTRC")}
    return icc(b"RGB ", tags)


def grey_profile(gamma: float) -> bytes:
    """Write a gray color profile."""
    white = b"XYZ " + bytes(4) + fixed(0.9642, 1.0, 0.8249)
    return icc(b"GRAY", {b"wtpt": white, b"kTRC": curve(gamma)})


def fixed(*numbers: float) -> bytes:
    return b"".join(struct.pack(">i", round(number * 65_536)) for number in numbers)


def curve(gamma: float) -> bytes:
    return b"curv" + bytes(4) + struct.pack(">IH", 1, round(gamma * 256)) + bytes(2)


def icc(space: bytes, tags: dict[bytes, bytes]) -> bytes:
    start = 128 + 4 + 12 * len(tags)
    table, body = struct.pack(">I", len(tags)), b""
    for name, value in tags.items():
        table += name + struct.pack(">II", start + len(body), len(value))
        body += value
    head = bytes(8) + struct.pack(">I", 0x0210_0000) + b"mntr" + space + b"XYZ " + bytes(12) + b"acsp"
    head = head.ljust(68, b"\0") + fixed(0.9642, 1.0, 0.8249)
    whole = head.ljust(128, b"\0") + table + body
    return struct.pack(">I", len(whole)) + whole[4:]
