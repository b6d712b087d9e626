"""Errors about a read's arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anyread.kinds import BY_KIND

from .base import Argument, ReadError, counted, nearest, one_line, quoted, singular


class OffsetPastEndError(ReadError, ValueError):
    """The window starts after the last line, or after the last cell of a notebook.

    Args:
        path: The path as given.
        offset: The first line (cell) of the window, counted from 1.
        total_lines: How many lines (cells) the file has.
        unit: "lines" or "cells".
    """

    code = "offset_past_end"

    def __init__(self, path: str, *, offset: int, total_lines: int, unit: str = "lines") -> None:
        self.offset = offset
        self.total_lines = total_lines
        self.unit = unit
        one, many = singular(unit), 100 if unit == "lines" else 10
        has = counted(total_lines, unit) if total_lines else f"no {unit}"
        message = f"{one} {offset:,} is past the end of {quoted(path)}, which has {has}"
        hint: tuple[str | Argument, ...]
        if total_lines:
            last = (Argument("offset", total_lines), f" for the last {one}")
            tail = (Argument("offset", -many), f" for the last {many} {unit}")
            hint = ("pass ", *last, " or ", *tail)
            if unit in {"pages", "slides"}:
                hint = ("pass ", Argument("pages", str(total_lines)), f" for the last {one}")
        else:
            hint = ("pass ", Argument("offset", 1), ", because the file is empty")
        super().__init__(path, message, *hint)


class BadArgumentError(ReadError, ValueError):
    """An argument cannot be used.

    Args:
        path: The path as given.
        argument: The argument's name.
        value: The value that was passed: a string unchanged, anything else as Python code.
        reason: What is accepted, worded to follow "must be".
    """

    code = "bad_argument"

    def __init__(self, path: str, *, argument: str, value: str, reason: str) -> None:
        self.argument = argument
        self.value = value
        self.reason = reason
        # The arguments of a reader are not about a file; `path` then repeats the value.
        about = argument if argument in _OF_READERS else f"the argument `{argument}` for {quoted(path)}"
        message = f"{about} must be {reason}: {quoted(value)}"
        if argument == "places":
            message = f"the place {quoted(value)} must be {reason}"
        # No other value is accepted beside the argument that excludes it.
        corrected = None if reason.startswith("omitted") else _CORRECTED.get(argument)
        super().__init__(path, message, *(corrected or ("leave ", Argument(argument), " out")))


class UnknownEncodingError(BadArgumentError):
    """The argument `encoding` does not name an encoding that can be decoded.

    Args:
        path: The path as given.
        value: The name that was passed.
        near: Known names that are similar, the most similar first.
        undecodable: The encoding that it names, if that is known but not supported.
    """

    argument = "encoding"

    def __init__(
        self, path: str, *, value: str, near: tuple[str, ...] = (), undecodable: str | None = None
    ) -> None:
        self.value = value
        self.near = near
        self.undecodable = undecodable
        hint: tuple[str | Argument, ...]
        if undecodable is not None:
            self.reason = f"a supported encoding, which {undecodable} is not"
            out = Argument("encoding")
            hint = ("convert the file to UTF-8 first, or leave ", out, " out to have it detected")
        elif near:
            self.reason = f"the name of an encoding; similar names are {', '.join(near)}"
            hint = ("pass ", Argument("encoding", near[0]), ", or leave it out to have it detected")
        else:
            self.reason = "the name of an encoding, such as utf-8 or windows-1252"
            hint = _CORRECTED["encoding"]
        message = f"the argument `encoding` for {quoted(path)} must be {self.reason}: {quoted(value)}"
        ReadError.__init__(self, path, message, *hint)


class NoSuchPageError(BadArgumentError):
    """The argument `pages` names no page of the file.

    Args:
        path: The path as given.
        value: The pages that were passed.
        page_count: The number of pages of the file.
    """

    argument = "pages"

    def __init__(self, path: str, *, value: str, page_count: int) -> None:
        self.value = value
        self.page_count = page_count
        self.reason = f"within the {page_count:,} pages of the file"
        valid = f"1-{page_count}"
        if page_count <= 1:
            self.reason = f"1: the file has {'one page' if page_count else 'no pages'}"
            valid = "1"
        message = f"the argument `pages` for {quoted(path)} must be {self.reason}: {quoted(value)}"
        ReadError.__init__(self, path, message, "pass ", Argument("pages", valid))


class NotOneImageError(BadArgumentError):
    """The argument `region` is a part of one image, and the page has none or several.

    Args:
        path: The path as given.
        value: The region that was passed.
        images: How many images the page has that can be shown.
        first: The arguments that begin a page with the first one; empty if there is none.
    """

    argument = "region"

    def __init__(self, path: str, *, value: str, images: int, first: Mapping[str, Any]) -> None:
        self.value = value
        self.images = images
        self.first = dict(first)
        has = f"has {images:,} images" if images else "has no image that can be shown"
        self.reason = "passed for a page with one image"
        message = f"the argument `region` is a part of one image, and this page of {quoted(path)} {has}"
        chosen: list[str | Argument] = ["leave ", Argument("region"), " out"]
        for name, found in self.first.items():
            chosen += [" or pass " if len(chosen) == 3 else ", ", Argument(name, found)]
        end = (" too, which begins with the first image",) if self.first else ()
        ReadError.__init__(self, path, message, *chosen, *end)


class NoSuchPartError(BadArgumentError):
    """The argument `at` leads to nothing in the file.

    Args:
        path: The path as given.
        value: The address that was passed.
        last: The last address on its way that exists; empty: the whole file.
        kind: What is there: "list", "object", "string", "scalar" or "records".
        count: How many items it has; `None`: unknown.
        near: The first names that it has, if it is an object.
    """

    argument = "at"

    def __init__(
        self, path: str, *, value: str, last: str, kind: str, count: int | None, near: tuple[str, ...] = ()
    ) -> None:
        self.value = value
        self.last = last
        self.kind = kind
        self.count = count
        self.near = near
        there = quoted(last) if last else "the file"
        what = _VALUES[kind].format("unknown number" if count is None else f"{count:,}")
        if count == 1:
            what = singular(what)
        self.reason = f"an address in the file: {there} {what}"
        message = f"{quoted(value)} leads nowhere in {quoted(path)}: {there} {what}"
        hint: tuple[str | Argument, ...] = ("pass ", Argument("at", last or "1"), " to see it")
        if near:
            first = f"{last}/{near[0].replace('~', '~0').replace('/', '~1')}"
            hint = (*hint, ", or one of its keys, such as ", Argument("at", first))
        elif not last:
            hint = ("leave ", Argument("at"), " out to see its records")
        ReadError.__init__(self, path, message, *hint)


class NoSuchNameError(BadArgumentError):
    """The argument `at` names no heading, function or cell of the file.

    Args:
        path: The path as given.
        value: The name that was passed.
        unit: What it should be the name of: "heading", "function or class" or "cell".
        near: Names that the file has, the most similar first.
    """

    argument = "at"

    def __init__(self, path: str, *, value: str, unit: str, near: tuple[str, ...] = ()) -> None:
        self.value = value
        self.unit = unit
        self.near = near
        self.reason = f"the name of a {unit}"
        message = f"{quoted(path)} has no {unit} {quoted(one_line(value))}"
        hint: tuple[str | Argument, ...] = (
            "pass ",
            Argument("at", "1"),
            " for its beginning, or leave it out",
        )
        if near:
            message += f"; it has {', '.join(quoted(one_line(name)) for name in near[:5])}"
            hint = ("pass ", Argument("at", near[0]), ", or leave it out")
        ReadError.__init__(self, path, message, *hint)


class NotOneValueError(BadArgumentError):
    """The argument `at` has a wildcard, a filter or a slice, or cannot be read as an address.

    Args:
        path: The path as given.
        value: The address that was passed.
        begin: What precedes it, as a JSON pointer; empty: nothing.
    """

    argument = "at"

    def __init__(self, path: str, *, value: str, begin: str) -> None:
        self.value = value
        self.begin = begin
        self.reason = 'the address of one value, such as "17/output" (of record 17) or "/steps/12"'
        message = f"the argument `at` for {quoted(path)} must be {self.reason}: {quoted(value)}"
        hint = ("pass ", Argument("at", begin), " to see what is there") if begin else _CORRECTED["at"]
        ReadError.__init__(self, path, message, *hint)


_VALUES = {
    "list": "is a list of {}",
    "object": "is an object with {} keys",
    "string": "is a string",
    "scalar": "is a number or a literal",
    "records": "has {} records",
}


class NoSuchSheetError(BadArgumentError):
    """The argument `at` names a sheet that the workbook does not have.

    Args:
        path: The path as given.
        sheet: The name, or the number.
        sheets: The names of the visible sheets, in order.
    """

    code = "no_such_sheet"
    argument = "at"

    def __init__(self, path: str, *, sheet: str, sheets: tuple[str, ...]) -> None:
        self.sheet = self.value = sheet
        self.sheets = sheets
        named = ", ".join(quoted(one_line(name)) for name in sheets[:_MOST_SHEETS])
        more = f" and {len(sheets) - _MOST_SHEETS:,} more" if len(sheets) > _MOST_SHEETS else ""
        self.reason = f"a sheet of the workbook: {named}{more}"
        message = f"{quoted(path)} has no sheet {quoted(one_line(sheet))}; it has {named}{more}"
        near = nearest(sheet, reversed(sheets), 1, 0)
        hint = ("pass ", Argument("at", near[0])) if near else ("leave ", Argument("at"), " out")
        ReadError.__init__(self, path, message, *hint)


_MOST_SHEETS = 10
"""The most sheets that an error names."""


class WrongKindError(BadArgumentError):
    """An argument does not apply to the kind of the file.

    Args:
        path: The path as given.
        argument: The argument's name.
        kind: The kind of the file, as of a page.
    """

    code = "wrong_kind"

    def __init__(self, path: str, *, argument: str, kind: str) -> None:
        self.argument = argument
        self.kind = kind
        self.value = "given"
        this = BY_KIND[kind].a_kind if kind in BY_KIND else kind
        self.reason = f"left out for {this}"
        message = f"the argument `{argument}` does not apply to {quoted(path)}, which is {this}"
        hint = ("leave ", Argument(argument), " out", *_right_arguments(kind))
        ReadError.__init__(self, path, message, *hint)


_OF_READERS = frozenset({"roots", "deny"})
_EARLIER = ("pass the `version` of an earlier result unchanged, or leave it out",)
_CORRECTED: dict[str, tuple[str | Argument, ...]] = {
    "offset": (
        "pass ",
        Argument("offset", 1),
        " for the first line or ",
        Argument("offset", -100),
        " for the last 100 lines",
    ),
    "places": ("write it as in `a.py:10-20`, `a.py:10-20,80-90` or `a.py:500-`",),
    "limit": ("pass ", Argument("limit", 200), ", or leave it out to get as many lines as the reader allows"),
    "column": ("pass ", Argument("column", 1), ", or leave it out"),
    "start": ("pass ", Argument("start", 0), " for the first byte"),
    "end": ("pass the offset after the last byte, at or after `start`",),
    "size": ("pass ", Argument("size", 8_192)),
    "maximum": ("pass ", Argument("maximum", 65_536)),
    "pages": (
        "pass ",
        Argument("pages", "1-5"),
        " (one page is ",
        Argument("pages", "3"),
        ", from page 2 to the end is ",
        Argument("pages", "2-"),
        ")",
    ),
    "encoding": ("pass ", Argument("encoding", "utf-8"), ", or leave it out to have it detected"),
    "kind": ("pass ", Argument("kind", "text"), ", or leave it out to have it detected"),
    "region": (
        "pass ",
        Argument("region", (0, 0, 400, 300)),
        ": x, y, width and height, in pixels of an image or points of a PDF page",
    ),
    "max_tokens": ("pass ", Argument("max_tokens", 5_000), ", or leave it out for the reader's limit"),
    "max_bytes": ("pass ", Argument("max_bytes", 20_000), ", or leave it out for the reader's limit"),
    "at": (
        "pass ",
        Argument("at", "1"),
        " for the first record or sheet, or leave it out and pass ",
        Argument("offset", 1),
        ", ",
        Argument("limit", 200),
        " to choose lines",
    ),
    "unless_version": _EARLIER,
    "since_version": _EARLIER,
    "gutter": ("pass gutter=Gutter.TAB, or leave it out",),
    # Leaving these out would lift a restriction, so no hint suggests it.
    "roots": ("name existing directories with ", Argument("roots", [...])),
    "deny": ("pass globs such as `**/.env` with ", Argument("deny", [...])),
}
_RIGHT_ARGUMENT: dict[str, tuple[str | Argument, ...]] = {
    "text": (" and pass ", Argument("offset", 1), ", ", Argument("limit", 200), " to choose lines"),
    "image": (" and pass ", Argument("region", (0, 0, 400, 300)), " to choose a part of the image"),
    "pdf": (" and pass ", Argument("pages", "1-5"), " to choose pages"),
    "slides": (" and pass ", Argument("pages", "1-5"), " to choose slides"),
}


def _right_arguments(kind: str) -> tuple[str | Argument, ...]:
    """Return which arguments choose parts of files of a kind, as the end of a hint."""
    form = BY_KIND.get(kind)
    if kind in _RIGHT_ARGUMENT or form is None or "limit" not in form.takes:
        return _RIGHT_ARGUMENT.get(kind, ())
    return " and pass ", Argument("offset", 1), ", ", Argument("limit", 20), f" to choose {form.unit[1]}"
