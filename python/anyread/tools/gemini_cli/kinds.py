"""What gemini-cli takes a file for: by its name, and by its first bytes.

The media types are those that JavaScript's package `mime` has for images, audio, video and PDF, and a file is
binary if the package `isbinaryfile` says so.
"""

from __future__ import annotations

from typing import Final, Literal

from anyread.tools.parts.media_types import AUDIO_TYPES, OPAQUE_EXTENSIONS, extension_of

FileKind = Literal["text", "svg", "image", "audio", "video", "pdf", "binary"]

_AUDIO: Final = {**AUDIO_TYPES, ".aiff": "audio/aiff", ".aif": "audio/aiff", ".aac": "audio/aac"}
_BINARY: Final = {*OPAQUE_EXTENSIONS, ".dylib", ".bz2", ".rar", ".pak", ".rpa"}
_NAMED: Final[dict[str, FileKind]] = {".ts": "text", ".mts": "text", ".cts": "text", ".svg": "svg"}
_FORMS: Final[dict[str, FileKind]] = {"image": "image", "audio": "audio", "video": "video"}
_SNIFFED_BYTES: Final = 515
"""The first bytes that decide whether a file is binary; the last three only complete a character."""
_SCANNED_BYTES: Final = 512
_MARKS: Final = (b"\xef\xbb\xbf", b"\0\0\xfe\xff", b"\x84\x31\x95\x33", b"\xfe\xff", b"\xff\xfe")
_CONTROLS: Final = bytes([*range(7), *range(15, 32)])


def media_type_of(path: str, kind: FileKind) -> str | None:
    """Return the media type of a file that is sent; `None`: the contract does not accept this audio."""
    extension = extension_of(path)
    named = _MEDIA_TYPES.get(extension)
    return named if kind != "audio" or named in _AUDIO.values() else _AUDIO.get(extension)


def kind_of(path: str, head: bytes) -> FileKind:
    """Return what a file is, by its name and its first bytes."""
    extension = extension_of(path)
    named = _NAMED.get(extension)
    if named is None:
        form, _, subtype = _MEDIA_TYPES.get(extension, "").partition("/")
        named = "pdf" if subtype == "pdf" else _FORMS.get("audio" if extension in _AUDIO else form)
    if named in {None, "audio", "video"} and extension not in _BINARY and not _is_binary(head):
        # Text may have a name of audio or video.
        return "text"
    return named or "binary"


def _is_binary(head: bytes) -> bool:
    """Return whether a file is binary: it has a NUL, or over a tenth of its bytes is no text."""
    data = head[:_SNIFFED_BYTES]
    if data.startswith(b"%PDF-"):
        return True
    is_plain = data.isascii() and data.translate(None, _CONTROLS) == data
    return not (is_plain or data.startswith(_MARKS)) and _has_other_bytes(data)


def _has_other_bytes(data: bytes) -> bool:
    scanned = min(len(data), _SCANNED_BYTES)
    suspicious = index = 0
    while index < scanned:
        byte = data[index]
        if byte == 0:
            return True
        if not (7 <= byte <= 14 or 32 <= byte <= 127):
            consumed, is_character = _character(data, index)
            index += consumed
            if not is_character:
                suspicious += 1
                if index >= 32 and suspicious * 100 / scanned > 10:
                    return True
        index += 1
    return suspicious * 100 / scanned > 10


def _character(data: bytes, index: int) -> tuple[int, bool]:
    """Return how many bytes after the first were read, and whether they are a character of UTF-8."""
    length = 2 if 0xC0 <= data[index] <= 0xDF else 3 if 0xE0 <= data[index] <= 0xEF else 4
    if not 0xC0 <= data[index] <= 0xF7 or index + length > len(data):
        return 0, False
    if all(0x80 <= byte <= 0xBF for byte in data[index + 1 : index + length]):
        return length - 1, True
    return 1, False


def _by_extension(table: str) -> dict[str, str]:
    lines = (line.split() for line in table.split(";"))
    return {f".{name}": media_type for media_type, *names in lines for name in names}


_MEDIA_TYPES: Final = _by_extension(
    """
application/pdf pdf; audio/aac adts aac; audio/adpcm adp; audio/amr amr; audio/basic au snd;
audio/midi mid midi kar rmi; audio/mobile-xmf mxmf; audio/mp4 m4a mp4a m4b;
audio/mpeg mpga mp2 mp2a mp3 m2a m3a; audio/ogg oga ogg spx opus; audio/s3m s3m; audio/silk sil;
audio/wav wav; audio/webm weba; audio/xm xm; image/aces exr; image/apng apng; image/avci avci;
image/avcs avcs; image/avif avif; image/bmp bmp dib; image/cgm cgm; image/dicom-rle drle; image/dpx dpx;
image/emf emf; image/fits fits; image/g3fax g3; image/gif gif; image/heic heic; image/heic-sequence heics;
image/heif heif; image/heif-sequence heifs; image/hej2k hej2; image/ief ief; image/jaii jaii;
image/jais jais; image/jls jls; image/jp2 jp2 jpg2; image/jpeg jpg jpeg jpe; image/jph jph; image/jphc jhc;
image/jpm jpm jpgm; image/jpx jpx jpf; image/jxl jxl; image/jxr jxr; image/jxra jxra; image/jxrs jxrs;
image/jxs jxs; image/jxsc jxsc; image/jxsi jxsi; image/jxss jxss; image/ktx ktx; image/ktx2 ktx2;
image/pjpeg jfif; image/png png; image/sgi sgi; image/svg+xml svg svgz; image/t38 t38; image/tiff tif tiff;
image/tiff-fx tfx; image/webp webp; image/wmf wmf; video/3gpp 3gp 3gpp; video/3gpp2 3g2; video/h261 h261;
video/h263 h263; video/h264 h264; video/iso.segment m4s; video/jpeg jpgv; video/mj2 mj2 mjp2;
video/mp2t ts m2t m2ts mts; video/mp4 mp4 mp4v mpg4; video/mpeg mpeg mpg mpe m1v m2v; video/ogg ogv;
video/quicktime qt mov; video/webm webm
"""
)
"""The registered media types by extension."""
