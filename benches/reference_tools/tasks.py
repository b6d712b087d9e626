"""What every tool is asked for, and how an answer about an unusual file is described in words."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benches.reference_tools import files
from benches.reference_tools.tools import Call

if TYPE_CHECKING:
    from collections.abc import Callable

    from benches.reference_tools.process import Reply

LINES = 100
"""How many lines of a log are requested."""
_LONE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Task:
    """One call of every tool."""

    name: str
    """Its name in records."""
    title: str
    """Its name in tables."""
    file: str
    """The name of the file."""
    is_timed: bool = True
    """Whether its time is compared, or only what the tool answers."""
    in_log: bool = False
    """Whether `LINES` lines at 90 % of the log are requested; otherwise, the call has no range."""
    limit_s: float = 60
    """The most seconds for an answer."""

    @property
    def call(self) -> Call:
        """The call."""
        if not self.in_log:
            return Call(self.file)
        first = files.lines_of(self.file) * 9 // 10
        return Call(self.file, first, first + LINES - 1)


TASKS = (
    Task("small", "file of 8 KiB", "source.py"),
    Task("page-9MiB", "page of a 9 MiB log", "log-9MiB.log", in_log=True),
    Task("page-100MiB", "page of a 100 MiB log", "log-100MiB.log", in_log=True),
    Task("page-1GB", "page of a 1 GB log", "log-1GB.log", in_log=True),
    Task("whole-100MiB", "100 MiB log, no range", "log-100MiB.log"),
    Task("line", "line of 200 MB", "one-line-200MB.txt"),
    Task("fifo", "FIFO", "fifo", is_timed=False, limit_s=5),
    Task("image", "half of a PNG", "broken.png", is_timed=False, limit_s=20),
    Task("utf-16", "UTF-16", "utf-16.txt", is_timed=False, limit_s=20),
    Task("emoji", "emoji where a line is cut", "cut-emoji.txt", is_timed=False, limit_s=20),
    Task("surrogates", "encoded surrogates", "surrogate-bytes.txt", is_timed=False, limit_s=20),
)


_WITHOUT_ANSWER = {"memory": "over 4 GiB of memory", "raised": "exception", "ended": "process ended"}


def verdict(task: Task, reply: Reply, *, is_refused: bool) -> str:
    """Return what the tool did, in a few words."""
    if reply.state == "timeout":
        return f"no answer within {task.limit_s:.0f} s"
    if reply.state != "ok":
        return _WITHOUT_ANSWER[reply.state]
    shown = strings(reply.answer)
    if is_refused or any(_LONE.search(text) for text in shown):
        return "refused" if is_refused else "half a character"
    describe = _OF_ANSWER.get(task.name)
    return describe(shown) if describe is not None else "answered"


def _of_broken_image(shown: list[str]) -> str:
    encoded = b64encode((files.DIRECTORY / "broken.png").read_bytes()).decode()
    if any(encoded in text for text in shown):
        return "sent, does not decode"
    if any("\ufffd" in text or "IHDR" in text for text in shown):
        return "shown as text"
    return "left out, says so" if any("omitted" in text for text in shown) else "left out"


def _of_utf_16(shown: list[str]) -> str:
    if any(files.WORDS.strip() in text for text in shown):
        return "decoded"
    text = "".join(shown)
    return "other characters" if "\0" in text or "\ufffd" in text or "þ" in text else "not shown"


def _of_surrogates(shown: list[str]) -> str:
    return "U+FFFD" if any("\ufffd" in text for text in shown) else "other characters"


_OF_ANSWER: dict[str, Callable[[list[str]], str]] = {
    "image": _of_broken_image,
    "utf-16": _of_utf_16,
    "emoji": lambda _: "whole characters",
    "surrogates": _of_surrogates,
}


def strings(answer: Any) -> list[str]:
    """Return all texts in an answer."""
    if isinstance(answer, dict):
        return [text for value in answer.values() for text in strings(value)]
    if isinstance(answer, list):
        return [text for value in answer for text in strings(value)]
    return [answer] if isinstance(answer, str) else [json.dumps(answer)]
