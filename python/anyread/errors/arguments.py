"""Errors about the arguments of a read."""

from __future__ import annotations

from .base import ReadError, counted, quoted


class OffsetPastEndError(ReadError, ValueError):
    """The window begins behind the last line.

    Args:
        path: The path as given.
        offset: The first line asked for, counted from 1.
        total_lines: How many lines the file has.
    """

    code = "offset_past_end"

    def __init__(self, path: str, *, offset: int, total_lines: int) -> None:
        self.offset = offset
        self.total_lines = total_lines
        has = counted(total_lines, "lines") if total_lines else "no lines"
        message = f"line {offset:,} is past the end of {quoted(path)}, which has {has}"
        if total_lines:
            last = f"offset={total_lines} for the last line"
            hint = f"pass {last} or offset=-100 for the last 100 lines"
        else:
            hint = "pass offset=1: the file is empty now"
        super().__init__(path, message, hint)


class BadArgumentError(ReadError, ValueError):
    """An argument cannot be used.

    Args:
        path: The path as given.
        argument: The argument's name.
        value: What was passed, as it would be written in Python.
        reason: What is accepted, as it follows "must be".
    """

    code = "bad_argument"

    def __init__(self, path: str, *, argument: str, value: str, reason: str) -> None:
        self.argument = argument
        self.value = value
        self.reason = reason
        message = f"the argument `{argument}` for {quoted(path)} must be {reason}: {value}"
        hint = _CORRECTED.get(argument, f"leave {argument} out")
        super().__init__(path, message, hint)


class WrongKindError(BadArgumentError):
    """An argument does not fit the kind of the file.

    Args:
        path: The path as given.
        argument: The argument's name.
        kind: The file's kind: "text", "image", "pdf" or "notebook".
    """

    code = "wrong_kind"

    def __init__(self, path: str, *, argument: str, kind: str) -> None:
        self.argument = argument
        self.kind = kind
        self.value = "given"
        self.reason = f"left out for {kind}"
        message = f"the argument `{argument}` does not fit {quoted(path)}, which is {kind}"
        hint = f"leave {argument} out{_RIGHT_ARGUMENT.get(kind, '')}"
        ReadError.__init__(self, path, message, hint)


_CORRECTED = {
    "offset": "pass offset=1 for the first line or offset=-100 for the last 100 lines",
    "limit": "pass limit=200, or leave it out for as many lines as the reader allows",
    "column": "pass column=1, or leave it out",
    "pages": 'pass pages="1-5" (one page is pages="3", from page 2 to the end is pages="2-")',
    "encoding": 'pass encoding="utf-8", or leave it out to have it detected',
    "kind": 'pass kind="text", or leave it out to have it detected',
    "region": "pass region=(0, 0, 400, 300): x, y, width and height in pixels",
    "unless_version": "pass the `version` of an earlier result as it stands, or leave it out",
    "since_version": "pass the `version` of an earlier result as it stands, or leave it out",
    "gutter": "pass gutter=Gutter.TAB, or leave it out",
}
_RIGHT_ARGUMENT = {
    "text": " and pass offset=1, limit=200 to choose lines",
    "image": " and pass region=(0, 0, 400, 300) to choose a part of the picture",
    "pdf": ' and pass pages="1-5" to choose pages',
    "notebook": " and pass offset=1, limit=20 to choose cells",
}
