"""How a decoder refuses a file: in words that the host turns into one of the typed errors."""

from __future__ import annotations

from typing import Any


class RefusalError(Exception):
    """Return why there is no result.

    Args:
        header: The answer that the host gets.
        is_doubtful: Whether a decoder stumbled over the file, after which a new process is safer.
    """

    def __init__(self, header: dict[str, Any], *, is_doubtful: bool = False) -> None:
        super().__init__(header)
        self.header = header
        self.is_doubtful = is_doubtful

    @classmethod
    def damaged(cls, reason: str) -> RefusalError:
        """Describe what is wrong, as a clause."""
        return cls({"error": "damaged", "reason": _tidy(reason)}, is_doubtful=True)

    @classmethod
    def too_large(cls, size: int, maximum: int, unit: str) -> RefusalError:
        """Return how much it is over a limit."""
        return cls({"error": "too_large", "size": size, "maximum": maximum, "unit": unit})

    @classmethod
    def password(cls) -> RefusalError:
        """Say that none of the passwords opens it."""
        return cls({"error": "password"})

    @classmethod
    def unsupported(cls) -> RefusalError:
        """Say that it is sound as far as is known, and of a kind that is not decoded."""
        return cls({"error": "unsupported"})

    @classmethod
    def pages(cls, page: int, count: int) -> RefusalError:
        """Say that there is no such page, and how many there are."""
        return cls({"error": "pages", "page": page, "pages": count})

    @classmethod
    def region(cls, width: int, height: int) -> RefusalError:
        """Say that the region lies outside of the image, and how large that is."""
        return cls({"error": "region", "width": width, "height": height})


def _tidy(reason: str) -> str:
    """Keep the first line of a library's message, short enough for a sentence."""
    line = (reason.splitlines() or [""])[0].strip().rstrip(".")
    shown = "".join(character if character.isprintable() else " " for character in line)
    return shown[:200] or "it cannot be decoded"
