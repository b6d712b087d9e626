"""The base class of all results: comparison, hash, repr, pickling and JSON, based on their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass
from typing import Any, ClassVar, TypeVar

from ._native import b64encode

_V = TypeVar("_V", bound="Value")
_C = TypeVar("_C", bound=type)

DERIVED: Any = None
"""The default of a field that is derived from other fields unless it is passed."""


class Value:
    """Compare, hash, represent and pickle an object by its fields, in order.

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

    def to_dict(self, *, include_bytes: bool = False) -> dict[str, Any]:
        """Return all fields by name, as JSON values.

        Args:
            include_bytes: Whether to include images and documents as base64; otherwise they are left out.
        """
        named = {name: getattr(self, name) for name in self._names() if not name.startswith("_")}
        values: dict[str, Any] = plain(named, include_bytes=include_bytes)
        return values

    def to_json(self, *, include_bytes: bool = False) -> str:
        """Write all fields as a JSON object on one line.

        Args:
            include_bytes: Whether to include images and documents as base64; otherwise they are left out.
        """
        return dumped(self.to_dict(include_bytes=include_bytes))

    @classmethod
    def _names(cls) -> list[str]:
        # Class variables are among `__dataclass_fields__`; only the slots are fields of an instance.
        return [field.name for field in fields(cls)]

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self._names()])

    def _derive(self, **values: object) -> None:
        """Set the fields that were not passed."""
        for name, value in values.items():
            if getattr(type(self), name).__get__(self) is None:
                object.__setattr__(self, name, value)


class OnFirstUse:
    """A slot whose value is computed when it is first read instead of by the core for every result.

    Args:
        slot: The slot.
        is_made: Returns whether the slot already holds the final value.
        make: Computes the value from the instance and the content of its slot.
    """

    def __init__(self, slot: Any, is_made: Callable[[Any], bool], make: Callable[[Any, Any], object]) -> None:
        self.slot = slot
        self._is_made = is_made
        self._make = make
        self.__doc__ = slot.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            # The core looks up the slot on the class and fills it directly.
            return self.slot
        value = self.slot.__get__(instance)
        if not self._is_made(value):
            value = self._make(instance, value)
            # If two threads compute it at once, they store equal values.
            self.slot.__set__(instance, value)
        return value

    def __set__(self, instance: Any, value: object) -> None:
        self.slot.__set__(instance, value)


def on_first_use(name: str, type_: type, make: Callable[[Any, Any], object]) -> Callable[[_C], _C]:
    """Compute a field of a result when it is first read; until then its slot does not hold a `type_`."""

    def decorated(result: _C) -> _C:
        setattr(result, name, OnFirstUse(getattr(result, name), lambda value: isinstance(value, type_), make))
        return result

    return decorated


def restored(value: type[_V], values: tuple[Any, ...]) -> _V:
    """Make a result from its fields in order, without `__init__`, as the core and pickle do."""
    filled = value.__new__(value)
    for field_, content in zip(fields(value), values, strict=True):
        object.__setattr__(filled, field_.name, content)
    return filled


def replaced(value: _V, **changes: object) -> _V:
    """Copy a result with some fields changed, without computing its lazy fields."""
    kind = type(value)
    return restored(
        kind,
        tuple(
            changes[name] if name in changes else getattr(kind, name).__get__(value)
            for name in kind._names()  # noqa: SLF001 - its own module
        ),
    )


def plain(value: Any, *, include_bytes: bool = False) -> Any:
    """Convert a value to what JSON can represent.

    Args:
        value: A result, an error, or the value of one of their fields.
        include_bytes: Whether to include bytes as base64; otherwise fields of bytes are left out.
    """
    if hasattr(value, "to_dict"):
        return value.to_dict(include_bytes=include_bytes)
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return {
            name: plain(item, include_bytes=include_bytes)
            for name, item in value.items()
            if include_bytes or not isinstance(item, bytes)
        }
    if isinstance(value, tuple | list):
        return [plain(item, include_bytes=include_bytes) for item in value]
    return b64encode(value) if isinstance(value, bytes) else value


def dumped(value: Mapping[str, Any]) -> str:
    """Write a dictionary that `plain` returned as JSON on one line."""
    # Loaded on first use: most readers never write JSON.
    import json

    return json.dumps(value, ensure_ascii=False)
