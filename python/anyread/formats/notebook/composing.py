"""Composes a page of as many cells as the budgets allow, with a footer and the resulting blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from anyread.arguments import repeated
from anyread.budget import Budget, Cost, Filling, footer_line, next_clause, text_bytes
from anyread.errors import OffsetPastEndError
from anyread.gutter import Gutter
from anyread.results import Continuation, TextBlock
from anyread.results.notebook import NotebookPage
from anyread.results.notices import Notice, make_notice
from anyread.results.values import DERIVED
from anyread.selection import Selection

from .wording import ImagePlace, Images, RenderedCell, render_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread._native import Cancel, Notebook, Opened, ShownCell
    from anyread.arguments import ReadArguments, Request
    from anyread.limits import Limits
    from anyread.model import Model
    from anyread.results.blocks import ImageBlock
    from anyread.results.notebook import Cell


_IMAGE_FAULTS = {
    "missing": "it is not in the file",
    "empty": "it is empty",
    "bad_base64": "its base64 is damaged",
}
"""Why an image cannot be decoded, by the core's code."""
_REFUSED = Cost(80, 24)
"""The maximum growth of an image's line if the image cannot be shown."""


class CellImageSource(NamedTuple):
    """An image to fit to the model."""

    data: bytes
    media_type: str
    """The media type declared in the notebook."""
    max_edge: int | None
    """Pixels of the longer edge to which the budget limits it; `None`: it is not limited."""


class NotebookFacts(NamedTuple):
    """Facts about the whole notebook."""

    language: str | None
    cell_count: int
    nbformat: int | None
    nbformat_minor: int | None
    lossy: bool


def render(
    notebook: Notebook,
    opened: Opened,
    request: Request,
    *,
    limits: Limits,
    model: Model,
    gutter: Gutter = Gutter.TAB,
    cancel: Cancel | None = None,
) -> NotebookDraft:
    """Choose the cells of a page and convert them to text; the budgets bound the time it takes.

    Raises:
        InterruptedError: `cancel` was set.
        OffsetPastEndError: The page would begin after the last cell.
        OverBudgetError: It is over a budget and `Limits.over_budget` is "error".
    """
    count = notebook.cell_count
    first = request["offset"] - 1 if request["offset"] > 0 else max(0, count + request["offset"])
    if first > 0 and first >= count:
        raise OffsetPastEndError(opened.path, offset=request["offset"], total_lines=count, unit="cells")
    stop = min(count, first + (request["limit"] or limits.max_lines))
    chosen: Selection | None = None
    if request["ranges"] is not None:
        chosen = Selection.of(request["ranges"], count=count, unit="cells", path=opened.path)
        first, stop = chosen.ranges[0][0] - 1, chosen.ranges[-1][1]
    layout = _CellLayout(notebook, limits, model, chosen, gutter=request["gutter"] or gutter, cancel=cancel)
    for begin, end in [(first + 1, stop)] if chosen is None else chosen.ranges:
        if not layout.fill(begin - 1, end):
            break
    layout.finish()
    if limits.over_budget == "error":
        layout.filling.refuse(opened.path, of="cells", first=first + 1)
    if first < stop and not layout.filling.parts:
        layout.cut(first)
    cells = layout.filling.parts
    wanted = [place for cell in cells for place in cell.images if place.is_wanted]
    decoded = notebook.images([place.image.range for place in wanted])
    images, places = [], []
    for place, data in zip(wanted, decoded, strict=True):
        if isinstance(data, str):
            place.refuse(_IMAGE_FAULTS[data])
        else:
            images.append(CellImageSource(data, place.image.media_type, place.max_edge))
            places.append(place)
    # The notebook is freed in this thread, because freeing its memory takes milliseconds.
    facts = NotebookFacts(
        notebook.language_info or notebook.kernel_language,
        count,
        notebook.nbformat,
        notebook.nbformat_minor,
        notebook.lossy,
    )
    described = [cell.described() for cell in cells]
    draft = NotebookDraft(
        opened, request, model, layout.budget, facts, first, cells, described, tuple(images), places, chosen
    )
    draft.is_cut = layout.filling.is_cut
    if limits.tokenizer is not None:
        draft.tokens = layout.budget.count(draft.text())
    return draft


class _CellLayout:
    """Fill a page with the cells of a notebook."""

    def __init__(
        self,
        notebook: Notebook,
        limits: Limits,
        model: Model,
        chosen: Selection | None,
        *,
        gutter: Gutter,
        cancel: Cancel | None,
    ) -> None:
        self.notebook = notebook
        self.chosen = chosen
        self.cancel = cancel
        self.limits = limits
        self.gutter = gutter
        self.budget = Budget.of(limits, model.token_factor)
        self.filling = Filling[RenderedCell](self.budget)
        self._images = Images(model, limits)

    def fill(self, first: int, stop: int) -> bool:
        """Add whole cells, counted from 0, while they fit; return whether all do."""
        filling = self.filling
        for shown in self._show(first, stop, self.limits.max_bytes, self.limits.max_cell_output_bytes):
            cell = render_cell(shown, self._images)
            if self.chosen is not None and filling.parts:
                cell.pieces.insert(0, self.chosen.gap(filling.parts[-1].cell.number, cell.cell.number))
            has_room = not filling.parts or not any(place.is_left_out for place in cell.images)
            if not (has_room and filling.add(cell, self._cost(cell))):
                self._images.give_back(cell.images)
                return False
        return True

    def finish(self) -> None:
        """Remove cells from the end until the rest fits with the footer."""
        filling = self.filling
        has_footer = bool(footer_of(filling.parts, self.notebook.cell_count, self.budget, self.chosen))
        for cell in filling.end(self._page_cost, has_footer=has_footer):
            self._images.give_back(cell.images)

    def cut(self, index: int) -> None:
        """Show one cell, shortened until it and a footer fit; a page always has a cell."""
        half = self.budget.most.minus(self.budget.footer).tokens // 2

        def shown(allowed: int) -> RenderedCell:
            self._images.give_back(place for cell in self.filling.parts for place in cell.images)
            self.filling.parts = [self._within(index, allowed)]
            return self.filling.parts[0]

        def cost(cell: RenderedCell) -> Cost:
            images = cell.image_tokens
            return self._cost(cell).minus(Cost(0, images)).plus(Cost(0, min(images, half)))

        # What is hidden is not continued by the next page but read from the JSON, so a cell needs no text.
        cell = self.filling.cut(shown, cost, least=0)
        text = self._cost(cell).minus(Cost(0, cell.image_tokens)).plus(self.budget.footer)
        self._images.fit(cell.images, self.budget.most.minus(text).tokens)

    def _within(self, index: int, allowed: int) -> RenderedCell:
        """Convert a cell to text; its texts have at most `allowed` bytes in total."""
        (whole,) = self._show(index, index + 1, allowed, min(allowed, self.limits.max_cell_output_bytes))
        source, outputs = len(whole.text.encode()), sum(len(part.text.encode()) for part in whole.outputs)
        if source + outputs > allowed:
            # The outputs get a quarter, or what the source leaves if that is more.
            outputs = min(outputs, max(allowed // 4, allowed - source))
            (whole,) = self._show(index, index + 1, allowed - outputs, outputs)
        return render_cell(whole, self._images)

    def _show(self, first: int, stop: int, source_bytes: int, output_bytes: int) -> Sequence[ShownCell]:
        return self.notebook.show(
            first,
            stop,
            gutter=self.gutter,
            max_line_chars=self.limits.max_line_chars,
            max_source_bytes=source_bytes,
            max_output_bytes=output_bytes,
            max_bytes=self.limits.max_bytes,
            cancel=self.cancel,
        )

    def _cost(self, cell: RenderedCell) -> Cost:
        return self._with_images(f"{cell.text()}\n", [cell])

    def _page_cost(self, cells: Sequence[RenderedCell]) -> Cost:
        return self._with_images(page_text(cells, self.notebook.cell_count, self.budget, self.chosen), cells)

    def _with_images(self, text: str, cells: Sequence[RenderedCell]) -> Cost:
        wanted = [place for cell in cells for place in cell.places.values() if place.is_wanted]
        cost = self.budget.cost(text, sum(place.tokens for place in wanted) if wanted else 0)
        refused = Cost(len(wanted) * _REFUSED.bytes, len(wanted) * _REFUSED.tokens)
        return cost.plus(refused) if wanted else cost


def page_text(
    cells: Sequence[RenderedCell], count: int, budget: Budget, chosen: Selection | None = None
) -> str:
    """Join cells and their footer; `count` is the number of cells in the notebook."""
    texts = [cell.text() for cell in cells]
    footer = footer_of(cells, count, budget, chosen)
    return "\n".join([*texts, footer] if footer else texts).removesuffix("\n")


def footer_of(
    cells: Sequence[RenderedCell], count: int, budget: Budget, chosen: Selection | None = None
) -> str:
    """Return the line that says what is left out; empty if nothing is, or if there is no room for it."""
    hidden = sum(len(cell.hidden) for cell in cells)
    cut = [f"{hidden:,} text{'' if hidden == 1 else 's'} cut"] if hidden else []
    if not cells or not any(budget.footer):
        return ""
    if chosen is not None:
        return chosen.footer([cell.cell.number for cell in cells], cut)
    if cells[-1].cell.number == count and not hidden:
        return ""
    first, last = cells[0].cell.number, cells[-1].cell.number
    numbers = f"cells {first:,}-{last:,}" if len(cells) > 1 else f"cell {last:,}"
    parts = [f"{numbers} of {count:,}", *cut]
    if last < count:
        parts.append(next_clause(f"offset={last + 1}"))
    return footer_line(*parts)


@dataclass(slots=True)
class NotebookDraft:
    """A page that is complete except for its images."""

    opened: Opened
    request: Request
    model: Model
    budget: Budget
    facts: NotebookFacts
    first: int
    """The first cell, counted from 0."""
    cells: list[RenderedCell]
    described: list[Cell]
    """The cells for programs."""
    images: tuple[CellImageSource, ...]
    """Images to fit to the model, in order."""
    places: list[ImagePlace]
    """The places of `images`."""
    chosen: Selection | None = None
    """The cells that `ranges` choose."""
    is_cut: bool = False
    """Whether its only cell did not fit, and is shown in part."""
    tokens: int | None = None
    """Tokens of the text, if they were counted exactly."""

    def page(self, fitted: Sequence[ImageBlock | str]) -> NotebookPage:
        """Return the page.

        Args:
            fitted: For each of `images`, its block or the reason why there is none.
        """
        number = 0
        for place, block in zip(self.places, fitted, strict=True):
            if isinstance(block, str):
                place.refuse(block)
            else:
                number += 1
                place.number, place.block = number, block
        # The other cells were described in a thread, to save time on the event loop.
        for index, cell in enumerate(self.cells):
            if any(place in self.places for place in cell.images):
                self.described[index] = cell.described()
        text, facts, opened = self.text(), self.facts, self.opened
        if self.tokens is not None and number < len(self.places):
            self.tokens = self.budget.count(text)
        tokens = self.tokens
        if number or self.is_cut:
            shown = [place.block for place in self.places if place.block is not None]
            images = sum(self.model.tokens_of_image(block.width, block.height) for block in shown)
            tokens = images + (self.budget.count(text) if tokens is None else tokens)
        notices = self._notices()
        if self.is_cut and tokens is not None:
            notices += self.budget.notices(Cost(text_bytes(text), tokens))
        following, clipped = self._next(), self._clipped()
        return NotebookPage(
            path=opened.path,
            resolved_path=opened.resolved_path,
            media_type=opened.media_type,
            size_bytes=opened.size_bytes,
            modified_ns=opened.modified_ns,
            version=opened.version,
            truncated=following is not None or bool(clipped or self._left_out()),
            next=following,
            notices=tuple(notices),
            text=text,
            footer=self._footer(),
            language=facts.language,
            cell_count=facts.cell_count,
            first_cell=self.first + 1,
            last_cell=self.cells[-1].cell.number if self.cells else self.first,
            cells=tuple(self.described),
            nbformat=facts.nbformat,
            nbformat_minor=facts.nbformat_minor,
            clipped=clipped,
            token_estimate=DERIVED if tokens is None else tokens,
            _blocks=self._blocks(),
        )

    def text(self) -> str:
        """Join the cells and the footer."""
        return page_text(self.cells, self.facts.cell_count, self.budget, self.chosen)

    def _blocks(self) -> tuple[TextBlock | ImageBlock, ...]:
        blocks: list[TextBlock | ImageBlock] = []
        words: list[str] = []

        def end_text() -> None:
            text = "".join(words).strip("\n")
            words.clear()
            if text:
                blocks.append(TextBlock(text))

        for cell in self.cells:
            for piece in cell.pieces:
                words.append(piece if isinstance(piece, str) else piece.line())
                if isinstance(piece, ImagePlace) and piece.block is not None:
                    end_text()
                    blocks.append(piece.block)
            words.append("\n")
        words.append(self._footer())
        end_text()
        return tuple(blocks)

    def _footer(self) -> str:
        return footer_of(self.cells, self.facts.cell_count, self.budget, self.chosen)

    def _next(self) -> Continuation | None:
        last = self.cells[-1].cell.number if self.cells else self.first
        if self.chosen is not None:
            rest = self.chosen.after(last)
            if not rest:
                return None
            return self._continuation({"ranges": rest, **repeated(self.request, "notebook")})
        if last >= self.facts.cell_count:
            return None
        arguments: ReadArguments = {"offset": last + 1}
        if self.request["limit"] is not None:
            arguments["limit"] = self.request["limit"]
        return self._continuation(arguments | repeated(self.request, "notebook"))

    def _clipped(self) -> tuple[Continuation, ...]:
        continuations = []
        for line, column in [place for cell in self.cells for place in cell.hidden]:
            arguments: ReadArguments = {"offset": line, "kind": "text"}
            if column > 1:
                arguments["column"] = column
            continuations.append(self._continuation(arguments))
        return tuple(continuations)

    def _left_out(self) -> list[int]:
        """Return the cells with images for which the page has no room."""
        return [cell.cell.number for cell in self.cells if any(place.is_left_out for place in cell.images)]

    def _continuation(self, arguments: ReadArguments) -> Continuation:
        return Continuation({**arguments, "since_version": self.opened.state}, self.opened.version)

    def _notices(self) -> list[Notice]:
        notices = list(self.opened.notices)
        since, state = self.request["since_version"], self.opened.state
        is_noted = any(found.code == "changed_since" for found in notices)
        if since is not None and (not since or since != state) and not is_noted:
            notices.append(make_notice("changed_since", version=self.opened.version))
        if self.facts.lossy:
            notices.append(make_notice("lossy", encoding="utf-8"))
        if not self.facts.cell_count:
            notices.append(make_notice("no_cells"))
        left_out = self._left_out()
        if left_out:
            notices.append(make_notice("images_left_out", cells=left_out))
        cut = sum(bool(cell.hidden) for cell in self.cells)
        if cut:
            notices.append(make_notice("output_truncated", cells=cut))
        return notices
