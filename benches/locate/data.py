"""Tasks over logs, tables, encodings, records, notebooks, PDFs and Office files that are made here.

The gold of JSON is found by `json`, that of documents by python-docx, openpyxl, python-pptx, nbformat and
poppler: a task whose judge reads something else than what was written is dropped.
"""

from __future__ import annotations

import difflib
import json
import re
import subprocess
from typing import Any

from anyread_conformance.locate.generated import ENCODINGS, log_line, trace_records

from .making import Making

_LOG_LINES = 1_000_000
_ROWS = 300_000
_ITEMS = 26_000


def logs(m: Making) -> None:
    """A large log with a few errors: a line, a time, the end, and the end of a log that grows."""
    errors = m.draw.sample(range(10_000, _LOG_LINES), 40)
    big = "logs/app.log"
    m.made(big, "log", lines=_LOG_LINES, errors=errors)
    for _ in range(8):
        start = m.draw.between(50_000, errors[-1] - 10)
        found = next(each for each in errors if each >= start) + 1
        stamp = log_line(start)[:23]
        said = f"the first ERROR at or after {stamp} in /w/{big}"
        m.ask("log-time", said, "time", big, [[found, found]], stamp=stamp)
    for _ in range(8):
        at = m.draw.between(10_000, _LOG_LINES - 10)
        said = f"/w/{big}:{at}:{m.lines(big)[at - 1]}\nwhat happened around it"
        m.task("log-line", said, [m.window(big, at - 5, at + 5)])
    for at in m.draw.sample(errors, 6):
        pattern = log_line(at, is_error=True).split("req-")[1][:8]
        said = f"grep: ERROR req-{pattern} in /w/{big}: the line"
        m.ask("find-log", said, "find", big, [[at + 1, at + 1]], pattern=pattern)
    tails = {
        big: _LOG_LINES,
        "logs/web.log": 40_000,
        "logs/job.log": 900,
        "logs/sync.log": 120_000,
        "logs/boot.log": 3_000,
        "logs/mail.log": 14_000,
    }
    for path, lines in tails.items():
        if path != big:
            m.made(path, "log", lines=lines, step=7)
        m.ask("log-tail", f"the last 50 lines of /w/{path}", "tail", path, [[lines - 49, lines]], count=50)
    for number in range(6):
        path, lines = f"logs/grow{number}.log", m.draw.choice((300, 2_500, 30_000))
        m.made(path, "log", lines=lines, step=3)
        more = [log_line(3 * line + 1) for line in range(lines, lines + 30)]
        before = {"kind": "tail", "path": path, "count": 20, "gold": [[lines - 19, lines]]}
        after = {"kind": "from", "path": path, "first": lines + 1, "last": None, "append": more}
        said = f"the last 20 lines of /w/{path}; then it grows: the new lines"
        m.task("log-grow", said, [before, {**after, "gold": [[0, 0]]}], stages=True)


def tables(m: Making) -> None:
    """Rows of a large table, and a value in a file of one line."""
    path = "data/orders.csv"
    m.made(path, "table", rows=_ROWS)
    for _ in range(8):
        row = m.draw.between(1_000, _ROWS)
        said = f"row {row} (after the header) of /w/{path}, with the header"
        m.task("csv-row", said, [m.window(path, 1, 1), m.window(path, row + 1, row + 1)])
    path = "data/bundle.json"
    columns = list(m.made(path, "minified", items=_ITEMS))
    for column in m.draw.sample(columns[500:], 8):
        said = f"/w/{path}:1:{column}: unexpected value"
        m.ask("minified", said, "column", path, [column], line=1, column=int(column))


def encodings(m: Making) -> None:
    """Lines of texts in ten encodings."""
    names = "menu.txt legacy.py windows.log event.txt be.txt kiroku.txt settei.ini zhurnal.txt otchet.csv"
    for encoding, name in zip(ENCODINGS, names.split(), strict=True):
        path = f"enc/{name}"
        m.header["encodings"][path] = encoding
        m.made(path, "encoded", encoding=encoding, seed=f"{m.seed} {name}")
        first = m.draw.between(20, 350)
        said = f"lines {first}-{first + 19} of /w/{path}"
        m.task("encodings", said, [m.window(path, first, first + 19, encoding=encoding)])


def records(m: Making) -> None:
    """Records of an agent's trace, and values in JSON, by the addresses that validators print."""
    for number, count in enumerate((400, 3_000)):
        path, seed = f"records/trace{number}.jsonl", f"{m.seed} trace {number}"
        m.made(path, "trace", records=count, seed=seed)
        found = list(trace_records(count, seed))
        lengths = {i: r["tool"]["output"].count("\n") + 1 for i, r in enumerate(found, 1) if "tool" in r}
        for record in m.draw.sample([i for i, lines in lengths.items() if 12 <= lines <= 200], 4):
            said = f"/w/{path}:{record}: /tool/output: the whole output of this step"
            _record(m, "jsonl-value", said, path, record, "/tool/output", ["/tool/output"])
        for record in m.draw.sample([i for i, lines in lengths.items() if lines > 30], 4):
            fields = ["/type", "/tool/id", "/tool/exit_code", "/tool/seconds"]
            said = f"/w/{path}:{record}: a step failed: its type, tool id, exit code and seconds"
            _record(m, "jsonl-record", said, path, record, "", fields, then={"pointer": "/tool"})
        for record in m.draw.sample([i for i, r in enumerate(found, 1) if r.get("todos")], 4):
            item = m.draw.below(len(found[record - 1]["todos"]))
            fields = [f"/todos/{item}/{name}" for name in ("id", "content", "status")]
            said = f"/w/{path}: line {record}: $.todos[{item}].status: not one of ['closed']"
            _record(m, "jsonl-key", said, path, record, f"/todos/{item}", fields)
        for record in m.draw.sample(list(lengths), 3):
            pattern = found[record - 1]["tool"]["id"]
            said = f"/w/{path}: the exit code of the tool call {pattern}"
            fields = ["/tool/id", "/tool/exit_code"]
            gold = [f"{record}#{field}" for field in fields]
            m.ask("find-jsonl", said, "find", path, gold, pattern=pattern, fields=fields)
    path = "records/lock.json"
    m.made(path, "lock", packages=1_400, seed=f"{m.seed} lock")
    packages = json.loads((m.root / path).read_text())["packages"]
    for name in m.draw.sample(sorted(packages), 4):
        pointer = "/packages/" + name.replace("~", "~0").replace("/", "~1")
        said = f"/w/{path}: $.packages['{name}'].version: not allowed"
        gold = [f"#{pointer}/{name}" for name in ("version", "integrity")]
        m.ask("json-pointer", said, "pointer", path, gold, pointer=pointer, fields=[pointer])
    path = "records/dump.json"
    m.made(path, "dump", rows=30_000, seed=f"{m.seed} dump")
    for row in m.draw.sample(range(30_000), 4):
        said = f"/w/{path}: $[{row}].address.zip: does not match"
        gold = [f"#/{row}/{name}" for name in ("id", "name", "address/city", "address/zip")]
        m.ask("json-pointer", said, "pointer", path, gold, pointer=f"/{row}", fields=[f"/{row}"])


def _record(
    m: Making, family: str, said: str, path: str, record: int, pointer: str, fields: list[str], **more: Any
) -> None:
    gold = [f"{record}#{field}" for field in fields]
    m.ask(family, said, "record", path, gold, record=record, pointer=pointer, fields=fields, **more)


def notebooks(m: Making) -> None:
    """Cells by the number that tracebacks print, cells with a plot, and a call in one of the cells."""
    import nbformat

    for number, cells in enumerate((40, 80, 150)):
        path = f"notebooks/analysis{number}.ipynb"
        texts = m.made(path, "notebook", cells=cells, seed=f"{m.seed} notebook {number}")
        book = nbformat.read(m.root / path, 4)  # type: ignore[no-untyped-call]
        nbformat.validate(book)
        failed = [int(each.partition("/")[0]) for each in texts if each.endswith("/error")]
        for cell in m.draw.sample(failed, 3):
            source, count = book.cells[cell - 1].source.split("\n"), int(texts[f"{cell}/count"])
            gold = [f"{cell}/{n}" for n in range(1, len(source) + 1)]
            if [texts[each] for each in gold] != source or book.cells[cell - 1].execution_count != count:
                m.drop("notebook-run")
                continue
            error = texts[f"{cell}/error"]
            said = f"/w/{path}: Cell In[{count}], line 1: ValueError: {error}: the source of the cell"
            m.ask("notebook-run", said, "run", path, gold, run=count)
        for cell in m.draw.sample(failed, 2):
            lines = range(1, len(book.cells[cell - 1].source.split("\n")) + 1)
            gold = [*(f"{cell}/{n}" for n in lines), f"{cell}/error"]
            said = f"cell {cell} (from 1) of /w/{path}: source, plot and error"
            m.ask("notebook-cell", said, "cell", path, gold, cell=cell, image=True)
        code = [each for each in texts if each.endswith("/1")]
        for address in m.draw.sample(code, 2):
            pattern = re.search(r"load\('(\w+)", texts[address])
            assert pattern is not None
            gold = [each for each in texts if re.fullmatch(rf"{address.partition('/')[0]}/\d+", each)]
            said = f"/w/{path}: the source of the cell that loads {pattern[1]}.csv"
            m.ask("find-notebook", said, "find", path, gold, pattern=pattern[1])


def pdfs(m: Making) -> None:
    """A paragraph of a page, and a page by what it says; judged by poppler."""
    path = "data/manual.pdf"
    texts = m.made(path, "pdf", pages=300, seed=f"{m.seed} pdf")
    for page in m.draw.sample(range(2, 300), 10):
        shown = subprocess.run(
            ["pdftotext", "-f", str(page), "-l", str(page), str(m.root / path), "-"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        if " ".join(texts[f"{page}/3"].split()) not in " ".join(shown.split()):
            m.drop("pdf-page")
            continue
        said = f"the third paragraph of page {page} of /w/{path}"
        m.ask("pdf-page", said, "page", path, [f"{page}/3"], page=page)
    # Searches of more pages end by time, which differs from run to run.
    path, pages = "data/guide.pdf", 24
    texts = m.made(path, "pdf", pages=pages, seed=f"{m.seed} guide")
    for page in m.draw.sample(range(2, pages), 6):
        pattern = texts[f"{page}/2/mark"][6:-2]
        said = f"/w/{path}: the paragraph with the mark {pattern}"
        then = {"kind": "page", "page": page}
        m.ask("find-pdf", said, "find", path, [f"{page}/2"], pattern=pattern, then=then)


def workbooks(m: Making) -> None:
    """Cells, formulas, rows and sheets of a workbook, judged by openpyxl."""
    import openpyxl

    path, rows = "office/orders.xlsx", 12_000
    texts = m.made(path, "workbook", rows=rows, seed=f"{m.seed} workbook")
    sheets = {
        sheet.title: list(sheet.iter_rows(values_only=True))
        for sheet in openpyxl.load_workbook(m.root / path, read_only=True)
    }

    def agreed(sheet: str, addresses: list[str]) -> bool:
        found = {each: sheets[sheet][int(each[1:]) - 1][ord(each[0]) - 65] for each in addresses}
        return all(str(value) == texts[f"{sheet}!{each}"] for each, value in found.items())

    def add(
        family: str, said: str, sheet: str, kind: str, first: int, last: int, cells: list[str], **more: Any
    ) -> None:
        cells = [each for each in cells if f"{sheet}!{each}" in texts]
        if not agreed(sheet, cells):
            m.drop(family)
            return
        gold, place = [f"{sheet}!{each}" for each in cells], {"sheet": sheet, "first": first, "last": last}
        m.ask(family, f"/w/{path}: {said}", kind, path, gold, **place, **more)

    for row in m.draw.sample(range(50, rows), 8):
        column = m.draw.choice("BCDF")
        value = texts[f"Orders!{column}{row}"]
        cells = [f"{each}1" for each in "ABCDEFGHIJKL"] + [f"{each}{row}" for each in "ABCDEFGHK"]
        said = f"Orders!{column}{row}: duplicate value {value!r}: the row with its header"
        add("xlsx-cell", said, "Orders", "rows", row, row, cells, then={"first": 1, "last": 1})
    for row in m.draw.sample(range(50, rows), 6):
        said = f"Orders!J{row} is wrong: its formula and what it refers to"
        add("xlsx-formula", said, "Orders", "formula", row, row, [f"{each}{row}" for each in "JGH"])
    for row in m.draw.sample(range(20, 760), 6):
        cells = [f"{column}{each}" for each in range(row, row + 20) for column in "BCD"]
        said = f"rows {row}-{row + 19} of sheet Costs 2026"
        add("xlsx-rows", said, "Costs 2026", "rows", row, row + 19, cells)
    for row in m.draw.sample(range(50, rows), 6):
        pattern = texts[f"Orders!F{row}"]
        gold = [f"Orders!{column}{row}" for column in "BCF"]
        m.ask("find-xlsx", f"/w/{path}: who ordered {pattern}", "find", path, gold, pattern=pattern)
    for number in range(6):
        small = f"office/small{number}.xlsx"
        made = m.made(small, "workbook", rows=m.draw.between(180, 500), seed=f"{m.seed} small {number}")
        book = openpyxl.load_workbook(m.root / small, read_only=True)["Costs 2026"]
        gold = [each for each in made if each.startswith("Costs 2026!")]
        if [str(value) for row in book.iter_rows(values_only=True) for value in row] != [
            made[each] for each in gold
        ]:
            m.drop("xlsx-sheet")
            continue
        said = f"/w/{small}: what is in sheet Costs 2026"
        m.ask("xlsx-sheet", said, "sheet", small, gold, sheet="Costs 2026")


def documents(m: Making) -> None:
    """Sections of documents by their headings, judged by python-docx, and sentences by a word of them."""
    import docx

    for number, sections in enumerate((30, 160, 60)):
        path = f"office/manual{number}.docx"
        texts = m.made(path, "document", sections=sections, seed=f"{m.seed} document {number}")
        found = docx.Document(str(m.root / path)).paragraphs
        heads = [
            i for i, each in enumerate(found) if each.style is not None and each.style.name == "Heading 2"
        ]
        for index in m.draw.sample(range(len(heads) - 1), 4):
            start, end = heads[index], heads[index + 1]
            body = [
                i
                for i in range(start + 1, end)
                if found[i].style is not None and found[i].style.name == "Normal"
            ]
            if [found[i].text for i in body] != [texts[str(i + 1)] for i in body]:
                m.drop("docx-section")
                continue
            heading = found[start].text
            said, gold = f"/w/{path}: the section {heading!r}", [str(i + 1) for i in body]
            m.ask("docx-section", said, "heading", path, gold, heading=heading)
        for address in m.draw.sample([each for each, text in texts.items() if text.endswith(").")], 3):
            pattern = texts[address][-10:-2]
            said = f"/w/{path}: the paragraph with {pattern}"
            m.ask("find-docx", said, "find", path, [address], pattern=pattern)


def slides(m: Making) -> None:
    """Slides by their number, judged by python-pptx, and by a word of them."""
    import pptx

    path = "office/deck.pptx"
    texts = m.made(path, "slides", slides=90, seed=f"{m.seed} slides")
    deck = pptx.Presentation(str(m.root / path))
    for page in m.draw.sample(range(2, 90), 10):
        slide = deck.slides[page - 1]
        shown = [each.text for shape in slide.shapes for each in shape.text_frame.paragraphs]
        gold = [each for each in texts if each.startswith(f"{page}/")]
        if sorted([*shown, slide.notes_slide.notes_text_frame.text]) != sorted(texts[each] for each in gold):
            m.drop("pptx-slide")
            continue
        m.ask("pptx-slide", f"/w/{path}: slide {page}: text and notes", "slide", path, gold, page=page)
    for page in m.draw.sample(range(2, 90), 6):
        pattern = texts[f"{page}/1"][-8:]
        gold = [each for each in texts if each.startswith(f"{page}/")]
        said, then = f"/w/{path}: the slide with {pattern}: text and notes", {"kind": "slide", "page": page}
        m.ask("find-pptx", said, "find", path, gold, pattern=pattern, then=then)


def long_functions(m: Making) -> None:
    """A line in the middle of a function that no window shows completely."""
    for number, statements in enumerate((420, 900, 1_900, 2_600, 3_300, 600)):
        path = f"long/gen{number}.py"
        m.made(path, "long function", statements=statements, seed=f"{m.seed} long {number}")
        line = 203 + m.draw.between(statements // 4, 3 * statements // 4)
        want = m.at(path, line, (203, 204 + statements))
        m.task("long-function", f'  File "/w/{path}", line {line}, in apply', [want])


def diffs(m: Making, paths: list[str]) -> None:
    """The hunks of a diff."""
    for path in m.draw.sample(paths, 8):
        text = m.lines(path)
        lines = sorted({m.draw.between(20, len(text) - 40) for _ in range(m.draw.choice((1, 3, 5)))})
        changes = [
            {"line": line, "insert": [f"# changed {m.draw.mark()}" for _ in range(m.draw.between(1, 8))]}
            for line in lines
        ]
        target = m.name(m.edit(f"diff/{path}", changes, path))
        new = m.lines(target)
        shown = difflib.unified_diff(text, new, f"a/{path}", f"b/{path}", n=8, lineterm="")
        said = "\n".join(line for line in shown if line.startswith(("---", "+++", "@@")))
        hunks = re.findall(r"\+(\d+),(\d+) @@", said)
        wants = [m.window(target, int(first), int(first) + int(count) - 1) for first, count in hunks]
        m.task("diff-hunks", said.replace(f"b/{path}", f"/w/{target}"), wants)
