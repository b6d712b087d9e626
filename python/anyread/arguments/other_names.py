"""What other readers call arguments, options and commands, and what they are called here.

Python, the tools, the MCP server and the command line answer a name that does not exist from these tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from inspect import Parameter, signature
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

_F = TypeVar("_F")


def _text(value: object) -> str | None:
    """Return a text or a whole number as text."""
    return str(value) if isinstance(value, str) or type(value) is int else None


def _pages(value: object) -> dict[str, Any] | None:
    if isinstance(value, list | tuple) and value and all(type(each) is int for each in value):
        is_small = max(map(abs, value)) <= _MOST_LINES
        is_range = len(value) == 2 or all(last == first + 1 for first, last in pairwise(value))
        return {"pages": f"{value[0]}-{value[-1]}"} if is_small and is_range else None
    text = _text(value)
    return None if text is None else {"pages": text}


def _cell(value: object) -> dict[str, Any] | None:
    numbers = _numbers(value)
    return {"offset": numbers[0], "limit": 1} if len(numbers) == 1 else None


def _line(value: object) -> dict[str, Any] | None:
    numbers = _numbers(value)
    return {"around": numbers[0]} if len(numbers) == 1 else None


def _part(value: object) -> dict[str, Any] | None:
    text = _text(value)
    return None if text is None else {"at": text}


def _key(value: object) -> dict[str, Any] | None:
    return {"at": value if value[:1] in {"/", "$"} else f"/{value}"} if isinstance(value, str) else None


def _pattern(value: object) -> dict[str, Any] | None:
    # Nothing follows the end of a line, so that this is an address in JSON.
    is_address = isinstance(value, str) and value.startswith(("$.", "$["))
    return {"at" if is_address else "find": value} if isinstance(value, str) and value else None


def _records(value: object) -> dict[str, Any] | None:
    numbers = _numbers(value)
    if len(numbers) == 2 and 0 < numbers[0] <= numbers[1]:
        return {"kind": "records", "offset": numbers[0], "limit": numbers[1] - numbers[0] + 1}
    return _part(value) if len(numbers) == 1 else {"kind": "records"} if value is True else None


def _formulas(value: object) -> dict[str, Any] | None:
    return {"values": "formulas"} if value is True else None


def _nothing(_value: object) -> dict[str, Any]:
    return {}


def _cells(value: object) -> dict[str, Any] | None:
    return {"at": value} if isinstance(value, str) and _CELLS.fullmatch(value) else None


def _path(value: object) -> dict[str, Any] | None:
    return {"path": value} if isinstance(value, str) else None


def _paths(value: object) -> dict[str, Any] | None:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        return None
    return {"places": value} if len(value) > 1 else {"path": value[0]}


_CELLS = re.compile(r"(?:.+!)?\$?[A-Za-z]{1,3}\$?\d+(?::\$?[A-Za-z]{1,3}\$?\d+)?")


class Translation(NamedTuple):
    """Names of other readers, and what says the same here."""

    names: str
    """The other names, separated by spaces, in lower case with underscores; a capital is an option."""
    argument: str
    """What to pass in Python, or a clause that says what to do."""
    option: str
    """What to pass on the command line."""
    for_models: str = ""
    """What a model passes to the tool; empty: the same as in Python."""
    made: Callable[[object], dict[str, Any] | None] | None = None
    """Makes arguments of a value that has only one meaning; `None`: there may be several."""


_LIMIT = "pass `offset`, and the number of lines as `limit`"
_ARGUMENTS = (
    Translation(
        "start start_line from_line first_line line_start begin from line line_number skip start_index"
        " line_offset",
        "offset",
        "--offset",
    ),
    Translation(
        "end end_line stop last_line line_end to_line to end_index",
        _LIMIT,
        "--lines A-B",
    ),
    Translation(
        "lines line_range line_ranges view_range rows row_range l r",
        _LIMIT,
        "--lines A-B",
    ),
    Translation("range cells cell_range", 'at="Sheet!A1:C5"', "--at", made=_cells),
    Translation("tail last last_lines tail_lines", "offset=-N", "--tail"),
    Translation(
        "head count max_lines num_lines n_lines n line_count lines_to_read length number_of_lines",
        "limit",
        "--limit",
    ),
    Translation(
        "file filename file_name file_path filepath target_file absolute_path uri url input",
        "path",
        "FILE",
        made=_path,
    ),
    Translation(
        "files paths file_paths filenames", "read_many([…])", "several FILEs", "places=[…]", made=_paths
    ),
    Translation("around_line center_line focus_line block", "around", "FILE:LINE", made=_line),
    Translation(
        "C A B context context_lines before after",
        "pass `around=N`, or a place such as `a.py:120`",
        "FILE:LINE, which shows what is around a line",
        "pass a place such as `a.py:120` as `path`, which shows what is around a line",
    ),
    Translation(
        "root base base_dir base_path directory workspace",
        'pass `roots="…"` to `Reader` or `anyread.tool`',
        "--root",
        "pass a path below the directory that the host allows",
    ),
    Translation(
        "allow allowed_directories", 'pass `roots="…"` to `Reader` or `anyread.tool`', "--root", "omit it"
    ),
    Translation("exclude ignore", "pass `deny=[…]` to `Reader` or `anyread.tool`", "--deny", "omit it"),
    Translation(
        "page page_number page_numbers page_range slide slides slide_number", "pages", "--pages", made=_pages
    ),
    Translation("p", "pages", "--pages N, or --gutter none"),
    Translation("sheet sheet_name worksheet tab s", "at", "--at", made=_part),
    Translation("sheets", "at", "anyread info FILE", made=_part),
    Translation("record record_number section heading", "at", "--at", made=_part),
    Translation("symbol function_name class_name definition", "at", "--at", made=_part),
    Translation("records jsonl ndjson", 'kind="records"', "--kind records", made=_records),
    Translation("pointer json_pointer jsonpath json_path key jq", "at", "--at", made=_key),
    Translation("formula formulas", 'values="formulas"', "--values formulas", made=_formulas),
    Translation(
        "csv tsv",
        "use `page.dictionaries()`",
        "--gutter none, which separates the cells of a sheet by tabs",
        "omit it",
    ),
    Translation("outline toc headings titles", "info(path)", "anyread info FILE", 'find="^#"', made=None),
    Translation(
        "explanation reason description thought purpose should_read_entire_file read_entire_file",
        "omit it",
        "",
        made=_nothing,
    ),
    Translation("cell cell_number", "offset", "--offset", made=_cell),
    Translation("tokens token_limit max_output_tokens", "max_tokens", "--max-tokens"),
    Translation("bytes max_size max_chars max_length size", "max_bytes", "--max-bytes"),
    Translation("char character start_column col", "column", "--column"),
    Translation("charset codec", "encoding", "--encoding"),
    Translation("format type filetype file_type media_type mime_type as", "kind", "--kind"),
    Translation("crop bbox box rect clip", "region", "--region"),
    Translation(
        "plain raw N no_line_numbers line_numbers show_line_numbers no_numbers numbers style md markdown",
        "gutter=Gutter.NONE",
        "--gutter none",
        "omit it: the host decides about line numbers",
    ),
    Translation("password passwords", "pass `pdf_passwords=[…]` to `Reader`", "", "omit it"),
    Translation(
        "o output out output_file", "use the `text` and the `blocks` of the page", "> FILE", "omit it"
    ),
    Translation(
        "images_to image_dir images_dir save_images extract_images",
        "use the `blocks` of the page",
        "--save",
        "omit it",
    ),
    Translation(
        "grep pattern search query regex regexp needle contains match e", "find", "--find", made=_pattern
    ),
    Translation("no_color", "", "--color never"),
    Translation("v version", "", "anyread --version"),
    Translation("sandbox", "", "anyread doctor"),
    Translation("info stat", "info(path)", "anyread info FILE", "path"),
    Translation("ls list", 'pass `directories="list"` to `Reader`', "anyread DIR", "path"),
)
_VALUES = {
    ("kind", "jsonl"): "records",
    ("kind", "ndjson"): "records",
    ("kind", "xlsx"): "sheet",
    ("kind", "docx"): "document",
    ("kind", "pptx"): "slides",
    ("values", "formula"): "formulas",
}
"""Other words for values of arguments that exist."""
_WITH_OTHER_VALUES = {"pages", *(name for name, _ in _VALUES)}
_BY_NAME = {name: each for each in _ARGUMENTS for name in each.names.split()}
_MOST_LETTERS = 2
_MOST_LINES = 10**9
_OF_WINDOWS = {"start", "end", "lines", "range", "tail", "head"}
"""The first names of the rows that give a window of lines."""


class OtherCommand(NamedTuple):
    """What does the same as a command or a function of another program."""

    command: str
    """The command line."""
    function: str = ""
    """The function of `anyread`, with its arguments; empty: there is none."""


_FILE = OtherCommand("anyread FILE", "read_sync(path)")
COMMANDS: Mapping[str, OtherCommand] = {
    "cat": _FILE,
    "show": _FILE,
    "open": _FILE,
    "load": _FILE,
    "aread": OtherCommand("anyread FILE", "read(path)"),
    "head": OtherCommand("anyread FILE --limit 10", "read_sync(path, limit=10)"),
    "tail": OtherCommand("anyread FILE --tail 10", "read_sync(path, offset=-10)"),
    "follow": OtherCommand("anyread --follow FILE"),
    "serve": OtherCommand("anyread mcp --root DIR"),
    "server": OtherCommand("anyread mcp --root DIR"),
    "ls": OtherCommand("anyread DIR", "files(directory)"),
    "list": OtherCommand("anyread DIR", "files(directory)"),
    "tree": OtherCommand("anyread DIR", "files(directory)"),
    "count": OtherCommand("anyread info FILE", "info(path)"),
    "wc": OtherCommand("anyread info FILE", "info(path)"),
    "stat": OtherCommand("anyread info FILE", "info(path)"),
    "survey": OtherCommand("anyread info FILE ...", "batch.survey(paths)"),
    "batch": OtherCommand("anyread FILE ..."),
    "convert": OtherCommand("anyread FILE --gutter none", "read(path, gutter=Gutter.NONE)"),
    "glob": OtherCommand("anyread DIR", "files(directory)"),
    "grep": OtherCommand("anyread FILE --find PATTERN", 'read(path, find="…")'),
    "search": OtherCommand("anyread FILE --find PATTERN", 'read(path, find="…")'),
    "sandbox": OtherCommand("anyread doctor"),
    "config": OtherCommand("anyread --help"),
    "man": OtherCommand("man anyread"),
    "version": OtherCommand("anyread --version", "__version__"),
    "help": OtherCommand("anyread --help"),
}
"""Commands of other programs, and functions that people guess."""


def translation(name: object) -> Translation | None:
    """Return the row of a name in any spelling, such as `--start-line` or `startLine`, or `None`."""
    if not isinstance(name, str):
        # A dictionary that a program passes to a tool may have other keys.
        return None
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip("-"))
    return _BY_NAME.get(words) or _BY_NAME.get(words.lower().replace("-", "_"))


def similar(name: str, known: Iterable[str]) -> str | None:
    """Return the known name from which a name differs by two letters at most, or `None`."""
    # Loaded here, because most processes never use it.
    from difflib import SequenceMatcher

    def common(other: str) -> int:
        return sum(each.size for each in SequenceMatcher(None, name, other).get_matching_blocks())

    # The comparison takes time by the product of two lengths.
    near = [each for each in known if abs(len(each) - len(name)) <= _MOST_LETTERS]
    best = max(near, key=common, default="")
    is_near = max(len(name), len(best)) - common(best) <= min(_MOST_LETTERS, len(best) // 2)
    return best if best and is_near else None


def reports_others(function: _F) -> _F:
    """Leave `**others`, which only report names that do not exist, out of what frameworks see."""
    changed: Any = function
    whole = signature(changed)
    named = [each for each in whole.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    changed.__signature__ = whole.replace(parameters=named)
    del changed.__annotations__["others"]
    return function


def unknown(function: str, given: Mapping[str, object], known: Collection[str]) -> TypeError:
    """Return the error for a call of a function with a name that it does not have among `known`."""
    name = next(each for each in given if each not in known)
    said = meant(given, known, is_model=False)
    if not said:
        near = similar(name, known)
        said = f"pass `{near}`" if near else f"pass one of {', '.join(known)}"
    return TypeError(f"{function} has no argument {name!r}: {said}")


def meant(given: Mapping[str, object], known: Collection[str], *, is_model: bool) -> str:
    """Say in a clause what to pass in place of the names of a call that do not exist; empty: it is not known.

    Args:
        given: The arguments of the call.
        known: The names that exist.
        is_model: Whether a model made the call, which passes arguments in JSON.
    """
    rows = [row for name in given if name not in known and (row := translation(name)) is not None]
    if not rows:
        return ""
    is_window = any(row.names.split()[0] in _OF_WINDOWS for row in rows)
    call, said = understood(given, frozenset(known))
    made = {
        name: value
        for name, value in call.items()
        if given.get(name) != value or (is_window and name in {"offset", "limit"})
    }
    window = made if said and made.keys() <= {*known} else _window(given) if is_window else {}
    if window:
        return f"pass `{_written(window)}`"
    texts = dict.fromkeys((is_model and row.for_models) or row.argument for row in rows)
    return ", and ".join(text if " " in text else f"pass `{text}`" for text in texts if text)


def understood(given: Mapping[str, Any], known: frozenset[str]) -> tuple[Mapping[str, Any], str]:
    """Put arguments that exist in place of other names that, with their values, mean only one thing.

    Returns:
        The call, and what was put in the place of what; if one of the names may mean something else, the call
        as it is, and nothing.
    """
    if given.keys() <= known and given.keys().isdisjoint(_WITH_OTHER_VALUES):
        return given, ""
    others = {name: value for name, value in given.items() if name not in known}
    call: dict[str, Any] = {name: value for name, value in given.items() if name in known}
    window = _window(given)
    made: dict[str, Any] = {}
    for name, value in others.items():
        row = translation(name)
        found = None if row is None or row.made is None else row.made(value)
        if found is None and window and row is not None and row.names.split()[0] in _OF_WINDOWS:
            call.pop("offset", None)
            call.pop("limit", None)
            found = window
            if given.get("find") and {"offset", "limit"} <= window.keys():
                # Of a search, `limit` is the number of hits.
                found = {"ranges": [[window["offset"], window["offset"] + window["limit"] - 1]]}
        if found is None:
            return given, ""
        if "at" in found and "at" in made:
            # A sheet, and a range in it.
            parts = sorted((made["at"], found["at"]), key=lambda text: _CELLS.fullmatch(text) is not None)
            found = {"at": "!".join(parts)}
        made |= found
    values = {
        name: _VALUES[name, value]
        for name, value in call.items()
        if isinstance(value, str) and (name, value) in _VALUES
    }
    if isinstance(call.get("pages"), list):
        values |= _pages(call["pages"]) or {}
    if call.keys() & made.keys() or not (others or values):
        return given, ""
    names = ", ".join(f"`{name}`" for name in [*others, *values])
    written = _written(made | values)
    return call | made | values, f"{names} was {f'read as {written}' if written else 'ignored'}"


def _written(arguments: Mapping[str, Any]) -> str:
    # Loaded here, because most processes never use it.
    import json

    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())


def _window(given: Mapping[str, object]) -> dict[str, int]:
    """Return the window that other names give with values, as arguments; empty: they give none."""
    values: dict[str, int] = {}
    for name, value in given.items():
        words = translation(name)
        meaning = name if words is None else words.names.split()[0]
        numbers = _numbers(value)
        if meaning in {"lines", "range"} and len(numbers) == 2:
            values["start"], values["end"] = numbers
        elif len(numbers) == 1 and meaning in {"start", "offset", "end", "tail", "head", "limit"}:
            values[meaning] = numbers[0]
    first, last = values.get("start", values.get("offset")), values.get("end")
    count = values.get("head", values.get("limit"))
    # A hint does not repeat a number that would be refused.
    count = None if count is None or count < 1 else count
    if "tail" in values:
        return {"offset": -abs(values["tail"])} if values["tail"] else {}
    if first is None and last is None and count is None:
        return {}
    if last is not None and (first or 1) <= last:
        count = last - (first or 1) + 1
    window = {"offset": first, "limit": count}
    return {name: value for name, value in window.items() if value is not None}


def _numbers(value: object) -> list[int]:
    """Return the numbers of a value such as 5, "10", "10-20" or [10, -1]."""
    if isinstance(value, str):
        found = re.fullmatch(r"\s*(-?\d{1,9})(?:\s*[-:,]\s*(\d{1,9}))?\s*", value)
        return [] if found is None else [int(each) for each in found.groups() if each is not None]
    values = list(value) if isinstance(value, list | tuple) else [value]
    return [each for each in values if type(each) is int and abs(each) <= _MOST_LINES]
