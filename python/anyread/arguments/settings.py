"""Checks of settings in a host's code: a wrong type raises `TypeError`, a wrong value `ValueError`.

The arguments of a read come from models; `request.py` checks them, with hints for the model.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

LARGEST = 2**53 - 1
"""The largest integer that JSON and JavaScript carry exactly; no file has as many lines."""
LEAST_BYTES = 128
"""The least bytes of text that a page shows of a part that `next` continues, so that each page advances."""


def require_count(name: str, value: object, *, least: int = 1, most: int = LARGEST) -> None:
    """Require an integer within bounds."""
    reason = f"must be an integer of {least:,} or more"
    if most != LARGEST:
        reason = f"must be an integer from {least:,} to {most:,}"
    # Not `isinstance`, which accepts booleans: `max_lines=True` is a mistake.
    if type(value) is not int:
        raise TypeError(f"{name} {reason}: {literal(value)}")
    if not least <= value <= most:
        raise ValueError(f"{name} {reason}: {literal(value)}")


def require_seconds(name: str, value: object) -> None:
    """Require a time above 0 and below 32 years."""
    reason = f"{name} must be a number of seconds above 0: {literal(value)}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(reason)
    if not 0 < value < 1e9:
        raise ValueError(reason)


def require_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Require one of several names or booleans."""
    accepted = " or ".join(map(repr, choices))
    if type(value) not in {type(choice) for choice in choices}:
        raise TypeError(f"{name} must be {accepted}: {literal(value)}")
    if value not in choices:
        raise ValueError(f"{name} must be {accepted}: {literal(value)}")


def require_type(name: str, value: object, expected: type, example: str) -> None:
    """Require an instance of a class; the message has an example of how to create one."""
    if not isinstance(value, expected):
        article = "an" if expected.__name__[0] in "AEIOUaeiou" else "a"
        raise TypeError(f"{name} must be {article} {expected.__name__}, such as {example}: {literal(value)}")


def require_texts(name: str, values: object) -> tuple[str, ...]:
    """Require a list of strings; a single string would count as a list of its characters."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list of strings: {literal(values)}")
    texts = tuple(values)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a list of strings: it contains {literal(text)}")
    return texts


def literal(value: Any, *, is_text: bool = False) -> str:
    """Return a refused value as Python code, shortened to at most 80 characters.

    Args:
        value: The value.
        is_text: Whether the argument takes text, which is then shown without quotes.
    """
    # The repr of a huge integer raises an error (sys.set_int_max_str_digits).
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length():,} bits"
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        # It contains a huge integer, or is a deep list.
        return f"a {type(value).__name__} that is too large to show"
    if is_text and isinstance(value, str):
        text = text[1:-1].strip() or text
    return text if len(text) <= 80 else f"{text[:79]}…"
