"""Checks of what a host sets in code: a wrong type raises `TypeError` at once, a wrong value `ValueError`.

Arguments of a read come from models, and are checked with hints for them in `arguments.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

LARGEST_COUNT = 2**53 - 1


def require_count(name: str, value: object, *, least: int = 1, most: int = LARGEST_COUNT) -> None:
    """Require an integer within bounds."""
    reason = f"must be an integer of {least:,} or more"
    if most != LARGEST_COUNT:
        reason = f"must be an integer from {least:,} to {most:,}"
    # A boolean is an int to isinstance, and `max_lines=True` is a mistake.
    if type(value) is not int:
        raise TypeError(f"{name} {reason}: {value!r}")
    if not least <= value <= most:
        raise ValueError(f"{name} {reason}: {value!r}")


def require_seconds(name: str, value: object) -> None:
    """Require a time above 0 and below 32 years."""
    reason = f"{name} must be a number of seconds above 0: {value!r}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(reason)
    if not 0 < value < 1e9:
        raise ValueError(reason)


def require_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Require one of some names or booleans."""
    accepted = " or ".join(map(repr, choices))
    if type(value) not in {type(choice) for choice in choices}:
        raise TypeError(f"{name} must be {accepted}: {value!r}")
    if value not in choices:
        raise ValueError(f"{name} must be {accepted}: {value!r}")


def require_type(name: str, value: object, expected: type, example: str) -> None:
    """Require an instance of a class, with an example of how to make one."""
    if not isinstance(value, expected):
        article = "an" if expected.__name__[0] in "AEIOUaeiou" else "a"
        raise TypeError(f"{name} must be {article} {expected.__name__}, such as {example}: {value!r}")


def require_texts(name: str, values: object) -> tuple[str, ...]:
    """Require a list of texts; one text alone would count as its characters."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list of texts: {values!r}")
    texts = tuple(values)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a list of texts: it holds {text!r}")
    return texts
