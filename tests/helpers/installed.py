"""Read with the installed package, as a stranger would: python tests/helpers/installed.py.

Uses nothing but anyread and the standard library, so that it runs wherever a wheel is installed.
"""

from __future__ import annotations

import asyncio
import base64
import json
import platform
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import anyread

# A PNG of one red pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
NOTEBOOK = {
    "cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# Title"]}],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def smallest_pdf() -> bytes:
    """Return a PDF with one page and one word."""
    content = b"BT /F1 24 Tf 20 50 Td (Hello) Tj ET"
    fonts = b"<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources %s>>" % fonts,
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
    ]
    text, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(text))
        text += b"%d 0 obj%s endobj\n" % (number, body)
    rows = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(text))
    return text + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (len(objects) + 1, rows, trailer)


def check(name: str, *, holds: bool) -> None:
    """Print the outcome of one check; the program fails at the first that does not hold."""
    print(f"{'ok' if holds else 'WRONG'}  {name}", flush=True)
    if not holds:
        sys.exit(1)


def check_text(directory: Path) -> None:
    """Read windows of texts, by every way to call."""
    text = directory / "a.txt"
    text.write_text("".join(f"line {number}\n" for number in range(1, 200_001)), "utf-8", newline="\n")
    page: Any = anyread.read_sync(text, offset=150_000, limit=2)
    check("a window", holds=page.content == "line 150000\nline 150001\n")
    check("the last line", holds="line 200000" in anyread.read_sync(text, offset=-1).text)
    page = asyncio.run(anyread.read(text, limit=1))
    check("an event loop", holds=page.content == "line 1\n")
    (directory / "b.txt").write_bytes("Grüße\r\n".encode("cp1252"))
    check("an encoding", holds="Grüße" in anyread.read_sync(directory / "b.txt").text)
    reader = anyread.Reader(roots=[directory / "sub"])
    for outside in ("../a.txt", str(text)):
        try:
            reader.read_sync(outside)
        except anyread.OutsideRootError:
            check(f"a root refuses {Path(outside).name}", holds=True)
        else:
            check("a root", holds=False)
    page = reader.read_sync("c.txt")
    check("a file in a root", holds=page.content == "inside\n")
    denying = anyread.Reader(roots=[directory], deny=["secrets/**"])
    (directory / "secrets").mkdir()
    (directory / "secrets" / "key").write_text("x")
    try:
        denying.read_sync("secrets/key")
    except anyread.DeniedError:
        check("a deny rule", holds=True)
    else:
        check("a deny rule", holds=False)
    exact = anyread.Reader(limits=anyread.Limits(tokenizer="o200k_base"))
    check("exact tokens", holds="line 1" in exact.read_sync(text, limit=3).text)


def check_media(directory: Path) -> None:
    """Read an image and a PDF, or get the error that says that this system cannot."""
    image, pdf = directory / "a.png", directory / "a.pdf"
    image.write_bytes(PIXEL)
    pdf.write_bytes(smallest_pdf())
    try:
        check("an image", holds=anyread.read_sync(image).kind == "image")
        check("a PDF", holds="Hello" in anyread.read_sync(pdf).text)
    except anyread.DecoderUnavailableError as error:
        check(f"images and PDFs: {error.reason}", holds=sys.platform == "win32" and not error.supported)


def main() -> None:
    """Run all checks."""
    print(f"anyread {anyread.__version__}, Python {platform.python_version()}, {platform.platform()}")
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        # Python enables the GIL when it imports an extension that does not say that it works without it.
        check("the GIL stays off", holds=not getattr(sys, "_is_gil_enabled")())  # noqa: B009 - new in 3.13
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name).resolve()
        (directory / "sub").mkdir()
        (directory / "sub" / "c.txt").write_text("inside\n", newline="\n")
        check_text(directory)
        notebook = directory / "a.ipynb"
        notebook.write_text(json.dumps(NOTEBOOK))
        check("a notebook", holds="Title" in anyread.read_sync(notebook).text)
        check_media(directory)
        command = [sys.executable, "-m", "anyread", "read", str(directory / "sub" / "c.txt")]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        check("the command line", holds=ran.returncode == 0 and "inside" in ran.stdout)


if __name__ == "__main__":
    main()
