"""The files that every integration reads, and their bytes in the types of frameworks."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass, fields
from pathlib import Path

from helpers.media import drawing, encoded, text_pdf


@dataclass(frozen=True)
class Samples:
    """One file of each kind in a directory; images are small enough to be sent unchanged."""

    directory: Path
    text: Path
    """Three lines."""
    png: Path
    jpeg: Path
    gif: Path
    """An image without animation."""
    pdf: Path
    """Three pages of text."""
    notebook: Path
    """A cell of Markdown, and a cell of code with a text and the image `png` as outputs."""
    missing: Path
    """A file that does not exist; `text` has a similar name."""
    endless: Path
    """A log of 1 TiB that is almost all hole: reading it at `ENDLESS_OFFSET` takes minutes."""

    @property
    def media(self) -> dict[str, Path]:
        """The images by their names in `cell`."""
        return {"PNG": self.png, "JPEG": self.jpeg, "GIF": self.gif}

    @property
    def places(self) -> dict[str, list[str]]:
        """The arguments of a call without `path` that shows the second line of `text`, and `png`."""
        return {"places": [f"{self.text}:2-2", str(self.png)]}


LINES = ("Tyger Tyger, burning bright,", "In the forests of the night;", "What immortal hand or eye,")
"""The lines of `Samples.text`."""
ENDLESS_OFFSET = 10**9
"""A line of `Samples.endless` that is found only by counting all lines before it."""
PDF_WORDS = "line 1 of page 1 tells of the sea"
"""What the first page of `Samples.pdf` contains."""
CODE = "plot(flow)"
"""The source of the code cell of `Samples.notebook`."""


def write(directory: Path) -> Samples:
    """Write the files into a directory."""
    names = {field.name: directory / field.name for field in fields(Samples)}
    names |= {
        "directory": directory,
        "text": directory / "poem.txt",
        "png": directory / "chart.png",
        "jpeg": directory / "photo.jpg",
        "gif": directory / "dot.gif",
        "pdf": directory / "report.pdf",
        "notebook": directory / "plots.ipynb",
        "missing": directory / "peom.txt",
        "endless": directory / "endless.log",
    }
    samples = Samples(**names)
    samples.text.write_text("\n".join(LINES) + "\n", "utf-8")
    samples.png.write_bytes(encoded(drawing(40, 30), "PNG"))
    samples.jpeg.write_bytes(encoded(drawing(64, 20), "JPEG"))
    samples.gif.write_bytes(encoded(drawing(20, 20), "GIF"))
    samples.pdf.write_bytes(text_pdf(3))
    samples.notebook.write_text(json.dumps(_notebook(samples.png.read_bytes())), "utf-8")
    samples.endless.write_bytes(b"line\n" * 4_000)
    os.truncate(samples.endless, 1 << 40)
    return samples


def content_bytes(value: str | bytes) -> bytes:
    """Return the bytes of an image or document: as they are, from base64, or from a data URL."""
    if isinstance(value, bytes):
        return value
    if value.startswith("data:"):
        value = value.partition(";base64,")[2]
    return base64.b64decode(value, validate=True)


def _notebook(png: bytes) -> dict[str, object]:
    outputs: list[dict[str, object]] = [
        {"output_type": "stream", "name": "stdout", "text": "flow 41.7\n"},
        {
            "output_type": "display_data",
            "metadata": {},
            "data": {"image/png": base64.b64encode(png).decode()},
        },
    ]
    code = {"cell_type": "code", "id": "plot", "metadata": {}, "execution_count": 1, "source": CODE}
    cells = [
        {"cell_type": "markdown", "id": "top", "metadata": {}, "source": "# The pump"},
        {**code, "outputs": outputs},
    ]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
