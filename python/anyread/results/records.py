"""The result of reading JSON by its records, or a value inside of it.

Loaded when the first one is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from anyread import values

from .blocks import Block  # noqa: F401 - the names of inherited fields
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import Continuation  # noqa: F401 - the name of an inherited field
from .parts import PartsPage

Value: TypeAlias = Literal["records", "list", "object", "string", "scalar"]
"""What an address leads to."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class JsonRecord(values.Value):
    """One record, one entry of a list or an object, or one line of a string."""

    number: int
    """Its number, counted from 1; in JSON Lines that of its line."""
    name: str | None
    """The key of an entry of an object, as an address writes it (`~0` for `~`, `~1` for `/`); else `None`."""
    text: str
    """The value as shown: its source without blanks, or a line of a string."""
    is_clipped: bool = False
    """Whether some of it is left out."""
    wrong_at: int | None = None
    """The character at which it is not JSON, counted from 1; `None` if it is."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RecordsPage(PartsPage):
    """JSON records, or what an address in the file leads to."""

    kind: ClassVar[Literal["records"]] = "records"
    facts_of_kind: ClassVar[tuple[str, ...]] = (*PartsPage.facts_of_kind, "form", "at", "value")
    unit: ClassVar[tuple[str, str]] = ("record", "records")

    form: Literal["lines", "list", "sequence"] = "lines"
    """How the records of the file follow one another: one on each line, as items of a list, or one after
    another, which a file with a single value is too."""
    at: str = ""
    """The address that was read; empty: the whole file."""
    value: Value = "records"
    """What is there."""
    records: tuple[JsonRecord, ...] = ()
    """What is shown."""
