"""The shell of an expert: what somebody types who knows every format, tool and library.

It is a reader of its own, and what all others use for places that they have no arguments for. All places of a
round are one command line.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyread_conformance.reply import Reply

from .reader import Exchange, Line, Place

if TYPE_CHECKING:
    from collections.abc import Callable

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
        self._kept = root.parent / "shell"
        self.task = ""

    def missing(self) -> list[str]:
        """Return the programs and modules that commands need and that are not installed."""
        code = f"import importlib.util as u\nprint(*[m for m in {MODULES!r} if not u.find_spec(m)])"
        modules = subprocess.run(
            [self._python, "-c", code], capture_output=True, text=True, check=False
        ).stdout
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
        return [
            Exchange(json.dumps({"command": line}, ensure_ascii=False), reply, places, lines, by_shell=True)
        ]

    def _run(self, line: str, places: list[Place]) -> tuple[Reply, str]:
        """Run a command line once and keep what it prints: for the same files it prints the same again."""
        sizes = [Path(each["path"]).stat().st_size for each in places if Path(each["path"]).is_file()]
        kept_at = self._kept / hashlib.sha256(f"{sizes} {line}".encode()).hexdigest()
        if not kept_at.exists():
            self._kept.mkdir(exist_ok=True)
            partial = kept_at.with_suffix(f".{os.getpid()}")
            partial.write_text(json.dumps(self._printed(line)), "utf-8")
            partial.replace(kept_at)
        text, outcome, seconds = json.loads(kept_at.read_text("utf-8"))
        kept, shown = self._cut(text)
        return Reply(shown, outcome=outcome, seconds=seconds), kept

    def _printed(self, line: str) -> tuple[str, str, float]:
        """Return what a command line prints, whether it is an answer, and how long it took."""
        executed = line.replace("python3 -c", f"{shlex.quote(self._python)} -c")
        started = time.perf_counter()
        try:
            done = subprocess.run(
                ["bash", "-c", executed],  # noqa: S607 - the shell of whoever runs this
                cwd=self._root,
                capture_output=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "", "hung", _TIMEOUT_S
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
        outcome = "refused" if done.returncode and not done.stdout else "shown"
        return text, outcome, time.perf_counter() - started

    @staticmethod
    def _cut(text: str) -> tuple[str, str]:
        """Return what is shown of an output, at whole lines if it is cut, and the same with a note."""
        kept = text if len(text) <= _MOST_CHARACTERS else text[: text.rfind("\n", 0, _MOST_CHARACTERS) + 1]
        kept = kept or text[:_MOST_CHARACTERS]
        return kept, kept if kept == text else f"{kept}[output cut: {len(text)} characters]"

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
            case "time" | "find" | "function":
                found = (re.match(r"(\d+)[:-](.*)", line) for line in shown)
                return [(path, int(each[1]), each[2]) for each in found if each]
            case _:
                return []
        return [(path, first + index, line) for index, line in enumerate(shown)] if text else []

    def close(self) -> None:
        """Do nothing: each call ends its own process."""


_COMMANDS = {
    "lines": "sed -n '{first},{last}p;{last}q' {path}",
    "from": "sed -n '{first},$p' {path}",
    "whole": "cat {path}",
    "tail": "tail -n {count} {path}",
    "count": "wc -l {path}",
    "column": "sed -n '{line}p' {path} | cut -c {left}-{right}",
    "time": 'awk \'$0 >= "{stamp}" && /ERROR/ {{print NR":"$0; exit}}\' {path}',
    "list": "find {path} -iname '*{part}*' -type f",
    "name": "find {top} -iname '*{part}*' -type f",
    "named": "find . -ipath '*{part}*' -type f | head -20",
    "page": "pdftotext -layout -f {page} -l {page} {path} -",
}
"""What an expert types for the kinds of places that one line says."""


def _commands(place: Place) -> list[str]:
    """Return what an expert types for a place, and what next if that did not show everything."""
    kind = place["kind"]
    built = {
        "record": _of_json, "pointer": _of_json, "run": _of_notebook, "cell": _of_notebook,
        "find": _finding, "function": _finding,
        "rows": _programs, "formula": _programs, "sheet": _programs, "heading": _programs, "slide": _programs,
    }  # fmt: skip
    if kind in built:
        return built[kind](place)
    if kind == "lines" and place.get("encoding"):
        path, encoding = shlex.quote(place["path"]), _ICONV[place["encoding"]]
        return [f"iconv -f {encoding} -t utf-8 {path} | sed -n '{place['first']},{place['last']}p'"]
    if kind not in _COMMANDS:
        return []
    known = {
        "part": "",
        **place,
        "path": shlex.quote(place["path"]),
        "top": shlex.quote(place.get("top", "")),
    }
    if kind == "column":
        known |= {"left": max(1, place["column"] - 100), "right": place["column"] + 300}
    return [_COMMANDS[kind].format(**known)]


def _of_json(place: Place) -> list[str]:
    path = shlex.quote(place["path"])
    is_record = place["kind"] == "record"
    before = f"sed -n '{place['record']}p' {path} | jq" if is_record else "jq"
    after = "" if is_record else f" {path}"
    parts = ",".join(map(_jq, place.get("fields", [place["pointer"]])))
    return [f"{before} -r {shlex.quote(parts)}{after}", f"{before} .{after}"]


def _of_notebook(place: Place) -> list[str]:
    is_run = place["kind"] == "run"
    chosen = (
        f".cells[]|select(.execution_count=={place['run']})" if is_run else f".cells[{place['cell'] - 1}]"
    )
    query = shlex.quote(f"{chosen}|.source,(.outputs[]?|.evalue//.text//empty)")
    return [f"jq -r {query} {shlex.quote(place['path'])}"]


def _finding(place: Place) -> list[str]:
    name, path, pattern = place["path"], shlex.quote(place["path"]), shlex.quote(place["pattern"])
    if name.endswith(".pdf"):
        return [f"pdftotext -layout {path} - | grep -n -C {lines} -E {pattern}" for lines in (3, 8)]
    if name.endswith((".docx", ".xlsx", ".pptx", ".ipynb")):
        return [f"python3 -c {shlex.quote(_searched(place))}"]
    if "fields" in place:
        return [f"rg -e {pattern} {path} | jq -r {shlex.quote(','.join(map(_jq, place['fields'])))}"]
    around = "-A 40 " if name.endswith(".py") else ""
    return [f"rg -n {around}-e {pattern} {path}"]


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
    return [f"python3 -c {shlex.quote(code)}" for code in _codes(place)]


def _codes(place: Place) -> list[str]:
    """Return Python programs for a part of an Office file."""
    name = place["path"]
    if place["kind"] in {"rows", "formula", "sheet"}:
        book = f"import openpyxl\nws=openpyxl.load_workbook({name!r},read_only=True)[{place['sheet']!r}]\n"
        if place["kind"] == "sheet":
            return [f"{book}for r in ws.iter_rows(values_only=True): print(*r,sep='\\t')"]
        rows = f"[1,*range({place['first']},{place['last']}+1)]"
        return [f"{book}for i in {rows}:\n for r in ws.iter_rows(i,i,values_only=True): print(*r,sep='\\t')"]
    if place["kind"] == "heading":
        found = (
            f"import docx\nps=docx.Document({name!r}).paragraphs\n"
            f"i=max(k for k,p in enumerate(ps) if {place['heading']!r} in p.text)\n"
        )
        return [f"{found}print(*[p.text for p in ps[i:i+{count}]],sep='\\n')" for count in (10, 60)]
    slide = f"from pptx import Presentation\ns=Presentation({name!r}).slides[{place['page'] - 1}]\n"
    notes = "\nif s.has_notes_slide: print(s.notes_slide.notes_text_frame.text)"
    return [f"{slide}for x in s.shapes:\n if x.has_text_frame: print(x.text_frame.text){notes}"]


def _jq(pointer: str) -> str:
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    plain = re.compile(r"[a-z_]\w*")
    named = (f".{part}" if plain.fullmatch(part) else f"[{json.dumps(part)}]" for part in parts)
    text = "".join(f"[{part}]" if part.isdigit() else name for part, name in zip(parts, named, strict=True))
    return text if text.startswith(".") else f".{text}"
