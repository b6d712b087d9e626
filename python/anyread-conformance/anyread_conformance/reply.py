"""The answer of a foreign reader, converted from whatever it returned: text, images, or a refusal."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

Outcome: TypeAlias = Literal["shown", "refused", "hung", "crashed", "out_of_memory", "flooded"]
"""`refused` is an error that the reader reports; the last four mean that there is no answer at all."""

_DATA_URL = re.compile(r"data:(image/[\w.+-]+);base64,([A-Za-z0-9+/=\s]+)")
_MEDIA_TYPES = ("mimeType", "mime_type", "media_type", "mediaType")
_DATA = ("data", "base64", "blob", "bytes")
_COLORS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class ShownImage:
    """An image block of an answer."""

    media_type: str
    """The media type that the reader states."""
    data: bytes
    """The encoded image."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What one call of a reader returned."""

    text: str = ""
    """All text of the answer, or the message of a refusal."""
    images: tuple[ShownImage, ...] = ()
    """The image blocks of the answer."""
    outcome: Outcome = "shown"
    """Whether there was an answer, and of which kind."""
    seconds: float = 0.0
    """How long the call took."""
    memory_bytes: int = 0
    """The most anonymous memory of the reader's processes during the call; 0 if it is not measured."""
    is_utf8: bool = True
    """Whether the answer can be encoded as UTF-8, which the API of every model requires."""
    json: str = ""
    """The answer as a model reads it, if it is JSON, of which `text` has the strings."""

    @property
    def read_text(self) -> str:
        """The text as a model reads it."""
        return self.json or self.text

    @property
    def answered(self) -> bool:
        """Whether the reader returned anything, if only an error."""
        return self.outcome in {"shown", "refused"}


@dataclass(slots=True)
class _Found:
    """The text and the images found in a returned value."""

    texts: list[str] = field(default_factory=list)
    images: list[ShownImage] = field(default_factory=list)


def reply_of(value: Any, *, failed: bool = False) -> Reply:
    """Convert a returned value: a string, or dictionaries and lists as JSON has them.

    Args:
        value: The value; bytes are allowed as well.
        failed: Whether the reader reported a failure in its own way, such as an exception.

    Returns:
        A reply without times; its outcome is `refused` if the reader failed or returned an error as a value.
    """
    if isinstance(value, bytes):
        return _of_text(value.decode("utf-8", "surrogateescape"), failed=failed)
    written = ""
    if isinstance(value, str):
        parsed = _parsed(value)
        if parsed is None:
            return _of_text(value, failed=failed)
        written, value = value, parsed
    found = _Found()
    _collect(value, found)
    reply = _of_text("\n".join(found.texts), failed=failed or _is_error(value))
    return replace(reply, images=tuple(found.images) + reply.images, json=written)


def _of_text(text: str, *, failed: bool) -> Reply:
    images = []
    for found in _DATA_URL.finditer(text):
        data = _decoded(found[2])
        if data:
            images.append(ShownImage(found[1], data))
    text = _COLORS.sub("", _DATA_URL.sub("", text))
    return Reply(text, tuple(images), "refused" if failed else "shown", is_utf8=_is_utf8(text))


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _parsed(text: str) -> Any:
    """Return the value of a text that is JSON with strings in it, or `None`."""
    if text[:1] not in {"{", "["}:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _is_error(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return bool(
        value.get("error")
        or value.get("isError")
        or value.get("is_error")
        or value.get("status") in {"error", "failed"}
    )


def _collect(value: Any, found: _Found) -> None:
    match value:
        case dict():
            image = _image_in(value)
            if image is not None:
                found.images.append(image)
            elif (row := _numbered_row(value)) is not None:
                found.texts.append(row)
            else:
                for name, member in value.items():
                    _collect(member if isinstance(member, str | dict | list) else f"{name}: {member}", found)
        case list() | tuple():
            for member in value:
                _collect(member, found)
        case bytes():
            found.texts.append(value.decode("utf-8", "surrogateescape"))
        case str():
            found.texts.append(value)


def _numbered_row(value: dict[str, Any]) -> str | None:
    """Return a line that is a dictionary of its number and its text, with the number first."""
    members = list(value.values())
    numbers = [member for member in members if type(member) is int]
    texts = [member for member in members if isinstance(member, str)]
    if len(members) == 2 and len(numbers) == len(texts) == 1 and "\n" not in texts[0].rstrip("\r\n"):
        return f"{numbers[0]}\t{texts[0]}"
    return None


def _image_in(value: dict[str, Any]) -> ShownImage | None:
    """Return the image of a block in the formats of MCP and of the usual APIs and frameworks."""
    source = value.get("source")
    holder = source if isinstance(source, dict) else value
    media_type = next((holder[name] for name in _MEDIA_TYPES if isinstance(holder.get(name), str)), "")
    if not media_type and value.get("type") == "image":
        media_type = str(value.get("format") or "")
    if not (media_type.startswith("image/") or value.get("type") == "image"):
        return None
    data = next((holder[name] for name in _DATA if isinstance(holder.get(name), str | bytes)), None)
    if data is None:
        return None
    raw = data if isinstance(data, bytes) else _decoded(data)
    return ShownImage(media_type, raw) if raw is not None else None


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(re.sub(r"\s", "", text), validate=True)
    except (binascii.Error, ValueError):
        return None
