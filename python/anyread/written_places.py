"""Places in files, as people and tools write them: `a.py:10-20`, `File "a.py", line 3`, `a.ts(4,7)`."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

__all__ = ["Place", "places"]

Span: TypeAlias = "int | tuple[int, int]"
"""A line, which is shown with ten lines before and after it, or a first and a last line."""


class Place(NamedTuple):
    """A place that a text names.

    Example:
        >>> anyread.places("src/a.py:10:5: error: invalid syntax")
        [Place(path='src/a.py', line=10, end_line=None, column=5)]
    """

    path: str
    """The path as written."""
    line: int
    """The line, counted from 1; of a range, the first."""
    end_line: int | None = None
    """The last line of a range; `None`: it is one line."""
    column: int | None = None
    """The column, if one is given, as the tool counts it."""
    candidates: tuple[str, ...] = ()
    """Longer paths that the text may mean, because names may contain spaces; the longest is first. A reader
    takes the first that exists."""

    def __str__(self) -> str:
        """Write it as `places=[…]` of a tool accepts it."""
        return f"{self.path}:{self.line}" + (f"-{self.end_line}" if self.end_line else "")


_COLOR = re.compile(r"\x1b\[[0-9;:]*[A-Za-z]|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)")
"""Colours and links of a terminal."""
_POSITION = r"(?P<line{0}>\d+)(?:-(?P<end{0}>\d+))?(?::(?P<column{0}>\d+))?"
_COLUMN = r"(?:,? (?:col(?:umn)?|characters?) (?P<column{0}>\d+))?"
# Each form begins where a word begins, so that a long word is not searched again from each of its characters.
_FORMS = re.compile(
    "|".join(
        [
            # The addresses of other hosts have ports, and Node's own modules are no files.
            r"(?<![A-Za-z0-9+.-])(?:node:|(?!file:)[A-Za-z][A-Za-z0-9+.-]*://)\S+",
            # Python and OCaml.
            r'File "(?P<path1>[^"\n]+)", line(?:s|no)? (?P<line1>\d+)(?:-(?P<end1>\d+))?' + _COLUMN.format(1),
            # PHP, Perl, Terraform, ShellCheck, ESLint and shells: their paths may be quoted.
            r"(?<![^\s\"'`])(?P<path2>[^\s\"'`:(),]+(?:,[^\s\"'`:(),]+)*)[\"'`]?:?,? \(?(?:on )?line (?P<line2>\d+)(?!\d| of )"
            + _COLUMN.format(2),
            # Fish, and people.
            r"\bline (?P<line0>\d+) of (?:file )?(?P<path0>[^\s\"'`:()]+)",
            # GitHub and editors.
            (
                r"(?<![^\s\"'`<>|()\[\]])(?P<path3>[^\s\"'`<>|()\[\]]+)#L(?P<line3>\d+)(?:C\d+)?"
                r"(?:-L?(?P<end3>\d+)(?:C\d+)?)?"
            ),
            # Node and Java: inside parentheses, paths may contain spaces.
            r"\((?:at )?(?P<path4>(?:file://)?(?:[A-Za-z]:)?[^():\n]+):" + _POSITION.format(4) + r"\)",
            # MSBuild, TypeScript, pdb: what follows tells it from a call such as `list.get(1)`.
            # The names of directories may be in parentheses.
            (
                r"(?<![^\s\"'`<>|:()])(?P<path5>(?:[A-Za-z]:)?(?:[^\s\"'`<>|:()]|\([^\s():]*\)/)+)"
                r"\((?P<line5>\d+)(?:,\s?(?P<column5>\d+))?(?:,\d+,\d+)?\)"
                r"(?=\s?:|[\w<]|\s[A-Z]|  |(?(column5)\s*$|(?!)))"
            ),
            # Annotations of GitHub and Azure.
            r"(?:file|sourcepath)=(?P<path7>[^,;\n]+)[,;]line(?:number)?=(?P<line7>\d+)",
            # A path from the root that begins a line may contain spaces, but not after an extension.
            r"^\s*(?:at )?(?P<path8>\.{0,2}/(?=\w)(?:[^:\"'(),.\n]|\.(?!\w+\s))+):"
            + _POSITION.format(8)
            + r"(?!\w)",
            # Quotes say where a path ends.
            r"(?P<quote>[\"'`])(?P<pathQ>[^\"'`\n]+)(?P=quote):? ?(?:on )?(?:line )?(?P<lineQ>\d+)(?::(?P<columnQ>\d+))?(?!\w)",
            # Compilers, linters, grep, and most others; .NET, Maven.
            r"(?<![^\s\"'`<>|:])(?P<path6>(?:file://)?(?:[A-Za-z]:(?=[\\/]))?[^\s\"'`<>|:]+)"
            r":(?:line |\[)?" + _POSITION.format(6) + r"(?!\w)",
            # Dash.
            r"^(?P<path9>[^\s\"'`<>|:]+): (?P<line9>\d+):",
            # Tags of editors.
            r"\t(?P<pathT>[^\t]+)\t(?P<lineT>\d+);\"",
        ]
    ),
    re.MULTILINE,
)
_HEADED = re.compile(r"\s*(?!\d\d:\d\d:\d\d)(?:(\d+):(?:(\d+)(?=[:\s]))?|\((\d+), (\d+)\))")
"""A line of a linter or grep after a line that is only a path: `10:5  error`, `10:text`, `(10, 5)  error`."""
_NAMED = re.compile(r".*(?:[/\\]|\.[A-Za-z_]\w{0,15}$)|[A-Z]\w*file$|(?:BUILD|WORKSPACE|README|LICENSE)$")
"""What is taken for a path in a text: it has a directory, an extension, or the name of a usual file."""
_WORDS = re.compile(r"(?:(?<!\S)[A-Za-z]:[\\/])?[^\s\"'`<>|:()]+(?: [^\s\"'`<>|:()]+)* $")
"""The words before a path that may belong to it."""
_MOST_WORDS = 6
_HINT = re.compile(r"[:(#=[\t]L?\d|line(?:s|no)? \d|: \d")
"""What a line that names a place contains."""
LONGEST = 5_000
"""The length in characters up to which a line of a text, or a place, is read: no path is longer."""
_HASH = re.compile(r"(?P<path>.+)#L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?")
_SPAN = re.compile(r"(\d+)(?:-(\d*))?")
_WRITTEN = re.compile(r"(?P<path>.+?):(?P<spans>\d+(?:-\d*)?(?:,\d+(?:-\d*)?)*)(?::\d+(?:-\d+)?)?:?")


def places(text: str) -> list[Place]:
    """Return the places in files that a text names: a traceback, or the output of a compiler, a test or grep.

    Colours of terminals are ignored. A place that is named several times is returned once.

    Args:
        text: The text.

    Returns:
        The places in the order of the text. Their paths are as written; the files may not exist.

    Example:
        >>> found = anyread.places("poem.txt:1: a word is misspelled")
        >>> [str(place) for place in found]
        ['poem.txt:1']
    """
    found = {}
    heading = ""
    for whole in _COLOR.sub("", text).splitlines():
        line = whole[:LONGEST]
        headed = _HEADED.match(line) if heading else None
        if headed is not None:
            first, column = headed[1] or headed[3], headed[2] or headed[4]
            found[Place(heading, int(first), None, _number(column))] = True
        elif not _HINT.search(line):
            only = line.strip().removesuffix(":")
            if not only or " " not in only or "/" in only.partition(" ")[0]:
                heading = _path(only) or (heading if only else "")
            continue
        for match in _FORMS.finditer(line):
            if match.lastgroup is None:
                continue
            number = match.lastgroup[-1]
            group = match.groupdict().get
            path = _path(group(f"path{number}") or "")
            at, end, column = (_number(group(f"{name}{number}")) for name in ("line", "end", "column"))
            if path and at:
                start = match.start(f"path{number}")
                candidates = _longer(line[:start], path) if number in "56" else ()
                found[Place(path, at, end, column, candidates)] = True
    return list(found)


def _path(written: str) -> str:
    """Return the path in what was found before a line number; empty if it does not look like one."""
    path = written.removeprefix("file://")
    for opening, closing in ("()", "[]", "{}"):
        # What is before an opening bracket that is not closed does not belong to the path.
        if path.count(opening) > path.count(closing):
            path = path.rpartition(opening)[2]
    path = path.lstrip(",;=")
    return path if _NAMED.match(path) else ""


def _longer(before: str, path: str) -> tuple[str, ...]:
    """Return the paths that begin at one of the words before a path, the longest first."""
    if not before.endswith(" ") or path.startswith(("/", "./", "file:")):
        return ()
    words = _WORDS.search(before)
    if words is None:
        return ()
    starts = [match.start() for match in re.finditer(r"(?<!\S)\S", words[0])][-_MOST_WORDS:]
    return tuple(f"{words[0][start:]}{path}" for start in starts)


def _number(digits: str | None) -> int | None:
    return int(digits) if digits and len(digits) < 16 else None
