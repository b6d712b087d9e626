"""The arguments of `read_file`, and the checks before any file is opened."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from anyread.tools import schemas
from anyread.tools.media_types import BINARY_EXTENSIONS, extension_of

from .answers import NAME, Json, RefusedCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .workspace import Workspace

MAX_PAGES: Final = 20
"""The most pages of a PDF per call."""

SCHEMA: Final[Json] = {
    **schemas.arguments(
        "file_path",
        file_path=schemas.argument(
            "string", "The path of a file inside the workspace: relative to it, or absolute."
        ),
        offset=schemas.argument(
            "integer", "The first line to read, counted from 1. Omit it unless the file is too large."
        ),
        limit=schemas.argument(
            "integer", "The number of lines to read. Omit it unless the file is too large."
        ),
        pages=schemas.argument(
            "string", f'For PDFs only: pages such as "1-5", "3" or "10-20"; at most {MAX_PAGES} per call.'
        ),
    ),
    "additionalProperties": False,
}

_PAGES: Final = re.compile(r"([0-9]+)(?:\s*-\s*([0-9]+))?")
_BLANKS: Final = " \t\n\v\f\r\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""The characters that JavaScript's `trim` removes."""
_MAX_DIGITS: Final = 20
"""Only so many digits of a page number are used: longer numbers are past the end of every PDF."""
_DEVICES: Final = frozenset(
    f"/dev/{name}"
    for name in [
        *["zero", "random", "urandom", "full", "tty", "console"],
        *["stdin", "stdout", "stderr", "fd/0", "fd/1", "fd/2"],
    ]
)
_STANDARD_STREAMS: Final = ("/fd/0", "/fd/1", "/fd/2")
_DOS_NAME: Final = r"(?i:CON|PRN|AUX|NUL|(?:COM|LPT)[1-9])"
_DOS_FILE: Final = re.compile(rf"{_DOS_NAME}(?:\.[^.]*)?")
_DOS_DEVICE: Final = re.compile(
    rf"\\\\[.?]\\(?i:PHYSICALDRIVE[0-9]+|[A-Z]:|{_DOS_NAME})(?:[\\/].*)?", re.DOTALL
)


class ReadFileArguments(NamedTuple):
    """Arguments that conform to the schema."""

    file_path: str
    offset: int | None
    """First line, counted from 1; `None`: omitted."""
    limit: int | None
    """Number of lines; `None`: all."""
    pages: str | None
    """The range of pages as passed."""
    absolute: str
    """The absolute path, without `.` and `..`."""

    @classmethod
    def of(cls, arguments: Mapping[str, Any], workspace: Workspace) -> ReadFileArguments:
        """Convert arguments that `require_schema` has accepted."""
        offset, limit, path = arguments.get("offset"), arguments.get("limit"), arguments["file_path"]
        return cls(
            path,
            None if offset is None else int(offset),
            None if limit is None else int(limit),
            arguments.get("pages"),
            workspace.absolute(path),
        )


def page_range(pages: str) -> tuple[int, int] | None:
    """Return the first and the last page of a range; `None`: it is not a range."""
    found = _PAGES.fullmatch(pages.strip(_BLANKS))
    if found is None:
        return None
    first, last = (int((found[n] or found[1]).lstrip("0")[:_MAX_DIGITS] or "0") for n in (1, 2))
    return (first, last) if 1 <= first <= last else None


def require_schema(arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that violate the schema.

    Raises:
        RefusedCall: It reports all violations.
    """
    found = list(_schema_issues(arguments))
    if found:
        label = "issue" if len(found) == 1 else "issues"
        lines = "\n".join(sentence for _, sentence in found)
        issues = [issue for issue, _ in found]
        message = f"{NAME} failed due to the following {label}:\n{lines}"
        raise RefusedCall("invalid_tool_input", message, issues=issues)


def _schema_issues(arguments: Mapping[str, Any]) -> Iterator[tuple[Json, str]]:
    """Yield an issue and its sentence for a missing path, then for unknown arguments and wrong types."""
    violated = schemas.violations(SCHEMA, arguments)
    if ("file_path", "required") in violated:
        issue = _issue("$.file_path", "required", "$.file_path is required.")
        yield issue, "The required parameter `file_path` is missing"
    for name in arguments:
        if name not in SCHEMA["properties"]:
            issue = _issue(f"$.{name}", "unknown_property", f"$.{name} is not allowed.")
            yield issue, f"An unexpected parameter `{name}` was provided"
    for name, rule in violated:
        if rule != "required":
            message = f"$.{name} must be {SCHEMA['properties'][name]['type']}."
            issue = _issue(f"$.{name}", "invalid_type", message)
            yield issue, f"The parameter `{name}` has an invalid type: {message}"


def _issue(path: str, code: str, message: str) -> Json:
    return {"path": path, "code": code, "message": message}


def require_values(given: ReadFileArguments) -> None:
    """Refuse values that are invalid for every file.

    Raises:
        RefusedCall: It reports the first invalid value.
    """
    if given.offset is not None and given.offset < 1:
        raise _rejected("offset", "offset must be a 1-based line number (>= 1).")
    if given.limit is not None and given.limit < 0:
        raise _rejected("limit", "limit must be greater than or equal to 0.")
    if given.pages is not None:
        # The contract checks this for every file, although only PDFs have pages.
        pages = page_range(given.pages)
        if pages is None:
            raise _rejected("pages", 'pages must use formats like "1-5" or "3".')
        if pages[1] - pages[0] >= MAX_PAGES:
            raise _rejected("pages", f"pages exceeds the maximum of {MAX_PAGES} pages per request.")
    if is_blocked_device(given.absolute):
        raise _rejected("file_path", "device files that block or stream infinitely are not readable.")
    if extension_of(given.absolute) in BINARY_EXTENSIONS:
        raise _rejected("file_path", "binary files are not supported by read_file.")


def _rejected(name: str, message: str) -> RefusedCall:
    issue = _issue(name, "invalid_schema", message)
    return RefusedCall("invalid_tool_input", f"Tool {NAME} rejected the input.", issues=[issue])


def is_blocked_device(path: str) -> bool:
    """Return whether an absolute path is a device that blocks or never ends.

    Names of DOS devices count on every system, in every directory and with any extension, such as `aux.rs`.
    """
    if path in _DEVICES or (path.startswith("/proc/") and path.endswith(_STANDARD_STREAMS)):
        return True
    if path.startswith("\\") and _DOS_DEVICE.fullmatch(path):
        return True
    return _DOS_FILE.fullmatch(path.rpartition("/")[2]) is not None
