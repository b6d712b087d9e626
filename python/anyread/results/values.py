"""What all results share: they are compared, hashed, shown and pickled by their fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, fields
from typing import Any, ClassVar, TypeVar

_V = TypeVar("_V", bound="Value")


class Value:
    """Compare, hash, show and pickle by the fields in order.

    A dataclass would compile these methods again for each class, which is half of its cost at import.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value) or type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._names())
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Callable[..., Value], tuple[Any, ...]]:
        return restored, (type(self), self._values())

    @classmethod
    def _names(cls) -> list[str]:
        # Class variables are among `__dataclass_fields__`; only the slots are fields of an instance.
        return [field.name for field in fields(cls)]

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self._names()])


def restored(value: type[_V], values: tuple[Any, ...]) -> _V:
    """Make a result of its fields in order, without `__init__`, as the core does and as pickle needs."""
    filled = value.__new__(value)
    for field_, content in zip(fields(value), values, strict=True):
        object.__setattr__(filled, field_.name, content)
    return filled


def replaced(value: _V, **changes: object) -> _V:
    """Copy a result with some fields changed; what it makes on first use is not made for that."""
    names = value._names()  # noqa: SLF001 - its own module
    return restored(type(value), tuple(changes.get(name, getattr(value, name)) for name in names))
