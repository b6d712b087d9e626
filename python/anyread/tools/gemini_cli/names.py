"""What gemini-cli makes of the name of a file, and of its first bytes.

The media types are those that JavaScript's package `mime` has for images, audio, video and PDF, and a file is
binary if the package `isbinaryfile` says so.
"""

from __future__ import annotations

import os
import re
from typing import Final, Literal
from urllib.parse import unquote

from anyread.tools.parts.media_types import AUDIO_TYPES, OPAQUE_EXTENSIONS, extension_of

FileKind = Literal["text", "svg", "image", "audio", "video", "pdf", "binary"]
_AUDIO: Final = {**AUDIO_TYPES, ".aiff": "audio/aiff", ".aif": "audio/aiff", ".aac": "audio/aac"}
_BINARY: Final = {*OPAQUE_EXTENSIONS, ".dylib", ".bz2", ".rar", ".pak", ".rpa"}
_NAMED: Final[dict[str, FileKind]] = {".ts": "text", ".mts": "text", ".cts": "text", ".svg": "svg"}
_FORMS: Final[dict[str, FileKind]] = {"image": "image", "audio": "audio", "video": "video"}
_SNIFFED_BYTES: Final = 515
"""The first bytes that decide whether a file is binary; the last three only complete a character."""
_SCANNED_BYTES: Final = 512
_TEXT_MARKS: Final = (b"\xef\xbb\xbf", b"\0\0\xfe\xff", b"\x84\x31\x95\x33", b"\xfe\xff", b"\xff\xfe")
_CONTROLS: Final = bytes([*range(7), *range(15, 32)])
SHOWN_CHARS: Final = 35
"""The most characters of a path in a description."""
_LOG_FRAGMENT: Final = re.compile(r"(^|[/\\])(AssertionError:|FAIL |✓ |× |TestingLibraryElementError:)")
_CLOSED: Final = re.compile(
    r"\.git|\.env|node_modules|gha-creds-.*\.json"
    # The short names of these in NTFS.
    r"|(git|gi[0-9a-f]{4}|env|en[0-9a-f]{4}|node_m|no[0-9a-f]{4})~\d+|(gha-cr|gh[0-9a-f]{4})~\d+\.json?",
    re.ASCII | re.DOTALL,
)
_MAX_PATH_CHARS: Final = 4096
_MAX_NAME_CHARS: Final = 255


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
    return not (is_plain or data.startswith(_TEXT_MARKS)) and _has_other_bytes(data)


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


def path_fault(path: str) -> str | None:
    """Return why a path cannot be one; `None`: it can."""
    if not path.isprintable() and re.search(r"[\n\r\0\t]", path):
        return "Path contains invalid characters (newlines or control characters)."
    # Every fragment has one of these.
    if (":" in path or "FAIL " in path or not path.isascii()) and _LOG_FRAGMENT.search(path):
        return "Path appears to be a misinterpreted log fragment."
    if ('"' in path or "..." in path) and len(path) > 20:
        return (
            "Path contains suspicious characters (double quotes or ellipses) and is too long to be a simple"
            " filename."
        )
    if len(path) > _MAX_PATH_CHARS:
        return f"Path is too long (maximum {_MAX_PATH_CHARS} characters)."
    names = re.split(r"[/\\]", path) if len(path) > _MAX_NAME_CHARS else ()
    long = next((name for name in names if len(name) > _MAX_NAME_CHARS), None)
    if long is not None:
        return f'Path component "{long[:20]}..." is too long (maximum {_MAX_NAME_CHARS} characters).'
    return None


def is_closed(path: str) -> bool:
    """Return whether a path below a directory of the workspace has a name that may not be read."""
    names = re.split(r"[/\\]", f"{path}/{decoded(path)}" if "%" in path else path)
    return any(_CLOSED.fullmatch(name.partition(":")[0].rstrip(" .").lower()) for name in names)


def without_mark(path: str, cwd: str) -> str:
    """Remove an `@` at the beginning of a path that is not part of a name.

    This call looks at the file system.
    """
    stripped = path[1:].lstrip("/\\")
    first = re.split(r"[/\\]", stripped)[0]
    is_name = path[1:2] not in {"/", "\\"} and os.path.exists(os.path.join(cwd, f"@{first}"))  # noqa: PTH110, PTH118
    is_path = is_name or os.path.exists(os.path.join(cwd, path))  # noqa: PTH110, PTH118 - text
    return path if is_path or not stripped else stripped


def decoded(path: str) -> str:
    """Decode `%20` and the like, unless the path has a `%` that means itself."""
    if "%" not in path or re.search("%(?![0-9a-fA-F]{2})", path):
        return path
    try:
        return unquote(path, errors="strict")
    except UnicodeDecodeError:
        return path


def shortened(path: str, maximum: int = SHOWN_CHARS) -> str:
    """Shorten a path for people: its first directory, `...`, and as many of its last names as fit."""
    if len(path) <= maximum:
        return path
    root = "/" if path.startswith("/") else ""
    names = [name for name in path.split("/") if name]
    if len(names) <= 1:
        return _without_middle(path, maximum)
    first, last = names[0], names[-1]
    tail, tail_chars = [last], len(last)
    for name in reversed(names[1:-1]):
        if len(root + first) + 6 + tail_chars + len(name) > maximum:
            break
        tail.insert(0, name)
        tail_chars += 1 + len(name)
    parts = [first, *tail]
    available = maximum - (len(root) + len(parts) + 3)
    least = [*(min(len(part), 1) for part in parts[:-1]), len(last)]
    if available < sum(least):
        return _last_name(root, last, path, maximum)
    lengths = [len(part) for part in parts]
    while sum(lengths) > available:
        candidates = [index for index, length in enumerate(lengths[:-1]) if length > least[index]]
        # The first of the longest, but never the last name.
        lengths[max(candidates, key=lambda index: (lengths[index], -index))] -= 1
    short = [
        _cut(part, length, is_first=index == 0)
        for index, (part, length) in enumerate(zip(parts, lengths, strict=True))
    ]
    return f"{root}{short[0]}/.../{'/'.join(short[1:])}"


def _cut(part: str, length: int, *, is_first: bool) -> str:
    if len(part) <= length:
        return part
    if length <= 3:
        return part[:length]
    if is_first:
        return f"{part[: length - 3]}..."
    front = (length - 2) // 2
    back = length - 3 - front
    return f"{part[:front]}...{part[len(part) - back :]}"


def _last_name(root: str, last: str, path: str, maximum: int) -> str:
    for candidate in (f".../{last}", f"{root}.../{last}" if root else "", f"{root}{last}", last):
        if candidate and len(candidate) <= maximum:
            return candidate
    return _without_middle(path, maximum)


def _without_middle(path: str, maximum: int) -> str:
    kept = (maximum - 3) // 2
    return f"{path[:kept]}...{path[len(path) - kept :]}"


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
