"""Images in the text of a page: what they cost before they have pixels, and how they are decoded.

The text has a mark for each image of a document, a slide or a sheet. It is the same whether the image is
shown or not, so that the characters that `column` counts are too; what the mark adds is not counted.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from anyread._native import package_part
from anyread.decoding.host.fitting import ImageJob, fit_all
from anyread.errors import BadArgumentError, NotOneImageError, ReadError, ReadTimeoutError
from anyread.errors.base import one_line, size
from anyread.errors.decoding import log_end
from anyread.results.notices import make_notice
from anyread.running.calls import current_call

from .budget import Cost, footer_line
from .fallback import unchanged
from .parts import P, Parts, Picture, blocks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from anyread._native import Opened
    from anyread.arguments.request import Request
    from anyread.models.model import Model
    from anyread.results.notices import Notice

    from .parts import How, Part

_LARGEST_EDGE = 2_048
"""The assumed longer edge, in pixels, of images that the model accepts at any size."""
_HEADER_BYTES = 64 * 1024
"""The first bytes of an image, in which the core looks for its size."""
_MEASURED = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""The types of images of which the core knows the headers."""
_NOT_DECODED = frozenset({"emf", "x-emf", "wmf", "x-wmf", "svg+xml", "heic", "jp2"})
"""The subtypes of images that no decoder shows."""
_REASON_CHARS = 60
"""Maximum number of characters of the reason why an image is not shown."""

Region = tuple[int, int, int, int]


class ImageFacts(Protocol):
    """What is known about an image before it is decoded."""

    @property
    def media_type(self) -> str:
        """Its media type."""

    @property
    def bytes(self) -> int:
        """Its size in bytes."""

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height in pixels from its header; `None` if unknown."""


class PackageImage(NamedTuple):
    """An image in a package."""

    part: str
    """The name of its part."""
    media_type: str
    size: tuple[int, int] | None
    """As `ImageFacts.size`, which `header_size` of the module `results.blocks` finds in its first bytes."""
    bytes: int
    is_measured: bool = False
    """Whether the core has looked for its size, so that one without a size costs nothing."""

    def mark(self, number: int, at: str = "", description: str = "") -> str:
        """Return the mark of an image, which has no number if it is the value of the cell `at`."""
        dimensions = "{}×{}".format(*self.size) if self.size else ""
        return _mark(number, at, one_line(self.media_type), dimensions, size(self.bytes), description)


def absent_mark(number: int, at: str = "", description: str = "") -> str:
    """Return the mark of an image that is not in the file."""
    return _mark(number, at, "not in this file", description)


def _mark(number: int, at: str, *clauses: str) -> str:
    return footer_line(
        f"image {number:,}" if number else "image", *filter(None, [at and f"at {at}", *clauses])
    )


class PageImage(Picture):
    """An image on a page."""

    spare = Cost(80, 24)

    def __init__(
        self, image: ImageFacts, how: How, region: Region | None = None, *, is_measured: bool = True
    ) -> None:
        self.image, self.region = image, region
        self.reason = ""
        """Why it is not shown, as a clause; empty if the model accepts no images."""
        self.max_edge: int | None = None
        """Pixels of the longer edge to which the budget limits it; `None`: it is not limited."""
        self.number = 0
        """Its number among the images to show."""
        model, most = how.model, how.limits.max_image_file_bytes
        if "image" not in model.inputs:
            self.is_shown = False
        elif image.media_type.removeprefix("image/") in _NOT_DECODED:
            self.refuse("unsupported format")
        elif image.bytes > most:
            self.refuse(f"over {size(most)}")
        # A smaller image of these types in which the core finds no size cannot be decoded.
        elif (
            image.size or not is_measured or image.bytes > _HEADER_BYTES or image.media_type not in _MEASURED
        ):
            self.tokens = model.tokens_of_image(*self._size(model))

    def _size(self, model: Model) -> tuple[int, int]:
        """Return the size in pixels at which the model gets it, or the largest if it is not known."""
        largest = model.max_long_edge or _LARGEST_EDGE
        width, height = self.image.size or (largest, largest)
        if self.region is not None:
            width, height = max(1, min(width, self.region[2])), max(1, min(height, self.region[3]))
        # The header of a damaged image may say 0.
        scale = min(1.0, largest / max(1, width, height))
        return max(1, round(width * scale)), max(1, round(height * scale))

    def refuse(self, reason: str, *, has_no_room: bool = False) -> None:
        """Show the reason instead of the image."""
        super().refuse(reason, has_no_room=has_no_room)
        self.reason = one_line(reason, _REASON_CHARS)

    def fit(self, model: Model, tokens: int) -> None:
        """Scale it down to so many tokens, or refuse it."""
        if self.tokens > tokens:
            edge = model.edge_within(*self._size(model), tokens)
            if edge is None:
                self.refuse("over the token budget", has_no_room=True)
            else:
                self.max_edge, self.tokens = edge, tokens


class MarkedImage(PageImage):
    """An image of which the text before it ends with the mark."""

    def __init__(self, image: PackageImage, how: How, region: Region | None) -> None:
        super().__init__(image, how, region, is_measured=image.is_measured)
        self.part = image.part

    def mark_begin(self, text: str) -> int:
        return max(0, text.rfind("[image "))

    def line(self) -> str:
        if self.is_shown:
            return "" if self.region is None else f" · region={self.region}"
        return f" · not shown: {self.reason}" if self.reason else ""

    def added_to(self, text: str) -> str:
        return f"{text[:-1]}{self.line()}]" if text.endswith("]") else text


def shrink(part: Part, model: Model, tokens: int) -> None:
    """Scale the images of a part down to equal shares of so many tokens, or refuse those that cannot be."""
    pictures = [picture for picture in part.pictures if isinstance(picture, PageImage)]
    for number, picture in enumerate(pictures):
        picture.fit(model, tokens // (len(pictures) - number))
        tokens -= picture.tokens


def decode(
    pictures: Sequence[PageImage], contents: Sequence[Callable[[], bytes]], opened: Opened, how: How
) -> None:
    """Decode images, or refuse those that cannot be.

    Raises:
        ReadTimeoutError: The deadline of the whole call has passed, not only that of an image.
        BadArgumentError: A region is outside of its image.
    """
    jobs = [
        ImageJob(content, picture.image.media_type, picture.image.bytes, picture.max_edge, picture.region)
        for picture, content in zip(pictures, contents, strict=True)
    ]
    fitted = fit_all(jobs, path=opened.path, rules=opened.rules, limits=how.limits, model=how.model)
    number = 0
    for picture, found in zip(pictures, fitted, strict=True):
        if isinstance(found, ReadTimeoutError | BadArgumentError):
            raise found
        if isinstance(found, ReadError):
            log_end(found)
            picture.refuse(found.code.replace("_", " "))
        else:
            number += 1
            picture.number, picture.block = number, found.image
            picture.tokens = how.model.tokens_of_image(found.image.width, found.image.height)


_MARKUP = re.compile(r"^[ \t]*(?:#{1,9} |- )|\*\*|~~|\\(?=[^\w\s])", re.MULTILINE)


_SCRIPT = re.compile(r"(?<=[\w)\]])[\^_](?=[\w(+\u2212\u2013-])")


def without_markup(text: str) -> Iterator[str]:
    """Yield a text in Markdown without what is no text of its file, as a search looks at it.

    A text that may have raised or lowered letters, as in 10^5, is looked at without their marks, too.
    """
    plain = _MARKUP.sub("", text)
    yield plain
    if "^" in plain or "_" in plain:
        yield _SCRIPT.sub("", plain)


class MarkedParts(Parts[P]):
    """The parts of a package, of which the texts have marks of images."""

    def __init__(self, opened: Opened, request: Request | None, how: How) -> None:
        self._opened, self._how = opened, how
        self._region = None if request is None else request["region"]
        self._is_first = request is not None and request["column"] > 1
        self._wanted: list[MarkedImage] = []
        self._contents: Sequence[Callable[[], bytes]] = ()

    def _marked(self, image: PackageImage) -> MarkedImage:
        return MarkedImage(image, self._how, self._region)

    def shrink(self, part: P, tokens: int) -> None:
        shrink(part, self._how.model, tokens)

    def end(self, parts: Sequence[P]) -> None:
        found = [(part, picture) for part in parts for picture in _images(part) if picture.is_shown]
        if self._region is not None and parts:
            if not found or (len(found) > 1 and not self._is_first):
                first = self._call(*found[0]) if found else {}
                path, value = self._opened.path, str(self._region)
                raise NotOneImageError(path, value=value, images=len(found), first=first)
            for _, picture in found[1:]:
                picture.refuse("the region is of another image")
        self._wanted = [picture for _, picture in found if picture.is_shown]
        self._contents = [partial(self._content, picture.part) for picture in self._wanted]
        if self._how.core is not None:
            # Before its decoder is released, because images are decoded in others.
            self._contents = [_fetched(content) for content in self._contents]

    def _content(self, part: str) -> bytes:
        """Return the bytes of an image, perhaps in another thread than that of the text."""
        most, read = self._how.limits.max_image_file_bytes, self._how.native(package_part)
        return read(self._opened, part, max_bytes=most, cancel=current_call().cancel)

    def _call(self, part: P, picture: MarkedImage) -> dict[str, Any]:
        """Return the arguments that begin a page with an image."""
        if len(_images(part)) == 1:
            return self._chosen(part.number)
        texts = [piece for piece in part.pieces[: part.pieces.index(picture)] if isinstance(piece, str)]
        column = part.column + sum(map(len, texts[:-1])) + picture.mark_begin(texts[-1])
        # Only a page that begins inside of a part may have several images.
        return self._chosen(part.number) | {"column": max(2, column)}

    def _chosen(self, number: int) -> dict[str, Any]:
        """Return the arguments that choose a part alone."""
        return {"offset": number, "limit": 1}

    def settle(self) -> None:
        # Bytes of a file that is being written may look damaged.
        with unchanged(self._opened):
            decode(self._wanted, self._contents, self._opened, self._how)

    def _images_left_out(self, parts: Sequence[P], unit: str) -> list[Notice]:
        """Return the notice about images for which the page has no room."""
        numbers = [part.number for part in parts if any(picture.is_left_out for picture in _images(part))]
        return [make_notice("images_left_out", **{unit: numbers})] if numbers else []

    def _complete(self, parts: Sequence[P], common: dict[str, Any]) -> dict[str, Any]:
        """Add to the fields of a page what its images change."""
        return common | {"_blocks": blocks_of(self, parts, common["text"])}


def _images(part: Part) -> list[MarkedImage]:
    return [piece for piece in part.pieces if isinstance(piece, MarkedImage)]


def _fetched(content: Callable[[], bytes]) -> Callable[[], bytes]:
    """Return a function with the same result, which is found now."""
    try:
        return partial(bytes, content())
    except ReadError as error:
        failure = error

    def fail() -> bytes:
        raise failure

    return fail
