"""What the contract tells by a file's name alone: its kind, binary files, devices."""

from __future__ import annotations

import re
from typing import Final, Literal

Kind = Literal["text", "image", "pdf", "notebook"]

IMAGE_TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
"""Media types of pictures by extension; every other picture is text to this contract."""

_BINARY_EXTENSIONS: Final = frozenset(
    [
        *[".exe", ".dll", ".so", ".dylib", ".class", ".jar", ".bin", ".dat"],
        *[".zip", ".gz", ".tar", ".7z", ".rar"],
        *[".mp3", ".mp4", ".mov", ".avi", ".wav", ".ogg"],
        *[".woff", ".woff2", ".ttf", ".otf"],
    ]
)
_DEVICES: Final = frozenset(
    f"/dev/{name}"
    for name in [
        *["zero", "random", "urandom", "full", "tty", "console"],
        *["stdin", "stdout", "stderr", "fd/0", "fd/1", "fd/2"],
    ]
)
_STANDARD_STREAMS: Final = ("/fd/0", "/fd/1", "/fd/2")
_DOS_NAMES: Final = frozenset(
    ["CON", "PRN", "AUX", "NUL"] + [f"{port}{number}" for port in ("COM", "LPT") for number in range(1, 10)]
)
_DOS_DEVICE: Final = re.compile(r"PHYSICALDRIVE[0-9]+|[A-Z]:")


def kind_of(path: str) -> Kind:
    """Tell a file's kind by its extension."""
    extension = extension_of(path)
    if extension in IMAGE_TYPES:
        return "image"
    if extension == ".pdf":
        return "pdf"
    return "notebook" if extension == ".ipynb" else "text"


def extension_of(path: str) -> str:
    """Give the extension in small letters, with its dot; a name that begins with its only dot has none."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def has_binary_extension(path: str) -> bool:
    """Tell whether the extension is one of those that are never read."""
    return extension_of(path) in _BINARY_EXTENSIONS


def is_blocked_device(path: str) -> bool:
    """Tell whether an absolute path is a device that blocks or never ends.

    Names of DOS devices count in every folder and with any extension, on every system: `aux.rs` is one.
    """
    if path in _DEVICES or (path.startswith("/proc/") and path.endswith(_STANDARD_STREAMS)):
        return True
    if path.startswith(("\\\\.\\", "\\\\?\\")):
        device = re.split(r"[\\/]", path[4:], maxsplit=1)[0].upper()
        if _DOS_DEVICE.fullmatch(device) or device in _DOS_NAMES:
            return True
    name = path.rpartition("/")[2]
    stem = name.rpartition(".")[0] if "." in name else name
    return stem.upper() in _DOS_NAMES
