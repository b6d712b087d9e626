"""What gemini-cli takes a file for: by its name, and by its first bytes."""

from __future__ import annotations

from typing import Final, Literal

from anyread.tools.media_types import extension_of

FileKind = Literal["text", "svg", "image", "audio", "video", "pdf", "binary"]

SNIFFED_BYTES: Final = 515
"""The first bytes that decide whether a file is binary; the last three only complete a character."""
_SCANNED_BYTES: Final = 512


def _by_extension(table: str) -> dict[str, str]:
    lines = (line.split() for line in table.strip().splitlines())
    return {f".{name}": media_type for media_type, *names in lines for name in names}


MEDIA_TYPES: Final = _by_extension(
    """
application/pdf pdf
audio/aac adts aac
audio/adpcm adp
audio/amr amr
audio/basic au snd
audio/midi mid midi kar rmi
audio/mobile-xmf mxmf
audio/mp4 m4a mp4a m4b
audio/mpeg mpga mp2 mp2a mp3 m2a m3a
audio/ogg oga ogg spx opus
audio/s3m s3m
audio/silk sil
audio/wav wav
audio/webm weba
audio/xm xm
image/aces exr
image/apng apng
image/avci avci
image/avcs avcs
image/avif avif
image/bmp bmp dib
image/cgm cgm
image/dicom-rle drle
image/dpx dpx
image/emf emf
image/fits fits
image/g3fax g3
image/gif gif
image/heic heic
image/heic-sequence heics
image/heif heif
image/heif-sequence heifs
image/hej2k hej2
image/ief ief
image/jaii jaii
image/jais jais
image/jls jls
image/jp2 jp2 jpg2
image/jpeg jpg jpeg jpe
image/jph jph
image/jphc jhc
image/jpm jpm jpgm
image/jpx jpx jpf
image/jxl jxl
image/jxr jxr
image/jxra jxra
image/jxrs jxrs
image/jxs jxs
image/jxsc jxsc
image/jxsi jxsi
image/jxss jxss
image/ktx ktx
image/ktx2 ktx2
image/pjpeg jfif
image/png png
image/sgi sgi
image/svg+xml svg svgz
image/t38 t38
image/tiff tif tiff
image/tiff-fx tfx
image/webp webp
image/wmf wmf
video/3gpp 3gp 3gpp
video/3gpp2 3g2
video/h261 h261
video/h263 h263
video/h264 h264
video/iso.segment m4s
video/jpeg jpgv
video/mj2 mj2 mjp2
video/mp2t ts m2t m2ts mts
video/mp4 mp4 mp4v mpg4
video/mpeg mpeg mpg mpe m1v m2v
video/ogg ogv
video/quicktime qt mov
video/webm webm
"""
)
"""The registered media types of images, audio, video and PDF, by extension."""
_AUDIO: Final = {
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".aiff": "audio/aiff",
    ".aif": "audio/aiff",
    ".aac": "audio/aac",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
}
_BINARY: Final = {
    *(".bin", ".exe", ".dll", ".so", ".dylib", ".class", ".jar", ".war", ".pyc", ".pyo", ".wasm"),
    *(".zip", ".tar", ".gz", ".bz2", ".rar", ".7z", ".pak", ".rpa"),
    *(".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".odp"),
    *(".dat", ".obj", ".o", ".a", ".lib"),
}
_NAMED: Final[dict[str, FileKind]] = {".ts": "text", ".mts": "text", ".cts": "text", ".svg": "svg"}
_FORMS: Final[dict[str, FileKind]] = {"image": "image", "audio": "audio", "video": "video"}
_MARKS: Final = (b"\xef\xbb\xbf", b"\0\0\xfe\xff", b"\xff\xfe\0\0", b"\x84\x31\x95\x33")
_WIDE_MARKS: Final = (b"\xfe\xff", b"\xff\xfe")


def audio_type(path: str) -> str | None:
    """Return the media type of an audio file that the contract accepts."""
    extension = extension_of(path)
    named = MEDIA_TYPES.get(extension)
    return named if named in _AUDIO.values() else _AUDIO.get(extension)


def kind_of(path: str, head: bytes) -> FileKind:
    """Return what a file is, by its name and its first bytes."""
    extension = extension_of(path)
    named = _NAMED.get(extension)
    if named is None:
        form, _, subtype = MEDIA_TYPES.get(extension, "").partition("/")
        named = "pdf" if subtype == "pdf" else _FORMS.get("audio" if extension in _AUDIO else form)
    if named in {None, "audio", "video"} and extension not in _BINARY and not is_binary(head):
        # Text may have a name of audio or video.
        return "text"
    return named or "binary"


def is_binary(head: bytes) -> bool:
    """Return whether a file is binary: it has a NUL, or over a tenth of its bytes is no text."""
    data = head[:SNIFFED_BYTES]
    if data.startswith(b"%PDF-"):
        return True
    is_plain = data.isascii() and data.translate(None, _CONTROLS) == data
    return not (is_plain or data.startswith((*_MARKS, *_WIDE_MARKS))) and _has_other_bytes(data)


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
    return suspicious * 100 / scanned > 10 or (suspicious > 1 and _is_protobuf(data[:scanned]))


_CONTROLS: Final = bytes([*range(7), *range(15, 32)])


def _character(data: bytes, index: int) -> tuple[int, bool]:
    """Return how many bytes after the first were read, and whether they are a character of UTF-8."""
    length = 2 if 0xC0 <= data[index] <= 0xDF else 3 if 0xE0 <= data[index] <= 0xEF else 4
    if not 0xC0 <= data[index] <= 0xF7 or index + length > len(data):
        return 0, False
    if all(0x80 <= byte <= 0xBF for byte in data[index + 1 : index + length]):
        return length - 1, True
    return 1, False


def _is_protobuf(data: bytes) -> bool:
    """Return whether bytes are a sequence of fields of a protocol buffer, the last of which may be cut."""
    position = messages = 0
    while True:
        field, position = _varint(data, position)
        wire_type = field & 7
        if wire_type in {0, 2}:
            value, position = _varint(data, position)
            position += max(0, value) if wire_type == 2 else 0
        elif wire_type in {1, 5}:
            position += 8 if wire_type == 1 else 4
        elif position <= len(data):
            return False
        if position > len(data):
            return messages > 0
        messages += 1


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Return a number as 32 bits, and where it ends: past the end, if it is not complete."""
    value = 0
    for index in range(11):
        byte = data[position] if position < len(data) else None
        position += 1
        value |= ((0xFF if byte is None else byte) & 0x7F) << (7 * index % 32)
        if byte is None:
            return _signed(value), len(data) + 1
        if not byte & 0x80:
            return _signed(value), position
    return _signed(value), len(data) + 1


def _signed(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value
