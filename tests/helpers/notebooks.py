"""Write notebooks for tests, and open and read them without a `Reader`."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from unittest import mock

import anyread
from anyread.arguments.request import checked
from anyread.formats import notebook, pictures
from anyread.formats.composing import composed
from anyread.formats.parts import How
from anyread.kinds import BY_KIND
from anyread.models.model import Model
from anyread.results.blocks import ImageBlock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.decoding.host.fitting import ImageJob
    from anyread.results.notebook import NotebookPage


def fitted(images: Sequence[ImageJob], **_: object) -> list[Any]:
    """Decode images in this process, as `fit_all` does in a decoder."""
    return [_decoded(image.content()) for image in images]


def _decoded(data: bytes) -> Any:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as image:
            image.load()
        return SimpleNamespace(image=ImageBlock.from_bytes(data))
    except (OSError, ValueError, SyntaxError):
        return anyread.DamagedFileError("n.ipynb", media_type="image/png", reason="it does not decode")


def read(
    path: Path | str,
    *,
    limits: anyread.Limits | None = None,
    model: Model | None = None,
    **arguments: Any,
) -> NotebookPage:
    """Read a page of a notebook."""
    with anyread.Reader().open_sync(path) as file:
        limits, model = limits or anyread.Limits(), model or Model.any()
        request = checked(path, **arguments)
        limits = limits.lowered(max_tokens=request["max_tokens"], max_bytes=request["max_bytes"])
        how = How(limits, model, request["gutter"] or anyread.Gutter.TAB)
        page = composed(BY_KIND["notebook"], notebook, file.opened, request, how)
        with mock.patch.object(pictures, "fit_all", fitted):
            page.file.settle()
        return cast("NotebookPage", page.page())


def write(directory: Path, *cells: dict[str, Any], name: str = "n.ipynb", **top: Any) -> Path:
    """Write a notebook of these cells."""
    path = directory / name
    whole = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **top}
    path.write_text(json.dumps(whole, indent=1), "utf-8")
    return path


def code(source: str, *outputs: dict[str, Any], count: int | None = 1, **more: Any) -> dict[str, Any]:
    """Make a code cell."""
    return {
        "cell_type": "code",
        "execution_count": count,
        "metadata": {},
        "source": source,
        "outputs": list(outputs),
        **more,
    }


def markdown(source: str, **more: Any) -> dict[str, Any]:
    """Make a markdown cell."""
    return {"cell_type": "markdown", "metadata": {}, "source": source, **more}


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    """Make a stream output."""
    return {"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}


def display(**data: Any) -> dict[str, Any]:
    """Make a display output; `_` in a name stands for the slash of a media type."""
    named = {name.replace("_", "/"): value for name, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": named}


def png(width: int = 4, height: int = 3, seed: int = 0) -> str:
    """Make an image in base64."""
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (width, height), (seed % 256, 80, 200)).save(file, "PNG")
    return base64.encodebytes(file.getvalue()).decode()
