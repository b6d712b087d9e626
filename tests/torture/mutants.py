"""Mutants of images, PDFs and notebooks, read like any other file: the load of row S5.

A mutant depends only on its number, so a failing one can be made again: `mutant(number)`.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import anyread
from helpers import media, notebooks
from helpers.corpus import corpus_files

KINDS = {"images": "image", "pdfs": "pdf", "notebooks": "notebook"}
"""The directories of the corpus, and what a read calls these files."""
WEIGHTS = (4, 2, 3)
"""How often each is chosen: a PDF takes several times as long as an image."""
MAX_BYTES = 150_000
HANG_S = 30.0
"""No read of a mutant may take longer, including the wait for a decoder."""
VALUES = (
    b"\x00", b"\xff", b"\x7f", b"\x80", b"\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff",
    b"65536", b"-1", b"4294967295", b"2147483648", b"1e999", b"null", b"{", b"[", b'"', b"\\u", b"obj",
    b"endobj", b"stream", b"\xef\xbb\xbf", b"\xff\xfe",
)  # fmt: skip
"""Bytes that are often at the limits of a field or of a syntax."""


@cache
def originals() -> dict[str, list[bytes]]:
    """Return the files that are mutated, by directory: real ones, or our own where the corpus is missing."""
    found = {
        name: [path.read_bytes() for path in corpus_files(name) if 0 < path.stat().st_size < MAX_BYTES]
        for name in KINDS
    }
    drawing = media.drawing(60, 40)
    cell = notebooks.code("plot()", notebooks.display(image_png=notebooks.png(40, 30)))
    own = {
        "images": [media.encoded(drawing, kind) for kind in ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP")],
        "pdfs": [media.text_pdf(3), media.text_pdf(1, lines=40), media.object_stream_pdf(b"text")],
        "notebooks": [
            json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
        ],
    }
    return {name: found[name] or own[name] for name in KINDS}


def mutant(number: int) -> tuple[str, bytes, dict[str, Any]]:
    """Return the directory of the original, the content of a mutant, and the arguments of its read."""
    rng = Random(number)
    (name,) = rng.choices(list(KINDS), weights=WEIGHTS)
    data = bytearray(rng.choice(originals()[name]))
    for _ in range(rng.choice((1, 1, 2, 4, 8, 16, 64))):
        change(data, rng)
    # Content that no longer looks like its format is mostly read as text, unless its kind is given.
    arguments = {"kind": KINDS[name]} if rng.random() < 0.5 else {}
    return name, bytes(data), arguments


def change(data: bytearray, rng: Random) -> None:
    """Make one random change; half of them are near the beginning, where most of the structure is."""
    if not data:
        return
    place = rng.randrange(len(data) if rng.random() < 0.5 else min(len(data), 512))
    match rng.randrange(6):
        case 0:
            data[place] ^= 1 << rng.randrange(8)
        case 1:
            data[place] = rng.randrange(256)
        case 2:
            value = rng.choice(VALUES)
            data[place : place + len(value)] = value
        case 3:
            del data[place : place + rng.randrange(1, 64)]
        case 4:
            source = rng.randrange(len(data))
            data[place:place] = data[source : source + rng.randrange(1, 64)]
        case _ if rng.random() < 0.2:
            del data[place:]


class MutantReads:
    """Reads mutants one after another in several tasks, and counts how the reads end.

    Args:
        directory: Where the mutants are written; each is removed after its read.
        first: The number of the first mutant.
    """

    def __init__(self, reader: anyread.Reader, directory: Path, first: int) -> None:
        self._reader, self._directory, self._next = reader, directory, first
        self.read: Counter[str] = Counter()
        """How many were read of each directory."""
        self.ended: Counter[str] = Counter()
        self.failures: list[str] = []
        """Reads that hung or raised something else than a `ReadError`, each with its number."""

    async def some(self, count: float, end_s: float) -> None:
        """Read mutants until `count` are read in total or the time is `end_s`, but at least one."""
        has_begun = False
        while not has_begun or (sum(self.read.values()) < count and time.monotonic() < end_s):
            has_begun = True
            number, self._next = self._next, self._next + 1
            await self.one(number)

    async def one(self, number: int) -> None:
        """Read one mutant and count how the read ends."""
        name, data, arguments = mutant(number)
        path = self._directory / f"{number}"
        path.write_bytes(data)
        self.read[name] += 1
        try:
            async with asyncio.timeout(HANG_S):
                page = await self._reader.read(path, **arguments)
            self.ended[page.kind] += bool(page.to_json())
        except anyread.ReadError as error:
            self.ended[error.code] += bool(str(error))
        except TimeoutError:
            self.failures.append(f"{number} hung")
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - even a panic of the core must not end the count
            self.failures.append(f"{number}: {error!r}")
        path.unlink()
