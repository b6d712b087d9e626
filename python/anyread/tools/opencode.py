"""The contract of opencode's `read`: text, directories, images and PDFs.

Source: the program in the npm package of `REFERENCE`,
https://github.com/anomalyco/opencode (read 2026-11-22).
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread.arguments.request import LARGEST
from anyread.errors import AccessError, DirectoryError, ReadError

from .parts import schemas
from .parts.collation import collation_key
from .parts.contract import Context, LinesCall, Mapping, OpenFile, Output
from .parts.directories import list_directory
from .parts.instructions import InstructionFinder
from .parts.media import PDF, attachment
from .parts.opencode import OpencodeContract, is_binary, media_type_of, not_found, read_lines
from .parts.paths import absolute, relative_path
from .parts.utf8 import encodable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .parts.instructions import InstructionFile


REFERENCE: Final = {"opencode-linux-x64": "1.18.34"}
"""The package that this contract follows, and its version."""
_FAILURES: Final = {
    errno.EACCES: "PermissionDenied",
    **dict.fromkeys((errno.EBUSY, errno.EISDIR, errno.ELOOP, errno.ENOTDIR), "BadResource"),
}
_INSTRUCTIONS: Final = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpencodeSettings:
    """The settings of the `opencode` contract."""

    worktree: str | None = None
    """The directory that `title` is relative to; `None`: the tool's `cwd`."""
    instructions: bool = True
    """Whether instructions between `cwd` and a file (AGENTS.md, CLAUDE.md or CONTEXT.md) are added, once."""


class Opencode(OpencodeContract[OpencodeSettings, LinesCall[int]]):
    """The contract of opencode's `read`.

    Example:
        >>> read = anyread.tool("opencode", cwd="/repo")
        >>> print(read.call_sync({"filePath": "notes.txt", "limit": 1})["output"])
        <path>/repo/notes.txt</path>
        <type>file</type>
        <content>
        1: Notes
        <BLANKLINE>
        (Showing lines 1-1 of 12. Use offset=2 to continue.)
        </content>
    """

    schema: ClassVar[schemas.Schema] = schemas.arguments(
        "filePath",
        filePath=("string", "Absolute path of the file or directory."),
        offset=schemas.argument(
            "integer",
            "First line, or first entry of a directory, counted from 1.",
            minimum=0,
            maximum=LARGEST,
        ),
        limit=schemas.argument(
            "integer", "The most lines or entries (default 2000).", minimum=0, maximum=LARGEST
        ),
    )
    Settings: ClassVar[type[Any]] = OpencodeSettings

    def __init__(self, context: Context[OpencodeSettings]) -> None:
        super().__init__(context)
        self._instructions = InstructionFinder(context.reader, context.cwd, _INSTRUCTIONS)

    def checked(self, arguments: Mapping[str, Any], _name: str) -> LinesCall[int]:
        """Check the types of the arguments; unknown arguments are ignored."""
        offset, limit = self.lines(arguments)
        return LinesCall(absolute(self.context.cwd, arguments["filePath"]), offset, limit)

    def reply(self, call: LinesCall[int]) -> Output:
        """List a directory, attach an image or a PDF, and show any other file as text."""
        try:
            try:
                return self._file(call, self.open(call.path))
            except DirectoryError:
                return self._directory(call)
        except ReadError as error:
            failed = self.failed_call(call.path, error)
            if failed.code == errno.ENOENT:
                raise self.refusal(not_found(self.context.reader, call.path)) from error
            step = "open" if failed.is_found else "stat"
            reason = f"{_FAILURES.get(failed.code, 'Unknown')}: FileSystem.{step} ({call.path})"
            raise self.refusal(reason if failed.code else error.message) from error

    def _answer(
        self, path: str, output: str, preview: str, loaded: Iterable[InstructionFile] = (), **about: Any
    ) -> dict[str, Any]:
        title = relative_path(self.context.settings.worktree or self.context.cwd, path)
        metadata = {"preview": preview, "truncated": False, "loaded": [each.path for each in loaded], **about}
        return {"title": title, "output": output, "metadata": metadata}

    def _file(self, call: LinesCall[int], file: OpenFile) -> Output:
        path, loaded = call.path, []
        if self.context.settings.instructions:
            loaded = self._instructions.find(self.context.resolve(path))
        media_type = media_type_of(file, path)
        if media_type is not None:
            return self._media(file, path, media_type, loaded)
        if is_binary(file, path):
            raise self.refusal(f"Cannot read binary file: {path}")
        return self._text(call, file, loaded)

    def _text(self, call: LinesCall[int], file: OpenFile, loaded: list[InstructionFile]) -> Output:
        path, offset, limit = call
        text, numbered, last, total, is_over_budget = read_lines(file, offset, limit)
        if total < offset and (total or offset > 1):
            raise self.refusal(f"Offset {offset} is out of range for this file ({total} lines)")
        has_more = last < total
        following = f"Use offset={last + 1} to continue."
        if is_over_budget:
            ending = f"Output capped at 50 KB. Showing lines {offset}-{last}. {following}"
        elif has_more:
            ending = f"Showing lines {offset}-{last} of {total}. {following}"
        else:
            ending = f"End of file - total {total} lines"
        output = f"<path>{path}</path>\n<type>file</type>\n<content>\n{numbered}\n\n({ending})\n</content>"
        if loaded:
            texts = "\n\n".join(f"Instructions from: {each.path}\n{each.text}" for each in loaded)
            output += f"\n\n<system-reminder>\n{texts}\n</system-reminder>"
        self.context.note(file, kind="text", media_type="text/plain", offset=offset, limit=limit)
        display = {
            "type": "file",
            "path": path,
            "text": text,
            "lineStart": offset,
            "lineEnd": last,
            "totalLines": total,
            "truncated": has_more,
        }
        preview = "\n".join(text.split("\n", 20)[:20]) if last >= offset else ""
        return self._answer(path, output, preview, loaded, truncated=has_more, display=display)

    def _media(self, file: OpenFile, path: str, media_type: str, loaded: list[InstructionFile]) -> Output:
        kind = "pdf" if media_type == PDF else "image"
        unseen = self.refusal(f"Cannot read {kind}: {path} (this model does not support {kind} input)")
        media_type, url = attachment(self.context, file, media_type, kind=kind, unseen=unseen, as_url=True)
        message = f"{'PDF' if kind == 'pdf' else 'Image'} read successfully"
        answer = self._answer(path, message, message, loaded)
        return {**answer, "attachments": [{"type": "file", "mime": media_type, "url": url}]}

    def _directory(self, call: LinesCall[int]) -> Output:
        path, offset, limit = call
        try:
            entries = list_directory(self.context.reader, path)
        except AccessError as error:
            reason = self.failed_call(path, error).node("scandir")
            raise self.refusal(f"Filesystem operation failed: readDirectoryEntries: {reason}") from error
        names = sorted((entry.name + "/" * entry.is_directory for entry in entries), key=collation_key)
        total = len(names)
        start = min(offset - 1, total)
        shown = encodable(names[start : start + min(limit, total)])
        end = offset - 1 + len(shown)
        is_cut = end < total
        count = f"Showing {len(shown)} of {total} entries. Use 'offset' parameter to read beyond entry"
        ending = f"({count} {end + 1})" if is_cut else f"({total} entries)"
        listed = "\n".join(shown)
        output = f"<path>{path}</path>\n<type>directory</type>\n<entries>\n{listed}\n\n{ending}\n</entries>"
        display = {
            "type": "directory",
            "path": path,
            "entries": shown,
            "offset": offset,
            "totalEntries": total,
            "truncated": is_cut,
        }
        return self._answer(path, output, "\n".join(shown[:20]), truncated=is_cut, display=display)
