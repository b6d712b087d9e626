"""Renders the cells of a notebook as text: headings, the texts of cells, and images."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anyread.errors.base import one_line, size
from anyread.formats.parts import Part
from anyread.formats.pictures import PageImage
from anyread.results.notebook import Cell, CellImage, CellOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread._native import ShownCell, ShownImage, ShownPart
    from anyread.formats.parts import How, Picture

_MAX_OTHERS = 6
"""How many media types of an output are listed without being shown; real outputs have fewer."""


class NotebookImage(PageImage):
    """An image of a notebook on a page."""

    image: ShownImage

    def line(self) -> str:
        """Return the line before the image, or the line that replaces it if it is not shown."""
        parts = [f"image {self.number}" if self.is_shown else "image", one_line(self.image.media_type)]
        if self.image.size is not None:
            parts.append("{}×{}".format(*self.image.size))
        parts.append(size(self.image.bytes))
        if not self.is_shown:
            parts.append(f"not shown: {self.reason}" if self.reason else "not shown")
        return f"[{' · '.join(parts)}]\n"

    def described(self) -> CellImage:
        """Return the image for programs."""
        width, height = self.image.size or (None, None)
        return CellImage(self.image.media_type, self.image.bytes, width, height, self.block, self.reason)


@dataclass(slots=True, eq=False)
class CellPart(Part):
    """A cell as pieces of text and images, in order."""

    cell: ShownCell = field(kw_only=True)
    all_hidden: list[tuple[int, int]] = field(default_factory=list, kw_only=True)
    images: dict[ShownImage, NotebookImage] = field(default_factory=dict, kw_only=True)

    @property
    def shown_images(self) -> list[NotebookImage]:
        """Its images that are shown, in order."""
        return [piece for piece in self.pieces if isinstance(piece, NotebookImage) and piece.is_shown]

    @property
    def hidden(self) -> list[tuple[int, int]]:
        """Where the rest of its shortened texts is in the file; named on the page that shows its end."""
        return self.all_hidden if self.characters is None or self.following is None else []

    @property
    def is_clipped(self) -> bool:
        return bool(self.hidden)

    @property
    def head(self) -> str:
        """The line that describes the cell."""
        cell = self.cell
        header = [f"cell {cell.number:,}", one_line(cell.kind) or "unknown"]
        if cell.kind == "code":
            header.append(f"In [{' ' if cell.execution_count is None else cell.execution_count}]")
        if cell.id is not None:
            header.append(f"id={one_line(cell.id)}")
        if self.column > 1:
            header.append(f"from character {self.column:,}")
        return f"[{' · '.join(header)}]\n"

    def described(self) -> Cell:
        """Return the cell for programs."""
        cell = self.cell
        attachments = [(part.name or "", self._described(part.image)) for part in cell.attachments]
        outputs = [
            CellOutput(
                type=part.kind,
                name=part.name,
                execution_count=part.execution_count,
                media_type=part.media_type,
                text=part.plain,
                size_bytes=part.bytes,
                image=self._described(part.image),
                pictures=self._pictures(part.pictures),
                others=tuple(media_type for media_type, _ in part.others),
            )
            for part in cell.outputs
        ]
        return Cell(
            cell.number,
            cell.id,
            cell.kind,
            cell.execution_count,
            cell.source,
            tuple(outputs),
            tuple(attachments),
            self._pictures(cell.pictures),
        )

    def _described(self, image: ShownImage | None) -> CellImage | None:
        return None if image is None else self.images[image].described()

    def _pictures(self, images: Sequence[ShownImage]) -> tuple[CellImage, ...]:
        return tuple(self.images[image].described() for image in images)


def render_cell(cell: ShownCell, how: How) -> CellPart:
    """Convert a cell to text, as described in docs/design/008."""
    pieces: list[str | Picture] = [cell.text]
    rendered = CellPart(cell.number, pieces, cell=cell, all_hidden=list(cell.hidden))

    def added(image: ShownImage) -> NotebookImage:
        rendered.images[image] = NotebookImage(image, how)
        return rendered.images[image]

    pieces += map(added, cell.pictures)
    for part in [*cell.attachments, *cell.outputs]:
        # Matplotlib describes each plot by its size, which the line of the image has too.
        text = "" if part.image is not None and part.plain.startswith("<Figure size ") else part.text
        pieces += [_heading(part), text]
        rendered.all_hidden += part.hidden
        if part.image is not None:
            pieces.append(added(part.image))
        pieces += map(added, part.pictures)
    if cell.more_attachments:
        pieces.append(f"[{cell.more_attachments:,} more attachments]\n")
    if cell.more_at is not None:
        rendered.all_hidden.append(cell.more_at)
        more = "output" if cell.more_outputs == 1 else "outputs"
        pieces.append(f"[{cell.more_outputs:,} more {more}: {_rest_at(cell.more_at)}]\n")
    if cell.more_chars:
        characters = sum(len(piece) for piece in pieces if isinstance(piece, str))
        rendered.show(pieces[:1], characters + cell.more_chars)
    return rendered


def _heading(part: ShownPart) -> str:
    if part.kind == "attachment":
        words = ["attachment", one_line(part.name or "")]
    elif part.kind == "execute_result":
        words = ["output", "Out" if part.execution_count is None else f"Out [{part.execution_count}]"]
    elif part.kind == "stream":
        words = ["output", one_line(part.name or "stream")]
    else:
        words = ["output", "display" if part.kind == "display_data" else one_line(part.kind) or "unknown"]
    if part.media_type not in {None, "text/plain"}:
        words.append(one_line(part.media_type or ""))
    if part.others:
        others = [
            f"{one_line(media_type)} {size(length)}" for media_type, length in part.others[:_MAX_OTHERS]
        ]
        more = len(part.others) - len(others) + part.more_others
        if more:
            others.append(f"{more:,} more")
        words.append(f"not shown: {', '.join(others)}")
        if part.at is not None:
            words.append(_rest_at(part.at))
    return f"[{' · '.join(words)}]\n"


def _rest_at(position: tuple[int, int]) -> str:
    line, column = position
    return f'kind="text", offset={line}' + (f", column={column}" if column > 1 else "")
