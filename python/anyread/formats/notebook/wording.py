"""Renders the cells of a notebook as text: headings, the texts of cells, and the places of images."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anyread.errors.base import one_line
from anyread.results.notebook import Cell, CellImage, CellOutput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anyread._native import ShownCell, ShownImage, ShownPart
    from anyread.limits import Limits
    from anyread.model import Model
    from anyread.results.blocks import ImageBlock

_MAX_OTHERS = 6
"""How many media types of an output are listed without being shown; real outputs have fewer."""
_LARGEST_EDGE = 2_048
"""The assumed longer edge, in pixels, of images that the model accepts at any size."""
_HEADER_BYTES = 64 * 1024
"""The first bytes of an image, in which the core looks for its size."""
_REASON_CHARS = 60
"""Maximum number of characters of the reason why an image is not shown."""


@dataclass(slots=True, eq=False)
class ImagePlace:
    """The place of an image on a page."""

    image: ShownImage
    reason: str = ""
    """Why it is not shown, as a clause."""
    is_wanted: bool = False
    """Whether it is one of the images to show."""
    tokens: int = 0
    """The tokens of the image, if it is wanted."""
    max_edge: int | None = None
    """Pixels of the longer edge to which the budget limits it; `None`: it is not limited."""
    is_left_out: bool = False
    """Whether the page has no room for it."""
    number: int = 0
    """Its number among the images to show."""
    block: ImageBlock | None = None

    def refuse(self, reason: str) -> None:
        """Show the reason instead of the image."""
        self.is_wanted, self.tokens = False, 0
        self.reason = one_line(reason, _REASON_CHARS)

    def line(self) -> str:
        """Return the line before the image, or the line that replaces it if it is not shown."""
        number = self.number if self.is_wanted else None
        parts = ["image" if number is None else f"image {number}", one_line(self.image.media_type)]
        if self.image.size is not None:
            parts.append("{}×{}".format(*self.image.size))
        parts.append(size(self.image.bytes))
        if number is None:
            parts.append(f"not shown: {self.reason}" if self.reason else "not shown")
        return f"[{' · '.join(parts)}]\n"

    def described(self) -> CellImage:
        """Return the image for programs."""
        width, height = self.image.size or (None, None)
        return CellImage(self.image.media_type, self.image.bytes, width, height, self.block, self.reason)


class Images:
    """Selects the images of a page that are shown: the first ones, up to the maximum of a result."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self._model = model
        self._max_images = min(limits.max_images, model.max_images or limits.max_images)
        self._max_bytes = limits.max_image_file_bytes
        self._accepts_images = "image" in model.inputs
        self._taken = 0

    def place(self, image: ShownImage) -> ImagePlace:
        """Return the place of an image."""
        if not self._accepts_images:
            return ImagePlace(image)
        if image.bytes > self._max_bytes:
            return ImagePlace(image, f"over {size(self._max_bytes)}")
        if self._taken >= self._max_images:
            return ImagePlace(image, f"over {self._max_images:,} images", is_left_out=True)
        self._taken += 1
        # A smaller image whose size is not found cannot be decoded.
        is_decodable = image.size is not None or image.bytes > _HEADER_BYTES
        tokens = self._model.tokens_of_image(*self._size(image)) if is_decodable else 0
        return ImagePlace(image, is_wanted=True, number=self._taken, tokens=tokens)

    def fit(self, places: Iterable[ImagePlace], tokens: int) -> None:
        """Scale the images of one cell down to equal parts of a budget; refuse those that do not fit."""
        wanted = [place for place in places if place.is_wanted]
        for place in wanted:
            part = tokens // (len(wanted) - wanted.index(place))
            if place.tokens > part:
                edge = self._model.edge_within(*self._size(place.image), part)
                if edge is None:
                    self._taken -= 1
                    place.refuse("over the token budget")
                    place.is_left_out = True
                else:
                    place.max_edge, place.tokens = edge, part
            tokens -= place.tokens

    def give_back(self, places: Iterable[ImagePlace]) -> None:
        """Release the places of a cell that is not shown."""
        self._taken -= sum(place.is_wanted for place in places)

    def _size(self, image: ShownImage) -> tuple[int, int]:
        """Return the size in pixels at which the model gets an image, or the largest if it is not known."""
        largest = self._model.max_long_edge or _LARGEST_EDGE
        width, height = image.size or (largest, largest)
        scale = min(1.0, largest / max(width, height))
        return max(1, round(width * scale)), max(1, round(height * scale))


@dataclass(slots=True)
class RenderedCell:
    """A cell as pieces of text and places of images, in order."""

    cell: ShownCell
    pieces: list[str | ImagePlace] = field(default_factory=list)
    hidden: list[tuple[int, int]] = field(default_factory=list)
    places: dict[ShownPart, ImagePlace] = field(default_factory=dict)

    @property
    def images(self) -> list[ImagePlace]:
        """The places of its images, in order."""
        return list(self.places.values())

    @property
    def image_tokens(self) -> int:
        """The tokens of the images to show."""
        return sum(place.tokens for place in self.places.values())

    def text(self) -> str:
        """Join the pieces, with a line for each image."""
        return "".join(piece if isinstance(piece, str) else piece.line() for piece in self.pieces)

    def described(self) -> Cell:
        """Return the cell for programs."""
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
                image=self._described(part),
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

    def _described(self, part: ShownPart) -> CellImage | None:
        place = self.places.get(part)
        return None if place is None else place.described()


def render_cell(cell: ShownCell, images: Images) -> RenderedCell:
    """Convert a cell to text, as described in docs/design/008."""
    rendered = RenderedCell(cell, hidden=list(cell.hidden))
    header = [f"cell {cell.number:,}", one_line(cell.kind) or "unknown"]
    if cell.kind == "code":
        header.append(f"In [{' ' if cell.execution_count is None else cell.execution_count}]")
    if cell.id is not None:
        header.append(f"id={one_line(cell.id)}")
    rendered.pieces += [f"[{' · '.join(header)}]\n", cell.text]
    for part in [*cell.attachments, *cell.outputs]:
        # Matplotlib describes each plot by its size, which the line of the image has too.
        text = "" if part.image is not None and part.plain.startswith("<Figure size ") else part.text
        rendered.pieces += [_heading(part), text]
        rendered.hidden += part.hidden
        if part.image is not None:
            place = rendered.places[part] = images.place(part.image)
            rendered.pieces.append(place)
    if cell.more_attachments:
        rendered.pieces.append(f"[{cell.more_attachments:,} more attachments]\n")
    if cell.more_at is not None:
        rendered.hidden.append(cell.more_at)
        more = "output" if cell.more_outputs == 1 else "outputs"
        rendered.pieces.append(f"[{cell.more_outputs:,} more {more}: {_place(cell.more_at)}]\n")
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
            words.append(_place(part.at))
    return f"[{' · '.join(words)}]\n"


def _place(place: tuple[int, int]) -> str:
    line, column = place
    return f'kind="text", offset={line}' + (f", column={column}" if column > 1 else "")


def size(length: int) -> str:
    """Format a size in decimal units with one digit, as the footers of text do."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if length >= unit:
            tenths = (length + unit // 20) // (unit // 10)
            return f"{tenths // 10:,}.{tenths % 10} {name}"
    return f"{length} bytes"
