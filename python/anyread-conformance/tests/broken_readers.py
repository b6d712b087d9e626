"""Readers that are broken in one way each: anyread's own tool, with one answer changed.

Each is a function with the name of the rule that it breaks. It returns the changed answer, or `None` where
the tool's own answer is right.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyread
from anyread_conformance.lines import line_of, marker
from anyread_conformance.reply import Reply, ShownImage, reply_of

TOOL = anyread.tool("anyread")


@dataclass
class Call:
    """One call of a reader, and what it may remember of earlier ones."""

    path: str
    first: int | None
    count: int | None
    memory: dict[Any, Any] = field(default_factory=dict)

    @property
    def window(self) -> tuple[int | None, int | None]:
        return self.first, self.count

    @property
    def name(self) -> str:
        return Path(self.path).name

    @property
    def data(self) -> bytes:
        """The content of a regular file that is not large."""
        try:
            state = Path(self.path).stat()
        except OSError:
            return b""
        is_small = stat.S_ISREG(state.st_mode) and state.st_size < 10_000_000
        return Path(self.path).read_bytes() if is_small else b""

    @property
    def is_empty(self) -> bool:
        return Path(self.path).stat().st_size == 0

    @property
    def mode(self) -> int:
        try:
            return Path(self.path).stat().st_mode
        except OSError:
            return 0

    def right(self, first: int | None = None, count: int | None = None) -> Reply:
        """Return the right answer, or that for another window."""
        window = {"offset": first or self.first, "limit": count or self.count}
        arguments = {"path": self.path, **{name: value for name, value in window.items() if value}}
        return reply_of(TOOL.call_sync(arguments))

    def without(self, *numbers: int) -> Reply:
        """Return the right answer without some lines."""
        found = self.right()
        pattern = "|".join(marker(number) for number in numbers)
        return replace(found, text=re.sub(rf"(?m)^.*(?:{pattern}).*\n?", "", found.text))

    def numbered(self, text: str) -> Reply:
        """Return a text with line numbers."""
        lines = text.split("\n")
        return reply_of("\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1)))

    def raw_image(self, media_type: str = "image/png") -> Reply:
        return Reply(images=(ShownImage(media_type, self.data),))


class BrokenReader:
    """A reader in this process, with windows."""

    name = "broken"
    parameters = frozenset({"path", "offset", "limit"})

    def __init__(self, change: Callable[[Call], Reply | None]) -> None:
        self.change = change
        self.memory: dict[Any, Any] = {}

    def read(self, arguments: dict[str, Any], timeout_s: float, *, memory_bytes: int) -> Reply:  # noqa: ARG002 - it never hangs
        call = Call(arguments["path"], arguments.get("offset"), arguments.get("limit"), self.memory)
        changed = self.change(call)
        return call.right() if changed is None else changed

    def close(self) -> None: ...


EMPTY = Reply("")
HUNG = Reply(outcome="hung", seconds=2)
BREAKERS: dict[str, Callable[[Call], Reply | None]] = {}


def breaks(rule: str) -> Callable[[Callable[[Call], Reply | None]], Callable[[Call], Reply | None]]:
    def add(change: Callable[[Call], Reply | None]) -> Callable[[Call], Reply | None]:
        assert rule not in BREAKERS
        BREAKERS[rule] = change
        return change

    return add


def answers(rule: str, when: Callable[[Call], bool], answer: Callable[[Call], Reply]) -> None:
    """Add a reader that gives a wrong answer in one case."""
    breaks(rule)(lambda call: answer(call) if when(call) else None)


def has_lines(call: Call, number: int) -> bool:
    return call.data.count(b"\n") == number


# ---------------------------------------------------------------------------------------------------------
# Lines

answers("lf", lambda call: has_lines(call, 12) and b"\r" not in call.data, lambda call: call.without(7))
answers(
    "mixed-endings",
    lambda call: call.data.count(b"\r\n") == 4 and has_lines(call, 12),
    lambda call: call.without(3),
)
answers(
    "no-final-newline",
    lambda call: has_lines(call, 4) and call.data.endswith(line_of(5).encode()),
    lambda call: call.without(5),
)
answers(
    "empty-file",
    lambda call: stat.S_ISREG(call.mode) and not call.path.startswith("/proc/") and call.is_empty,
    lambda _: EMPTY,
)
answers(
    "final-newline",
    lambda call: has_lines(call, 5) and call.first is None,
    lambda call: reply_of(call.right().text + "\n6\t"),
)
answers(
    "blank-lines",
    lambda call: b"\n\n\nzq" in call.data,
    lambda call: reply_of(re.sub(r"(?m)^[23]\t\n", "", call.right().text)),
)
answers(
    "blank-lines-at-end",
    lambda call: call.data.endswith(b"\n\n\n\n"),
    lambda call: reply_of(re.sub(r"(?m)^\d\t$", "", call.right().text)),
)
answers(
    "exact-text",
    lambda call: call.data.startswith(b"\t\t"),
    lambda call: reply_of(call.right().text.replace("\t\t  zq", "zq")),
)


@breaks("crlf")
def counts_cr_and_lf(call: Call) -> Reply | None:
    if call.data.count(b"\r\n") != 12:
        return None
    return reply_of(re.sub(r"(?m)^\d+", lambda found: str(2 * int(found[0]) - 1), call.right().text))


@breaks("lone-cr")
def shows_what_a_terminal_shows(call: Call) -> Reply | None:
    if b"\rzq" not in call.data:
        return None
    return call.numbered(re.sub(r"(?m)^.*\r(?=[^\n])", "", call.data.decode()))


@breaks("separators")
def splits_as_python_does(call: Call) -> Reply | None:
    if call.name != "separators.txt" or call.first is None or call.count is None:
        return None
    lines = call.data.decode().splitlines()[call.first - 1 :][: call.count]
    return reply_of("\n".join(f"{number}\t{line}" for number, line in enumerate(lines, call.first)))


@breaks("line-numbers")
def numbers_a_window_wrongly(call: Call) -> Reply | None:
    if call.first != 37:
        return None
    return reply_of(re.sub(r"(?m)^\d+", lambda found: str(int(found[0]) - 36), call.right().text))


# ---------------------------------------------------------------------------------------------------------
# Windows

answers("window", lambda call: call.window == (30, 1), lambda call: call.right(30, 2))
answers("first-and-last-line", lambda call: call.window == (20, 1), lambda call: call.right(19, 1))
answers("tiles", lambda call: call.window == (8, 7), lambda call: call.right(9, 7))
answers("limit-past-end", lambda call: call.window == (18, 100), lambda _: Reply("limit", outcome="refused"))
answers("offset-past-end", lambda call: call.window == (31, 5), lambda _: EMPTY)
answers("deep-window", lambda call: call.first == 299_999, lambda call: call.right(300_000, 3))
answers(
    "large-log",
    lambda call: call.name == "large.log",
    lambda call: replace(call.right(), memory_bytes=2**30),
)

# ---------------------------------------------------------------------------------------------------------
# Growth


@breaks("appended")
def keeps_the_first_snapshot(call: Call) -> Reply | None:
    if has_lines(call, 20):
        call.memory[call.path] = True
    is_grown = call.path in call.memory and has_lines(call, 30)
    return call.without(*range(21, 31)) if is_grown else None


@breaks("completed-line")
def keeps_an_incomplete_line(call: Call) -> Reply | None:
    if call.data.endswith(line_of(5)[:14].encode()):
        call.memory[call.path] = True
    if call.path not in call.memory or not has_lines(call, 6):
        return None
    return reply_of(call.right().text.replace(line_of(5), line_of(5)[:14]))


@breaks("cut-between-reads")
def keeps_pages(call: Call) -> Reply | None:
    if call.window != (21, 10):
        return None
    if has_lines(call, 40):
        call.memory[call.path] = call.right()
    found: Reply | None = call.memory.get(call.path)
    return found


@breaks("replaced-between-reads")
def compares_size_and_time(call: Call) -> Reply | None:
    if not has_lines(call, 9):
        return None
    state = Path(call.path).stat()
    key = (call.path, state.st_size, state.st_mtime_ns, call.window)
    found: Reply = call.memory.setdefault(key, call.right())
    return found


# ---------------------------------------------------------------------------------------------------------
# Encodings

UTF_16_BE, UTF_16_LE = b"\xfe\xff", b"\xff\xfe"


def in_latin_1(call: Call) -> Reply:
    return call.numbered(call.data.decode("latin-1"))


answers("utf-16-le", lambda call: call.data.startswith(UTF_16_LE), in_latin_1)
answers("utf-16-be", lambda call: call.data.startswith(UTF_16_BE), in_latin_1)
answers("utf-16-without-bom", lambda call: call.data.startswith(b"z\0"), in_latin_1)
answers("binary", lambda call: call.name in {"program", "data.bin"}, in_latin_1)
answers(
    "utf-8-bom",
    lambda call: call.data.startswith(b"\xef\xbb\xbf"),
    lambda call: call.numbered(call.data.decode("cp1252")),
)
answers(
    "nul",
    lambda call: b"a\0b" in call.data,
    lambda call: call.numbered(call.data.decode().partition("\0")[0]),
)
answers(
    "latin-1",
    lambda call: b"caf\xe9" in call.data,
    lambda call: call.numbered(call.data.decode("utf-8", "replace")),
)
answers(
    "broken-utf-8",
    lambda call: b"ab\xffcd" in call.data,
    lambda call: call.numbered(call.data.decode("utf-8", "ignore")),
)
answers(
    "lone-surrogate",
    lambda call: b"\xed\xa0\x80" in call.data and b"zq" in call.data,
    lambda call: call.numbered(call.data.decode("utf-8", "surrogatepass")),
)


@breaks("utf-8")
def decodes_each_block(call: Call) -> Reply | None:
    if "é漢😀ß".encode() not in call.data:
        return None
    blocks = [call.data[start : start + 4096] for start in range(0, len(call.data), 4096)]
    return call.numbered("".join(block.decode("utf-8", "replace") for block in blocks))


# ---------------------------------------------------------------------------------------------------------
# Names and things that are no files


def is_link(call: Call) -> bool:
    return Path(call.path).is_symlink()


answers("names", lambda call: "," in call.name, lambda _: Reply("no such file", outcome="refused"))
answers("newline-in-name", lambda call: "\n" in call.name, lambda _: EMPTY)
answers("missing-file", lambda call: not os.path.lexists(call.path), lambda _: EMPTY)
answers("link-loop", lambda call: is_link(call) and call.name == "one", lambda _: HUNG)
answers("fifo", lambda call: stat.S_ISFIFO(call.mode) and not is_link(call), lambda _: HUNG)
answers("fifo-link", lambda call: stat.S_ISFIFO(call.mode) and is_link(call), lambda _: HUNG)
answers("socket", lambda call: stat.S_ISSOCK(call.mode), lambda _: EMPTY)
answers("endless-device", lambda call: stat.S_ISCHR(call.mode), lambda _: Reply(outcome="out_of_memory"))
answers("directory", lambda call: stat.S_ISDIR(call.mode), lambda _: EMPTY)
answers("proc-file", lambda call: call.path.startswith("/proc/"), lambda _: EMPTY)
answers("no-permission", lambda call: call.mode & 0o777 == 0 and stat.S_ISREG(call.mode), lambda _: EMPTY)


@breaks("unicode-names")
def normalizes_names(call: Call) -> Reply | None:
    return replace_path(call, unicodedata.normalize("NFC", call.path))


def replace_path(call: Call, path: str) -> Reply | None:
    return None if path == call.path else Call(path, call.first, call.count).right()


# ---------------------------------------------------------------------------------------------------------
# Images


def named(name: str) -> Callable[[Call], bool]:
    return lambda call: call.name == name


for rule, name in {
    "broken-image": "broken.png",
    "image-bomb": "bomb.png",
    "long-edge": "wide.png",
    "heavy-image": "noise.png",
    "wrong-media-type": "really-jpeg.png",
    "text-named-png": "page.png",
}.items():
    answers(rule, named(name), Call.raw_image)
answers("png", lambda call: call.name == "drawing.png", in_latin_1)
answers("jpeg", lambda call: call.name == "photograph.jpg", in_latin_1)

# ---------------------------------------------------------------------------------------------------------
# Budgets


def with_footer(call: Call, footer: str) -> Reply:
    page = call.numbered("\n".join(call.data.decode().split("\n")[:2000]))
    return replace(page, text=f"{page.text}\n{footer}")


answers(
    "endless-line", lambda call: b"y" * 2_000_000 in call.data, lambda call: call.numbered(call.data.decode())
)
answers("many-lines", lambda call: has_lines(call, 60_000), lambda call: call.numbered(call.data.decode()))
answers("says-truncated", lambda call: has_lines(call, 60_000), lambda call: with_footer(call, "[2000 2001]"))
answers(
    "says-how-to-go-on",
    lambda call: has_lines(call, 60_000),
    lambda call: with_footer(call, "[truncated]"),
)
answers(
    "after-long-line",
    lambda call: call.first == 4 and b"y" * 999_999 in call.data,
    lambda call: call.right(5, 3),
)
