"""Texts as Markdown, for notebooks that show a result."""

from __future__ import annotations

import re


def fenced(text: str, language: str = "text") -> str:
    """Enclose a text in a fence that is longer than any fence inside it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
