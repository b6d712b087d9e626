"""Rules: what they have in common, and the list of all of them."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from .trial import Trial

RuleCheck: TypeAlias = "Callable[[Trial], None]"
RuleKind: TypeAlias = Literal["line", "range", "growth", "encoding", "path", "hang", "image", "budget"]
KINDS: tuple[RuleKind, ...] = ("line", "range", "growth", "encoding", "path", "hang", "image", "budget")
"""The kinds of rules, in the order of reports."""


@dataclass(frozen=True, slots=True)
class ConformanceRule:
    """One rule, which a function checks."""

    name: str
    """Its name, for `--rule`."""
    kind: RuleKind
    """What it is about."""
    rows: tuple[int, ...]
    """The rows of docs/catalogue.md with these inputs; empty if there is none."""
    check: RuleCheck
    """Returns if the reader keeps the rule."""

    @property
    def statement(self) -> str:
        """The rule in one sentence."""
        return (inspect.getdoc(self.check) or "").partition("\n")[0]

    @property
    def reason(self) -> str:
        """Why it matters to a model."""
        return " ".join((inspect.getdoc(self.check) or "").partition("\n")[2].split())


RULES: dict[str, ConformanceRule] = {}
"""All rules by name; complete after `anyread_conformance.rules` has been imported."""


def rule(
    name: str, kind: RuleKind, *rows: int
) -> Callable[[Callable[[Trial], None]], Callable[[Trial], None]]:
    """Add a function to the rules.

    Args:
        name: The name of the rule.
        kind: Its kind.
        *rows: The rows of docs/catalogue.md that describe its input.

    Returns:
        A decorator that leaves the function unchanged.
    """

    def add(check: RuleCheck) -> RuleCheck:
        if name in RULES:
            raise ValueError(f"there are two rules named `{name}`")
        RULES[name] = ConformanceRule(name, kind, rows, check)
        return check

    return add
