"""The shell of an expert: what somebody types who knows every format, tool and library.

It is a reader of its own, and what all others use for places that they have no arguments for. All places of a
round are one command line.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from anyread_conformance.reply import Outcome, Reply

from .reader import Exchange, Line, Place

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_MOST_CHARACTERS = 30_000
_TIMEOUT_S = 60
TOOLS = ("awk", "bash", "find", "iconv", "jq", "pdftotext", "rg", "sed")
MODULES = ("docx", "openpyxl", "pptx")
"""The modules that the commands for Office files import."""
_ICONV = {"cp1252": "windows-1252", "koi8-r": "koi8-r", "cp1251": "windows-1251", "latin-1": "latin1",
          "euc_jp": "euc-jp", "shift_jis": "shift-jis", "utf-16": "utf-16", "utf-16-le": "utf-16le",
          "utf-16-be": "utf-16be"}  # fmt: skip
_SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
_ABOUT = "Run a command in a shell and return its output."


class Shell:
    """Commands for places.

    Args:
        root: The directory in which they run.
        truth: Returns the lines of a file, for the numbers of its last ones.
        python: An interpreter with `MODULES`.
    """

    name = "shell"
    definition = json.dumps({"name": "bash", "description": _ABOUT, "inputSchema": _SCHEMA})

    def __init__(self, root: Path, truth: Callable[[str], list[str]], python: str | None = None) -> None:
        self._root = root
        self._truth = truth
        self._python = python or sys.executable
        self._known: dict[str, tuple[Reply, str]] = {}
        self.task = ""

    def missing(self) -> list[str]:
        """Return the programs and modules that commands need and that are not installed."""
        code = f"import importlib.util as u\nprint(*[m for m in {MODULES!r} if not u.find_spec(m)])"
        modules = subprocess.run([self._python, "-c", code], capture_output=True, text=True, check=False).stdout
        return [tool for tool in TOOLS if shutil.which(tool) is None] + modules.split()

    def form(self, place: Place) -> Any:
        """Return the command for a place, or `None` if there is no (further) one."""
        commands = _commands(place)
        number = place.get("form", 0)
        return commands[number] if number < len(commands) else None

    def ask(self, places: list[Place]) -> list[Exchange]:
        """Run the commands for places as one command line."""
        commands = [self.form(place) for place in places]
        line = commands[0]
        if len(places) > 1:
            named = zip(places, commands, strict=True)
            line = "; ".join(f"echo '== {place['path']}'; {command}" for place, command in named)
        reply, kept = self._run(line, places)
        lines = [each for place, part in self._parts(kept, places) for each in self._lines(place, part)]
        return [Exchange(json.dumps({"command": line}, ensure_ascii=False), reply, places, lines, by_shell=True)]

    def _run(self, line: str, places: list[Place]) -> tuple[Reply, str]:
        """Run a command line once: while its files are the same, it prints the same for every reader."""
        sizes = [os.path.getsize(each["path"]) for each in places if os.path.isfile(each["path"])]  # noqa: PTH113, PTH202
        key = f"{sizes} {line}"
        if key in self._known:
            return self._known[key]
        executed = line.replace("python3 -c", f"{shlex.quote(self._python)} -c")
        outcome: Outcome = "shown"
        started = time.perf_counter()
        try:
            done = subprocess.run(
                ["bash", "-c", executed],  # noqa: S607 - the shell of whoever runs this
                cwd=self._root,
                capture_output=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
            text = (done.stdout + done.stderr).decode("utf-8", "replace")
            outcome = "refused" if done.returncode and not done.stdout else "shown"
        except subprocess.TimeoutExpired:
            text, outcome = "", "hung"
        kept = text if len(text) <= _MOST_CHARACTERS else text[: text.rfind("\n", 0, _MOST_CHARACTERS) + 1]
        kept = kept or text[:_MOST_CHARACTERS]
        shown = kept if kept == text else f"{kept}[output cut: {len(text)} characters]"
        seconds = time.perf_counter() - started
        self._known[key] = Reply(shown, outcome=outcome, seconds=seconds), kept
        return self._known[key]

    @staticmethod
    def _parts(text: str, places: list[Place]) -> list[tuple[Place, str]]:
        """Return what was printed for each place."""
        if len(places) == 1:
            return [(places[0], text)]
        found = []
        for index, place in enumerate(places):
            _, mark, text = text.partition(f"== {place['path']}\n")
            part = text
            if index + 1 < len(places):
                part = text.partition(f"== {places[index + 1]['path']}\n")[0]
            found.append((place, part if mark else ""))
        return found

    def _lines(self, place: Place, text: str) -> list[Line]:
        path, shown = place["path"], text.removesuffix("\n").split("\n")
        match place["kind"]:
            case "lines" | "from":
                first = place["first"]
            case "whole":
                first = 1
            case "tail":
                first = len(self._truth(path)) - place["count"] + 1
            case "time" | "find":
                found = (re.match(r"(\d+)[:-](.*)", line) for line in shown)
                return [(path, int(each[1]), each[2]) for each in found if each]
            case _:
                return []
        return [(path, first + index, line) for index, line in enumerate(shown)] if text else []

    def close(self) -> None:
        """Do nothing: each call ends its own process."""


def _commands(place: Place) -> list[str]:
    """Return what an expert types for a place, and what next if that did not show everything."""
    path, kind = shlex.quote(place["path"]), place["kind"]
    match kind:
        case "lines":
            first, last = place["first"], place["last"]
            if place.get("encoding"):
                return [f"iconv -f {_ICONV[place['encoding']]} -t utf-8 {path} | sed -n '{first},{last}p'"]
            return [f"sed -n '{first},{last}p;{last}q' {path}"]
        case "from":
            return [f"sed -n '{place['first']},$p' {path}"]
        case "whole":
            return [f"cat {path}"]
        case "tail":
            return [f"tail -n {place['count']} {path}"]
        case "count":
            return [f"wc -l {path}"]
        case "column":
            first = max(1, place["column"] - 100)
            return [f"sed -n '{place['line']}p' {path} | cut -c {first}-{place['column'] + 300}"]
        case "time":
            return [f"awk '$0 >= \"{place['stamp']}\" && /ERROR/ {{print NR\":\"$0; exit}}' {path}"]
        case "list" | "name":
            return [f"find {shlex.quote(place.get('top', place['path']))} -iname '*{place.get('part', '')}*' -type f"]
        case "named":
            return [f"find . -ipath '*{place['part']}*' -type f | head -20"]
        case "record" | "pointer":
            record = f"sed -n '{place['record']}p' {path} | jq" if kind == "record" else "jq"
            where = "" if kind == "record" else f" {path}"
            parts = ",".join(_jq(each) for each in place.get("fields", [place["pointer"]]))
            return [f"{record} -r {shlex.quote(parts)}{where}", f"{record} .{where}"]
        case "run" | "cell":
            chosen = f".cells[{place['cell'] - 1}]" if kind == "cell" else (
                f".cells[]|select(.execution_count=={place['run']})")  # fmt: skip
            return [f"jq -r {shlex.quote(chosen + '|.source,(.outputs[]?|.evalue//.text//empty)')} {path}"]
        case "page":
            return [f"pdftotext -layout -f {place['page']} -l {place['page']} {path} -"]
        case "find":
            return [_finding(place, path)]
        case "rows" | "formula" | "sheet" | "heading" | "slide":
            return [f"python3 -c {shlex.quote(code)}" for code in _programs(place)]
        case _:
            return []


def _finding(place: Place, path: str) -> str:
    pattern = shlex.quote(place["pattern"])
    name = place["path"]
    if name.endswith(".pdf"):
        return f"pdftotext -layout {path} - | grep -n -C 3 -E {pattern}"
    if name.endswith((".docx", ".xlsx", ".pptx", ".ipynb")):
        return f"python3 -c {shlex.quote(_searched(place))}"
    if "fields" in place:
        return f"rg -e {pattern} {path} | jq -r {shlex.quote(','.join(map(_jq, place['fields'])))}"
    around = "-A 60 -m 1 " if name.endswith((".py", ".js", ".ts", ".go", ".rs", ".java")) else ""
    return f"rg -n {around}-e {pattern} {path}"


def _searched(place: Place) -> str:
    name = place["path"]
    if name.endswith(".xlsx"):
        texts = (
            f"import openpyxl\nfor ws in openpyxl.load_workbook({name!r},read_only=True):\n"
            " for r in ws.iter_rows(values_only=True):\n  t='\\t'.join(map(str,r))\n"
        )
        return f"import re\n{texts}  if re.search({place['pattern']!r},t): print(ws.title,t)"
    loops = {
        ".docx": f"import docx\nfor p in docx.Document({name!r}).paragraphs:\n t=p.text\n",
        ".pptx": f"from pptx import Presentation\nfor n,s in enumerate(Presentation({name!r}).slides,1):\n"
        " t=str(n)+' '+' '.join(x.text_frame.text for x in s.shapes if x.has_text_frame)\n",
        ".ipynb": f"import json\nfor c in json.load(open({name!r}))['cells']:\n t=''.join(c['source'])\n",
    }
    loop = next(code for ending, code in loops.items() if name.endswith(ending))
    return f"import re\n{loop} if re.search({place['pattern']!r},t): print(t)"


def _programs(place: Place) -> list[str]:
    """Return Python programs for a part of an Office file."""
    name = place["path"]
    if place["kind"] in {"rows", "formula", "sheet"}:
        book = f"import openpyxl\nws=openpyxl.load_workbook({name!r},read_only=True)[{place['sheet']!r}]\n"
        if place["kind"] == "sheet":
            return [f"{book}for r in ws.iter_rows(values_only=True): print(*r,sep='\\t')"]
        rows = f"[1,*range({place['first']},{place['last']}+1)]"
        return [f"{book}for i in {rows}:\n for r in ws.iter_rows(i,i,values_only=True): print(*r,sep='\\t')"]
    if place["kind"] == "heading":
        found = f"import docx\nps=docx.Document({name!r}).paragraphs\ni=max(k for k,p in enumerate(ps) if {place['heading']!r} in p.text)\n"
        return [f"{found}print(*[p.text for p in ps[i:i+{count}]],sep='\\n')" for count in (10, 60)]
    slide = f"from pptx import Presentation\ns=Presentation({name!r}).slides[{place['page'] - 1}]\n"
    notes = "\nif s.has_notes_slide: print(s.notes_slide.notes_text_frame.text)"
    return [f"{slide}for x in s.shapes:\n if x.has_text_frame: print(x.text_frame.text){notes}"]


def _jq(pointer: str) -> str:
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    shown = [
        f"[{part}]" if part.isdigit() else f".{part}" if re.fullmatch(r"[a-z_]\w*", part) else f"[{json.dumps(part)}]"
        for part in parts
    ]
    text = "".join(shown)
    return text if text.startswith(".") else f".{text}"
