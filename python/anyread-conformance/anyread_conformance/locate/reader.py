"""A reader in the words of tasks: which arguments ask for a place, and which lines an answer shows.

Both are learned from the names in the reader's schema and from a few probes; what cannot be learned is a row
of a table (`known.py`).
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anyread_conformance.lines import line_of, shown_lines, text_of
from anyread_conformance.settings import Allowed
from anyread_conformance.trial import Trial

from . import generated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from anyread_conformance.reply import Reply

    from .callers import Caller

Place = dict[str, Any]
"""What is asked for: its `kind`, the `path`, and what the kind needs, such as `first` and `last`."""
Form = dict[str, Any]
"""Arguments with placeholders, such as `{"path": "{path}", "offset": "{first}", "limit": "{count}"}`.

`$tool` is another tool of the reader, `$from` the line at which its answer begins, whatever was asked for,
and `$most` the last line that anybody would ask for in this way.
"""
Line = tuple[str, int, str]
"""A line that an answer shows: the path of its file, its number and its text."""
WHOLE = {"notebook": ("notebook", {"cells": 8}), "pdf": ("pdf", {"pages": 2}),
         "document": ("document", {"sections": 3}), "workbook": ("workbook", {"rows": 30}),
         "slides": ("slides", {"slides": 2})}  # fmt: skip
"""How the probe of each format is made."""
ENDINGS = {"notebook": "ipynb", "pdf": "pdf", "document": "docx", "workbook": "xlsx", "slides": "pptx"}
_PROBE_LINES = 60
_PLACEHOLDER = re.compile(r"\{(-?\w+)\}")
_MOST_HEADER_LINES = 14
_MOST_FOOTER_LINES = 4


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call and its answer."""

    arguments: str
    """The arguments as JSON, as a model writes them."""
    reply: Reply
    places: list[Place]
    """What was asked for."""
    lines: list[Line]
    """The lines that the answer shows."""
    by_shell: bool = False


@dataclass(slots=True)
class Reader:
    """A reader with its forms."""

    caller: Caller
    forms: dict[str, list[Form]]
    """For each kind of place the arguments that ask for it, the best first."""
    truth: Callable[[str], list[str]]
    """Returns the lines of a file, which tell an answer from what is around it."""
    gutter: re.Pattern[str] | None = None
    """Matches a line with its number; groups 1 and 2 are the number and the text."""
    closing: str = ""
    """What follows the last line of an answer, on the same line."""
    heading: re.Pattern[str] | None = None
    """Matches the line in front of the lines of another file; group 1 is its name."""
    root: str = ""
    is_virtual: bool = False
    """Whether the reader takes the root for `/`."""

    def form(self, place: Place) -> Form | None:
        """Return the form for a place, or `None` if the reader has none."""
        forms = self.forms.get(place["kind"], ())
        found = forms[place.get("form", 0)] if place.get("form", 0) < len(forms) else None
        return None if found is None or (place.get("last") or 0) > found.get("$most", 10**12) else found

    def ask(self, places: list[Place]) -> list[Exchange]:
        """Ask for places, in as few calls as the forms allow."""
        calls: list[tuple[Form, list[Place]]] = []
        for place in places:
            form = self.form(place)
            assert form is not None
            filled = {name: self._filled(value, place) for name, value in form.items()}
            # A list of one place can have more of them; one of two numbers is a range.
            lists = [name for name, value in form.items() if isinstance(value, list) and len(value) == 1]
            for other, group in calls:
                if len(lists) == 1 and all(
                    other.get(name) == filled[name] for name in filled if name != lists[0]
                ):
                    other[lists[0]] += filled[lists[0]]
                    group.append(place)
                    break
            else:
                calls.append((filled, [place]))
        return [self._asked(form, group) for form, group in calls]

    def asked(self, form: Form, place: Place) -> Exchange:
        """Ask for a place with one form."""
        return self._asked({name: self._filled(value, place) for name, value in form.items()}, [place])

    def _asked(self, form: Form, places: list[Place]) -> Exchange:
        arguments = {name: value for name, value in form.items() if not name.startswith("$")}
        reply = self.caller.call(form.get("$tool", ""), arguments)
        shown = [] if reply.outcome != "shown" else self.lines(reply.text, places, form.get("$from"))
        return Exchange(json.dumps(arguments, ensure_ascii=False), reply, places, shown)

    def _filled(self, value: Any, place: Place) -> Any:
        if isinstance(value, list):
            return [self._filled(each, place) for each in value]
        if isinstance(value, dict):
            return {name: self._filled(each, place) for name, each in value.items()}
        if not isinstance(value, str):
            return value
        known = dict(place)
        if "first" in known and known.get("last") is not None:
            known["count"] = known["last"] - known["first"] + 1
        if known.get("last", 0) is None:
            known["last"] = ""
        if "count" in known:
            known["-count"] = -known["count"]
        known["path"] = self.named(known["path"])
        if "page" in known:
            known["page"] = str(known["page"])  # `pages` takes ranges
        alone = _PLACEHOLDER.fullmatch(value)
        if alone:
            return known[alone[1]]
        shifted = re.fullmatch(r"\{(\w+)([+-]\d+)\}", value)
        if shifted:
            return known[shifted[1]] + int(shifted[2])
        return _PLACEHOLDER.sub(lambda found: str(known[found[1]]), value)

    def named(self, path: str) -> str:
        """Return the name that the reader has for a path."""
        return "/" + path.removeprefix(self.root).lstrip("/") if self.is_virtual else path

    def lines(self, text: str, places: list[Place], begins: int | None = None) -> list[Line]:
        """Return the lines of files that an answer shows.

        Args:
            text: The answer.
            places: What was asked for.
            begins: The line with which the answer begins, if it is not the first that was asked for.
        """
        path = places[0]["path"]
        if self.gutter is None:
            return [] if len(places) > 1 and self.heading is None else self._counted(text, places, begins)
        return self._numbered(text, path)

    def _numbered(self, text: str, path: str) -> list[Line]:
        assert self.gutter is not None
        found: list[Line] = []
        waiting: list[str] = []
        number: int | None = None
        for line in text.split("\n"):
            heading = self.heading.fullmatch(line) if self.heading else None
            match = self.gutter.fullmatch(line)
            if heading:
                path, waiting = self._real(heading[heading.lastindex or 0]), []
            if heading or match is None:
                said = re.search(r"\blines? ([\d,]+)" if heading else r"([\d,]+) not shown", line)
                number = int(said[1].replace(",", "")) + (heading is None) if said else None
                continue
            if match[1]:
                number = int(match[1])
                found += [(path, number - len(waiting) + n, each) for n, each in enumerate(waiting)]
                waiting = []
            if number is None:
                waiting.append(match[2] or "")
            else:
                found.append((path, number, match[2] or ""))
                number += 1
        if found and self.closing and found[-1][2].endswith(self.closing):
            last = found[-1]
            found[-1] = (last[0], last[1], last[2].removesuffix(self.closing))
        return found

    def _counted(self, text: str, places: list[Place], begins: int | None) -> list[Line]:
        """Number the lines of an answer without numbers, as a model has to."""
        if len(places) > 1:
            assert self.heading is not None
            found, parts = [], self.heading.split(text)
            for name, part in zip(parts[1::2], parts[2::2], strict=True):
                path = self._real(name)
                found += self._counted(part.removeprefix("\n"), [{"kind": "whole", "path": path}], 1)
            return found
        place = places[0]
        try:
            truth = self.truth(place["path"])
        except OSError:
            return []
        first = begins or place.get("first") or 1
        shown = text.removesuffix("\n").split("\n")
        if place["kind"] == "tail":
            while (
                shown
                and truth
                and shown[-1] != truth[-1]
                and len(shown) > place["count"] - _MOST_FOOTER_LINES
            ):
                shown.pop()
            first = max(1, len(truth) - len(shown) + 1)
        start = _anchor(shown, truth[first - 1 : first - 1 + _MOST_HEADER_LINES])
        last = place.get("last") or len(truth)
        shown = shown[start : start + max(0, last - first + 1)]
        for _ in range(_MOST_FOOTER_LINES):
            at = first + len(shown) - 2
            if shown and (at >= len(truth) or shown[-1] != truth[at]):
                shown.pop()
        return [(place["path"], first + index, line) for index, line in enumerate(shown)]

    def _real(self, name: str) -> str:
        name = re.sub(r":\d+(:\d+)?$", "", name.removeprefix("file://"))
        return name if name.startswith(self.root) else f"{self.root}/{name.lstrip('/')}"


def _anchor(shown: list[str], begins: list[str]) -> int:
    """Return at which line of an answer the file begins, by its first lines: there may be a header."""
    starts = range(min(len(shown), _MOST_HEADER_LINES))
    return max(starts, key=lambda start: sum(map(str.__eq__, shown[start:], begins)), default=0)


def learn(
    caller: Caller, root: Path, truth: Callable[[str], list[str]], row: dict[str, Any] | None = None
) -> Reader:
    """Learn how a reader is asked, and how its answers look.

    Args:
        caller: How it is called.
        root: The directory that it may read; a directory for probes is made in it, and removed.
        truth: Returns the lines of a file.
        row: What cannot be learned: `forms`, `heading`, `gutter` and `is_virtual`.

    Raises:
        UnusableReaderError: The reader does not show a plain text file.
    """
    row = row or {}
    probes = root / f"probe-{os.getpid()}"
    shutil.rmtree(probes, ignore_errors=True)
    probes.mkdir()
    try:
        reader = Reader(caller, {}, truth, root=str(root), is_virtual=bool(row.get("is_virtual")))
        trial = Trial(_Rooted(caller, reader), probes, Allowed())
        reader.forms = _windows(reader, trial) | _whole(reader, probes)
        _answers(reader, trial)
    finally:
        shutil.rmtree(probes, ignore_errors=True)
    for name in ("gutter", "heading"):
        if row.get(name):
            setattr(reader, name, re.compile(row[name], re.MULTILINE))
    reader.forms |= row.get("forms", {})
    return reader


@dataclass(slots=True)
class _Rooted:
    """A reader for `Trial` whose paths are those that it takes."""

    caller: Caller
    reader: Reader
    name: str = ""
    parameters: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.parameters = self.caller.parameters

    def read(self, arguments: dict[str, Any], timeout_s: float, *, memory_bytes: int) -> Reply:
        return self.caller.read(
            {**arguments, "path": self.reader.named(arguments["path"])}, timeout_s, memory_bytes=memory_bytes
        )

    def close(self) -> None:
        """Do nothing: the caller is closed by its owner."""


def _windows(reader: Reader, trial: Trial) -> dict[str, list[Form]]:
    """Return the forms for lines, from the usual names of arguments and the probe of conformance."""
    caller = reader.caller
    name = caller.renamed
    taken, properties = caller.parameters, caller.properties
    path = {name("path"): "{path}"}
    whole: dict[str, list[Form]] = {"whole": [path]}
    first, last = _shifted("first", trial.offset_shift), _shifted("last", trial.end_shift)
    probe = trial.file(text_of(1, _PROBE_LINES))
    if "range" in taken:
        whole |= {
            "lines": [{**path, name("range"): [first, last]}],
            "from": [{**path, name("range"): [first, -1]}],
        }
    elif "offset" in taken and ("limit" in taken or "end" in taken):
        end = {name("end"): last} if "end" in taken else {name("limit"): "{count}"}
        whole |= {
            "lines": [{**path, name("offset"): first, **end}],
            "from": [{**path, name("offset"): first}],
        }
        backwards = {**path, name("offset"): "{-count}"}
        text = _probed(reader, backwards, probe, count=5).text
        if [each.line_number for each in shown_lines(text)] == list(
            range(_PROBE_LINES - 4, _PROBE_LINES + 1)
        ):
            whole["tail"] = [backwards]
    elif "head" in properties:
        whole["lines"] = [{**path, "head": "{last}", "$from": 1, "$most": 2_000}]
    if "tail" in properties:
        whole["tail"] = [{**path, "tail": "{count}"}]
    return whole


def _probed(reader: Reader, form: Form, path: Path, **place: Any) -> Reply:
    return reader.asked(form, {"kind": "probe", "path": str(path), **place}).reply


def _shifted(name: str, shift: int) -> str:
    return f"{{{name}{shift:+d}}}" if shift else f"{{{name}}}"


def _whole(reader: Reader, probes: Path) -> dict[str, list[Form]]:
    """Return the forms for directories and whole files of formats that the reader shows."""
    path = {reader.caller.renamed("path"): "{path}"}
    found: dict[str, list[Form]] = {}
    directory = probes / "listed"
    (directory / "inside").mkdir(parents=True)
    (directory / "zqfile.txt").write_text("text\n")
    listed = _probed(reader, path, directory)
    if listed.outcome == "shown" and "zqfile" in listed.text:
        found["list"] = [path]
    for kind, (make, arguments) in WHOLE.items():
        probe = probes / f"probe.{ENDINGS[kind]}"
        truth = generated.write(probe, make, {**arguments, "seed": "probe"})
        forms = {kind: path}
        if kind in {"pdf", "slides"}:
            has_pages = "pages" in reader.caller.properties
            # Nobody asks for hundreds of pages to see one.
            page = {"page" if kind == "pdf" else "slide": {**path, "pages": "{page}"}} if has_pages else {}
            forms = page if kind == "pdf" or page else forms
        for name, form in forms.items():
            reply = _probed(reader, form, probe, page="1")
            text = "".join(reply.text.split())
            inside = any("".join(value.split()) in text for value in truth.values() if len(value) > 12)
            raw = '"cell_type"' in reply.read_text + reply.text or "[Content_Types].xml" in reply.text
            if reply.outcome == "shown" and (reply.images or inside) and not raw:
                found[name] = [form]
    return found


def _answers(reader: Reader, trial: Trial) -> None:
    """Find out what is in front of a line and behind the last one."""
    if not trial.has_numbers:
        return
    path = trial.file(text_of(1, _PROBE_LINES))
    text = (trial.call(path, 11, 9) if trial.has_windows else trial.call(path)).text
    shown = shown_lines(text)
    gutter, number = shown[-2].gutter, str(shown[-2].shown_number)
    before, _, after = gutter.partition(number)
    start = rf"[^\d\s]*\s*{re.escape(before.strip())}\s*(\d+)"
    reader.gutter = re.compile(rf"{start}(?:{re.escape(after)}(.*)|{re.escape(after.rstrip())})")
    last = next(line for line in reversed(text.split("\n")) if "zq" in line)
    reader.closing = last.partition(line_of(shown[-1].line_number))[2].strip()


def named_arguments(text: str, properties: Iterable[str]) -> dict[str, Any]:
    """Return the arguments that the end of an answer names, such as `offset=201` in "Use offset=201"."""
    found: dict[str, Any] = {}
    for line in text.rstrip().split("\n")[-3:]:
        for name, quoted, word in re.findall(r'\b(\w+)\s*[=:]\s*(?:"([^"]*)"|([\w/.:!-]+))', line):
            if name in properties:
                value = quoted or word.rstrip(".")
                found[name] = int(value) if re.fullmatch(r"-?\d+", value) and not quoted else value
    return found
