"""Names in texts: headings, and functions and classes of code. The core shows their lines."""

from __future__ import annotations

import re
from collections import deque
from pathlib import PurePath
from typing import TYPE_CHECKING

from anyread._native import Layout
from anyread.arguments.types import MOST_RANGES
from anyread.errors import NoSuchNameError
from anyread.errors.base import nearest
from anyread.results.notices import make_notice

from . import headings
from .fallback import at_lines, unchanged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from anyread._native import Opened
    from anyread.arguments.request import Request
    from anyread.results.notices import Notice

    from .headings import Heading
    from .parts import How

_MARKUPS = {
    **dict.fromkeys((".md", ".markdown", ".mdx", ".qmd", ".rmd", ".txt", ""), "markdown"),
    **dict.fromkeys((".rst", ".rest"), "rst"),
    **dict.fromkeys((".adoc", ".asciidoc", ".asc"), "asciidoc"),
}
MOST_SHOWN = 200
"""The most lines of a section that are shown, as of a block."""
_LINES_AT_ONCE = 50_000
_LAYOUT = Layout(line_ends="detected", bom="drop", clip_length=1_000, max_bytes=1 << 20, total="known")


def named(opened: Opened, request: Request, how: How) -> tuple[Request, list[Notice]]:
    """Replace the name of a part of a text by its lines.

    Raises:
        NoSuchNameError: The text has no such part.
    """
    name, suffix = request["at"] or "", PurePath(opened.path).suffix.lower()
    if suffix in _MARKUPS:
        lines = _lines(opened, request["encoding"], how)
        return section(opened, request, lines, _MARKUPS[suffix])
    found = _declared(_lines(opened, request["encoding"], how), name)
    if not found:
        raise NoSuchNameError(opened.path, value=name, unit="function or class", near=())
    return at_lines(request, found[:MOST_RANGES]), []


def section(
    opened: Opened, request: Request, lines: Iterable[tuple[int, str]], markup: str
) -> tuple[Request, list[Notice]]:
    """Replace the name of a heading by the lines of its section.

    Args:
        opened: The file.
        request: The call.
        lines: All lines with their numbers.
        markup: How headings are written.
    """
    name, filled = request["at"] or "", deque([0], 4)

    def noted() -> Iterator[tuple[int, str]]:
        for number, line in lines:
            if line and not line.isspace():
                filled.append(number)
            yield number, line

    found: list[Heading] = []
    ends: list[int] = []
    """The last line with text before each heading, and of the file."""
    for heading in headings.found_in(noted(), markup):
        if len(found) < headings.MOST_HEADINGS:
            found.append(heading)
            ends.append(max((number for number in filled if number < heading.line), default=0))
    ends.append(filled[-1])
    meant = headings.chosen(found, name) if found else []
    if not meant:
        raise NoSuchNameError(opened.path, value=name, unit="heading", near=_near(name, found))
    ranges = headings.sections(found, meant[:MOST_RANGES], ends)
    notices = []
    if len(ranges) == 1:
        [(first, end)] = ranges
        first += max(0, request["offset"] - 1)
        most = first + (request["limit"] or MOST_SHOWN) - 1
        if request["find"] is not None:
            # `limit` is the number of hits.
            most = end
        if end > most and request["limit"] is None:
            notices.append(make_notice("section_goes_on", first=first, last=end, shown=MOST_SHOWN))
        ranges = [(min(first, end), min(end, most))]
    return at_lines(request, ranges), notices


def _near(name: str, found: Sequence[Heading]) -> tuple[str, ...]:
    """Return the titles that are most like a name, or else the first ones."""
    titles = [each.title for each in found if each.title]
    return tuple(dict.fromkeys([*nearest(name, titles, 3, 0.5), *titles[:10]]))[:10]


def _lines(opened: Opened, encoding: str | None, how: How) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers; of long ones only the beginning."""
    first = 1
    with unchanged(opened):
        while True:
            window = opened.window(
                first, _LINES_AT_ONCE, _LAYOUT, encoding=encoding, cancel=how.cancel, may_wait=True
            )
            if window.last_line < window.first_line:
                return
            yield from how.interruptible(enumerate(window.text.split("\n"), window.first_line))
            if window.next is None:
                return
            # Only the first line of a window may be cut, which names nothing after so many characters.
            first = max(window.next[0], window.last_line + 1)


_LONGEST_HEAD = 400
"""The characters of a line in which a declaration is looked for, which takes time by their square."""
_KEYWORD = (
    r"(?:class|contract|def|defmacro|defmodule|defp|enum|extension|fn|fun|func|function|impl|interface|macro"
    r"|method|mod|module|namespace|object|package|proc|procedure|protocol|record|struct|sub|trait|type|union)"
)


def _declared(lines: Iterable[tuple[int, str]], name: str) -> list[int]:
    """Return the lines that begin a function or a class with a name such as `Cart.total` or `Cart::total`."""
    # The parameters of a test, and what it said.
    name = re.sub(r"\[.*|\(.*| - .*", "", name, flags=re.DOTALL).strip()
    *around, last = re.split(r"::|[.#]", name)
    inner = _heads(last)
    around = [each for each in around if each]
    outer = [_heads(each) for each in around]
    found: list[int] = []
    signatures: list[int] = []
    open_heads: list[int] = []
    """The indentation of the classes that the line is in."""
    before = 0
    for number, line in lines:
        if not outer and not before and last not in line:
            continue
        stripped = line.lstrip()
        text = stripped[:_LONGEST_HEAD]
        if not text:
            continue
        if before and text[0] == "{":
            # The body of a signature without a word, such as in C.
            signatures.append(before)
        before = 0
        indent = len(line) - len(stripped)
        # Other text at the left may be that of a string.
        while open_heads and indent <= open_heads[-1] and (text[0] == "}" or _DECLARATION.match(text)):
            open_heads.pop()
        at = len(open_heads)
        if at < len(outer) and around[at] in line and outer[at].match(text):
            open_heads.append(indent)
            continue
        if last not in line or not (head := inner.match(text)):
            continue
        written = re.split(r"\W+", text[: head.start("name" if head["word"] else "name2")])
        if len(open_heads) == len(outer) or set(around) <= set(written):
            rest = text[head.end() :].rstrip()
            if head["word"]:
                found.append(number)
            elif head["value"] or rest.endswith(("{", ",", "(")):
                signatures.append(number)
            elif not rest.endswith(";"):
                before = number
    # Where a word declares it, what looks like a signature is a call.
    return found or signatures


_BEFORE = (
    r"(?!(?:return|new|await|throw|yield|if|for|while|else|elif|case|delete|import|from|using)\b)"
    r"[\w\s*&<>\[\],:~.?!@#]*?"
)
"""What may precede a name that is declared: modifiers, types, and the class of a method."""

_DECLARATION = re.compile(rf"(?:[a-z]+\s+){{0,3}}{_KEYWORD}\s+\w[^.]*[:({{]\s*$|end\b")
"""What ends the class before it, at the same indentation."""


def _heads(name: str) -> re.Pattern[str]:
    """Return what begins a line that declares a name: a word such as `def`, or what precedes a signature."""
    name = re.escape(name)
    value = r"[=:]\s*(?:async\s+)?(?:function\b|\([^()]*\)\s*(?::[^=]*)?=>|\w+\s*=>)"
    # Prose about a class goes on with other words.
    after = r"(?=\s*(?:$|[^\w\s]|(?:extends|implements|struct|interface|where|for|is|of|with|do|permits)\b))"
    receiver = r"[\s*]*(?:\([^()]*\)\s*|[\w.:<>, ]*[.: ])??"
    return re.compile(
        rf"(?:{_BEFORE}\b(?P<word>{_KEYWORD})\b{receiver})(?P<name>{name})(?!\w){after}"
        rf"|{_BEFORE}(?<![\w.])(?P<name2>{name})\s*(?:(?:<[^<>()]*>)?\(|(?P<value>{value}))"
    )
