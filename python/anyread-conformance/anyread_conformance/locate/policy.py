"""What a model does, for every reader alike: it looks as the schema allows, and goes on as the answer says.

The policy stands for a model that reads. It knows what the locator of a task says and what its reader's
schema has words for; of an answer it knows what it shows, which side lines are missing on, and what it names.
It never learns which reader it is. Each rule is one function, and its first sentence is the rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from .reader import Place, named_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

MOST_ROUNDS = 24
_MOST_TRIES = 12
_FIRST_LINES = 40
_NEW_LINES = 60
_WHOLE = {".ipynb": "notebook", ".docx": "document", ".xlsx": "workbook", ".pptx": "slides"}
_IN_SHELL_ONLY = frozenset({"time", "count", "named"})


@dataclass(slots=True)
class Look:
    """What a model knows about one want when it decides what comes next."""

    want: dict[str, Any]
    """The locator, with absolute paths."""
    place: Place
    """What was asked for last."""
    window: int
    """How many lines a model asks for around a place."""
    can: Callable[[Place], bool]
    """Whether the reader's schema has words for a place."""
    properties: Collection[str] = ()
    """The names of the reader's arguments."""
    text: str = ""
    """The answer."""
    refused: bool = False
    names_lines: bool = False
    """Whether the answer shows lines of the file."""
    unreadable: bool = False
    """Whether it shows the wanted lines in a way that nobody can read."""
    missing: tuple[int, int] = (0, 0)
    """The first and the last missing line; 0 if what is missing is no line of a text."""
    shown: Collection[int] = ()
    """The lines of the file that have been shown so far."""
    step: int = 0
    tries: int = 0
    done: set[str] = field(default_factory=set)
    """The rules that apply once and have been applied."""


def first_place(want: dict[str, Any]) -> Place:
    """Ask for the place as the locator names it, under the name that it gives to the file."""
    if want["kind"] == "name":
        return {"kind": "list", "path": want["top"], "top": want["top"], "part": want["part"]}
    left_out = {"gold", "sha256", "given", "then", "append", "image", "near"}
    return {**{k: v for k, v in want.items() if k not in left_out}, "path": want.get("given", want["path"])}


def expressed(place: Place, look: Look) -> Place:
    """Say it in the words of the schema; if it has none for the place, for the next larger part."""
    if place.get("shell") or place["kind"] in _IN_SHELL_ONLY:
        return {**place, "shell": True}
    wider: Place | None = place
    while wider is not None and not look.can(wider):
        wider = _wider(wider, look.window)
    if wider is not None:
        return wider
    if place["kind"] == "line":
        place = _around(place, look.window)
    return {**place, "shell": True}


def _wider(place: Place, window: int) -> Place | None:
    path, kind = place["path"], place["kind"]
    whole = _WHOLE.get(PurePosixPath(path).suffix)
    if kind == "line":
        return _around(place, window)
    if kind == "from":
        return {"kind": "tail", "path": path, "count": _NEW_LINES}
    if kind == "record":
        return {"kind": "lines", "path": path, "first": place["record"], "last": place["record"]}
    if whole is not None and kind != whole:
        return {"kind": whole, "path": path}
    return None


def _around(place: Place, window: int) -> Place:
    first, last = max(1, place["line"] - window // 2), place["line"] + window // 2
    return {"kind": "lines", "path": place["path"], "first": first, "last": last}


def next_place(look: Look) -> Place | None:
    """Return what is asked for next, or `None` if a model would give up."""
    look.tries += 1
    for rule in RULES:
        found = rule(look)
        if found is not None:
            return found
    return None


def open_what_is_listed(look: Look) -> Place | None:
    """Open the file that a list of names shows; else list the directory on the way to it, if it is shown."""
    want = look.want
    if want["kind"] != "name" or look.tries > _MOST_TRIES:
        return None
    wanted = PurePosixPath(want["path"])
    if look.place["kind"] == "list" and wanted.name not in look.text:
        below = wanted.relative_to(look.place["path"]).parts
        if (
            not look.refused
            and len(below) > 1
            and re.search(rf"(?<![\w.-]){re.escape(below[0])}\b", look.text)
        ):
            return {**look.place, "path": f"{look.place['path']}/{below[0]}"}
        return {"kind": "name", "path": want["top"], "top": want["top"], "part": want["part"], "shell": True}
    if look.place["kind"] in {"list", "name"}:
        return {"kind": "lines", "path": want["path"], "first": 1, "last": _FIRST_LINES}
    return None


def read_the_named_file(look: Look) -> Place | None:
    """Read the file that an answer names instead of the one that does not exist; else search for it."""
    want, place = look.want, look.place
    if want["kind"] == "name" or place["path"] == want["path"]:
        return None
    real, given = PurePosixPath(want["path"]), PurePosixPath(place["path"])
    again = {**place, "path": want["path"]}
    if place["kind"] == "named":
        return first_place({**want, "given": want["path"]})
    ends = [real.as_posix().partition(root)[2] for root in (want["root"] + "/",)]
    is_named = any(re.search(rf"(?<![\w.-]){re.escape(end)}(?![\w-])", look.text) for end in ends)
    is_near = look.refused and real.parent == given.parent and re.search(
        rf"(?<![\w./-]){re.escape(real.name)}(?![\w-])", look.text)  # fmt: skip
    plain = re.sub(r"^file://|:\d+(:\d+)?$|[\"'`]", "", place["path"].removeprefix(want["root"] + "/"))
    if is_named or is_near or plain in {want["path"], ends[0]}:
        return again
    return {"kind": "named", "part": real.name[:6], "path": place["path"], "shell": True}


def read_the_last_lines(look: Look) -> Place | None:
    """Ask for the last lines when the answer says how many there are; else count them."""
    want = look.want
    if want["kind"] != "lines" or "total" not in want or look.place.get("first") == want["near"]:
        return None
    total = want["total"]
    if look.place["kind"] == "count" or re.search(rf"\b({total}|{total:,}|{total + 1})\b", look.text):
        return {"kind": "lines", "path": want["path"], "first": want["near"], "last": total}
    return {"kind": "count", "path": want["path"], "shell": True}


def go_on_in_the_shell(look: Look) -> Place | None:
    """Stay in the shell: the missing lines, or the next command for the same thing."""
    if not look.place.get("shell"):
        return None
    if look.place["kind"] in {"lines", "whole", "from", "tail"} and look.missing[0]:
        return {**look.place, "kind": "lines", "first": look.missing[0], "last": look.missing[1]}
    return {**look.place, "form": look.place.get("form", 0) + 1}


def read_the_named_range(look: Look) -> Place | None:
    """Ask once for the whole range if the answer says inside which lines a place is."""
    inside = re.search(r"inside lines ([\d,]+)(?:-([\d,]+)| to the end)", look.text)
    if inside is None or "inside" in look.done or not look.missing[0]:
        return None
    look.done.add("inside")
    first, last = (int(each.replace(",", "")) if each else None for each in inside.groups())
    kind = "from" if last is None else "lines"
    return {"kind": kind, "path": look.want["path"], "first": first, "last": last}


def follow_the_next_arguments(look: Look) -> Place | None:
    """Call again with the arguments that the end of an answer names, unless a window was asked for."""
    named = named_arguments(look.text, look.properties)
    is_window = look.missing[0] or look.place["kind"] == "lines"
    if is_window or look.refused or not named or look.tries > _MOST_TRIES:
        return None
    return {**look.place, "next": named}


def look_at_the_inner_part(look: Look) -> Place | None:
    """Ask for the part that the answer shows to be the right one, if there is one."""
    then = look.want.get("then")
    if then is None or "then" in look.done:
        return None
    look.done.add("then")
    found = {**first_place(look.want), **then, "shell": bool(look.place.get("shell"))}
    return found if found["shell"] or look.can(found) else None


def ask_for_less(look: Look) -> Place | None:
    """Ask for a window of the usual size when more was refused."""
    place = look.place
    is_window = place["kind"] == "lines" and place["last"] - place["first"] >= 2 * look.window
    if not is_window or not (look.refused or not look.names_lines):
        return None
    look.step = look.window
    if place["last"] + 1 in look.shown:
        return {**place, "first": place["last"] - look.window + 1}
    return {**place, "last": place["first"] + look.window - 1}


def leave_it_to_the_shell(look: Look) -> Place | None:
    """Use the shell for what was refused, cannot be read, or took too many calls."""
    place = look.place
    if (
        look.missing[0]
        and look.names_lines
        and not look.refused
        and not look.unreadable
        and look.tries <= _MOST_TRIES
    ):
        return None
    if look.missing[0] and place["kind"] not in {"tail", "whole", "from"}:
        first, last = look.missing if place["kind"] != "lines" else (place["first"], place["last"])
        encoding = {"encoding": look.want["encoding"]} if "encoding" in look.want else {}
        return {
            "kind": "lines",
            "path": place["path"],
            "first": first,
            "last": last,
            "shell": True,
            **encoding,
        }
    return {**first_place(look.want), "path": look.want["path"], "shell": True}


def read_on(look: Look) -> Place | None:
    """Ask for the lines below what is shown, for twice as many each time."""
    first = look.missing[0]
    if first != 1 and first - 1 not in look.shown:
        return None
    step, look.step = look.step, look.step * 2
    path, kind = look.want["path"], look.want["kind"]
    if kind in {"whole", "from", "tail"}:
        return {"kind": "from", "path": path, "first": first, "last": None}
    last = look.want["last"] if kind == "lines" else first + step - 1
    return {"kind": "lines", "path": path, "first": first, "last": last}


def read_back(look: Look) -> Place | None:
    """Ask for the lines above what is shown, for twice as many each time."""
    first = look.missing[0]
    step, look.step = look.step, look.step * 2
    path = look.want["path"]
    above = min((number for number in look.shown if number > first), default=None)
    if above is None:
        return {"kind": "lines", "path": path, "first": first, "last": first + step - 1}
    return {"kind": "lines", "path": path, "first": max(1, above - step), "last": above - 1}


RULES = (
    open_what_is_listed,
    read_the_named_file,
    read_the_last_lines,
    look_at_the_inner_part,
    go_on_in_the_shell,
    read_the_named_range,
    follow_the_next_arguments,
    ask_for_less,
    leave_it_to_the_shell,
    read_on,
    read_back,
)
"""The rules, in the order in which they are tried."""
