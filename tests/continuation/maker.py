"""Files of every kind, and calls that ask for parts of them, from a seed.

A file is described by numbers, so that a case can be printed, made again and shrunk. Each character says
where it is: texts count on, and pictures have one color each.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

from PIL import Image

from anyread import Limits, Model
from continuation import documents, records, sheets
from continuation.texts import counted
from helpers.media import encoded, pdf
from helpers.notebooks import code, display, markdown, stream
from helpers.notebooks import write as write_notebook

KINDS = (
    *("text", "text", "text", "notebook", "pdf", "tiff", "image", "tall", "directory"),
    *("sheet", "sheet", "records", "records", "document", "document", "slides"),
)
"""What can be continued; a new format is one entry here, in `file_of`, in `write` and in `SUFFIXES`.

If each of its parts has a row that begins with its number, it is named in `walker.NUMBERED`, else in
`walker.UNITS`.
"""
WINDOWED = {"text", "notebook", "directory", "sheet", "records", "document"}
"""What takes `offset` and `limit`."""
ERRORS = ("missing", "binary", "outside")
BAND = 16
"""The height of a band in pixels, less than two strips of any width have in common."""
END = 10**9
"""The last number of a range that is open."""
ENCODINGS = ("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252")
COLORS = [(red, green, blue) for red in (0, 120, 240) for green in (0, 120, 240) for blue in (0, 120, 240)]
Span = int | tuple[int, int]
CODE = (
    *("", "", "# a comment", "# Heading", "@decorator", "/** a", " */", '"""', "[a]", "\tx "),
    *("}", "});", "]", "end"),
    *("def f(a):", "class A:", "if a:", "function f(a) {", "fn f() {", "x => {", "f([", "a = {"),
)
"""How the lines of a program begin; from `CLOSERS` on they end a block, from `OPENERS` on they begin one."""
CLOSERS, OPENERS = CODE.index("}"), CODE.index("def f(a):")


@dataclass(frozen=True)
class File:
    """One file: its kind, and numbers that say what is in it."""

    name: str
    kind: str
    parts: tuple[tuple[int, ...], ...] = ()
    """Of a text, the characters of each line; of a program, also the line's number in `CODE` and its
    indentation; of a PDF, the lines of each page, and 1 if they are turned; of a notebook, the lines of
    source and of output and the pictures of each cell; of a tall image, its width and its bands of one color;
    of a sheet, the characters of the cells of each row, 0 for an empty cell; of records, or of what is at the
    address in them, the characters of each, none for a blank line; of a document, the characters of each
    line; of slides, the lines of each and of its notes; of others, their pages or entries."""
    encoding: str = "utf-8"
    ending: str = "\n"
    ends: bool = True
    link: str = ""
    """The name of a link to the file, which is then read by that name."""
    at: str = ""
    """The address in the file that is read; empty: the file itself."""


@dataclass(frozen=True)
class Ask:
    """What a call asks of a file: its beginning, or ranges."""

    file: int
    spans: tuple[Span, ...] = ()
    column: int = 1
    is_absolute: bool = False


@dataclass(frozen=True)
class Case:
    """A call with all its settings."""

    way: str
    """"read", "around", "pages", "ranges", "path" (the tool), "places", "many" or "letters"."""
    files: tuple[File, ...]
    asks: tuple[Ask, ...]
    max_tokens: int = 25_000
    max_bytes: int = 262_144
    in_call: bool = True
    """Whether the budget is an argument of the call, where it can be, instead of a limit of the reader."""
    tokenizer: str | None = None
    model: str = "text"
    factor: float = 1.0
    offset: int = 1
    limit: int | None = None
    max_line_chars: int = 2_000
    context: Literal["block", "lines"] = "block"
    hands_over: bool = False
    """Whether the tool goes on, with a place, where the first page of a read ended."""

    def reader_model(self) -> Model:
        models = {
            "text": Model.text_only(),
            "small": Model(max_long_edge=300, max_images=30),
            "documents": dataclasses.replace(Model.anthropic(), max_long_edge=300),
        }
        return dataclasses.replace(models[self.model], token_factor=self.factor)

    def limits(self, *, is_whole: bool = False) -> Limits:
        limits = Limits(max_line_chars=self.max_line_chars, decode_timeout_s=60, tokenizer=tokenizer(self))
        if is_whole:
            most: Any = dict.fromkeys(("max_tokens", "max_bytes", "max_images", "max_lines"), END)
            return dataclasses.replace(limits, **most)
        if self.in_call and self.way not in {"places", "many"}:
            return limits
        tokens: Any = {} if self.in_call or self.way == "many" else {"max_tokens": self.max_tokens}
        size: Any = {} if self.way == "many" else {"max_bytes": self.max_bytes}
        return dataclasses.replace(limits, **tokens, **size)


def tenths(text: str) -> int:
    """Count tokens as no estimate does, and more than the sum of those of the parts."""
    return len(text) // 10 + len(text.split())


def tokenizer(case: Case) -> Any:
    return {"tenths": tenths, "len": len}.get(case.tokenizer or "", case.tokenizer)


def line(number: int, part: tuple[int, ...], marks: str = ".") -> str:
    """Write a line of a text or of a program."""
    length, *code = part
    text = counted(f"{number}:", length, marks)
    return "    " * code[1] + CODE[code[0]] + text if code else text


def is_code(file: File) -> bool:
    return file.kind == "text" and any(len(part) > 1 for part in file.parts)


WRITERS = {
    "sheet": sheets.write,
    "records": records.write,
    "document": documents.write_document,
    "slides": documents.write_slides,
}
"""Formats of a module of their own: what makes a file of its parts, with the address that is read."""


def write(file: File, directory: Path) -> None:
    """Make a file; nothing is made for the kinds of errors that have none."""
    path = directory / file.name
    if file.link:
        path = directory / f"target of {file.name}"
        (directory / file.name).symlink_to(path.name)
    if file.kind == "text":
        marks = ".é" if file.encoding == "cp1252" else ".é日😀"
        lines = [line(n, part, marks) for n, part in enumerate(file.parts, 1)]
        endings = [
            file.ending if file.ending != "mixed" else "\r\n" if n % 3 else "\n" for n in range(len(lines))
        ]
        text = "".join(map("".join, zip(lines, endings, strict=True)))
        # A text without a single line ending would be one in another.
        text = text if file.ends else text.removesuffix(endings[-1] if endings else "")
        path.write_bytes(text.encode(file.encoding))
    elif file.kind == "notebook":
        write_notebook(path.parent, *map(cell, count(1), file.parts), name=path.name)
    elif file.kind == "pdf":
        pages = pdf([page(number, *spec) for number, spec in enumerate(file.parts, 1)])
        # Pages with labels, in a file whose table of objects is built again.
        labels = b"/PageLabels<</Nums[0<</S/r>>]>>" if len(file.parts) > 2 else b""
        path.write_bytes(pages.replace(b"/Type/Catalog", b"/Type/Catalog" + labels))
    elif file.kind in {"tiff", "image", "tall"}:
        path.write_bytes(image_of(file))
    elif file.kind == "directory":
        path.mkdir()
        for number in range(file.parts[0][0]):
            name = f"{'aBéz'[number % 4]}{number}{' x' * (number % 3)}.txt"
            if number % 5 == 4:
                (path / name).mkdir()
            else:
                (path / name).write_text("x" * number)
    elif file.kind in WRITERS:
        WRITERS[file.kind](path, file.parts, file.at)
    elif file.kind == "binary":
        path.write_bytes(bytes(range(256)) * 20)


def image_of(file: File) -> bytes:
    """Return an image, the pages of a TIFF, or a tall image of bands; each picture or band has its color."""
    if file.kind == "tall":
        width, bands = file.parts[0]
        image = Image.new("RGB", (width, BAND * bands))
        for band in range(bands):
            image.paste(color(band), (0, BAND * band, width, BAND * (band + 1)))
        return encoded(image, "PNG")
    pictures = [Image.new("RGB", (width, 60), color(n)) for n, (width,) in enumerate(file.parts)]
    if file.kind == "tiff":
        return encoded(pictures[0], "TIFF", save_all=True, append_images=pictures[1:])
    return encoded(pictures[0], "PNG")


def color(number: int) -> tuple[int, int, int]:
    """Return the color of a picture; two neighbors differ."""
    return COLORS[number % len(COLORS)]


def cell(number: int, spec: tuple[int, ...]) -> dict[str, Any]:
    lines, output, pictures = spec
    source = "\n".join(counted(f"c{number} l{n} ", (n * 37) % 90, "=") for n in range(lines))
    if not output and not pictures and number % 2:
        return markdown(source)
    outputs = [stream("\n".join(counted(f"o{n} ", 30) for n in range(output)))] if output else []
    return code(source, *outputs, *(display(image_png=png_of(n)) for n in range(pictures)))


_pngs: dict[int, str] = {}


def png_of(number: int) -> str:
    """Return a picture in base64."""
    if number not in _pngs:
        import base64

        picture = Image.new("RGB", (60 + number, 40), color(number))
        _pngs[number] = base64.b64encode(encoded(picture, "PNG")).decode()
    return _pngs[number]


def page(number: int, lines: int, is_turned: int) -> bytes:
    """Write the content of a page: its color, and lines of text, upright or turned clockwise."""
    fill = " ".join(f"{value / 255:.3f}" for value in color(number - 1))
    shown = " ".join(f"({counted(f'p{number} l{n} ', 20 + n * 13 % 90)}) Tj T*" for n in range(lines))
    start = "0 -1 1 0 590 780 Tm" if is_turned else "20 780 Td"
    return f"{fill} rg 0 0 612 792 re f 0.5 g BT /F 5 Tf 6 TL {start} {shown} ET".encode()


# ------------------------------------------------------------------------------------------- random cases


MAKERS = {
    "sheet": sheets.random_parts,
    "records": records.random_parts,
    "document": documents.random_lines,
    "slides": documents.random_slides,
}
"""Formats of a module of their own: what makes up the parts of a file, and the address that is read."""


def file_of(chance: random.Random, kind: str, name: str, *, is_small: bool) -> File:
    """Make up a file; a small one is read with tiny budgets."""
    most = 3 if is_small else 8
    if kind == "text":
        lengths = [0, 1, 3, 12] if is_small else [0, 1, 5, 40, 40, 80, 300]
        lines: list[tuple[int, ...]] = [
            (chance.choice(lengths),)
            for _ in range(chance.choice([0, 1, 1, 4] if is_small else [1, 9, 60, 300, 700]))
        ]
        if lines and not is_small and chance.random() < 0.5:
            lines[chance.randrange(len(lines))] = (chance.choice([1_999, 2_001, 2_500, 9_000]),)
        if chance.random() < 0.6:
            lines = program(chance, lines)
        encoding = chance.choice(ENCODINGS)
        ending, ends = chance.choice(["\n", "\n", "\r\n", "\r", "mixed"]), chance.random() < 0.8
        return File(name, kind, tuple(lines), encoding, ending, ends, "link" if chance.random() < 0.1 else "")
    if kind in MAKERS:
        own, at = MAKERS[kind](chance, is_small=is_small)
        return File(name, kind, own, at=at)
    if kind == "notebook":
        pictures = [0, 0, 1, 2] if is_small else [0, 0, 0, 1, 3, 23]
        cells = [
            (
                chance.choice([0, 1, 3] if is_small else [1, 5, 40]),
                chance.choice([0, 0, 2, 12]),
                chance.choice(pictures),
            )
            for _ in range(chance.randint(1, most))
        ]
        return File(name, kind, tuple(cells))
    if kind == "pdf":
        pages = [
            (chance.choice([0, 1, 4, 30, 90]), chance.choice([0, 0, 1])) for _ in range(chance.randint(1, 5))
        ]
        return File(name, kind, tuple(pages))
    parts: tuple[tuple[int, ...], ...] = ()
    if kind == "tall":
        parts = ((chance.choice([60, 150, 300]), chance.choice([20, 60, 200])),)
    elif kind in {"tiff", "image"}:
        count = chance.randint(2, 5) if kind == "tiff" else 1
        parts = tuple((chance.choice([80, 80, 1_500]),) for _ in range(count))
    elif kind == "directory":
        parts = ((chance.choice([0, 1, 7, 60]),),)
    return File(name, kind, parts)


def program(chance: random.Random, lines: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Make the lines of a text those of a program: nested blocks, some of which are damaged."""
    depth = 0
    found: list[tuple[int, ...]] = []
    for part in lines:
        pick = chance.random()
        if pick < 0.14:
            found.append((0, chance.randrange(OPENERS, len(CODE)), depth))
            depth += 1
        elif pick < 0.22:
            depth = max(0, depth - chance.choice([1, 1, 3]))
            found.append((0, chance.randrange(CLOSERS, OPENERS), depth))
        elif pick < 0.3:
            found.append((0, chance.randrange(CLOSERS), depth))
        else:
            found.append((*part, 0, depth))
    return found


SUFFIXES = {
    "text": "txt",
    "notebook": "ipynb",
    "pdf": "pdf",
    "tiff": "tif",
    "image": "png",
    "tall": "png",
    "sheet": "xlsx",
    "records": "jsonl",
    "document": "docx",
    "slides": "pptx",
    "binary": "bin",
}


def name_of(chance: random.Random, kind: str, number: int) -> str:
    stem = chance.choice(
        [
            f"f{number}",
            f"f{number}",
            f"f {number}",
            f"my file {number} (copy)",
            f"a long name of file number {number}",
        ]
    )
    if kind == "text":
        return f"{stem}.{chance.choice(['txt', 'py', 'md'])}"
    return stem if kind == "directory" else f"{stem}.{SUFFIXES.get(kind, 'txt')}"


def spans_of(chance: random.Random, total: int, *, has_blocks: bool) -> tuple[Span, ...]:
    """Choose ranges: overlapping, from the end, open, and past the end, but not all of them."""
    spans: list[Span] = []
    for _ in range(chance.randint(1, 5)):
        first = chance.randint(1, max(1, total))
        pick = chance.random()
        if pick < 0.2 or (has_blocks and chance.random() < 0.5):
            spans.append(first if chance.random() < 0.9 else first - total - 1)
        elif pick < 0.7:
            spans.append((first, first + chance.choice([0, 0, 2, 10, 40])))
        elif pick < 0.8:
            spans.append((first, END))
        elif pick < 0.9:
            spans.append((-chance.randint(1, max(1, total)), -1))
        else:
            # Far enough from the end, so that the lines before it are past the end as well.
            spans.append((total + 20, total + 30))
    chance.shuffle(spans)
    return (
        tuple(spans) if any(not isinstance(s, tuple) or s[0] <= total for s in spans) else (*spans, (1, END))
    )


def case_of(seed: int, ways: tuple[str, ...] = ()) -> Case:
    """Make up a case."""
    chance = random.Random(seed)
    way = chance.choice(
        ways
        or (
            "read",
            "read",
            "around",
            "pages",
            "ranges",
            "ranges",
            "path",
            "places",
            "places",
            "places",
            "many",
            "one file",
        )
    )
    is_list = way == "one file"
    way = chance.choice(["places", "places", "many"]) if is_list else way
    is_small = chance.random() < 0.25 and way != "letters"
    tokens = [1, 2, 7, 20, 45] if is_small else [80, 150, 191, 192, 200, 260, 400, 700, 1_500, 4_000, 25_000]
    size = [1, 30, 200] if is_small else [400, 639, 640, 1_000, 3_000]
    if way == "letters":
        tokens, size = [chance.randint(60, 700), chance.randint(60, 4_000)], [chance.randint(240, 12_000)]
    case = Case(
        way,
        (),
        (),
        max_tokens=chance.choice(tokens),
        max_bytes=chance.choice([*size, 262_144, 262_144, 262_144, 262_144]),
        in_call=chance.random() < 0.5,
        tokenizer=chance.choice([None, None, None, "tenths", "len", "o200k_base"]),
        model=chance.choice(["text", "text", "small", "small", "documents"]),
        factor=chance.choice([1.0, 1.0, 1.0, 1.2, 2.0]),
        max_line_chars=chance.choice([2_000, 2_000, 10, 50]),
        context=chance.choice(["block", "block", "lines"]),
        hands_over=chance.random() < 0.2,
    )
    several = way in {"places", "many"}
    files = []
    texts_only = several and chance.random() < 0.4
    for number in range(chance.choice([1, 2, 3, 6, 12]) if several and not is_list else 1):
        kind = "text" if texts_only else chance.choice(("text", "document") if is_list else KINDS)
        kind = kind_for(chance, way, kind, is_first=not number)
        files.append(file_of(chance, kind, name_of(chance, kind, number), is_small=is_small))
        if several and files[-1].encoding == "cp1252":
            files[-1] = dataclasses.replace(files[-1], encoding="utf-8")
        if way == "letters" and kind != "directory":
            parts = files[-1].parts[: chance.choice([3, 9, 40])]
            # A blank line at the end is no record.
            parts = parts if kind != "records" else (*parts, (5,))
            files[-1] = dataclasses.replace(files[-1], parts=parts)
        if kind == "records" and not files[-1].at and way not in {"read", "ranges", "letters"}:
            # Without an address, places and the tool read its lines.
            files[-1] = dataclasses.replace(files[-1], at="2/list", parts=(*filter(None, files[-1].parts),))
    asks = []
    has_absolute = several and chance.random() < 0.08
    for number, file in enumerate(files):
        total = total_of(file)
        has_spans = (
            way in {"ranges", "pages"}
            or (way == "letters" and chance.random() < 0.3)
            or (several and file.kind not in {"image", "tall", *ERRORS} and chance.random() < 0.7)
        )
        spans = spans_of(chance, total, has_blocks=is_code(file)) if has_spans and total else ()
        if way == "pages" and spans:
            first = chance.randint(1, total)
            spans = (chance.choice([(first, first), (first, END), (first, chance.randint(first, total))]),)
        if way != "ranges" and several:
            spans = tuple(span for span in spans if begin(span) > 0)
        asks.append(Ask(number, spans, is_absolute=has_absolute and chance.random() < 0.5))
        for _ in range(chance.randint(1, 3) if is_list and total else 0):
            # More places of the file, some of which go on inside a line.
            more = spans_of(chance, total, has_blocks=is_code(file))
            spans = tuple(span for span in more if begin(span) > 0)
            asks.append(with_column(chance, file, dataclasses.replace(asks[-1], spans=spans)))
        if several and chance.random() < 0.15:
            asks.append(dataclasses.replace(asks[-1], is_absolute=has_absolute != asks[-1].is_absolute))
    case = dataclasses.replace(case, files=tuple(files), asks=tuple(asks))
    return with_window(chance, case)


def with_column(chance: random.Random, file: File, ask: Ask) -> Ask:
    """Begin a place inside the first line that it names, if that is one of a range."""
    if not ask.spans or isinstance(ask.spans[0], int) or ask.spans[0][0] > len(file.parts):
        return dataclasses.replace(ask, column=1)
    return dataclasses.replace(ask, column=chance.randint(1, max(1, file.parts[ask.spans[0][0] - 1][0])))


def kind_for(chance: random.Random, way: str, kind: str, *, is_first: bool) -> str:
    """Return a kind, or one instead of it that can be asked for in this way."""
    if way in {"places", "many"} and not is_first and chance.random() < 0.15:
        return chance.choice(ERRORS)
    if way == "letters":
        # Few PDFs, because each of their pages is read in another process.
        is_pdf = kind == "pdf" and chance.random() < 0.2
        return "document" if kind in {"image", "tall", "tiff", "pdf"} and not is_pdf else kind
    if way == "around" or (kind == "directory" and way not in {"path", "places", "pages"}):
        return "text"
    if way == "pages":
        return chance.choice(["pdf", "tiff", "slides"])
    return "notebook" if kind in {"image", "tall"} and way == "ranges" else kind


def with_window(chance: random.Random, case: Case) -> Case:
    """Choose where a read of one file begins, and how much of it a page has."""
    file, total = case.files[0], total_of(case.files[0])
    if case.way in {"read", "path", "around", "letters"} and total and file.kind in WINDOWED:
        offset = chance.choice([1, 1, chance.randint(1, total), -chance.randint(1, total)])
        case = dataclasses.replace(
            case,
            offset=abs(offset) if file.kind == "directory" else offset,
            limit=chance.choice([None, None, 1, 2, 7]),
        )
    # A column is that of a range, before which a block may begin.
    has_blocks = case.way == "ranges" and any(isinstance(span, int) for span in case.asks[0].spans)
    first = 0 if has_blocks else first_of(case)
    if file.kind == "text" and case.way in {"read", "path", "ranges"} and first and chance.random() < 0.3:
        column = chance.randint(1, max(1, file.parts[first - 1][0]))
        return dataclasses.replace(case, asks=(dataclasses.replace(case.asks[0], column=column),))
    return case


def total_of(file: File) -> int:
    """Return the number of parts; the last line of a text is none if it is empty."""
    if file.kind == "directory":
        return file.parts[0][0]
    if file.kind == "sheet" and not sheets.split(file.at)[1]:
        return max((n for n, part in enumerate(file.parts, 1) if part), default=0)
    has_end = file.kind != "text" or not file.parts or file.ends or line(0, file.parts[-1]) != ""
    return len(file.parts) if has_end else len(file.parts) - 1


def first_of(case: Case) -> int:
    """Return the number of the first part that a call shows; 0 if there is none."""
    numbers = numbers_of(case, case.asks[0].file)
    return numbers[0] if numbers else 0


def ten_lines(line: int) -> Iterable[int]:
    """Return the numbers of the lines around a line that no block is around."""
    return range(line - 10, line + 11)


CELL = re.compile(r"![A-Z]+\d+$")


def numbers_of(case: Case, number: int, around: Callable[[int], Iterable[int]] = ten_lines) -> list[int]:
    """Return the parts that all pages together show of a file, in order.

    Args:
        case: The case.
        number: The number of the file.
        around: The lines that are shown of a text, a document or a sheet if one is named without a range.
    """
    file = case.files[number]
    total, asks = total_of(file), [ask for ask in case.asks if ask.file == number]
    spans = [span for ask in asks for span in ask.spans]
    if case.way == "around" and case.limit is None and case.context == "block":
        spans = [case.offset]
    elif any(not ask.spans for ask in asks):
        first = case.offset if case.offset > 0 else total + 1 + case.offset
        if case.way == "around":
            first -= ((case.limit or 21) - 1) // 2
        spans = [(max(1, first), END)]
    found: set[int] = set()
    for span in spans:
        first, last = (
            (total + 1 + n if n < 0 else n) for n in (span if isinstance(span, tuple) else (span,) * 2)
        )
        has_context = file.kind == "text" or (file.kind in {"document", "sheet"} and not CELL.search(file.at))
        if isinstance(span, int) and has_context and (span > 0 or file.kind == "text"):
            found.update(around(first) if 1 <= first <= total else ten_lines(first))
        else:
            found.update(range(first, min(last, total) + 1))
    has_gaps = file.kind in {"sheet", "records"}
    return sorted(n for n in found if 1 <= n <= total and not (has_gaps and not file.parts[n - 1]))


# ------------------------------------------------------------------------------------------------ shrinking


def simpler(case: Case) -> Iterator[Case]:
    """Yield cases that are simpler in one respect; those that shrink most first."""
    change = dataclasses.replace
    for index in range(len(case.asks)):
        if len(case.asks) > 1:
            yield with_files(change(case, asks=case.asks[:index] + case.asks[index + 1 :]))
        ask = case.asks[index]
        for spans in [
            ask.spans[:at] + ask.spans[at + 1 :] for at in range(len(ask.spans)) if len(ask.spans) > 1
        ]:
            yield change(case, asks=(*case.asks[:index], change(ask, spans=spans), *case.asks[index + 1 :]))
        if ask.column > 1 or ask.is_absolute:
            yield change(case, asks=(*case.asks[:index], Ask(ask.file, ask.spans), *case.asks[index + 1 :]))
    for index, file in enumerate(case.files):
        for smaller in simpler_files(file):
            yield change(case, files=(*case.files[:index], smaller, *case.files[index + 1 :]))
    plain = Case(case.way, case.files, case.asks)
    for name in (
        "tokenizer",
        "factor",
        "model",
        "max_bytes",
        "max_tokens",
        "max_line_chars",
        "limit",
        "in_call",
        "context",
        "hands_over",
        "offset",
    ):
        if getattr(case, name) != getattr(plain, name):
            yield change(case, **{name: getattr(plain, name)})


def simpler_files(file: File) -> Iterator[File]:
    change, parts = dataclasses.replace, file.parts
    if file.link or file.encoding != "utf-8" or file.ending != "\n" or not file.ends:
        yield change(file, link="", encoding="utf-8", ending="\n", ends=True)
    if " " in file.name and file.kind != "directory":
        yield change(file, name=file.name.replace(" ", ""))
    least = 2 if file.kind == "tiff" else 1
    if len(parts) > least:
        yield change(file, parts=parts[: max(least, len(parts) // 2)])
        yield change(file, parts=parts[-max(least, len(parts) // 2) :])
        for at in range(min(len(parts), 12)):
            yield change(file, parts=parts[:at] + parts[at + 1 :])
    for at, numbers in enumerate(parts[:12]):
        for each, value in enumerate(numbers):
            # A page that is turned has 1, which becomes 0.
            is_flag = file.kind == "pdf" and each == 1
            for smaller in {value // 2, value - 1} if value > 1 or (is_flag and value) else ():
                smaller_part = (*numbers[:each], smaller, *numbers[each + 1 :])
                yield change(file, parts=(*parts[:at], smaller_part, *parts[at + 1 :]))


def with_files(case: Case) -> Case:
    """Leave out the files that nothing asks for."""
    used = sorted({ask.file for ask in case.asks})
    asks = tuple(dataclasses.replace(ask, file=used.index(ask.file)) for ask in case.asks)
    return dataclasses.replace(case, files=tuple(case.files[number] for number in used), asks=asks)


def written(case: Case, ask: Ask, directory: Path) -> str:
    """Write what is asked of a file as a place."""
    file = case.files[ask.file]
    name = f"../outside/{file.name}" if file.kind == "outside" else file.name
    name = str(directory / name) if ask.is_absolute else name
    name += address_of(file)
    # Without a space, numbers that do not rise may be one number with separators of thousands.
    spans = ", ".join(map(span_text, ask.spans))
    if ask.column > 1:
        spans = re.sub(r"\d+", rf"\g<0>@{ask.column}", spans, count=1)
    return f"{name}:{spans}" if ask.spans else name


def begin(span: Span) -> int:
    return span if isinstance(span, int) else span[0]


def call_of(file: File) -> dict[str, Any]:
    """Return the arguments that name what is read of a file."""
    if file.at:
        return {"at": file.at}
    return {"kind": "records"} if file.kind == "records" else {}


def address_of(file: File) -> str:
    """Write the address in a file as the part of a place after its path."""
    return f"{'#' if file.kind == 'records' else ':'}{file.at}" if file.at else ""


def span_text(span: Span) -> str:
    if isinstance(span, int):
        return str(span)
    first, last = span
    return f"{first}-" if last == END else f"{first}-{last}"
