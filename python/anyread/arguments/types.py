"""The types of the arguments of a read: what each accepts from programs and from models."""
# ruff: noqa: D102 - `ArgumentType` documents the methods of all types

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, Literal, TypeAlias

from anyread.errors import BadArgumentError
from anyread.kinds import BY_KIND

from .gutter import Gutter
from .paths import AnyPath, displayed
from .settings import LARGEST, literal

Kind: TypeAlias = Literal[
    "text", "image", "pdf", "notebook", "sheet", "document", "slides", "records", "directory"
]
"""The kinds of files."""
KINDS: tuple[str, ...] = tuple(BY_KIND)
KINDS_LISTED = ", ".join(f'"{kind}"' for kind in KINDS)

VALUES = ("shown", "raw", "formulas")
"""What is shown of the cells of a workbook."""

MOST_RANGES = 256
"""The maximum number of ranges in one call."""

MOST_ADDRESS = 4_096
"""The maximum number of characters of an address."""

# `re` compiles it on first use, and most processes never use it.
_MEDIA_TYPE = r"[A-Za-z]+/[A-Za-z0-9][A-Za-z0-9.+-]*"


class ArgumentType(ABC):
    """The declaration of one argument.

    Args:
        description: What it does, as a clause.
        default: The value if it is omitted.
        default_means: What omitting it means, if that is more than the default value.
        is_ignored: Whether files of other kinds ignore it, because one call may read several kinds.
        is_repeated: Whether the next call repeats it.
        is_for_models: Whether a model may pass it.
    """

    accepted: str
    """What is accepted, worded to follow "must be"."""
    is_text: bool = False
    """Whether it accepts a string, which an error shows without quotes."""
    neutral: str = ""
    """Values in a model's call that count as omitted, as listed in the description."""

    def __init__(
        self,
        description: str,
        *,
        default: object = None,
        default_means: str = "",
        is_ignored: bool = False,
        is_repeated: bool = False,
        is_for_models: bool = True,
    ) -> None:
        self.name = ""
        self.description = description
        self.default: object = default
        self.default_means = default_means
        self.kinds: frozenset[str] = frozenset()
        """The kinds of files that accept it, as the formats declare; other files refuse it."""
        self.is_ignored: bool = is_ignored
        self.is_repeated: bool = is_repeated
        self.is_for_models: bool = is_for_models

    @abstractmethod
    def checked(self, path: AnyPath, value: Any) -> Any:
        """Return a value as the core accepts it.

        Raises:
            BadArgumentError: The value is invalid for every file.
        """

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of its type."""

    def described(self) -> dict[str, Any]:
        """Return its JSON schema with its description and the meaning of omitting it."""
        text = f"{self.description[0].upper()}{self.description[1:]}"
        default_means = self.default_means or (str(self.default) if self.default is not None else "")
        if default_means:
            text += f"; {self.neutral or 'default'}: {default_means}"
        return {**self.schema(), "description": text}

    def is_neutral(self, value: object) -> bool:
        """Return whether a model's value counts as omitted; strict schemas make models pass such values."""
        return value is None or (isinstance(value, str) and not value.strip())

    def lenient(self, value: object) -> object:
        """Convert a model's value to the intended type; the check refuses all others."""
        return value

    def refusal(self, path: AnyPath, value: object, reason: str | None = None) -> BadArgumentError:
        """Return the error for a value; `reason` is what is accepted, if that depends on the value."""
        value = literal(value, is_text=self.is_text)
        return BadArgumentError(
            displayed(path), argument=self.name, value=value, reason=reason or self.accepted
        )


class Integer(ArgumentType):
    """An integer of `least` or more."""

    def __init__(self, description: str, *, least: int, zero_means: int | None = None, **facts: Any) -> None:
        super().__init__(description, **facts)
        self.least = least
        self.zero_means = zero_means
        """What 0 counts as; `None`: 0 is refused."""
        shown_least = 1 if least == 0 else least
        self.accepted = f"an integer from {shown_least:,} to {LARGEST:,}"
        if self.default is None:
            self.accepted += ", or None"
            self.neutral = "0"

    def checked(self, path: AnyPath, value: Any) -> int | None:
        if type(value) is int and self.least <= value <= LARGEST:
            return value or self.zero_means
        if value is None and self.default is None:
            return None
        raise self.refusal(path, value)

    def schema(self) -> dict[str, Any]:
        return {"type": "integer"} if self.least < 0 else {"type": "integer", "minimum": 0}

    def is_neutral(self, value: object) -> bool:
        if isinstance(value, str):
            return value.strip() in {"", "0"}
        return value is None or value == 0

    def lenient(self, value: object) -> object:
        return _integer(value)


class PagesArgument(ArgumentType):
    """A page or a range of pages."""

    accepted = 'page numbers from 1: "3", "1-5" or "2-"'
    is_text = True
    neutral = '""'

    def checked(self, path: AnyPath, value: Any) -> str | None:
        if type(value) is int and 1 <= value <= LARGEST:
            return str(value)
        if value is None or value == "":
            return None
        from .page_range import PageRange

        found = PageRange.parse(value) if isinstance(value, str) else None
        if found is None and isinstance(value, str) and value[:1].isalpha() and value.isprintable():
            # It may be the label of a page, which only an opened file tells.
            return value
        if found is None or found.first < 1:
            raise self.refusal(path, value)
        if not found.is_rising:
            rising = f"{found.last or 1}-{found.first}"
            raise self.refusal(path, value, f'in rising order, such as "{rising}"')
        return str(value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "string"}, {"type": "integer"}]}

    def is_neutral(self, value: object) -> bool:
        return super().is_neutral(value) or value == 0

    def lenient(self, value: object) -> object:
        return _integer(value) if isinstance(value, float) else value


class TextArgument(ArgumentType):
    """An argument that is a string."""

    is_text = True

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


class Encoding(TextArgument):
    """The name of an encoding; the core checks whether it exists."""

    accepted = 'the name of an encoding, such as "utf-8" or "cp1252"'
    neutral = '""'

    def checked(self, path: AnyPath, value: Any) -> str | None:
        if value is None or (isinstance(value, str) and value.strip() and _is_well_formed(value)):
            return value
        raise self.refusal(path, value)


class KindOrMediaType(TextArgument):
    """A kind of file or a media type."""

    accepted = f'{KINDS_LISTED} or a media type such as "text/plain"'
    neutral = '""'

    def checked(self, path: AnyPath, value: Any) -> str | None:
        if value is None or (isinstance(value, str) and (value in KINDS or re.fullmatch(_MEDIA_TYPE, value))):
            return value
        raise self.refusal(path, value)


class Address(TextArgument):
    """The address of a value inside a file."""

    accepted = 'an address such as "Orders!B2:F20", "17/output" or "/steps/12"'
    neutral = '""'

    def checked(self, path: AnyPath, value: Any) -> str | None:
        if value is None or (
            isinstance(value, str) and len(value) <= MOST_ADDRESS and _is_well_formed(value)
        ):
            return value or None
        raise self.refusal(path, value)

    def lenient(self, value: object) -> object:
        return str(value) if type(value) is int else value


class FindPattern(TextArgument):
    """A regular expression, or the letters to look for."""

    accepted = "a regular expression, or the letters to look for"
    neutral = '""'

    def checked(self, path: AnyPath, value: Any) -> str | None:
        if value is None or value == "":
            return None
        if not (isinstance(value, str) and _is_well_formed(value)):
            raise self.refusal(path, value)
        from .patterns import compiled

        try:
            compiled(value)
        except ValueError as error:
            raise self.refusal(path, value, str(error)) from None
        return value


class Choice(TextArgument):
    """One of several names."""

    def __init__(self, description: str, *choices: str, **facts: Any) -> None:
        super().__init__(description, **facts)
        self.choices = choices
        self.accepted = " or ".join(f'"{choice}"' for choice in choices)

    def checked(self, path: AnyPath, value: Any) -> str | None:
        if value is None or (isinstance(value, str) and value in self.choices):
            return value
        raise self.refusal(path, value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": [*self.choices]}


class Version(TextArgument):
    """The version of an earlier result."""

    accepted = "the `version` of an earlier result"

    def checked(self, path: AnyPath, value: Any) -> str | None:
        # Every continuation passes a version, and nearly all are ASCII, for which this check is fast.
        if value is None or (isinstance(value, str) and (value.isascii() or _is_well_formed(value))):
            return value
        raise self.refusal(path, value)


class Region(ArgumentType):
    """A rectangle."""

    accepted = "four integers (x, y, width, height)"
    neutral = "[] or zeros"

    def checked(self, path: AnyPath, value: Any) -> tuple[int, int, int, int] | None:
        if value is None:
            return None
        if (
            not isinstance(value, tuple | list)
            or len(value) != 4
            or any(type(edge) is not int or abs(edge) > LARGEST for edge in value)
        ):
            raise self.refusal(path, value)
        x, y, width, height = value
        if width < 1 or height < 1:
            raise self.refusal(path, value, "at least 1 wide and high")
        return x, y, width, height

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "integer"}, "maxItems": 4}

    def is_neutral(self, value: object) -> bool:
        return super().is_neutral(value) or (isinstance(value, list | tuple) and not any(value))

    def lenient(self, value: object) -> object:
        return tuple(map(_integer, value)) if isinstance(value, list | tuple) else value


class Statement(int):
    """A line of which only the statement matters: it is shown with ten lines before and after it."""

    column: int = 1
    """The character that matters; of a line too long to be shown, those around it are shown."""

    @classmethod
    def at(cls, line: int, column: int) -> Statement:
        """Return a line with a column."""
        statement = cls(line)
        statement.column = column
        return statement


class Ranges(ArgumentType):
    """Several ranges, each of a first and a last line, cell or page; or single ones."""

    accepted = "a list of pairs (first, last) or single lines, counted from 1, or from the end if negative"

    def checked(self, path: AnyPath, value: Any) -> tuple[int | tuple[int, int], ...] | None:
        if value is None:
            return None
        if not isinstance(value, tuple | list) or not value:
            raise self.refusal(path, value)
        if len(value) > MOST_RANGES:
            raise self.refusal(path, value, f"at most {MOST_RANGES} ranges; these are {len(value):,}")
        return tuple([self._pair(path, pair) for pair in value])

    def _pair(self, path: AnyPath, pair: Any) -> int | tuple[int, int]:
        if type(pair) is int or isinstance(pair, Statement):
            self._pair(path, (int(pair), int(pair)))
            return pair
        if (
            not isinstance(pair, tuple | list)
            or len(pair) != 2
            or any(type(line) is not int for line in pair)
        ):
            raise self.refusal(path, pair)
        first, last = pair
        if not first or not last:
            raise self.refusal(path, pair, "counted from 1: there is no line 0")
        if max(abs(first), abs(last)) > LARGEST:
            raise self.refusal(path, pair, f"from 1 to {LARGEST:,}")
        # Whether one that begins at the start and ends at the end rises depends on the file.
        if first > last and (first > 0) == (last > 0):
            raise self.refusal(path, pair, f"in rising order, such as ({last}, {first})")
        return first, last

    def is_neutral(self, value: object) -> bool:
        return super().is_neutral(value) or value == []

    def lenient(self, value: object) -> object:
        """Accept lists, and `10-20,80`."""
        if isinstance(value, list):
            return [tuple(each) if isinstance(each, list) else each for each in value]
        if not isinstance(value, str) or not _WRITTEN_RANGES.fullmatch(value):
            return value
        pairs = (each.partition("-") for each in value.split(","))
        return [(int(first), int(last)) if last else int(first) for first, _, last in pairs]

    def schema(self) -> dict[str, Any]:
        pair = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
        return {"type": "array", "items": pair}


_WRITTEN_RANGES = re.compile(r"\s*\d{1,15}(?:\s?-\s?\d{1,15})?(?:,\s?\d{1,15}(?:\s?-\s?\d{1,15})?)*\s*")


class LineNumbers(ArgumentType):
    """A gutter."""

    accepted = "a Gutter, such as Gutter.TAB or Gutter.NONE"

    def checked(self, path: AnyPath, value: Any) -> Gutter | None:
        if value is None or isinstance(value, Gutter):
            return value
        raise self.refusal(path, value)

    def schema(self) -> dict[str, Any]:
        return {"type": "object"}


def _is_well_formed(text: str) -> bool:
    """Return whether a string has no lone surrogates, which UTF-8 cannot encode."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _integer(value: object) -> object:
    """Convert a string or a float that represents an integer to one; return any other value unchanged."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) <= 20:
        try:
            return int(value)
        except ValueError:
            return value
    return value
