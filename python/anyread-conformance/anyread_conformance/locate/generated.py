"""Files that are made here: logs, tables, JSON, notebooks and PDFs, with the same bytes on every machine.

Only `random.Random.random`, which is the same in every version of Python, decides what is in them; nothing
is compressed, because versions of zlib compress differently.

What a file says is known by address, such as `12/3` for the third paragraph of page 12: `write` returns it.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from . import office

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_T = TypeVar("_T")
_WORDS = (
    "pump", "flow", "valve", "pressure", "sensor", "trial", "litre", "second", "record", "value", "test",
    "result", "motor", "seal", "joint", "report", "signal", "level", "phase", "index", "filter", "inlet",
    "outlet", "draft", "review",
)  # fmt: skip
_SENTENCES = {
    "cp1252": ("Größe prüfen", "Wärme und Kälte", "façade déjà vu", "señor niño"),
    "shift_jis": ("読み取りの試験", "ポンプの流量を確認", "設定ファイルを保存", "終了しました"),
    "koi8-r": ("Проверка насоса", "Ошибка чтения файла", "Данные сохранены"),
}
_STOCKS = {"euc_jp": "shift_jis", "cp1251": "koi8-r"}

ENCODINGS = (
    "cp1252", "latin-1", "utf-16", "utf-16-le", "utf-16-be", "shift_jis", "euc_jp", "koi8-r", "cp1251",
)  # fmt: skip
"""The encodings of texts that are not UTF-8."""
Truth = dict[str, str]
"""Texts of a file by address."""


class Draw:
    """Choices that are the same on every machine."""

    def __init__(self, seed: str) -> None:
        self._random = Random(zlib.crc32(seed.encode())).random  # noqa: S311 - no secrets

    def below(self, end: int) -> int:
        """Return a number from 0 to `end - 1`."""
        return int(self._random() * end)

    def between(self, first: int, last: int) -> int:
        """Return a number from `first` to `last`."""
        return first + self.below(last - first + 1)

    def choice(self, values: Sequence[_T]) -> _T:
        """Return one of the values."""
        return values[self.below(len(values))]

    def sample(self, values: Sequence[_T], count: int) -> list[_T]:
        """Return some of the values, in their order."""
        rest = list(range(len(values)))
        chosen = [rest.pop(self.below(len(rest))) for _ in range(min(count, len(rest)))]
        return [values[index] for index in sorted(chosen)]

    def mark(self) -> str:
        """Return eight hexadecimal digits, which occur nowhere else."""
        return f"{self.below(16**8):08x}"

    def prose(self, words: int) -> str:
        """Return words."""
        return " ".join(self.choice(_WORDS) for _ in range(words))


def write(path: Path, make: str, arguments: dict[str, Any]) -> Truth:
    """Make a file, and return what it says by address; empty for a text, whose lines are its truth."""
    return MAKERS[make](path, **arguments)


def log_line(number: int, *, is_error: bool = False) -> str:
    """Return the line of a log with this number, from 0."""
    second = number // 10
    clock = f"{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}.{number % 10}00Z"
    stamp = f"2026-11-{1 + second // 86400:02d}T{clock}"
    code = zlib.crc32(b"%d" % number)
    worker = f"worker-{code % 8} request req-{code:08x}"
    if is_error:
        return f"{stamp} ERROR {worker} failed: upstream timeout after {code % 30000} ms"
    item, took = code % 99991, code % 900
    return f"{stamp} INFO {worker} GET /api/v1/items/{item} 200 {took} ms bytes={code % 65536}"


def _text(path: Path, text: str) -> Truth:
    path.write_text(text, "utf-8", newline="")
    return {}


def _log(path: Path, lines: int, step: int = 1, errors: Sequence[int] = ()) -> Truth:
    wrong = set(errors)
    with path.open("w", encoding="utf-8", newline="") as stream:
        for number in range(0, lines * step, step):
            stream.write(log_line(number, is_error=number in wrong) + "\n")
    return {}


def _table(path: Path, rows: int) -> Truth:
    cities, states = ("Berlin", "Lyon", "Porto", "Gent"), ("paid", "open", "late")
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write("id,customer,city,amount,currency,status,created\n")
        for row in range(rows):
            code = zlib.crc32(b"%d" % row)
            day = f"2026-{1 + row % 12:02d}-{1 + row % 28:02d}"
            amount, state = f"{row % 9973}.{row % 100:02d}", states[row % 3]
            stream.write(f"{row},c{code:08x},{cities[row % 4]},{amount},EUR,{state},{day}\n")
    return {}


def _minified(path: Path, items: int) -> Truth:
    values = [
        {
            "id": number,
            "key": f"{zlib.crc32(b'k%d' % number):08x}{number:08x}",
            "tags": ["a", "b"],
            "size": number * 37 % 1000,
        }
        for number in range(items)
    ]
    text = json.dumps({"items": values}, separators=(",", ":"))
    path.write_text(text, "utf-8")
    shown = [json.dumps(value, separators=(",", ":")) for value in values]
    column, truth = len('{"items":[') + 1, {}
    for value in shown:
        truth[str(column)] = value
        column += len(value) + 1
    return truth


def _encoded(path: Path, encoding: str, seed: str) -> Truth:
    draw = Draw(seed)
    stock = _SENTENCES[_STOCKS.get(encoding, encoding if encoding in _SENTENCES else "cp1252")]
    lines = [f"{n} {draw.choice(stock)} {draw.choice(stock)} item={n * 7}" for n in range(1, 401)]
    path.write_bytes("\n".join([*lines, ""]).encode(encoding))
    return {}


def _long_function(path: Path, statements: int, seed: str) -> Truth:
    draw = Draw(seed)
    body = [f"VALUE_{i} = {i}" for i in range(200)] + ["", "", "def apply(state):"]
    body += [f"    state['field_{i}'] = transform(state, {draw.below(100_000)})" for i in range(statements)]
    body += ["    return state", "", ""]
    body += [line for i in range(100) for line in (f"def other_{i}():", f"    return {i}", "", "")]
    path.write_text("\n".join(body) + "\n", "utf-8", newline="")
    return {}


def _java(path: Path, *, package: str, name: str, following: str, depth: int, seed: str) -> Truth:
    """A class of methods that call those of the next class, until one throws."""
    draw = Draw(seed)
    text = [f"package {package};", "", f"public class {name} {{"]
    for method in range(14):
        text += [
            "",
            f"    public static int step{method}(int value) {{",
            f"        int total = value + {method};",
        ]
        for index in range(draw.choice((4, 12, 30, 60, 110))):
            factor, modulus = draw.between(3, 96), draw.between(900, 998)
            text.append(f"        total = Math.floorMod(total * {factor} + {index}, {modulus});")
        text += [
            f"        if (value == {depth}) {{",
            '            throw new IllegalStateException("state " + total);',
            "        }",
            f"        return {following}.step{draw.below(14)}(value + 1);",
            "    }",
        ]
    main = ["", "    public static void main(String[] args) {", f"        step{draw.below(14)}(0);", "    }"]
    path.write_text("\n".join([*text, *main, "}", ""]), "utf-8", newline="")
    return {}


def _output(draw: Draw, lines: int) -> str:
    """Return what a test run prints."""
    forms: tuple[Callable[[], str], ...] = (
        lambda: f"{draw.below(10_000)} passed in {draw.below(90)}.{draw.below(90) + 10}s",
        lambda: f"tests/test_{draw.prose(1)}.py::test_{draw.mark()} FAILED",
        lambda: f"    assert {draw.prose(1)}({draw.below(99)}) == {draw.below(99)}",
        lambda: f"E   KeyError: '{draw.mark()}'",
        lambda: draw.prose(9),
    )
    return "\n".join(draw.choice(forms)() for _ in range(lines))


def trace_records(records: int, seed: str) -> Iterator[dict[str, Any]]:
    """Yield the records of an agent's trace: what the model, a tool and the user said, in turn."""
    draw = Draw(seed)
    for number in range(records):
        if number % 3 == 0:
            call = {"command": f"pytest -q tests/{draw.prose(1)}", "timeout": draw.between(10, 600)}
            use = {"type": "tool_use", "id": "t" + draw.mark(), "name": "bash", "input": call}
            content = [{"type": "text", "text": draw.prose(draw.between(20, 200))}, use]
            yield {"type": "assistant", "uuid": draw.mark() * 4, "message": {"content": content}}
        elif number % 3 == 1:
            tool = {"id": "t" + draw.mark(), "exit_code": draw.below(3), "seconds": draw.below(60_000) / 1000}
            tool["output"] = _output(draw, draw.choice((3, 12, 40, 40, 200, 900)))
            yield {"type": "tool_result", "uuid": draw.mark() * 4, "tool": tool, "cwd": "/repo"}
        else:
            todos = [
                {"id": n, "content": draw.prose(6), "status": draw.choice(("open", "done"))}
                for n in range(draw.between(1, 9))
            ]
            said = {"role": "user", "content": draw.prose(draw.between(5, 60))}
            yield {"type": "user", "uuid": draw.mark() * 4, "message": said, "todos": todos}


def _trace(path: Path, records: int, seed: str) -> Truth:
    with path.open("w", encoding="utf-8", newline="") as stream:
        for record in trace_records(records, seed):
            stream.write(json.dumps(record) + "\n")
    return {}


def _lock(path: Path, packages: int, seed: str) -> Truth:
    draw = Draw(seed)
    entries = {
        f"node_modules/{draw.prose(1)}-{draw.mark()[:5]}": {
            "version": f"{draw.below(9)}.{draw.below(20)}.{draw.below(9)}",
            "resolved": f"https://registry.invalid/{draw.mark()}.tgz",
            "integrity": "sha512-" + draw.mark() * 8,
            "dependencies": {draw.prose(1): "^1.0.0" for _ in range(4)},
        }
        for _ in range(packages)
    }
    path.write_text(json.dumps({"name": "x", "lockfileVersion": 3, "packages": entries}, indent=2), "utf-8")
    return {}


def _dump(path: Path, rows: int, seed: str) -> Truth:
    draw = Draw(seed)
    values = [
        {
            "id": number,
            "name": f"{draw.prose(1)}-{draw.mark()}",
            "address": {"city": draw.choice(("Gent", "Porto", "Lyon")), "zip": str(draw.below(100_000))},
            "orders": [{"sku": draw.mark(), "n": draw.below(9)} for _ in range(draw.between(1, 5))],
        }
        for number in range(rows)
    ]
    path.write_text(json.dumps(values, separators=(",", ":")), "utf-8")
    return {}


def _notebook(path: Path, cells: int, seed: str) -> Truth:
    """A notebook of Markdown and code; the truth has the source of code cells and the messages of errors."""
    draw, count = Draw(seed), 0
    made: list[dict[str, Any]] = []
    truth: Truth = {}
    for index in range(cells):
        base: dict[str, Any] = {"id": f"cell{index:04d}", "metadata": {}}
        if index % 4 == 0:
            made.append(
                {**base, "cell_type": "markdown", "source": f"## {draw.prose(4)}\n\n{draw.prose(40)}"}
            )
            continue
        count += 1
        frame = f"frame_{index}"
        source = [f"{frame} = load('{draw.mark()}.csv')"] + [
            f"{frame}['{draw.prose(1)}'] = {frame}.{draw.prose(1)}.rolling({draw.between(2, 30)}).mean()"
            for _ in range(draw.between(2, 12))
        ]
        outputs: list[dict[str, Any]] = []
        truth |= {f"{index + 1}/{n}": line for n, line in enumerate(source, 1)}
        if index % 7 == 3:
            wrong = f"bad value {draw.mark()}"
            truth[f"{index + 1}/error"] = wrong
            outputs = [_plot(draw), _failure(draw, count, source[0], wrong)]
        elif index % 3 == 0:
            rows = "".join(f"row {n} {draw.below(100_000)}\n" for n in range(draw.choice((3, 20, 120))))
            outputs = [{"output_type": "stream", "name": "stdout", "text": rows}]
        code = {"cell_type": "code", "execution_count": count, "source": "\n".join(source)}
        made.append({**base, **code, "outputs": outputs})
        truth[f"{index + 1}/count"] = str(count)
    whole = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(whole, indent=1) + "\n", "utf-8")
    return truth


def _failure(draw: Draw, count: int, line: str, wrong: str) -> dict[str, Any]:
    frames = [
        f"File /venv/x/{draw.prose(1)}.py:{draw.below(999)}, in {draw.prose(1)}(*a)\n    {draw.prose(8)}\n"
        for _ in range(6)
    ]
    head = ["-" * 75, "ValueError                                Traceback (most recent call last)"]
    shown = [*head, f"Cell In[{count}], line 1\n----> 1 {line}\n", *frames, f"ValueError: {wrong}"]
    return {"output_type": "error", "ename": "ValueError", "evalue": wrong, "traceback": shown}


def _plot(draw: Draw) -> dict[str, Any]:
    width, height = 480, 320
    rows = [bytearray(b"\xff" * (width // 8)) for _ in range(height)]
    at = height // 2
    for x in range(width):
        at = min(height - 3, max(2, at + draw.between(-4, 4)))
        for y in range(at - 1, at + 2):
            rows[y][x // 8] &= ~(128 >> x % 8) & 255
    png = base64.b64encode(_png(width, height, b"".join(b"\0" + row for row in rows))).decode()
    data = {"image/png": png, "text/plain": "<Figure>"}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _png(width: int, height: int, rows: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    blocks = [rows[at : at + 65_535] for at in range(0, len(rows), 65_535)]
    stored = b"".join(
        struct.pack("<BHH", block is blocks[-1], len(block), len(block) ^ 65_535) + block for block in blocks
    )
    data = b"\x78\x01" + stored + struct.pack(">I", zlib.adler32(rows))
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def _pdf(path: Path, pages: int, seed: str) -> Truth:
    """A PDF of four paragraphs a page; the truth has them as `page/paragraph`."""
    draw = Draw(seed)
    truth: Truth = {}
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for page in range(1, pages + 1):
        shown, y = [], 780
        for number in range(1, 5):
            mark = f"(mark {draw.mark()})."
            text = f"Section {page}.{number}. {draw.prose(70)} {mark}"
            truth |= {f"{page}/{number}": text, f"{page}/{number}/mark": mark}
            for line in _wrapped(text, 85):
                escaped = line.replace("(", r"\(").replace(")", r"\)")
                shown.append(f"BT /F1 11 Tf 60 {y} Td ({escaped}) Tj ET")
                y -= 14
            y -= 14
        content = "\n".join(shown).encode("ascii")
        kids.append(len(objects) + 1)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (len(objects) + 2)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    listed = " ".join(f"{number} 0 R" for number in kids).encode()
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (pages, listed)
    data, places = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    data += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, start)
    path.write_bytes(data)
    return truth


def _wrapped(text: str, width: int) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line


def _workbook(path: Path, rows: int, seed: str) -> Truth:
    draw = Draw(seed)
    head = "id customer email city date sku qty price discount total status note"
    orders: list[list[Any]] = [[*head.split()]]
    for row in range(1, rows + 1):
        line = row + 1
        quantity, price, discount = draw.between(1, 49), draw.below(9_000) / 100, draw.choice((0, 0.05, 0.1))
        orders.append([
            row, f"Customer {draw.mark()}", f"user{draw.mark()}@mail.test",
            draw.choice(("Gent", "Porto", "Lyon")),
            f"2026-{1 + row % 12:02d}-{1 + row % 28:02d}", draw.mark(),
            quantity, price, discount,
            office.Formula(f"G{line}*H{line}*(1-I{line})", round(quantity * price * (1 - discount), 6)),
            draw.choice(("paid", "open", "late")), draw.prose(draw.between(3, 13)) if row % 4 == 0 else None,
        ])  # fmt: skip
    costs: list[list[Any]] = [["month", "account", "amount", "comment"]]
    for row in range(rows // 15):
        month = f"2026-{1 + row % 12:02d}"
        costs.append([month, f"acc {draw.mark()}", draw.below(1_000_000), draw.prose(5)])
    return office.write_workbook(path, {"Orders": orders, "Costs 2026": costs, "Notes": [[draw.prose(12)]]})


def _document(path: Path, sections: int, seed: str) -> Truth:
    draw = Draw(seed)
    parts: list[tuple[int, str]] = [(1, "Manual of the pump")]
    for section in range(sections):
        if section % 6 == 0:
            parts.append((1, f"{section // 6 + 1} {draw.prose(2)} {draw.mark()}"))
        parts.append((2, f"{section // 6 + 1}.{section % 6 + 1} {draw.prose(3)} {draw.mark()}"))
        count = draw.between(2, 5)
        parts += [(0, f"{draw.prose(draw.between(30, 110))} ({draw.mark()}).") for _ in range(count)]
    return office.write_document(path, parts)


def _slides(path: Path, slides: int, seed: str) -> Truth:
    draw = Draw(seed)
    made = []
    for _ in range(slides):
        body = [f"{draw.prose(draw.between(4, 14))} {draw.mark()}" for _ in range(draw.between(3, 6))]
        notes = f"{draw.prose(draw.between(10, 40))} {draw.mark()}"
        made.append((f"{draw.prose(3)} {draw.mark()}", body, notes))
    return office.write_slides(path, made)


MAKERS: dict[str, Callable[..., Truth]] = {
    "text": _text,
    "log": _log,
    "table": _table,
    "minified": _minified,
    "encoded": _encoded,
    "long function": _long_function,
    "java": _java,
    "trace": _trace,
    "lock": _lock,
    "dump": _dump,
    "notebook": _notebook,
    "pdf": _pdf,
    "workbook": _workbook,
    "document": _document,
    "slides": _slides,
}
"""How each kind of file is made."""
