"""The files that the benchmarks read: created once, identical on every machine, kept in `benches/.data`.

A log is written in blocks of 10,000 lines.
There are a few templates, and blocks of the same template differ only in their stamp, which is the time and
the high digits of the line number. A block therefore takes one `bytes.join`, and gigabytes are written at
the speed of the disk.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benches import documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA = Path(__file__).parent / ".data"
GB = 10**9
MIB = 2**20
LOG_BYTES = 4 * 2**30
"""Size of the log and of the single line on which ratios are measured, independent of `ANYREAD_BENCH_GB`."""
BIG_LOG_BYTES = 10 * GB
"""The least size for the rows of a 10 GB log."""
RECORDS = 1_300_000
"""The records of about 1 GB of JSON."""
PARAGRAPHS, SLIDES, ROWS = 62_000, 300, 500_000
"""Those of the document, of the presentation, and of the workbook, with its row of headings."""

_RECIPE = 1  # must be incremented when the content of the files changes: older files are then replaced
_BLOCK_LINES = 10_000
_TEMPLATES = 8
_WORDS = ["rho", "tau", "pi", "xi", "mu", "nu", "eta", "phi", "chi", "psi"]
_START = 1_767_225_600  # 2026-01-01T00:00:00Z; one block per second


@dataclass(frozen=True, slots=True)
class Log:
    """A log whose lines contain their numbers."""

    path: Path
    size_bytes: int
    lines: int


@dataclass(frozen=True, slots=True)
class EndlessLine:
    """A file of one line without a line ending, in blocks with the same number of characters."""

    path: Path
    size_bytes: int
    characters: int

    def characters_at(self, column: int, count: int) -> str:
        """Return `count` characters from `column` (counted from 1) on, without reading those before."""
        block_characters = self.characters // (self.size_bytes // MIB)
        block, skipped = divmod(column - 1, block_characters)
        with self.path.open("rb") as file:
            file.seek(block * MIB)
            # Two blocks, for a window that crosses into the next.
            return file.read(2 * MIB).decode()[skipped : skipped + count]


def budget_bytes() -> int:
    """Return the size of the largest file, in bytes.

    It is `ANYREAD_BENCH_GB`; without it 10 GB, or a third of the available disk space, in whole GB.
    """
    size_gb = os.environ.get("ANYREAD_BENCH_GB")
    if size_gb:
        return int(float(size_gb) * GB)
    DATA.mkdir(exist_ok=True)
    used = sum(file.stat().st_size for file in DATA.iterdir() if file.is_file())
    available = shutil.disk_usage(DATA).free + used
    return min(BIG_LOG_BYTES, available // 3 // GB * GB)


def log(size_bytes: int) -> Log:
    """Return a log with as many whole lines as fit into `size_bytes`."""
    name = f"log-{size_bytes / GB:.1f}GB.log" if size_bytes >= GB else f"log-{size_bytes // MIB}MiB.log"
    facts = _large_file(name, size_bytes, lambda: _cut(log_blocks(), size_bytes))
    return Log(DATA / name, facts["bytes"], facts["newlines"])


def logs(size_bytes: int, count: int) -> list[Path]:
    """Return several logs of the same size, with different lines."""
    text = b"".join(_cut(log_blocks(), size_bytes))
    paths = [DATA / f"log-{size_bytes // MIB}MiB-{number:02d}.log" for number in range(count)]
    for number, path in enumerate(paths):
        if not path.exists():
            DATA.mkdir(exist_ok=True)
            path.write_bytes(b"%02d" % number + text[2:])
    return paths


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def endless_line() -> EndlessLine:
    """Return a file of 4 GiB in one line, with characters of one to four bytes."""
    name = "one-line-4GiB.txt"
    facts = _large_file(name, LOG_BYTES, lambda: _line_blocks(LOG_BYTES))
    characters = len(_line_block(0).decode()) * (facts["bytes"] // MIB)
    return EndlessLine(DATA / name, facts["bytes"], characters)


def records() -> tuple[Path, Path]:
    """Return `RECORDS` (1 GB) as one array, a record on each line, and as JSON Lines."""
    names = "records-1GB.json", "records-1GB.jsonl"
    _large_file(names[0], GB, lambda: _record_blocks(b"[", b",\n", b"]\n"))
    _large_file(names[1], GB, lambda: _record_blocks(b"", b"\n", b"\n"))
    return DATA / names[0], DATA / names[1]


def record(number: int) -> dict[str, object]:
    """Return a record; its text has quotes and letters that are not ASCII."""
    text = f'step {number}: the "pump" öffnet at {number % 1_000} mbar; ' * 12
    return {"id": number, "name": f"user {number}", "text": text, "values": [1, 2.5, None], "ok": True}


def _record_blocks(start: bytes, joint: bytes, end: bytes) -> Iterator[bytes]:
    block = 10_000
    for first in range(0, RECORDS, block):
        lines = [json.dumps(record(number)).encode() for number in range(first, first + block)]
        yield (joint if first else start) + joint.join(lines)
    yield end


def workbook() -> Path:
    """Return a workbook of `ROWS` and 10 columns, with shared texts, dates and formats."""
    from xlsxwriter import Workbook

    path = DATA / "orders-500000-rows.xlsx"
    if path.exists():
        return path
    DATA.mkdir(exist_ok=True)
    unfinished, chance = path.with_suffix(".unfinished"), random.Random(1)
    with Workbook(unfinished, {"constant_memory": False, "default_date_format": "d mmm yyyy"}) as book:
        sheet, money = book.add_worksheet("Orders"), book.add_format({"num_format": "#,##0.00 €"})
        share = book.add_format({"num_format": "0.0%"})
        sheet.write_row(
            0, 0, ["id", "customer", "email", "date", "region", "qty", "price", "share", "total", "comment"]
        )
        for row in range(1, ROWS):
            customer, price = chance.randrange(50_000), chance.randrange(100_000) / 100
            sheet.write_number(row, 0, row)
            sheet.write_string(row, 1, f"Customer {customer}")
            sheet.write_string(row, 2, f"user{customer}@mail.test")
            sheet.write_datetime(row, 3, date(2020, 1, 1) + timedelta(days=row % 2_000))
            sheet.write_string(row, 4, ("north", "south", "east", "west")[row % 4])
            sheet.write_number(row, 5, row % 17)
            sheet.write_number(row, 6, price, money)
            sheet.write_number(row, 7, row % 1_000 / 1_000, share)
            sheet.write_formula(row, 8, f"=F{row + 1}*G{row + 1}", money, row % 17 * price)
            sheet.write_string(row, 9, " ".join(chance.choices(_WORDS, k=6)))
    unfinished.rename(path)
    return path


def document() -> Path:
    """Return a document of `PARAGRAPHS` (about 2,000 pages, 18 MB of XML), every 31st of them a heading."""
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    relations, chance = "application/vnd.openxmlformats-package.relationships+xml", random.Random(1)
    parts = {
        "[Content_Types].xml": (
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            f'<Default Extension="rels" ContentType="{relations}"/>'
            f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>'
        ),
        "_rels/.rels": (
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="rId1" Type="{relation}" Target="word/document.xml"/></Relationships>'
        ),
        "word/document.xml": (
            '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
            f"{''.join(_paragraph(number, chance) for number in range(PARAGRAPHS))}</w:body></w:document>"
        ),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            # A fixed date, so that the bytes are the same.
            package.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return _small_file("document-2000-pages.docx", packed.getvalue())


def _paragraph(number: int, chance: random.Random) -> str:
    style = '<w:pPr><w:pStyle w:val="Heading1"/><w:outlineLvl w:val="0"/></w:pPr>' if number % 31 == 0 else ""
    words = " ".join(chance.choices(_WORDS, k=20))
    bold = f"<w:r><w:rPr><w:b/></w:rPr><w:t>bold{number}</w:t></w:r>"
    return f'<w:p>{style}<w:r><w:t xml:space="preserve">{number} {words} </w:t></w:r>{bold}</w:p>'


def presentation() -> Path:
    """Return a presentation of `SLIDES`, each with a title, nine points and a picture of 95 KiB."""
    path = DATA / "presentation-300-slides.pptx"
    if path.exists():
        return path
    from PIL import Image
    from pptx import Presentation
    from pptx.util import Inches

    DATA.mkdir(exist_ok=True)
    unfinished, chance = path.with_suffix(".unfinished"), random.Random(1)
    slides: Any = Presentation()
    for number in range(SLIDES):
        slide = slides.slides.add_slide(slides.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number}"
        frame = slide.placeholders[1].text_frame
        frame.text = "first point of the slide"
        for point in range(8):
            paragraph = frame.add_paragraph()
            paragraph.text, paragraph.level = f"point {point} of slide {number} with words", point % 3
        picture = io.BytesIO()
        # Noise, which does not get smaller by compression.
        Image.frombytes("RGB", (180, 180), chance.randbytes(180 * 180 * 3)).save(picture, "PNG")
        slide.shapes.add_picture(io.BytesIO(picture.getvalue()), Inches(1), Inches(4))
    slides.save(str(unfinished))
    unfinished.rename(path)
    return path


def source_file() -> Path:
    """Return a file of 8 KiB that looks like Python source."""
    return _small_file("source-8KiB.py", _source(8 * 1024))


def small_files() -> list[Path]:
    """Return 10,000 different files of 4 KiB that look like Python source, 100 in a directory."""
    directory = DATA / "small-4KiB"
    paths = [directory / f"{number // 100:02d}" / f"{number:04d}.py" for number in range(10_000)]
    finished = directory / "finished"
    if not finished.exists():
        source = _source(4 * 1024 - len("# 0000\n"))
        for number, path in enumerate(paths):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"# %04d\n" % number + source)
        # Otherwise the disk is still writing them during the measurement.
        os.sync()
        finished.touch()
    return paths


def fleet(count: int = 100_000) -> Path:
    """Return a directory with different logs of ten lines and 1 KiB, 1,000 in a directory."""
    directory = DATA / f"fleet-{count}"
    finished = directory / "finished"
    if not finished.exists():
        for number in range(count):
            path = directory / f"{number // 1_000:03d}" / f"{number:06d}.log"
            if number % 1_000 == 0:
                path.parent.mkdir(parents=True, exist_ok=True)
            line = (
                f"2026-11-22T12:00:00Z INFO worker {number:06d} answered a request for /index.html in 12 ms"
            )
            path.write_text("".join(f"{line} [{n}] trace 5f3a9c\n" for n in range(10)))
        # Otherwise the disk is still writing them during the measurement.
        os.sync()
        finished.touch()
    return directory


def photograph() -> Path:
    """Return a JPEG of 12 megapixels, 4000 × 3000."""
    name = "photograph-12MP.jpg"
    command = [sys.executable, "-m", "benches.photograph"]
    directory = Path(__file__).parent.parent
    _large_file(
        name,
        4 * MIB,
        lambda: iter([subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=directory).stdout]),
    )
    return DATA / name


def report() -> Path:
    """Return a PDF of 20 pages with text and drawings."""
    return _small_file("report-20-pages.pdf", documents.report(20))


def small_image() -> Path:
    """Return a PNG of 16 × 16 pixels."""
    return _small_file("image-16x16.png", documents.small_png(16))


def appended_lines(size_bytes: int) -> tuple[bytes, int]:
    """Return whole log lines of about `size_bytes` to append to a log, and their number."""
    text = _stamp(0).join(_template(0))[:size_bytes]
    text = text[: text.rindex(b"\n") + 1]
    return text, text.count(b"\n")


def warm(path: Path) -> None:
    """Read a whole file to bring it into the page cache."""
    buffer = memoryview(bytearray(MIB))
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def cached_share(path: Path) -> float | None:
    """Return the share of 1,024 samples of a file that is in the page cache; `None` if it is unknown."""
    flag = getattr(os, "RWF_NOWAIT", None)
    if flag is None:
        return None
    size = path.stat().st_size
    buffer = bytearray(1)
    descriptor = os.open(path, os.O_RDONLY)
    hits = 0
    try:
        for sample in range(1024):
            try:
                hits += os.preadv(descriptor, [buffer], size * sample // 1024, flag)
            except BlockingIOError:
                continue
            except OSError:  # a file system that does not support the flag
                return None
    finally:
        os.close(descriptor)
    return hits / 1024


def _small_file(name: str, data: bytes) -> Path:
    """Write a small file unless it exists with this content."""
    DATA.mkdir(exist_ok=True)
    path = DATA / name
    if not path.exists() or path.read_bytes() != data:
        path.write_bytes(data)
    return path


def _large_file(name: str, size_bytes: int, blocks: Callable[[], Iterator[bytes]]) -> dict[str, int]:
    """Write a large file unless it exists, and return its size and number of newlines."""
    DATA.mkdir(exist_ok=True)
    path, note = DATA / name, DATA / f"{name}.json"
    if path.exists() and note.exists():
        facts: dict[str, int] = json.loads(note.read_text())
        if facts["recipe"] == _RECIPE and path.stat().st_size >= facts["bytes"]:
            # Remove what an interrupted benchmark appended.
            if path.stat().st_size > facts["bytes"]:
                os.truncate(path, facts["bytes"])
            return facts
    started = time.perf_counter()
    unfinished = path.with_suffix(".unfinished")
    newlines = 0
    with unfinished.open("wb", buffering=0) as file:
        for block in blocks():
            newlines += block.count(b"\n")
            rest = memoryview(block)
            while rest:
                rest = rest[file.write(rest) :]
        written = file.tell()
        # Otherwise the disk is still writing it during the measurement.
        os.fsync(file.fileno())
    unfinished.rename(path)
    facts = {"recipe": _RECIPE, "bytes": written, "newlines": newlines}
    note.write_text(json.dumps(facts))
    seconds = time.perf_counter() - started
    print(f"benches: made {name} ({size_bytes / GB:.1f} GB) in {seconds:.0f} s", file=sys.stderr)
    return facts


def log_blocks(after_lines: int = 0) -> Iterator[bytes]:
    """Yield blocks of whole lines of an endless log, without the first `after_lines` lines."""
    templates = [_template(number) for number in range(_TEMPLATES)]
    number, skipped = divmod(after_lines, _BLOCK_LINES)
    while True:
        stamp, template = _stamp(number), templates[number % _TEMPLATES]
        yield stamp.join([b"", *template[1 + skipped :]])
        number, skipped = number + 1, 0


def _cut(blocks: Iterator[bytes], size_bytes: int) -> Iterator[bytes]:
    """Yield as many whole lines as fit."""
    for block in blocks:
        if len(block) > size_bytes:
            yield block[: block.rindex(b"\n", 0, size_bytes) + 1]
            return
        size_bytes -= len(block)
        yield block


def _stamp(block: int) -> bytes:
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(_START + block))
    return f"{moment} #{block:07d}".encode()


def _template(number: int) -> list[bytes]:
    """Return the text between the stamps of a block: the low digits, level and message of each line."""
    draw = random.Random(number).random  # only `random()` returns the same numbers in every Python
    lines = [b""]
    for line in range(_BLOCK_LINES):
        level = ("INFO ", "INFO ", "INFO ", "DEBUG", "WARN ", "ERROR")[int(draw() * draw() * 6)]
        message = _MESSAGES[int(draw() * len(_MESSAGES))].format(
            number=int(draw() * 10 ** (1 + int(draw() * 6))),
            name=_NAMES[int(draw() * len(_NAMES))],
            hexadecimal=f"{int(draw() * 2**64):016x}",
            tail="/frame" * int(draw() ** 12 * 60),
        )
        lines.append(f"{line:04d} {level} [{_NAMES[int(draw() * 6)]}] {message}\n".encode())
    return lines


_NAMES = ("gateway", "billing", "search", "auth", "worker-7", "scheduler", "anna", "jürgen", "renée", "小林")
_MESSAGES = (
    "GET /api/v2/users/{number}/orders?page=3 200 in {number} ms",
    "request {hexadecimal} finished: status=200 bytes={number} user={name}",
    "cache miss for key session:{hexadecimal}, loading from the replica",
    "retrying job {number} of {name}: connection reset by peer (attempt 2 of 5){tail}",
    'user "{name}" signed in from 10.0.{number}.7',
    "slow query ({number} ms): SELECT id, total FROM orders WHERE customer = {number} ORDER BY id{tail}",
    "queue depth {number}",
)


def _line_blocks(size_bytes: int) -> Iterator[bytes]:
    block = bytearray(_line_block(0))
    for number in range(size_bytes // MIB):
        block[:8] = b"%08d" % number
        yield bytes(block)


def _line_block(number: int) -> bytes:
    """Return 1 MiB without a line ending and without a character cut at its end."""
    words = f"{number:08d}" + " the quick brown fox, le café français, 小林, 🦊;" * (MIB // 48)
    return words.encode()[: MIB - 64].decode(errors="ignore").encode().ljust(MIB, b".")


def _source(size_bytes: int) -> bytes:
    parts = ['"""Totals of orders, by region and month."""\n\nfrom dataclasses import dataclass\n']
    for number in range(size_bytes):
        parts.append(
            f"\n\ndef total_{number}(orders: list[Order], region: str) -> float:\n"
            f'    """Return what the {_NAMES[number % 6]} region spent."""\n'
            "    total = 0.0\n"
            "    for order in orders:\n"
            "        if order.region == region and not order.cancelled:\n"
            f"            total += order.amount * {number}.25\n"
            "    return total\n"
        )
        if sum(map(len, parts)) > size_bytes:
            break
    text = "".join(parts).encode()[:size_bytes]
    return text[: size_bytes - 1] + b"\n"
