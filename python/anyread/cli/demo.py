"""`anyread demo`: write the documentation's example files, the same ones each time."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyread.arguments.paths import displayed

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from .terminal import Terminal


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Write the files to a directory; return 1 if one exists already or cannot be written."""
    directory = Path(arguments.directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, (description, make) in FILES.items():
            # Mode "x" changes no existing file.
            with (directory / name).open("xb") as file:
                file.write(make())
            terminal.out(f"{displayed(directory / name)}: {description}\n")
    except OSError as error:
        terminal.err(f"anyread: cannot write `{displayed(error.filename)}`: {error.strerror}")
        return 1
    return 0


def _log() -> bytes:
    lines = (f"INFO request {n} served in {n * 7919 % 90} ms\n" for n in range(1, 500_001))
    return "".join(lines).encode()


def _png() -> bytes:
    """Draw a navy line on white, of 4,000×3,000 pixels."""
    rows = [bytearray(4_001) for _ in range(3_000)]
    heights = [1_500 + 80 * n * 7919 % 900 for n in range(51)]
    for x in range(3_920):
        start, end = heights[x // 80], heights[x // 80 + 1]
        middle = start + (end - start) * (x % 80) // 80
        # A steep part needs more pixels in each column to look as thick as a flat one.
        half = 5 + abs(end - start) // 160
        for row in rows[middle - half : middle + half]:
            row[x + 1] = 1
    # Each row starts with its filter: none. The colors of the palette are white and navy.
    header = struct.pack(">IIBBBBB", 4_000, 3_000, 8, 3, 0, 0, 0)
    chunks = {b"IHDR": header, b"PLTE": b"\xff\xff\xff\0\0\x80", b"IDAT": zlib.compress(b"".join(rows), 1)}
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in (chunks | {b"IEND": b""}).items()
    )


def _pdf() -> bytes:
    """Make three pages with a line of text each; readers find the objects without a table of them."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R 5 0 R 7 0 R]/Count 3>>"]
    for text in ("Trial of the new pump", "Flow was 41.7 litres a second", "Conclusions"):
        drawn = f"BT /F 24 Tf 72 700 Td ({text}) Tj ET"
        font = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
        page = f"/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<<{font}>>/Contents {len(objects) + 2} 0 R"
        objects += [f"<</Type/Page{page}>>", f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream"]
    body = "".join(f"{n} 0 obj\n{each}\nendobj\n" for n, each in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer\n<</Root 1 0 R>>\n".encode()


def _notebook() -> bytes:
    output = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    code = {"cell_type": "code", "id": "mean", "metadata": {}, "execution_count": 1, "source": "flow.mean()"}
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "top", "metadata": {}, "source": "# The pump"},
        {**code, "outputs": [{**output, "data": {"text/plain": "41.7"}}]},
    ]
    metadata = {"language_info": {"name": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}).encode()


def _trace() -> bytes:
    steps: list[dict[str, Any]] = [
        {"type": "assistant", "message": {"text": "I will run the tests."}, "id": 18231},
        {"type": "tool", "output": "FAILED test_a.py\n" * 611, "log": list(range(312))},
    ]
    return "".join(json.dumps(step) + "\n" for step in steps).encode()


OFFICE = Path(__file__).with_name("demo_files")
"""The files that `website/demo_files.py` has made."""
FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "notes.txt": (
        "a poem, in KOI8-R",
        lambda: "Буря мглою небо кроет,\nВихри снежные крутя;\n".encode("koi8-r"),  # noqa: RUF001 - Cyrillic
    ),
    "menu.txt": (
        "a menu, in Latin-1",
        lambda: "Café crème 3,20\nPâté en croûte 8,50\nGâteau à la crème brûlée 6,90\n".encode("latin-1"),
    ),
    "server.log": ("a log of 500,000 lines", _log),
    "chart.png": ("an image of 4,000×3,000 pixels", _png),
    "trial.pdf": ("a PDF of three pages", _pdf),
    "pump.ipynb": ("a notebook of two cells", _notebook),
    "report.xlsx": ("a workbook of three sheets", (OFFICE / "report.xlsx").read_bytes),
    "report.docx": ("a document with a table", (OFFICE / "report.docx").read_bytes),
    "plan.pptx": ("a presentation of four slides", (OFFICE / "plan.pptx").read_bytes),
    "trace.jsonl": ("a trace of two records", _trace),
}
"""The name of each file, what it is, and a function that returns its bytes."""
