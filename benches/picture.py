"""The picture of README.md: `python -m benches.picture DIRECTORY` makes three files there, and reads them.

On the left is what `open` returns, as many read tools send it; on the right is what anyread returns.
Both are really called. The log has 10 GB, and Python may use 4 GiB of memory to read it; the workbook has
93 MB, and the time is that of the processor.
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from html import escape
from io import BytesIO
from itertools import islice
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time

import xlsxwriter
from PIL import Image, ImageDraw

import anyread

ROOT = Path(__file__).parents[1]
PICTURES = {theme: ROOT / "docs" / f"picture-{theme}.svg" for theme in ("light", "dark")}

LOG_BYTES = 10 * 10**9
SHEET_ROWS = 900_001
MEMORY_BYTES = 4 * 2**30
USUAL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[2]),) * 2)
try:
    print(open(sys.argv[1], errors="replace").read(), end="")
except MemoryError as error:
    print(type(error).__name__)
"""
ROWS = """
import sys, openpyxl
for row in openpyxl.load_workbook(sys.argv[1], read_only=True).active.values:
    print(*row, sep="\\t")
"""

COLUMNS = 52
"""Characters in a line of a panel."""
LINE, CHARACTER = 19, 7.85
"""Height of a line and width of a character, in pixels."""
PANEL = COLUMNS * CHARACTER + 24
WIDTH = round(2 * PANEL + 3 * 16)
IMAGE = (256, 128)
"""Size at which the plot is shown."""

COLORS = {
    "light": {
        "page": "#ffffff",
        "panel": "#f6f8fa",
        "border": "#d1d9e0",
        "text": "#1f2328",
        "dim": "#59636e",
    },
    "dark": {"page": "#0d1117", "panel": "#151b23", "border": "#3d444d", "text": "#f0f6fc", "dim": "#9198a1"},
}
ACCENTS = {"light": ("#b3261e", "#0b6e3d"), "dark": ("#ff8a80", "#57d18b")}
MONOSPACE = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


@dataclass(frozen=True)
class Row:
    """A file and its two texts."""

    title: str
    calls: tuple[str, str]
    usual: str
    ours: str
    image: bytes = b""
    """An image that follows our text."""


def write_log(path: Path, size_bytes: int) -> None:
    """Write a log with the lines of `anyread demo`, and an error close to its end."""
    block = "".join(f"INFO request @{n:03} served in {n * 7919 % 90} ms\n" for n in range(1_000))
    with path.open("wb") as file:
        thousands = 1
        while file.tell() < size_bytes:
            file.write(block.replace("@", str(thousands)).encode())
            thousands += 1
        file.write(b"ERROR no space left on /var\nINFO shutting down\n")


def write_workbook(path: Path, rows: int) -> None:
    """Write a workbook of one sheet, with a row of titles."""
    book = xlsxwriter.Workbook(path, {"constant_memory": True})
    sheet, date = book.add_worksheet("Orders"), book.add_format({"num_format": "yyyy-mm-dd"})
    sheet.write_row(0, 0, ["id", "customer", "date", "total", "key", "sender", "receiver"])
    for n in range(1, rows):
        sheet.write_row(n, 0, [n, f"Customer {n % 9973}"])
        sheet.write_number(n, 2, 44000 + n % 700, date)
        sheet.write_number(n, 3, n * 1.25)
        sheet.write_row(n, 4, [hashlib.md5(f"{n} {k}".encode()).hexdigest() for k in range(3)])
    book.close()


def write_notebook(path: Path) -> bytes:
    """Write a notebook of one cell that draws a plot, and return the plot."""
    plot = Image.new("RGB", (640, 320), "white")
    draw = ImageDraw.Draw(plot)
    draw.line([(40, 20), (40, 290), (620, 290)], "#444444", 2)
    draw.line([(x, 250 - x * 7919 % 97 - x // 4) for x in range(50, 620, 15)], "navy", 4)
    encoded = BytesIO()
    plot.save(encoded, "PNG")
    data = {"image/png": base64.b64encode(encoded.getvalue()).decode()}
    cell = {
        "cell_type": "code",
        "id": "flow",
        "metadata": {},
        "execution_count": 1,
        "source": "flow.plot()",
        "outputs": [{"output_type": "display_data", "metadata": {}, "data": data}],
    }
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook))
    return encoded.getvalue()


def observe(
    directory: Path,
    *,
    log_bytes: int = LOG_BYTES,
    memory_bytes: int = MEMORY_BYTES,
    sheet_rows: int = SHEET_ROWS,
) -> list[Row]:
    """Make the files and read each of them both ways."""

    def usual(path: Path, program: str = USUAL) -> str:
        command = [sys.executable, "-c", program, str(path), str(memory_bytes)]
        return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout

    log, book, notebook = (directory / name for name in ("server.log", "orders.xlsx", "pump.ipynb"))
    write_log(log, log_bytes)
    write_workbook(book, sheet_rows)
    first = sheet_rows * 7 // 9
    place = f"orders.xlsx:B{first}:D{first + 3}"
    before = getrusage(RUSAGE_CHILDREN)
    all_rows = usual(book, ROWS)
    after = getrusage(RUSAGE_CHILDREN)
    started = process_time()
    four_rows = anyread.Reader(roots=directory).read_sync(place).text
    took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, process_time() - started
    plot = write_notebook(notebook)
    page = anyread.read_sync(notebook, kind="notebook")
    assert [block.data for block in page.blocks if isinstance(block, anyread.ImageBlock)] == [plot]
    return [
        Row(
            f"The end of a log of {log_bytes / 10**9:.0f} GB, for a program with 4 GiB of memory",
            ('open("server.log", errors="replace").read()', 'anyread.read_sync("server.log", offset=-3)'),
            usual(log),
            anyread.read_sync(log, offset=-3).text,
        ),
        Row(
            f"Four rows of an Excel workbook of {book.stat().st_size / 10**6:.0f} MB",
            (
                f'load_workbook("orders.xlsx", read_only=True) # {took[0]:.0f} s',
                f'anyread.read_sync("{place}") # {took[1]:.0f} s',
            ),
            all_rows,
            four_rows,
        ),
        Row(
            "A notebook with a plot",
            ('open("pump.ipynb", errors="replace").read()', 'anyread.read_sync("pump.ipynb")'),
            usual(notebook),
            page.text,
            plot,
        ),
    ]


def wrapped(text: str, lines: int) -> list[str]:
    """Break a text into lines of a panel; say how much of it is left out."""
    parts = (
        part for line in text.splitlines() for part in textwrap.wrap(line.expandtabs(4), COLUMNS) or [""]
    )
    broken = list(islice(parts, lines + 1))
    if len(broken) <= lines:
        return broken
    shown = broken[: lines - 1]
    return [*shown, f"… and {len(text) - sum(map(len, shown)):,} more characters"]


def draw(rows: list[Row], theme: str) -> str:
    """Return the picture as SVG."""
    colors = COLORS[theme]
    parts: list[str] = []

    def text(x: float, y: float, content: str, style: str) -> None:
        # Spaces at the beginning of a line and between words would be dropped.
        kept = escape(content).replace(" ", "\N{NO-BREAK SPACE}")
        parts.append(f'<text x="{x:g}" y="{y:g}" {style}>{kept}</text>')

    code, dim = (f'fill="{colors[name]}" font-size="13"' for name in ("text", "dim"))
    title = f'fill="{colors["text"]}" font-size="14" font-family="system-ui, sans-serif"'
    sides = (16, 32 + PANEL)
    heads = ("What a usual reader sends a model", "What anyread sends")
    for left, head, accent in zip(sides, heads, ACCENTS[theme], strict=True):
        text(
            left,
            34,
            head,
            f'fill="{accent}" font-size="17" font-weight="bold" font-family="system-ui, sans-serif"',
        )
    top = 66.0
    for row in rows:
        text(16, top, row.title, title)
        ours = wrapped(row.ours, 12)
        height = len(ours) * LINE + (IMAGE[1] + 10 if row.image else 0) + 22
        usual = wrapped(row.usual, int((height - 22) // LINE))
        for left, call, lines in zip(sides, row.calls, (usual, ours), strict=True):
            text(left, top + 22, call, dim)
            parts.append(
                f'<rect x="{left:g}" y="{top + 32:g}" width="{PANEL:g}" height="{height}" rx="6" '
                f'fill="{colors["panel"]}" stroke="{colors["border"]}"/>'
            )
            for number, line in enumerate(lines):
                text(left + 12, top + 56 + number * LINE, line, dim if line.startswith(("[", "…")) else code)
        if row.image:
            data = base64.b64encode(row.image).decode()
            parts.append(
                f'<image x="{sides[1] + 12:g}" y="{top + 44 + len(ours) * LINE:g}" width="{IMAGE[0]}" '
                f'height="{IMAGE[1]}" href="data:image/png;base64,{data}"/>'
            )
        top += height + 68
    height = round(top - 18)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="{MONOSPACE}">\n'
        f"<title>What a model gets of three files from open() and from anyread</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{colors["page"]}"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def main() -> None:
    """Write the pictures."""
    rows = observe(Path(sys.argv[1]))
    for theme, path in PICTURES.items():
        path.write_text(draw(rows, theme), "utf-8")


if __name__ == "__main__":
    main()
