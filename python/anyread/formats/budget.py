"""How a page that is made of parts is cut to its budgets: pages of a PDF, cells of a notebook, several files.

The rule is that of text, which the core cuts (docs/design/004-footer-and-budgets.md). Parts are added while
they fit. If something is left out, parts are removed from the end until the footer fits with the rest. Only
the first part is cut. A budget counts all tokens that the model receives, those of texts
and images, and all bytes of text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from anyread._native import FOOTER_BYTES, FOOTER_TOKENS, LEAST_FOOTERS, count_tokens
from anyread.arguments.settings import LARGEST
from anyread.errors import OverBudgetError
from anyread.results.notices import make_notice

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyread.arguments.limits import Limits
    from anyread.results.notices import Notice


class Cost(NamedTuple):
    """The cost of what a model receives, or the most that it may cost."""

    bytes: int
    """Bytes of text in UTF-8."""
    tokens: int
    """Tokens of texts and images."""

    def plus(self, other: Cost) -> Cost:
        """Add another cost."""
        return Cost(self.bytes + other.bytes, self.tokens + other.tokens)

    def minus(self, other: Cost) -> Cost:
        """Subtract another cost; what is left may be nothing, but not less."""
        return Cost(max(0, self.bytes - other.bytes), max(0, self.tokens - other.tokens))

    def at_least(self, number: int) -> Cost:
        """Return a cost that has at least so many bytes and tokens."""
        return Cost(max(number, self.bytes), max(number, self.tokens))

    def is_within(self, most: Cost) -> bool:
        """Return whether it is at most another cost, in bytes and in tokens."""
        return self.bytes <= most.bytes and self.tokens <= most.tokens


FOOTER = Cost(FOOTER_BYTES, FOOTER_TOKENS)
"""The room that is kept for a footer before its numbers are known."""
_BETWEEN = " · "
_NEXT = "next: "
_LONG_FOOTER = (
    f"\n\n[page 1,000 of 3,000, characters 10,001-20,000 of 30,000{_BETWEEN}{_NEXT}pages=3000, column=20001]"
)
"""A long footer, of which a function of the host counts the tokens."""


@dataclass(frozen=True)
class Budget:
    """The most that a page may cost, and how its tokens are counted."""

    most: Cost
    tokenizer: str | Callable[[str], int] | None

    @classmethod
    def of(cls, limits: Limits, token_factor: float) -> Budget:
        """Return the budget of a page for a model with this factor."""
        limits = limits.in_estimated_tokens(token_factor)
        return cls(Cost(limits.max_bytes, limits.max_tokens), limits.tokenizer)

    @classmethod
    def shared(
        cls, limits: Limits, token_factor: float, *, max_bytes: int | None, max_tokens: int | None
    ) -> Budget:
        """Return a budget for several pages; `None`: not limited."""
        tokens = max_tokens or LARGEST
        if max_tokens is not None and limits.tokenizer is None:
            tokens = max(1, int(tokens / token_factor))
        return cls(Cost(max_bytes or LARGEST, tokens), limits.tokenizer)

    @cached_property
    def footer(self) -> Cost:
        """The room for a footer; none in a small budget, as in the core, because the caller has `next`."""
        is_counted = callable(self.tokenizer) and self.most.tokens < LARGEST
        tokens = max(FOOTER.tokens, self.count(_LONG_FOOTER)) if is_counted else FOOTER.tokens
        least = Cost(LEAST_FOOTERS * FOOTER.bytes, LEAST_FOOTERS * tokens)
        return Cost(FOOTER.bytes, tokens) if least.is_within(self.most) else Cost(0, 0)

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        return self.tokenizer(text) if callable(self.tokenizer) else count_tokens(text, self.tokenizer)

    def cost(self, text: str, image_tokens: int = 0) -> Cost:
        """Return the cost of a text, and of images with so many tokens."""
        return Cost(text_bytes(text), self.count(text) + image_tokens)

    def refusal(self, used: Cost, *, path: str, largest_limit: int, of: str, first: int) -> OverBudgetError:
        """Return the error for a page that would cost so much; the other arguments are those of the error."""
        count, budget, unit = _worst(used, self.most)
        return OverBudgetError(
            path, used=count, budget=budget, unit=unit, largest_limit=largest_limit, of=of, first=first
        )

    def notices(self, used: Cost) -> list[Notice]:
        """Return a notice if the least that a page shows is over the budget."""
        if used.is_within(self.most):
            return []
        count, budget, unit = _worst(used, self.most)
        return [make_notice("over_budget", used=count, budget=budget, unit=unit)]


def _worst(used: Cost, most: Cost) -> tuple[int, int, str]:
    """Return what is exceeded: the cost, the budget, and the unit."""
    if used.bytes > most.bytes:
        return used.bytes, most.bytes, "bytes"
    return used.tokens, most.tokens, "tokens"


def footer_line(*clauses: str) -> str:
    """Return the line that says what is left out; `page/footer.rs` of the core writes that of a text."""
    return f"[{_BETWEEN.join(clauses)}]"


def next_clause(arguments: str) -> str:
    """Return the last clause of a footer: the arguments of the next call."""
    return f"{_NEXT}{arguments}"


def without_next(footer: str) -> str:
    """Return what a footer, also that of a text, says before its `next_clause`; without brackets."""
    return footer[1:-1].partition(f"{_BETWEEN}{_NEXT}")[0]


def text_bytes(text: str) -> int:
    """Return the number of bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())
