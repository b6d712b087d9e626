"""A notebook's cells in words: the lines that stand between their texts, and the places of their pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anyread.results.notebook import Cell, CellOutput, CellPicture

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anyread._native import ShownCell, ShownPart, ShownPicture
    from anyread.limits import Limits
    from anyread.model import Model
    from anyread.results.blocks import ImageBlock

_OTHERS = 6
"""Media types of one output that are named without being shown; real ones have fewer."""
_REASON_CHARS = 60
"""Characters of the reason why a picture is not shown; longer ones are cut."""


@dataclass(slots=True, eq=False)
class PicturePlace:
    """A picture in its place on a page."""

    picture: ShownPicture
    reason: str = ""
    """Why it is not shown, as a clause."""
    is_wanted: bool = False
    """Whether it is among those that are to be shown."""
    number: int = 0
    """Its number among those that are."""
    block: ImageBlock | None = None

    def refuse(self, reason: str) -> None:
        """Show the reason in its place."""
        self.is_wanted = False
        self.reason = word(reason, _REASON_CHARS)

    def line(self) -> str:
        """Word the line that stands for the picture, or before it if it is shown."""
        number = self.number if self.is_wanted else None
        parts = ["picture" if number is None else f"picture {number}", word(self.picture.media_type)]
        if self.picture.size is not None:
            parts.append("{}×{}".format(*self.picture.size))
        parts.append(size(self.picture.bytes))
        if number is None:
            parts.append(f"not shown: {self.reason}" if self.reason else "not shown")
        return f"[{' · '.join(parts)}]\n"

    def described(self) -> CellPicture:
        """Make the picture that programs see."""
        width, height = self.picture.size or (None, None)
        return CellPicture(
            self.picture.media_type, self.picture.bytes, width, height, self.block, self.reason
        )


class Pictures:
    """Which pictures of a page are shown: the first of them, as many as a result may have."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self._most = min(limits.max_images, model.max_images or limits.max_images)
        self._max_bytes = limits.max_image_file_bytes
        self._has_eyes = "image" in model.inputs
        self._taken = 0

    def place(self, picture: ShownPicture, hint: str) -> PicturePlace:
        """Give a picture its place; `hint` says how to see it if there are too many before it."""
        if not self._has_eyes:
            return PicturePlace(picture)
        if picture.bytes > self._max_bytes:
            return PicturePlace(picture, f"over {size(self._max_bytes)}")
        if self._taken >= self._most:
            return PicturePlace(picture, f"over {self._most:,} pictures{hint}")
        self._taken += 1
        return PicturePlace(picture, is_wanted=True, number=self._taken)

    def give_back(self, places: Iterable[PicturePlace]) -> None:
        """Leave the places of a cell that is not shown to others."""
        self._taken -= sum(place.is_wanted for place in places)


@dataclass(slots=True)
class Worded:
    """A cell in words: pieces of text and places of pictures, in order."""

    cell: ShownCell
    pieces: list[str | PicturePlace] = field(default_factory=list)
    hidden: list[tuple[int, int]] = field(default_factory=list)
    places: dict[ShownPart, PicturePlace] = field(default_factory=dict)

    @property
    def pictures(self) -> list[PicturePlace]:
        """The places of its pictures, in order."""
        return list(self.places.values())

    def text(self) -> str:
        """Join the pieces, a picture as its line."""
        return "".join(piece if isinstance(piece, str) else piece.line() for piece in self.pieces)

    def described(self) -> Cell:
        """Make the cell that programs see."""
        cell = self.cell
        attachments = [(part.name or "", self._described(part)) for part in cell.attachments]
        outputs = [
            CellOutput(
                type=part.kind,
                name=part.name,
                execution_count=part.execution_count,
                media_type=part.media_type,
                text=part.plain,
                size_bytes=part.bytes,
                picture=self._described(part),
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
        )

    def _described(self, part: ShownPart) -> CellPicture | None:
        place = self.places.get(part)
        return None if place is None else place.described()


def worded_cell(cell: ShownCell, first_number: int, pictures: Pictures) -> Worded:
    """Put a cell into words, as docs/design/008 has it."""
    worded = Worded(cell, hidden=list(cell.hidden))
    header = [f"cell {cell.number:,}", word(cell.kind) or "unknown"]
    if cell.kind == "code":
        header.append(f"In [{' ' if cell.execution_count is None else cell.execution_count}]")
    if cell.id is not None:
        header.append(f"id={word(cell.id)}")
    worded.pieces += [f"[{' · '.join(header)}]\n", cell.text]
    hint = f", pass offset={cell.number}" if cell.number > first_number else ""
    for part in [*cell.attachments, *cell.outputs]:
        worded.pieces += [_heading(part), part.text]
        worded.hidden += part.hidden
        if part.picture is not None:
            place = worded.places[part] = pictures.place(part.picture, hint)
            worded.pieces.append(place)
    if cell.more_attachments:
        worded.pieces.append(f"[{cell.more_attachments:,} more attachments]\n")
    if cell.more_at is not None:
        worded.hidden.append(cell.more_at)
        more = "output" if cell.more_outputs == 1 else "outputs"
        worded.pieces.append(f"[{cell.more_outputs:,} more {more}: {_place(cell.more_at)}]\n")
    return worded


def _heading(part: ShownPart) -> str:
    if part.kind == "attachment":
        words = ["attachment", word(part.name or "")]
    elif part.kind == "execute_result":
        words = ["output", "Out" if part.execution_count is None else f"Out [{part.execution_count}]"]
    elif part.kind == "stream":
        words = ["output", word(part.name or "stream")]
    else:
        words = ["output", "display" if part.kind == "display_data" else word(part.kind) or "unknown"]
    if part.media_type not in {None, "text/plain"}:
        words.append(word(part.media_type or ""))
    if part.others:
        others = [f"{word(media_type)} {size(length)}" for media_type, length in part.others[:_OTHERS]]
        more = len(part.others) - len(others) + part.more_others
        if more:
            others.append(f"{more:,} more")
        words.append(f"not shown: {', '.join(others)}")
        if part.at is not None:
            words.append(_place(part.at))
    return f"[{' · '.join(words)}]\n"


def _place(place: tuple[int, int]) -> str:
    line, column = place
    return f'kind="text", offset={line}' + (f", column={column}" if column > 1 else "")


def word(text: str, most: int = 80) -> str:
    """Make a word of the file fit for a heading: one line of so many characters."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[:most])
    return shown if len(text) <= most else f"{shown}…"


def size(length: int) -> str:
    """Write a size in decimal units with one digit, as the footers of text do."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if length >= unit:
            tenths = (length + unit // 20) // (unit // 10)
            return f"{tenths // 10:,}.{tenths % 10} {name}"
    return f"{length} bytes"
