"""The contract of `read` of opencode 2: a line about what is shown, then text, names or an attachment.

Source: the files `packages/core/src/tool/plugin/read.ts` and `read-filesystem.ts` of
https://github.com/anomalyco/opencode (read 2026-11-28); nothing was measured.
"""

from __future__ import annotations

import errno
import os
from typing import Any, ClassVar, Final, NamedTuple
from unicodedata import normalize

from anyread.arguments.request import LARGEST
from anyread.errors import DirectoryError, NotFoundError, NotRegularFileError, ReadError

from .parts import schemas
from .parts.collation import collation_key
from .parts.contract import Mapping, NoSettings, OpenFile, Output
from .parts.directories import list_directory
from .parts.media import PDF, attachment
from .parts.opencode import DEFAULT_LIMIT, OpencodeContract, is_binary, media_type_of, not_found, read_lines
from .parts.utf8 import encodable

MAX_MEDIA_BYTES: Final = 20 * 1024 * 1024
"""The most bytes of an image or a PDF."""
_PLAIN: Final = str.maketrans("\u00a0\u202f\u2018\u2019\u201c\u201d", "  ''\"\"")


class Opencode2Call(NamedTuple):
    """The arguments of a call; `offset` and `limit` count lines, or entries of a directory."""

    given: str
    path: str
    offset: int
    limit: int


class Opencode2(OpencodeContract[NoSettings, Opencode2Call]):
    """The contract of `read` of opencode 2."""

    schema: ClassVar[schemas.Schema] = schemas.arguments(
        "path",
        path=("string", "Path of the file or directory."),
        offset=schemas.argument("integer", "First line or entry, from 1.", minimum=0, maximum=LARGEST),
        limit=schemas.argument("integer", "The most of them.", minimum=1, maximum=DEFAULT_LIMIT),
    )

    def checked(self, arguments: Mapping[str, Any], _name: str) -> Opencode2Call:
        """Check the types of the arguments; unknown arguments are ignored."""
        offset, limit = self.lines(arguments)
        given = arguments["path"]
        return Opencode2Call(given, self.context.resolve(given), offset, limit)

    def reply(self, call: Opencode2Call) -> Output:
        """List a directory, attach an image or a PDF, and show any other file as text."""
        try:
            return self._file(call, self._opened(call.path))
        except DirectoryError:
            return self._directory(call)
        except NotRegularFileError as error:
            raise self.refusal(f"Path is not a file: {call.given}") from error
        except ReadError as error:
            failed = self.failed_call(call.path, error)
            if failed.code == errno.ENOENT:
                raise self.refusal(not_found(self.context.reader, call.path, call.given)) from error
            raise self.refusal(f"Unable to read {call.given}" if failed.code else error.message) from error

    def _opened(self, path: str) -> OpenFile:
        """Open a file, or the only one whose name differs in its Unicode form, its blanks or its quotes."""
        try:
            return self.open(path)
        except NotFoundError:
            directory, name = os.path.split(path)
            entries = list_directory(self.context.reader, directory)
            same = [entry.name for entry in entries if _plain(entry.name) == _plain(name)]
            if len(same) != 1:
                raise
            return self.open(os.path.join(directory, same[0]))  # noqa: PTH118 - text

    def _answer(self, call: Opencode2Call, output: str, *, truncated: bool = False) -> dict[str, Any]:
        return {"title": call.given, "output": output, "metadata": {"truncated": truncated}}

    def _shown(self, call: Opencode2Call, what: str, rows: str, last: int, *, has_more: bool) -> Output:
        """Answer with the rows of a "file" or a "directory"."""
        noun = "lines" if what == "file" else "entries"
        count = f"{noun} {call.offset}-{last}" if last >= call.offset else f"0 {noun}"
        more = f"[Output truncated. Continue reading with offset: {last + 1}]" if has_more else ""
        parts = [f"Read {what} {call.given}, {count}", rows, more]
        return self._answer(call, "\n".join(filter(None, parts)), truncated=has_more)

    def _file(self, call: Opencode2Call, file: OpenFile) -> Output:
        given, offset, media_type = call.given, call.offset, media_type_of(file, call.path)
        if media_type is not None:
            if file.size_bytes > MAX_MEDIA_BYTES:
                raise self.refusal(f"Media exceeds {MAX_MEDIA_BYTES} byte ingestion limit: {given}")
            kind = "pdf" if media_type == PDF else "image"
            media_type, url = attachment(self.context, file, media_type, kind=kind, as_url=True)
            answer = self._answer(call, f"{'PDF' if kind == 'pdf' else 'Image'} read successfully")
            part = {"type": "file", "mime": media_type, "url": url, "name": given}
            return {**answer, "attachments": [part]}
        if is_binary(file, call.path):
            raise self.refusal(f"Cannot read binary file: {given}")
        _, numbered, last, total, _ = read_lines(file, offset, call.limit)
        if total < offset and (total or offset > 1):
            raise self.refusal(f"Offset {offset} is out of range")
        self.context.note(file, kind="text", media_type="text/plain", offset=offset, limit=call.limit)
        return self._shown(call, "file", numbered, last, has_more=last < total)

    def _directory(self, call: Opencode2Call) -> Output:
        entries = list_directory(self.context.reader, call.path)
        shown = sorted(
            (entry for entry in entries if entry.kind != "link"),
            key=lambda entry: (not entry.is_directory, collation_key(entry.name)),
        )
        names = encodable([entry.name + "/" * entry.is_directory for entry in shown])
        last = min(call.offset - 1 + call.limit, len(names))
        rows = "\n".join(names[call.offset - 1 : last])
        return self._shown(call, "directory", rows, last, has_more=last < len(names))


def _plain(name: str) -> str:
    return normalize("NFC", name).translate(_PLAIN)
