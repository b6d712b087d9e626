"""The refusals of a decoder, which the host converts to errors."""

from __future__ import annotations

from typing import Any


class RefusalError(Exception):
    """The decoder cannot return a result.

    Args:
        header: The header of the response to the host.
        is_doubtful: Whether decoding failed, after which a new process is safer.
    """

    def __init__(self, header: dict[str, Any], *, is_doubtful: bool = False) -> None:
        super().__init__(header)
        self.header = header
        self.is_doubtful = is_doubtful

    @classmethod
    def damaged(cls, reason: str) -> RefusalError:
        """Report damage; `reason` is a clause."""
        return cls({"error": "damaged", "reason": _tidy(reason)}, is_doubtful=True)

    @classmethod
    def too_large(cls, size: int, maximum: int, unit: str) -> RefusalError:
        """Report a size over a limit."""
        return cls({"error": "too_large", "size": size, "maximum": maximum, "unit": unit})

    @classmethod
    def password(cls) -> RefusalError:
        """Report that none of the passwords opens the file."""
        return cls({"error": "password"})

    @classmethod
    def unsupported(cls) -> RefusalError:
        """Report that the file uses a feature that is not supported, but is not known to be damaged."""
        return cls({"error": "unsupported"})

    @classmethod
    def pages(cls, page: int, count: int) -> RefusalError:
        """Report that the file has `count` pages and not the requested one."""
        return cls({"error": "pages", "page": page, "pages": count})

    @classmethod
    def region(cls, width: int, height: int) -> RefusalError:
        """Report that the region is outside of an image or page of that size."""
        return cls({"error": "region", "width": width, "height": height})


def _tidy(reason: str) -> str:
    """Shorten a library's message to a clause."""
    line = (reason.splitlines() or [""])[0].strip().rstrip(".")
    shown = "".join(character if character.isprintable() else " " for character in line)
    return shown[:200] or "it cannot be decoded"
