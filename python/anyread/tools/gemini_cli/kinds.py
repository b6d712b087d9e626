"""What gemini-cli takes a file for: by its name, and by its first bytes."""

from __future__ import annotations

from typing import Final, Literal

from anyread.tools.binary_detection import is_binary
from anyread.tools.media_types import AUDIO_TYPES, OPAQUE_EXTENSIONS, extension_of
from anyread.tools.registered_types import MEDIA_TYPES

FileKind = Literal["text", "svg", "image", "audio", "video", "pdf", "binary"]


_AUDIO: Final = {**AUDIO_TYPES, ".aiff": "audio/aiff", ".aif": "audio/aiff", ".aac": "audio/aac"}
_BINARY: Final = {*OPAQUE_EXTENSIONS, ".dylib", ".bz2", ".rar", ".pak", ".rpa"}
_NAMED: Final[dict[str, FileKind]] = {".ts": "text", ".mts": "text", ".cts": "text", ".svg": "svg"}
_FORMS: Final[dict[str, FileKind]] = {"image": "image", "audio": "audio", "video": "video"}


def media_type_of(path: str, kind: FileKind) -> str | None:
    """Return the media type of a file that is sent; `None`: the contract does not accept this audio."""
    extension = extension_of(path)
    named = MEDIA_TYPES.get(extension)
    return named if kind != "audio" or named in _AUDIO.values() else _AUDIO.get(extension)


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
