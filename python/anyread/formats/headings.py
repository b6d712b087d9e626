"""Sections of a text by their headings: the words, the slug of a link to it, or the number.

The headings are found line by line, so the time is linear in the size of the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from anyread.errors.base import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_HEADINGS = 50_000
"""The most headings of a file that are looked at."""
_LONGEST = 500
_MOST_BYTES = 560
"""The most bytes of an outline, which are at most 300 tokens."""
_OF_MARKS = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_OF_ASCIIDOC = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*$")
_MAY_BE = re.compile(r""" {0,3}[=\-`:.'"~^_*+#<>/]""")
"""How a heading, a line above or below one, or what has none begins."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_FENCE_OF_ASCIIDOC = re.compile(r"\A(-{4,}|\.{4,}|/{4,}|\+{4,}|`{3,})[ \t]*$")
_RULE = re.compile(r"""([=\-`:.'"~^_*+#<>])\1*[ \t]*$""")
_NO_PARAGRAPH = re.compile(r"\s*(?:$|[>|]|#{1,6}\s|[-*+]\s|\d+[.)]\s|<[/!\w]|```|~~~)| {4}|\t")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])?")
_TAG = re.compile(r"<[^<>]*>")
_ID = re.compile(r"\{#([\w.:-]++)[^{}]*+\}$")
_NUMBER = re.compile(r"(?:(?:§|[Ss]ection|[Cc]hapter)\s*(?=\d)|(?=\d+\.))(\d+(?:\.\d+)*)\.?$")
_NUMBERED = re.compile(r"(?:§|[Ss]ection|[Cc]hapter)?\s*(\d+(?:\.\d+)*)(?=[\s.):]|$)")


class Heading(NamedTuple):
    """A heading."""

    line: int
    level: int
    """1 is the highest."""
    title: str
    id: str = ""
    """A name that the text gives it."""


def found_in(lines: Iterable[tuple[int, str]], markup: str) -> Iterator[Heading]:
    """Yield the headings among numbered lines.

    Args:
        lines: The lines.
        markup: "markdown", "rst", "asciidoc", or "document" for the Markdown that a document is shown as.
    """
    marks = _OF_ASCIIDOC if markup == "asciidoc" else _OF_MARKS
    fence, above, styles = "", ("", ""), dict[tuple[str, bool], int]()
    for number, line in lines:
        before, above = above, (above[1], line)
        if not _MAY_BE.match(line):
            continue
        if markup == "markdown" and line.rstrip() == "---" and (number == 1 or fence == "---"):
            # Facts about the text precede it.
            fence, above = "" if fence else "---", ("", "")
        elif mark := _fence(line, markup):
            is_end = fence and mark[1].startswith(fence) and not line.strip().strip(mark[1][0])
            fence = "" if is_end else fence or mark[1]
        elif fence:
            continue
        elif markup != "rst" and (found := marks.match(line)):
            yield _heading(number, len(found[1]), found[2] or "")
        elif (title := before[1]).strip() and (rule := _RULE.match(line)):
            if markup == "markdown" and rule[1] in "=-" and not _NO_PARAGRAPH.match(title):
                yield _heading(number - 1, 1 + (rule[1] == "-"), title)
            elif markup == "rst" and not _RULE.match(title) and len(line.rstrip()) >= min(4, len(title)):
                is_over = before[0].rstrip() == line.rstrip()
                if is_over or not title[0].isspace():
                    level = styles.setdefault((rule[1], is_over), len(styles) + 1)
                    yield _heading(number - 1 - is_over, level, title)
                    above = ("", "")


def _fence(line: str, markup: str) -> re.Match[str] | None:
    """Match a line that begins or ends what has no headings."""
    if markup == "markdown":
        return _FENCE.match(line)
    return _FENCE_OF_ASCIIDOC.match(line) if markup == "asciidoc" else None


def is_heading(line: str) -> bool:
    """Return whether a line of Markdown is a heading."""
    return _OF_MARKS.match(line) is not None


def _heading(line: int, level: int, text: str) -> Heading:
    text, own = text.strip()[:_LONGEST], ""
    if found := _ID.search(text):
        text, own = text[: found.start()].rstrip(), found[1]
    plain = re.sub(r"[`*]|(?<!\w)_++|(?<!_)_++(?!\w)", "", _TAG.sub("", _LINK.sub(r"\1", text)))
    return Heading(line, level, " ".join(plain.split()), own)


def slug(title: str) -> str:
    """Return the name of a heading in a link, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _loose(name: str) -> str:
    """Return what the slugs of GitHub, GitLab and pandoc have in common."""
    return re.sub(r"[\W_]+", "-", name.casefold()).strip("-")


def chosen(headings: Sequence[Heading], name: str) -> list[int]:
    """Return the positions of the headings that a name means: those with its words, slug or number."""
    name = " ".join(unquote(name).lstrip("#").split())
    loose = _loose(name)
    ways = [[each.id == name for each in headings]]
    ways.append([each.title.casefold() == name.casefold() for each in headings])
    ways.append([slug(each.title) == name.lower() for each in headings])
    ways.append([bool(loose) and _loose(each.title) == loose for each in headings])
    ways.append([again == loose for again in _counted(headings)])
    if number := _NUMBER.match(name):
        written = [found[1] if (found := _NUMBERED.match(each.title)) else "" for each in headings]
        numbers = written if any(written) else _numbered(headings)
        ways.append([each == number[1] for each in numbers])
    else:
        # pandoc leaves out what precedes the first letter.
        ways.append([bool(loose) and _loose(each.title).lstrip("0123456789-") == loose for each in headings])
    return next(([at for at, is_meant in enumerate(way) if is_meant] for way in ways if any(way)), [])


def _counted(headings: Sequence[Heading]) -> Iterator[str]:
    """Yield the slug of each heading that has the words of an earlier one, such as `usage-1`."""
    seen: dict[str, int] = {}
    for each in headings:
        name = _loose(each.title)
        count = seen[name] = seen.get(name, -1) + 1
        yield f"{name}-{count}" if count else ""


def _numbered(headings: Sequence[Heading]) -> Iterator[str]:
    """Yield the numbers of headings that have none, below the title if there is only one."""
    top = min(each.level for each in headings)
    if sum(each.level == top for each in headings) == 1 and headings[0].level == top and len(headings) > 1:
        top += 1
    counts: list[int] = []
    for each in headings:
        depth = each.level - top + 1
        counts = counts[: max(0, depth)] + [0] * (depth - len(counts))
        if counts:
            counts[-1] += 1
        yield ".".join(map(str, counts))


def sections(
    headings: Sequence[Heading], chosen: Iterable[int], ends: Sequence[int]
) -> list[tuple[int, int]]:
    """Return the lines of the sections of some headings, up to the next one that is as high.

    Args:
        headings: All headings.
        chosen: Their positions.
        ends: The last line with text before each heading, and of the file.
    """
    found = []
    for at in chosen:
        level = headings[at].level
        after = (next_at for next_at in range(at + 1, len(headings)) if headings[next_at].level <= level)
        found.append((headings[at].line, ends[next(after, len(headings))]))
    return found


def following(what: str, headings: Iterable[Heading], end: str = "") -> str:
    """Return the line that names the headings after a page, and where the search ended; empty if none is."""
    named = outline(headings)
    return f"[{what}{end}: {named}]" if named else ""


def outline(headings: Iterable[Heading]) -> str:
    """Name headings with their lines, or the first parts of a file: as many of the highest as fit."""
    found = [(each.level, f"{one_line(each.title, 60)} ({each.line:,})") for each in headings if each.title]
    kept: list[str] = []
    for most in sorted({level for level, _ in found}, reverse=True):
        kept = [name for level, name in found if level <= most]
        if len(", ".join(kept).encode()) <= _MOST_BYTES:
            break
    while len(", ".join(kept).encode()) > _MOST_BYTES:
        kept = kept[: len(kept) * 3 // 4]
    return ", ".join(kept) + (f" and {len(found) - len(kept):,} more" if len(kept) < len(found) else "")
