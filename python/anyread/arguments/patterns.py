"""Patterns that `find` looks for, compiled once."""

from __future__ import annotations

from functools import lru_cache

from anyread._native import Pattern

MOST_HITS = 20
"""How many hits a page shows if the call does not say."""
_REASONS = {
    "too_long": "at most 10,000 characters",
    "too_large": "a smaller expression: this one needs more than 8 MiB",
    "empty": "an expression that does not match the empty text",
    "line_end": "an expression that does not need the end of a line: no hit is longer than a line",
    "look_around": "an expression without look-around, because it is not supported",
    "back_reference": "an expression without back-references, because they are not supported",
}


def _is_empty(text: str) -> bool:
    """Return whether a pattern matches the empty text."""
    try:
        Pattern(text)
    except ValueError as error:
        return bool(error.args[0] == "empty")
    return False


@lru_cache(64)
def compiled(text: str) -> tuple[Pattern, Pattern | None]:
    """Return a pattern, and the same letters as they are if they may mean something else as an expression.

    Raises:
        ValueError: It cannot be used; the argument says what is accepted.
    """
    try:
        # Without a letter or a digit, such as `||` or `()`, it can only be meant as it is.
        pattern = Pattern(text, literal=not any(letter.isalnum() for letter in text) and _is_empty(text))
    except ValueError as error:
        code, detail = error.args
        raise ValueError(
            _REASONS[code] + (f" (`{detail}`)" if detail and code != "too_long" else "")
        ) from None
    # What has these letters matches the expression, too, as of `error|warning`.
    is_same = pattern.is_literal or pattern.find(text) == (0, len(text))
    return pattern, None if is_same else Pattern(text, literal=True)
