"""Several places in one answer: a heading for each file, what is shown of it, and one footer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .arguments import DEFAULTS
from .budget import Budget, Cost, footer_line, next_clause, without_next
from .errors import OutsideRootError
from .many import ManySync, Separate
from .place_arguments import FilePlace
from .results import Failed, NotShown, TextBlock, Unchanged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .errors import ReadError
    from .reader import Reader
    from .results import Block, Page

_FOOTER_CHARS = 400
"""How much of the places that are not shown the footer names."""


class Burst(NamedTuple):
    """What a call with several places shows."""

    blocks: list[Block]
    pages: list[Page]
    """The pages that are shown."""
    errors: list[ReadError]
    """Why others are not."""
    rest: list[str]
    """The places that are not shown, because the answer is full."""


def read(
    reader: Reader, places: Sequence[str], *, max_tokens: int | None, worded: Callable[[ReadError], str] = str
) -> Burst:
    """Read places and join what is shown of them.

    Args:
        reader: The reader.
        places: The places, such as `a.py:10-20,80`; those of one file are shown where the first is named.
        max_tokens: The tokens of the whole answer, if they are fewer than the reader's.
        worded: Returns the text of an error.
    """
    limits = reader.limits.lowered(max_tokens=max_tokens, max_bytes=None)
    answer = _Answer(Budget.of(limits, reader.model.token_factor), worded)
    for result in ManySync(reader.engine, **reader.many_written(places, DEFAULTS, answer)):
        answer.add(result)
    return answer.end()


class _Answer(Separate):
    """Results that are written one below the other."""

    must_advance = True
    ends_when_full = True

    def __init__(self, budget: Budget, worded: Callable[[ReadError], str]) -> None:
        sample = _footer([f"directory/file-{number}.py:1,000-2,000" for number in range(64)])
        footer = budget.cost(f"\n\n{sample}")
        least = Cost(2 * footer.bytes, 2 * footer.tokens)
        self.footer = footer if least.is_within(budget.most) else Cost(0, 0)
        super().__init__(Budget(budget.most.minus(self.footer), budget.tokenizer))
        self.worded = worded
        self.burst = Burst([], [], [], [])
        self.outside: list[str] = []
        self._last: tuple[Page | None, Cost, list[str | Block]] = (None, Cost(0, 0), [])
        """The page whose cost was asked for last."""

    def cost(self, page: Page) -> Cost:
        """Return the cost of a page with its heading and notices."""
        if self._last[0] is not page:
            pieces = self.pieces(page)
            text = "\n\n" + "\n".join(piece for piece in pieces if isinstance(piece, str))
            images = 0
            if page.kind != "text":
                images = max(0, page.token_estimate - self.budget.count(page.text))
            self._last = page, self.budget.cost(text, images), pieces
        return self._last[1]

    def cost_of_error(self, failed: Failed) -> Cost:
        """Return the cost of an error."""
        return self.budget.cost("\n\n" + self.error_text(failed))

    def error_text(self, failed: Failed) -> str:
        return f"==> {failed.path} <==\n{self.worded(failed.error)}"

    def pieces(self, page: Page) -> list[str | Block]:
        """Return what is shown of a page: its heading, texts and images."""
        footer = getattr(page, "footer", "")
        about = without_next(footer) if footer else ""
        notices = "".join(f"\n[notice: {notice.message}]" for notice in page.notices)
        pieces: list[str | Block] = [f"==> {page.path}{' · ' if about else ''}{about} <=={notices}"]
        for block in page.blocks:
            if not isinstance(block, TextBlock):
                pieces.append(block)
            elif text := block.text.removesuffix(footer).rstrip("\n"):
                pieces.append(text)
        return pieces

    def add(self, result: object) -> None:
        """Write a result."""
        if isinstance(result, NotShown):
            self.burst.rest.append(str(FilePlace.of_next(result.path, result.next)))
        elif isinstance(result, Failed):
            self.burst.errors.append(result.error)
            if isinstance(result.error, OutsideRootError):
                self.outside.append(result.path)
            else:
                self.append(self.error_text(result), "\n\n")
        elif not isinstance(result, Unchanged):
            page: Page = result  # type: ignore[assignment] # there is nothing else
            between = "\n\n"
            for piece in self._last[2] if self._last[0] is page else self.pieces(page):
                if isinstance(piece, str):
                    self.append(piece, between)
                else:
                    self.burst.blocks.append(piece)
                between = "\n"
            self.burst.pages.append(page)
            if page.next is not None:
                self.burst.rest.append(str(FilePlace.of_next(page.path, page.next)))

    def append(self, text: str, between: str) -> None:
        blocks = self.burst.blocks
        last = blocks[-1] if blocks else None
        if isinstance(last, TextBlock):
            blocks[-1] = TextBlock(f"{last.text}{between}{text}")
        else:
            blocks.append(TextBlock(text))

    def end(self) -> Burst:
        if self.outside:
            self.append(f"[outside the directories that may be read: {_listed(self.outside)}]", "\n\n")
        if self.burst.rest:
            self.end_with(_footer(self.burst.rest), "[the answer is full]")
        return self.burst

    def end_with(self, *footers: str) -> None:
        """Write the first footer for which there is room; a small budget may have none."""
        text = "".join(block.text for block in self.burst.blocks if isinstance(block, TextBlock))
        for footer in footers:
            if any(self.footer) or self.budget.cost(f"{text}\n\n{footer}").is_within(self.budget.most):
                self.append(footer, "\n\n")
                return


def _footer(rest: Sequence[str]) -> str:
    return footer_line("the answer is full", next_clause(f"places=[{_listed(rest)}]"))


def _listed(texts: Sequence[str]) -> str:
    named: list[str] = []
    for text in texts:
        named.append(f'"{text}"')
        if named[1:] and sum(map(len, named)) > _FOOTER_CHARS:
            named.pop()
            break
    more = f" and {len(texts) - len(named):,} more" if len(named) < len(texts) else ""
    return ", ".join(named) + more
