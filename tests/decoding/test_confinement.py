"""A decoder loads everything before its first file; later it imports nothing and opens only fonts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.corpus import MISSING, corpus_files
from helpers.media import drawing, encoded, noise, pdf, text_page, text_pdf

_DECODE_ALL = """
import os, sys
sys.path.insert(0, {package!r})
from pathlib import Path
from anyread.decoding.child import encoding, images, pages
from anyread.decoding.child.damage import RefusalError
from anyread.decoding.child.preload import preload

files = [(path, Path(path).read_bytes()) for path in {paths!r}]
preload()
os.write(1, b"")
broken = []
def audit(event, arguments):
    if event in ("import", "open", "os.exec", "subprocess.Popen", "socket.connect", "ctypes.dlopen"):
        broken.append((event, str(arguments)[:200]))
sys.addaudithook(audit)
# Marks the start of decoding in the trace.
os.access("{mark}", os.F_OK)
types = ("image/png", "image/jpeg", "image/gif", "image/webp")
for path, data in files:
    for media_types in (types, ("image/png",), ("image/webp",)):
        wanted = encoding.Wanted(media_types, 200_000, 300, None, 50_000_000, 80)
        try:
            if b"%PDF-" in data[:1024]:
                document = pages.PdfFile(data, passwords=["x", "é"])
                for number in range(1, min(4, document.header()["pages"] + 1)):
                    for image in (None, wanted):
                        document.page(pages.WantedPage(number, 100_000, 100, image))
                document.close()
            else:
                for region in (None, (1, 1, 20, 20)):
                    images.fit(data, wanted._replace(region=region))
        except RefusalError:
            pass
        if broken:
            sys.exit(f"{{path}}: {{broken}}")
"""
_MARK = "/anyread-decodes-from-here"
_FONTS = re.compile(r"/fonts?/|/Fonts/|fontconfig|X11R6|ttf", re.IGNORECASE)

_HARMLESS = re.compile(r" getcwd\(|AT_EMPTY_PATH")
"""Pillow calls `getcwd` before it saves, and `fstat` of an open file is harmless."""


def traced(paths: list[Path], tmp_path: Path) -> list[str]:
    """Decode files in one process, and return its file system calls after preloading, except for fonts."""
    package = str(Path(__file__).parents[2] / "python")
    code = _DECODE_ALL.format(package=package, paths=[str(path) for path in paths], mark=_MARK)
    log = tmp_path / "trace"
    command = [sys.executable, "-c", code]
    strace = shutil.which("strace")
    if strace is not None:
        command = [strace, "-f", "-qq", "-e", "trace=%file", "-e", "signal=none", "-o", str(log), *command]
    # No environment, as in a decoder. Otherwise coverage would be measured in the process and write files.
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False, env={})
    # libtiff writes warnings about broken files to standard error, so it is not compared.
    assert done.returncode == 0, done.stderr[-2_000:]
    if strace is None:
        return []
    lines = log.read_text("utf-8", "replace").splitlines()
    (start,) = (number for number, line in enumerate(lines) if _MARK in line)
    return [line for line in lines[start + 1 :] if not _FONTS.search(line) and not _HARMLESS.search(line)]


@pytest.fixture
def kinds(tmp_path: Path) -> list[Path]:
    """Return one file of each format, and damaged ones."""
    drawn = drawing(64, 48)
    files = {
        "a.png": encoded(drawn, "PNG"),
        "grey16.png": encoded(drawn.convert("I;16"), "PNG"),
        "palette.png": encoded(drawn.convert("P"), "PNG", transparency=3),
        "a.jpg": encoded(drawn, "JPEG"),
        "cmyk.jpg": encoded(drawn.convert("CMYK"), "JPEG"),
        "large.jpg": encoded(noise(900, 700), "JPEG"),
        "a.gif": encoded(drawn, "GIF", save_all=True, append_images=[drawing(64, 48, "L")]),
        "a.webp": encoded(drawn, "WEBP", save_all=True, append_images=[noise(64, 48)]),
        "a.bmp": encoded(drawn, "BMP"),
        "a.tiff": encoded(drawn, "TIFF", compression="tiff_lzw"),
        "float.tiff": encoded(drawn.convert("F"), "TIFF"),
        "jpeg.tiff": encoded(drawn, "TIFF", compression="jpeg"),
        "a.avif": encoded(drawn, "AVIF"),
        "a.ico": encoded(drawn, "ICO"),
        "cut.jpg": encoded(noise(200, 100), "JPEG")[:-500],
        "cut.png": encoded(noise(200, 100), "PNG")[:-3000],
        "text.png": b"hello",
        "empty.png": b"",
        "a.pdf": text_pdf(3),
        "cjk.pdf": pdf([b"BT /S 30 Tf 72 700 Td <4e2d6587> Tj ET"]),
        "foreign.pdf": pdf(
            [text_page("Strange")],
            resources=b"<</Font<</F<</Type/Font/Subtype/TrueType/BaseFont/Garamond>>>>>>",
        ),
        "broken.pdf": b"%PDF-1.4 not really a pdf",
    }
    paths = []
    for name, data in files.items():
        paths.append(tmp_path / name)
        paths[-1].write_bytes(data)
    return paths


@pytest.mark.slow
def test_decoding_imports_nothing_and_opens_only_fonts(kinds: list[Path], tmp_path: Path) -> None:
    assert traced(kinds, tmp_path) == []


@pytest.mark.torture
def test_decoding_the_corpus_imports_nothing_and_opens_only_fonts(tmp_path: Path) -> None:
    found = corpus_files("images", "pdfs") or pytest.skip(MISSING)
    assert traced(found, tmp_path) == []
