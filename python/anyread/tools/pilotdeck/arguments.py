"""The arguments of `read_file`, and the checks before any file is opened."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from anyread.arguments.request import LARGEST
from anyread.tools.parts import schemas
from anyread.tools.parts.media_types import BINARY_EXTENSIONS, IMAGE_TYPES, extension_of
from anyread.tools.parts.paths import name_of, resolved

from .answers import NAME, Json, RefusedCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_PAGES: Final = 20
"""The most pages of a PDF per call."""

SCHEMA: Final[Json] = schemas.closed(
    schemas.arguments(
        "file_path",
        file_path=("string", "The path of a file inside the workspace: relative to it, or absolute."),
        offset=("integer", "The first line to read, counted from 1. Omit it unless the file is too large."),
        limit=("integer", "The number of lines to read. Omit it unless the file is too large."),
        pages=(
            "string",
            f'For PDFs only: pages such as "1-5", "3" or "10-20"; at most {MAX_PAGES} per call.',
        ),
    )
)

FileKind = Literal["text", "image", "pdf", "notebook"]
_KINDS: Final[dict[str, FileKind]] = {
    **dict.fromkeys(IMAGE_TYPES, "image"),
    ".pdf": "pdf",
    ".ipynb": "notebook",
}
_PAGES: Final = re.compile(r"\s*([0-9]{1,9})(?:\s*-\s*([0-9]{1,9}))?\s*")
_DEVICE: Final = re.compile(
    r"/dev/(zero|random|urandom|full|tty|console|stdin|stdout|stderr|fd/[012])|/proc/.*/fd/[012]"
)
_DOS_DEVICE: Final = re.compile(r"(CON|PRN|AUX|NUL|(COM|LPT)[1-9])(\.[^.]*)?", re.IGNORECASE)


class ReadFileArguments(NamedTuple):
    """The arguments of a call; `None`: omitted."""

    file_path: str
    offset: int | None
    limit: int | None
    pages: str | None
    absolute: str
    """The absolute path, without `.` and `..`."""

    kind: FileKind
    """The kind of file, by its extension."""
    key: str
    """What distinguishes this view of the file from others."""

    @classmethod
    def of(cls, arguments: Mapping[str, Any], cwd: str) -> ReadFileArguments:
        """Convert arguments that `require_schema` has accepted; relative paths start from `cwd`."""
        path, pages = arguments["file_path"], arguments.get("pages")
        offset, limit = arguments.get("offset"), arguments.get("limit")
        offset = None if offset is None else int(offset)
        limit = None if limit is None else int(limit)
        absolute = resolved(cwd, path)
        kind = _KINDS.get(extension_of(absolute), "text")
        key = f"{absolute}::{kind}::{offset or 1}::{'all' if limit is None else limit}::{pages or ''}"
        return cls(path, offset, limit, pages, absolute, kind, key)

    @property
    def lines(self) -> tuple[int, int]:
        """The first line and the maximum number of lines, for a window."""
        return min(self.offset or 1, LARGEST), LARGEST if self.limit is None else min(self.limit, LARGEST)


def page_range(pages: str) -> tuple[int, int] | None:
    """Return the first and the last page of a range; `None`: it is not a range."""
    found = _PAGES.fullmatch(pages)
    if found is None:
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    return (first, last) if 1 <= first <= last else None


def require_schema(arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that violate the schema; the error reports all violations.

    Raises:
        RefusedCall: They do.
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
    """Refuse values that are invalid for every file; the error reports the first of them.

    Raises:
        RefusedCall: One is invalid.
    """
    # The contract checks `pages` for every file, although only PDFs have pages.
    pages = (1, 1) if given.pages is None else page_range(given.pages)
    if given.offset is not None and given.offset < 1:
        name, message = "offset", "offset must be a 1-based line number (>= 1)."
    elif given.limit is not None and given.limit < 0:
        name, message = "limit", "limit must be greater than or equal to 0."
    elif pages is None:
        name, message = "pages", 'pages must use formats like "1-5" or "3".'
    elif pages[1] - pages[0] >= MAX_PAGES:
        name, message = "pages", f"pages exceeds the maximum of {MAX_PAGES} pages per request."
    elif is_blocked_device(given.absolute):
        name, message = "file_path", "device files that block or stream infinitely are not readable."
    elif extension_of(given.absolute) in BINARY_EXTENSIONS:
        name, message = "file_path", "binary files are not supported by read_file."
    else:
        return
    issues = [_issue(name, "invalid_schema", message)]
    raise RefusedCall("invalid_tool_input", f"Tool {NAME} rejected the input.", issues=issues)


def is_blocked_device(path: str) -> bool:
    """Return whether an absolute path is a device that blocks or never ends.

    Names of DOS devices count on every system, in every directory and with any extension, such as `aux.rs`.
    """
    return bool(_DEVICE.fullmatch(path) or _DOS_DEVICE.fullmatch(name_of(path)))
