"""Layouts of windows that several contracts have."""

from __future__ import annotations

from typing import Any, Literal

from anyread._native import Layout


def cut_after(
    budget: int | None, unit: Literal["bytes", "chars", "utf16"], clip: int | None, **more: Any
) -> Layout:
    """Create a layout of lines up to the one that exceeds a budget of text, which need not be complete.

    Args:
        budget: The budget; `None`: any number of units.
        unit: The unit of the budget and of `clip`.
        clip: How much of a line is kept.
        more: Further arguments of the layout.
    """
    options: dict[str, Any] = {"budget_of": "text", "over_budget": "after", **more}
    return Layout(budget=budget, budget_unit=unit, clip_unit=unit, clip_length=clip, **options)
