"""Several places in one answer: a heading for each file, what is shown of it, and one footer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from anyread.arguments.paths import displayed
from anyread.arguments.places import FilePlace
from anyread.arguments.request import DEFAULTS
from anyread.errors import NoSuchNameError, OutsideRootError
from anyread.errors.base import Argument, escaped_path
from anyread.formats.budget import Budget, Cost, footer_line, next_clause, without_next
from anyread.reading.many import ManySync, Separate
from anyread.results import BasePage, Failed, NotShown, TextBlock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anyread.reader import Reader
    from anyread.reading.many import ManyResult
    from anyread.results import Block, Page
    from anyread.results.notices import Notice

_FOOTER_CHARS = 400
"""How much of the places that are not shown the footer names."""


class Answer(NamedTuple):
    """What a call with several places shows."""

    blocks: list[Block]
    pages: list[Page]
    """The pages that are shown."""
    failed: list[Failed]
    """Those that cannot be read."""
    rest: list[str]
    """The places that are not shown, because the answer is full."""


def read(
    reader: Reader,
    places: Sequence[str],
    *,
    below: str = "",
    cwd: str = "",
    max_tokens: int | None,
    since: Mapping[str, str],
) -> Answer:
    """Read places and join what is shown of them.

    Args:
        reader: The reader.
        places: The places, such as `a.py:10-20,80`; those of one file are shown where the first is named.
        below: The directory to which they are relative; empty: as for the reader.
        cwd: The directory to which the paths in headings are relative.
        max_tokens: The tokens of the whole answer, if they are fewer than the reader's.
        since: The versions of the files for which some of the places were chosen.
    """
    limits = reader.limits.lowered(max_tokens=max_tokens, max_bytes=None)
    writing = _Together(Budget.of(limits, reader.model.token_factor), cwd)
    found = reader.many_written(places, DEFAULTS, writing, below=below, since=since)
    for result in ManySync(reader.engine, **found):
        writing.add(result)
    return writing.end()


class _Together(Separate):
    """Results that are written one below the other: all that the model receives is paid for."""

    is_one_answer = True

    def __init__(self, budget: Budget, cwd: str) -> None:
        self._cwd = f"{displayed(cwd)}/" if cwd else ""
        self.footer = Cost(0, 0)
        """The room that is kept for the last line; none in a small budget."""
        for chars, part in ((_FOOTER_CHARS, 10), (0, 2)):
            sample = _footer([f"directory/file-{number}.py:1000@1000-2000" for number in range(64)], chars)
            footer = budget.cost(f"\n\n{sample}")
            if Cost(part * footer.bytes, part * footer.tokens).is_within(budget.most):
                self.footer = footer
                break
        super().__init__(Budget(budget.most.minus(self.footer), budget.tokenizer))
        self.answer = Answer([], [], [], [])
        self.outside: list[str] = []
        self.image_tokens = 0
        """The tokens of the images that are shown."""
        self._costed: tuple[Page | None, Cost, list[str | Block], int] = (None, Cost(0, 0), [], 0)
        """The page of which the cost was requested last, its cost, pieces and image tokens."""

    def cost(self, page: Page) -> Cost:
        """Return the cost of a page with its heading and notices."""
        return self._with_pieces(page)[1]

    def _with_pieces(self, page: Page) -> tuple[Page | None, Cost, list[str | Block], int]:
        if self._costed[0] is not page:
            pieces = self._pieces(page)
            text = "\n\n" + "\n".join(piece for piece in pieces if isinstance(piece, str))
            images = 0 if page.kind == "text" else page.token_estimate - self.budget.count(page.text)
            images = max(0, images)
            # Estimates of parts may add up to a little less than that of the whole.
            self._costed = page, self.budget.cost(text, images + 1), pieces, images
        return self._costed

    def cost_of_error(self, failed: Failed) -> Cost:
        """Return the cost of an error."""
        return self.budget.cost(f"\n\n{self._error_text(failed)}")

    def add(self, result: ManyResult) -> None:
        """Write a result."""
        if isinstance(result, NotShown):
            self.answer.rest.append(str(FilePlace.of_next(result.path, result.next)))
        elif isinstance(result, Failed):
            self.answer.failed.append(result)
            if isinstance(result.error, OutsideRootError):
                self.outside.append(result.path)
            else:
                self._append(self._error_text(result), "\n\n")
        elif isinstance(result, BasePage):
            self._add_page(result)

    def _add_page(self, page: Page) -> None:
        between = "\n\n"
        _, _, pieces, image_tokens = self._with_pieces(page)
        self.image_tokens += image_tokens
        for piece in pieces:
            if isinstance(piece, str):
                self._append(piece, between)
            else:
                self.answer.blocks.append(piece)
            between = "\n"
        self.answer.pages.append(page)
        if page.next is not None:
            self.answer.rest.append(str(FilePlace.of_next(page.path, page.next)))

    def _error_text(self, failed: Failed) -> str:
        return f"{self._heading(failed.path)}\n{failed.error.message}\nhint: {hint_of(failed)}"

    def _heading(self, path: str, *about: str) -> str:
        name = path.removeprefix(self._cwd) or path
        return f"==> {' · '.join([escaped_path(name), *filter(None, about)])} <=="

    def _pieces(self, page: Page) -> list[str | Block]:
        """Return what is shown of a page: its heading, texts and images."""
        about = [without_next(page.footer) if page.footer else ""]
        notices = []
        for notice in page.notices:
            if notice.code == "text_only":
                # Places show no images of pages.
                about.append("as text")
            # Only this class knows the budget of the whole answer.
            elif notice.code != "over_budget" and not is_in_footer(notice, page):
                notices.append(f"[notice: {notice.message}]")
        pieces: list[str | Block] = ["\n".join([self._heading(page.path, *about), *notices])]
        for block in page.blocks:
            if not isinstance(block, TextBlock):
                pieces.append(block)
            elif text := block.text.removesuffix(page.footer).rstrip("\n"):
                pieces.append(text)
        return pieces

    def _append(self, text: str, between: str) -> None:
        blocks = self.answer.blocks
        last = blocks[-1] if blocks else None
        if isinstance(last, TextBlock):
            blocks[-1] = TextBlock(f"{last.text}{between}{text}")
        else:
            blocks.append(TextBlock(text))

    def end(self) -> Answer:
        """Write what is left to say, and return the answer."""
        if self.outside:
            self._append(f"[outside the directories that may be read: {_listed(self.outside)}]", "\n\n")
        if self.answer.rest:
            text = "".join(block.text for block in self.answer.blocks if isinstance(block, TextBlock))
            most = self.budget.most.plus(self.footer)
            for footer in (
                _footer(self.answer.rest, _FOOTER_CHARS),
                _footer(self.answer.rest, 0),
                footer_line("the answer is full"),
            ):
                # A small budget may have no room for it.
                if self.budget.cost(f"{text}\n\n{footer}", self.image_tokens).is_within(most):
                    self._append(footer, "\n\n")
                    break
        return self.answer


def hint_of(failed: Failed) -> str:
    """Return the hint of an error; what a place cannot say is written as a call with `path`."""
    at = "" if isinstance(failed.error, NoSuchNameError) else failed.at
    place = FilePlace(failed.path, at=at)

    def spelled(argument: Argument) -> str:
        name, value = argument.name, argument.value
        if value is None:
            return "the lines" if name == "ranges" else name
        if name == "offset" and isinstance(value, int):
            return f'"{place}:{value}{"-" if value > 0 else ""}"'
        if name == "pages":
            return f'"{failed.path}:{value}"'
        written = f"{name}={list(value)}" if isinstance(value, tuple) else str(argument)
        inside = f"{Argument('at', at)}, " if at and name != "at" else ""
        return f'path="{failed.path}", {inside}{written}'

    return failed.error.hint_as(spelled)


def is_in_footer(notice: Notice, page: Page) -> bool:
    """Return whether the last line of a page says what a notice says."""
    return notice.code == "clipped" and "clipped" in page.footer


def _footer(rest: Sequence[str], chars: int) -> str:
    return footer_line("the answer is full", next_clause(f"places=[{_listed(rest, chars)}]"))


def _listed(texts: Sequence[str], chars: int = _FOOTER_CHARS) -> str:
    """Name at least one place, and as many as so many characters hold."""
    named: list[str] = []
    for text in texts:
        named.append(f'"{escaped_path(text)}"')
        if named[1:] and sum(map(len, named)) > chars:
            named.pop()
            break
    more = f" and {len(texts) - len(named):,} more" if len(named) < len(texts) else ""
    return ", ".join(named) + more
