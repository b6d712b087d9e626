"""P12 to P14: Pillow and pypdfium2 without anyread, in a separate process that measures its own times.

The process that reads with anyread loads neither, so that they cannot affect its times.
A request is a line of JSON, `{"do": …}` with arguments, and so is its answer.
`python -m benches.plain_decoders` is that process; `PlainDecoders` starts and calls it.
"""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_ROOT = Path(__file__).parent.parent

Thumbnail = list[list[int]]
"""The colors of an image at 8 × 8 pixels."""


@dataclass(frozen=True, slots=True)
class Plain:
    """The result of one request."""

    seconds: float = 0.0
    """The time of the work in the process, without making thumbnails."""
    thumbnails: list[Thumbnail] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


class PlainDecoders:
    """The process; it ends with the `with`."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "benches.plain_decoders"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_ROOT
        )
        self.versions: dict[str, str] = self._answer({"do": "versions"})
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def decoded(self, path: Path, rounds: int) -> Plain:
        """Decode an image `rounds` times; the time is the median."""
        return Plain(**self._answer({"do": "decoded", "path": str(path), "rounds": rounds}))

    def view(self, path: Path, *, edge: int, quality: int) -> Plain:
        """Scale a JPEG down to a longest edge with `draft`, and encode it."""
        return Plain(**self._answer({"do": "view", "path": str(path), "edge": edge, "quality": quality}))

    def pages(self, path: Path, *, dpi: float, quality: int) -> Plain:
        """Return the text and a thumbnail of each page of a PDF; the page is rendered and encoded."""
        return Plain(**self._answer({"do": "pages", "path": str(path), "dpi": dpi, "quality": quality}))

    def thumbnails(self, images: Iterable[bytes]) -> list[Thumbnail]:
        """Return the thumbnails of encoded images."""
        texts = [base64.b64encode(image).decode() for image in images]
        return Plain(**self._answer({"do": "thumbnails", "images": texts})).thumbnails

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the process of Pillow and pypdfium2 ended; its error output is above")
        answer: dict[str, Any] = json.loads(line)
        return answer


def difference(some: list[Thumbnail], others: list[Thumbnail]) -> int:
    """Return the largest difference between the pixels of thumbnails, 0 to 255."""
    return max(
        abs(one - other)
        for pair in zip(some, others, strict=True)
        for colors in zip(*pair, strict=True)
        for one, other in zip(*colors, strict=True)
    )


# ---------------------------------------------------------------------------------------------------------
# In the process


def _versions() -> dict[str, str]:
    import PIL
    from pypdfium2.version import PYPDFIUM_INFO

    return {"pillow": f"Pillow {PIL.__version__}", "pypdfium2": f"pypdfium2 {PYPDFIUM_INFO}"}


def _decoded(path: str, rounds: int) -> dict[str, Any]:
    from PIL import Image

    taken = []
    for _ in range(rounds):
        started = time.perf_counter()
        with Image.open(path) as image:
            image.load()
        taken.append(time.perf_counter() - started)
    return {"seconds": sorted(taken)[rounds // 2]}


def _view(path: str, edge: int, quality: int) -> dict[str, Any]:
    from PIL import Image

    started = time.perf_counter()
    with Image.open(path) as image:
        scale = edge / max(image.size)
        size = round(image.width * scale), round(image.height * scale)
        image.draft("RGB", size)
        data = _jpeg(image.resize(size, Image.Resampling.BICUBIC), quality)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "thumbnails": [_thumbnail(data)]}


def _pages(path: str, dpi: float, quality: int) -> dict[str, Any]:
    import pypdfium2

    texts, images = [], []
    started = time.perf_counter()
    with pypdfium2.PdfDocument(path) as document:
        for page in document:
            texts.append(page.get_textpage().get_text_bounded())
            images.append(_jpeg(page.render(scale=dpi / 72).to_pil(), quality))
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "texts": texts, "thumbnails": [_thumbnail(data) for data in images]}


def _thumbnails(images: list[str]) -> dict[str, Any]:
    return {"thumbnails": [_thumbnail(base64.b64decode(text)) for text in images]}


def _jpeg(image: Any, quality: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def _thumbnail(data: bytes) -> Thumbnail:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        small = image.convert("RGB").resize((8, 8), Image.Resampling.BOX)
    levels = small.tobytes()
    return [list(levels[start : start + 3]) for start in range(0, len(levels), 3)]


_WORK: dict[str, Callable[..., dict[str, Any]]] = {
    "versions": _versions,
    "decoded": _decoded,
    "view": _view,
    "pages": _pages,
    "thumbnails": _thumbnails,
}


def main() -> None:
    """Answer requests until standard input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(_WORK[request.pop("do")](**request)), flush=True)


if __name__ == "__main__":
    main()
