"""Find places in texts, as people and tools write them.

Each line is searched for what gives a line number (`_FORMS`); the path is what ends there. No expression
begins with a path, so no part of a text is searched twice: the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, TypeAlias

from anyread.arguments.places import LONGEST, QUOTES, REPORT, decoded
from anyread.arguments.settings import LARGEST

Found: TypeAlias = (
    "tuple[str, int, int | None, int | None, tuple[str, ...], str, Literal['block', 'statement'], str]"
)
"""The fields of a `Place`."""
_Number: TypeAlias = "str | int | None"
_Named: TypeAlias = "tuple[str, tuple[str, ...]]"
"""A path and its candidates."""
_LINE = re.compile(rf"([^\r\n]{{0,{4 * LONGEST}}}+)[^\r\n]*+(?:\r\n?|\n|\Z)")
"""A line, and how much of it is read."""
_COLOR = re.compile(r"\x1b\[[0-9;:]*[A-Za-z]|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)")
"""Colours and links of a terminal."""
_IN_NAME = (
    # A number before a slash, or a part of a time before a slash or before a name and its line.
    r"""(?:\d{1,15}:){0,3}\d{1,15}(?:/|\\(?![nr"']))"""
    r"|(?<=[T_/\\:+-]\d\d:)\d\d(?!\d)[\d:+.Z-]{0,40}+(?:[/\\]|[A-Za-z_][^\s:(]{0,99}+(?:[:(]\d|,? line \d))"
)
"""What follows a colon that is a part of a name, as in `2026-11-28T10:00:00/a.py:12`."""
_FORMS = (
    # How the path is found, the character that the form begins with, and what follows.
    # The addresses of other hosts have ports.
    ("address", ":", r"//"),
    # Compilers, linters, grep, and most others; .NET; PowerShell.
    ("colon", ":", (r"(?!{name})(?:line |L)?{line}"
     r"(?:{-}L?{end}(?P<more>(?:,\d{1,15}(?:-\d{1,15})?(?!\d))*+)|(?:[:.]| char:){column})?(?![\w~])")),
    # Maven, GHC, Kotlin.
    ("before", ":", r" ?[\[(]{line}, ?{column}[\])](?:-\({end},\d+\))?"),
    # Dash.
    ("before", ":", r" {line}(?=: )"),
    # MSBuild, TypeScript, pdb: what follows, and no blank, tells it from calls such as `list.get(1, 3)`.
    ("before", r"\(", (r"{line}(?:, ?{column})?(?:,\d+,\d+)?\)"
     r"(?=\s?:|[\w<\]]|\s[A-Z]|  (?![#/])|{if column}(?<!, \d\))(?<!, \d\d\))(?<!, \d\d\d\))\s*$|(?!)))")),
    # Babel and Prettier, where the path is before the message; Rollup.
    ("message", r"\(", r"{line}:{column}\)(?=\s*$|:)"),
    # Fish, and people.
    ("of", "[Ll]", (r"(?<!, [Ll])ines? {line}(?:{-}{end})? (?:of|in) (?:file )?"
     r"""(?P<named>"[^"]+"|'[^']+'|`[^`]+`|(?:[^\s"'`:(),]|:(?=[^\s:/\\]*+[/\\]|\d\d:))+)""")),
    # Python, PHP, Perl, OCaml, Terraform, Erlang, Gradle, GitHub Actions, shells.
    ("words", "[Ll]", (r"(?<![\w-].)ine(?:s|no)?:? {line}(?:{-}{end})?(?! of )"
     r"(?:,? ?(?:[Cc]ol(?:umn)?|char(?:acter)?s?):? {column})?")),
    # GitHub and editors; R.
    ("before", "#", r"(?:L|(?<=\.[Rr]#)){line}(?:C\d+)?(?:{-}L?{end}(?:C\d+)?)?(?!\w)"),
    # Annotations of GitHub and Azure, addresses of editors.
    ("attribute", "[,;&]", (r"line(?:number)?={line}"
     r"(?:[,;&]col(?:umn(?:number)?)?={column})?(?:,endLine={end})?")),
    # The quickfix list of vim; terms of Erlang; tags of editors.
    ("before", r"\|", r"{line}(?:-{end})?(?: col {column}(?:-\d+)?)?(?: \w+)?\|"),
    ("before", r"\}", r",\s?\{line,\s?{line}"),
    ("tag", r"\t", r'{line};"'),
)  # fmt: skip


def _compiled() -> tuple[re.Pattern[str], dict[str, tuple[str, list[str]]]]:
    made, kinds = [], {}
    for number, (kind, begin, rest) in enumerate(_FORMS):
        # In words, numbers may have separators.
        digits = r"\d{1,3}(?:,\d{3}){1,4}(?!\d)|\d{1,15}" if kind in {"of", "words"} else r"\d{1,15}"
        form = rf"(?P<form{number}>(?<={begin}){rest})".replace("{-}", "[-–—]")
        form = form.replace("{if column}", f"(?(column{number})").replace("{name}", _IN_NAME)
        names = []
        for name in ("line", "end", "column"):
            names.append(f"{name}{number}" if f"{{{name}}}" in form else "")
            form = form.replace(f"{{{name}}}", rf"(?P<{name}{number}>{digits})(?!\d)")
        made.append(form)
        kinds[f"form{number}"] = kind, names
    # The characters first: the search is fast if the expression begins with a set of them.
    return re.compile(rf"[:(Ll#,;&|}}\t](?:{'|'.join(made)})"), kinds


_NUMBERED, _KINDS = _compiled()
_NO_SPACE = re.compile(r"\S*+")
_LOCAL = (
    "file", "vscode", "vscode-insiders", "cursor", "open", "subl", "txmt", "idea", "storm", "charm",
    "webpack", "internal",
)  # fmt: skip
"""The schemes of addresses that name files here, or how they end."""
_WEBPACK = re.compile(r"webpack(?:-internal)?://[^/]*/(?:\./)?")
_MARKS = "\"'`<>|“”„‘’‹›«»「」『』《》，。：；、（）【】→"  # noqa: RUF001 - typographic marks
# Both are matched with a reversed text: `C:` of Windows, `file://` and times have the only colons that surely
# belong to a path, and names of directories may be in parentheses.
_COLONS = r"(?<=//):|(?<=[\\/]):(?=[A-Za-z](?![\w.~%+-]))|(?<=\d\d):(?=\d)"
_WORD = re.compile(rf"(?:/\)[^\s():]*+\(|[^\s:(){_MARKS}]|{_COLONS})*+")
_WORDS = re.compile(rf"(?:[^\t:{_MARKS}]|{_COLONS}|(?<=[^\s:]):(?=[^\s:]))*+")
_BEGIN = re.compile(r"(?<!\S)\S|(?<=[^\s:][^\s:\d]:)(?!//)[^\s:\\]")
"""The beginning of a word, or of what a colon precedes that may not belong to the path."""
_ROOT = re.compile(r"(?<![^\s(\[=:])(?<!\b[A-Za-z]:)(?:[A-Za-z]:[\\/]|~?/(?=\w)|\.{1,2}[\\/])")
_MOST_WORDS = 6
"""The maximum number of words before a path that may belong to it, unless they begin the line."""
_BEFORE_PATHS = {"in", "at", "from", "file", "File", "async", "of", "see"}
_ENDED = re.compile(r"\.\w+[\s:]")
"""The end of a file's name, and so of a path."""
_EXTENSION = re.compile(r"\.[A-Za-z_]\w{0,15}$|(?:^|[/\\])(?:[A-Z]\w*file|BUILD|WORKSPACE|README|LICENSE)$")
"""How a name ends that is taken for a file."""
_QUOTED = re.compile(
    r"""(?<!\w)(["'`])(?:(?!\1).)*+\1(?P<path>(?=:?,? ?(?:on |at )?lines? \d)|(?<!\d.)(?=[:(]\d))?"""
)
"""A text in quotes, and whether a number after it says that all of it is a path."""
_NO_FILE = re.compile(
    r"(?:[\w@-]+\.)+(?:com|org|net|io|edu|gov|local|internal|lan|cloud)$"
    r"|\w*(?:Tests?|IT|TestCase|Spec)\."
    r"(?!(?:java|kts?|scala|groovy|cs|fs|vb|php|py|rb|[jt]sx?|swift|mm?|cpp|cc|hs|exs?)$)[a-z]\w*$"
)
"""Hosts, and methods of tests."""
_HEADING = re.compile(r"(?P<table> *Line {2,})|FILE: |== \[|-- [A-Z][A-Z ]+ -+ ")
"""What is before a path that is the heading of lines: phpstan, phpcs, sqlfluff, Elm."""
_ROW = re.compile(
    r"\A\s*+(?!\d\d:\d\d:\d\d)(?:(\d{1,15}):(?:(\d{1,15})(?=[:\s]))?|\((\d{1,15}), (\d{1,15})\)"
    r"|L: *+(\d{1,15}) \| P: *+(\d{1,15})|[A-Z]+\d+ (\d{1,15}):(\d{1,15}) "
    r"|(\d{1,15})(?:\|  |┆| \| (?:ERROR|WARNING) ))"
)
"""A line of a linter or grep after such a heading: `10:5  error`, `10:text`, `(10, 5)  error`."""
_TABLE_ROW = re.compile(r"\A  +:?(\d{1,15}) {2,}\S")
_PAIR = re.compile(
    r"(?:(?:ERROR|WARNING) in |\s++)([^\s:]++) (\d{1,15}):(\d{1,15})(?:-\d+(?::\d+)?)?(?:$|  \S)"
)
"""A line of webpack or Sass."""
_HUNK = re.compile(r"@@+ -\d+(?:,(\d+))? (-.* )?\+(\d{1,15})(?:,(\d{1,15}))? @@")
_BROWSER = re.compile(r"[^/\s]*@(?=/|\w+://|[A-Za-z]:[\\/])|@")
"""The name of a function, as browsers write it before the path; the mark of a mention."""
_VARIABLE = re.compile(r"[\w.-]+=(?=.)")
_TEST = re.compile(
    r"(?<![^\s\"'`(\[])(?P<path>[^\s:\"'`()\[\]]*+(?<=\.py))::(?P<name>[A-Za-z_]\w*+(?:::[A-Za-z_]\w*+)*+)"
)
"""A test of pytest."""
_CELL = re.compile(r"(?:\bCell |:)(In ?\[\d{1,15}\])")
"""A cell of a notebook, as tracebacks of IPython name it."""
_JSON = re.compile(r'[\[{]\s*(?:$|[\[{"])')


def found_in(text: str) -> Iterator[Found]:
    """Return the places that a text names, in its order; some may be named again."""
    diff, section = _Diff(), _Section()
    has_json, parsed_to = False, 0
    notebook = ""
    for found in _LINE.finditer(text):
        if found.start() < parsed_to:
            continue
        line = _COLOR.sub("", found[1]) if "\x1b" in found[1] else found[1]
        if _JSON.match(line) and (line[0] == "{" or not has_json):
            from . import place_reports

            # Only the first may have several lines: what is no JSON is not parsed again from each line.
            source = found[0] if has_json else text[found.start() : found.start() + place_reports.LONGEST]
            has_json = True
            reported, length = place_reports.found(source)
            if reported:
                parsed_to = found.start() + length
                for each in reported:
                    yield from _made(
                        (each.path, ()), each.line, each.end_line, each.column, each.message, is_report=True
                    )
                continue
        if "::" in line and (test := _TEST.search(line)) and not test["path"].startswith(("http", "-")):
            yield test["path"], 0, None, None, (), *_said(line), test["name"]
        if (end := line.rfind(".ipynb")) >= 0:
            notebook = _path_before(line[: end + len(".ipynb")])[0]
        if notebook and (cell := _CELL.search(line)):
            yield notebook, 0, None, None, (), *_said(line), cell[1]
        if diff.reads(line):
            yield from diff.places(line)
        elif named := section.place(line):
            yield from named
        elif numbered := _NUMBERED.search(line):
            yield from _in_line(line, numbered)
        else:
            section.begin(line)


class _Diff:
    """The files and hunks of `git diff` and `diff -u`."""

    def __init__(self) -> None:
        self._old_file = ""
        self._new_file: str | None = None
        self._old = self._new = 0
        """How many lines of the hunk follow."""

    def reads(self, line: str) -> bool:
        """Return whether a line belongs to a diff; what a hunk contains is text of files."""
        if (self._old > 0 or self._new > 0) and (not line or line[0] in " +-\\"):
            self._old -= line[:1] not in {"+", "\\"}
            self._new -= line[:1] not in {"-", "\\"}
            return True
        self._old = self._new = 0
        return line.startswith(("--- ", "+++ ")) or (self._new_file is not None and line.startswith("@@"))

    def places(self, line: str) -> Iterator[Found]:
        """Return the lines of a hunk in the new file, if the line begins one."""
        if line.startswith("--- "):
            self._old_file = line[4:]
        elif line.startswith("+++ "):
            self._new_file = self._named(line)
        elif line.startswith("@@") and (hunk := _HUNK.match(line)):
            first, count = int(hunk[3]), int(hunk[4] or 1)
            yield from _made((self._new_file or "", ()), max(first, 1), first + count - 1, None, line)
            # With several old files, the lines until the next hunk belong to it.
            self._old, self._new = (LARGEST, LARGEST) if hunk[2] else (int(hunk[1] or 1), count)

    def _named(self, line: str) -> str:
        """Return the path in a line such as `+++ b/src/a.py`; empty if the file was deleted."""
        path, _, _ = line[4:].partition("\t")
        if path.startswith('"'):
            # Git writes bytes that are not ASCII as octal numbers.
            octal = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), path.strip('"'))
            path = re.sub(r"\\(.)", r"\1", octal).encode("latin-1", "replace").decode("utf-8", "replace")
        if path == "/dev/null":
            return ""
        old = self._old_file.lstrip('"')
        is_new = (not old or old.startswith("/dev/null")) and path.startswith(("b/", "w/", "i/"))
        return path[2:] if is_new or (path[1:2] == old[1:2] == "/" and path[0] != old[0]) else path


class _Section:
    """Lines of the file that a line before them names, as linters and `rg --heading` print them."""

    def __init__(self) -> None:
        self._named: _Named = "", ()
        self._rows = _ROW
        self._is_open = False

    def place(self, line: str) -> list[Found]:
        """Return the place that a line names in the file of its section, or with its path first."""
        row = self._rows.match(line) if self._named[0] else None
        if row and (self._is_open or row[0].endswith(("┆", "|  "))):
            first, column = ([*filter(None, row.groups()), None])[:2]
            return [*_made(self._named, first, None, column, line)]
        pair = _PAIR.match(line)
        if pair and _EXTENSION.search(pair[1]):
            return [*_made((_cleaned(pair[1]), ()), pair[2], None, pair[3], line)]
        return []

    def begin(self, line: str) -> None:
        """Take a line that is only a path as the heading of what follows; an empty line ends that."""
        if not line.strip():
            self._is_open = False
            return
        prefix = _HEADING.match(line)
        only = (line[prefix.end() :] if prefix else line).strip()
        if prefix:
            only = re.sub(r"\] \w+$", "", only)
        path = only.removesuffix(":")
        is_word = " " not in only and path == only and re.search("[A-Za-z]", only)
        is_path = is_word or _EXTENSION.search(path)
        if not is_path or len(only) > LONGEST or (" " in only and "/" not in only and "\\" not in only):
            return
        path, candidates = _path_before(path)
        if path:
            # It is alone on its line, so that all of the line is more likely.
            self._named = candidates[0] if candidates else path, candidates
            self._rows = _TABLE_ROW if prefix and prefix["table"] else _ROW
            self._is_open = True


def _in_line(line: str, numbered: re.Match[str] | None) -> Iterator[Found]:
    """Return the places of a line, in which the first number is found."""
    begin = 0
    # No number in a path is a line.
    searched = _QUOTED.sub(lambda text: text[0] if text["path"] is None else "_" * len(text[0]), line)
    if searched != line:
        numbered = _NUMBERED.search(searched)
    while numbered:
        start, end = numbered.span()
        kind, names = _KINDS[numbered.lastgroup or ""]
        if kind != "address":
            named = _named(kind, line[begin:start], numbered)
            first, last, column = ((numbered[name] or "").replace(",", "") if name else "" for name in names)
            yield from _made(named, first, last, column, line)
            for span in (numbered["more"] or "").split(",")[1:]:
                yield from _made(named, span.partition("-")[0], span.partition("-")[2], None, line)
            begin = end
        elif not line.endswith(_LOCAL, begin, start):
            begin = end = _run(_NO_SPACE, line, end)
        numbered = _NUMBERED.search(searched, end)


def _named(kind: str, before: str, numbered: re.Match[str]) -> _Named:
    """Return the path of a number in a line.

    Args:
        kind: How the path is found, as in `_FORMS`.
        before: The line between the last number and this one.
        numbered: The number, and what surrounds it.
    """
    if kind in {"of", "tag", "attribute"}:
        given = before.rpartition("\t" if kind == "tag" else "=")[2]
        if kind == "of":
            given = numbered["named"].strip("\"'`*").rstrip(".")
        return _cleaned(decoded(f"file://{given}") if numbered[0][0] == "&" else given), ()
    if kind == "words":
        before = before.rstrip(" (")
        for word in (" on", " at", " around", ", error"):
            before = before.removesuffix(word)
        return _path_before(before.rstrip(" ,:"))
    named = _path_before(before.rstrip(" ") if kind == "message" else before)
    after = numbered.string[numbered.end() : numbered.end() + 1]
    if kind == "message" and not named[0] and after != ":":
        parts = (_path_before(part) for part in before.split(": ", 4)[:-1])
        return next((part for part in parts if _EXTENSION.search(part[0])), named)
    # Without an extension or a root that says so, it is a file if more than a number follows.
    says_more = kind != "colon" or after == ":" or re.search(r"[:\d][-–—:]", numbered[0][1:])
    is_file = says_more or _EXTENSION.search(named[0]) or _ROOT.match(named[0])
    return named if is_file else ("", ())


def _made(
    named: _Named, line: _Number, end: _Number, column: _Number, message: str, *, is_report: bool = False
) -> Iterator[Found]:
    path, candidates = named
    first, last = int(line or 0), int(end or 0)
    if path and first:
        at = int(column) if column not in {None, ""} else None
        said, wants = _said(message)
        end_line = last if last > first else None
        yield path, first, end_line, at, candidates, said, "statement" if is_report else wants, ""


@lru_cache(maxsize=1)
def _said(line: str) -> tuple[str, Literal["block", "statement"]]:
    """Return a line without the blanks around it and what its places want, once for all of them."""
    return line.strip(), "statement" if REPORT.search(line) else "block"


def _run(pattern: re.Pattern[str], text: str, begin: int = 0) -> int:
    """Return where the characters of a pattern end."""
    found = pattern.match(text, begin)
    return found.end() if found else begin


def _path_before(text: str) -> _Named:
    """Return the path at the end of a text, and all paths that it may be; empty if there is none."""
    text = text.rstrip("*")
    if text and text[-1] != ">" and (mark := QUOTES.get(text[-1])):
        before, _, path = text[:-1].rpartition(mark)
        return (_cleaned(path) if before or text.startswith(mark) else ""), ()
    backwards = text[::-1]
    length = _run(_WORD, backwards)
    start = len(text) - length
    word = text[start:]
    path = _cleaned(word)
    if text.endswith("node:", 0, start):
        return "", ()
    if not word or text[start - 1 : start] not in (" ", ")", ":") or _ROOT.match(path):
        return path, ()
    low = len(text) - _run(_WORDS, backwards, length)
    colon = text.rfind(":", low, start)
    if colon >= 0 and not re.search(r"[\\/]", text[colon:]):
        # Only before a directory, a colon may be in the name of another.
        low = colon + 1
    # Two spaces are not in a name.
    region = text[low:start].rpartition("  ")[2]
    low = start - len(region)
    root = max((found.start() for found in _ROOT.finditer(region)), default=None)
    is_whole = text[start - 1] != ")"
    first = root if root is not None else max(region.rfind("("), region.rfind(")")) + 1 if is_whole else 0
    starts = [low + first + found.start() for found in _BEGIN.finditer(region[first:])]
    kept = starts[-_MOST_WORDS:]
    if starts[:1] != kept[:1] and (root is not None or not text[: starts[0]].strip()):
        kept.insert(0, starts[0])
    paths = list(dict.fromkeys(_cleaned(text[at:]) for at in kept))
    paths = [found for found in paths if found and found != path]
    if paths and not _ENDED.search(text, starts[0], start):
        head = text[: starts[0]].rstrip()
        first_word, space, _ = text[starts[0] : start].partition(" ")
        begins = not head or head[-1] in "([:=>*" or head.rpartition(" ")[2] in _BEFORE_PATHS or not space
        first_word = first_word.partition(":")[0]
        if begins and (
            root is not None or (not head and re.search("[A-Za-z]", first_word.rpartition("/")[0]))
        ):
            return paths[0], (*paths, path)
    if not is_whole:
        path = paths.pop() if paths else ""
    return path, (*paths, path) if path and paths else ()


def _cleaned(written: str) -> str:
    """Return the path in what was found before a line number; empty if it does not look like one."""
    path = written.strip()
    if path.startswith("##["):
        path = path.partition("]")[2]
    for opening, closing in ("()", "[]", "{}"):
        # What is before an opening bracket that is not closed does not belong to the path.
        if path.count(opening) > path.count(closing):
            path = path.rpartition(opening)[2]
        elif path.count(closing) > path.count(opening):
            return ""
    path = path.lstrip(",;=*")
    if "@" in path and (at := _BROWSER.match(path)):
        path = path[at.end() :]
    if "://" in path:
        path = _WEBPACK.sub("", decoded(path), count=1)
    elif "=" in path and (name := _VARIABLE.match(path)):
        path = path[name.end() :]
    is_path = ("/" in path or "\\" in path or _EXTENSION.search(path)) and not _NO_FILE.match(path)
    return path if is_path and len(path.encode("utf-8", "surrogatepass")) <= LONGEST else ""
