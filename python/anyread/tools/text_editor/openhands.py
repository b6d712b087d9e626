"""The contract of OpenHands's editor: numbered lines, cut in the middle, and images."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.reading.open_file import HEAD_BYTES
from anyread.tools.parts.contract import Block, Mapping, OpenFile, Output, Refusal
from anyread.tools.parts.directories import list_directory, visible_entries
from anyread.tools.parts.media import attachment, blocks_of
from anyread.tools.parts.media_types import IMAGE_TYPES, UNKNOWN, extension_of
from anyread.tools.parts.paths import is_absolute, joined
from anyread.tools.parts.system_errors import stat_errno
from anyread.tools.parts.windows import cut_after

from .editor import HEADING, LISTING, MISSING, NO_RANGE, Editor, count_lines, numbered

if TYPE_CHECKING:
    from anyread.tools.parts.system_errors import FailedCall

    from .editor import ViewCall

REFERENCE: Final = {"openhands-tools": "1.58.2", "openhands-sdk": "1.58.2"}
"""The packages that this contract follows, and their versions."""
MAX_CHARS: Final = 16_000
"""The most characters of a text, without numbers."""
MAX_FILE_BYTES: Final = 10 * 1024 * 1024
"""The most bytes of a text file."""
_ARGUMENTS: Final = (
    *("command", "path", "view_range", "file_text", "old_str", "new_str", "insert_line"),
    *("security_risk", "security_rort", "securtiy_risk", "security_riks", "summary"),
)
"""What the tool takes, and its agent, which also knows some misspellings."""
_INFERRED: Final = {"old_str": "str_replace", "insert_line": "insert", "file_text": "create", "path": "view"}
"""The command that is meant if there is none, by the first argument that is there."""
_SAMPLE_BYTES: Final = 512
_CONTROLS: Final = bytes(each for each in range(32) if each not in b"\t\n\r")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_BEGINNING: Final = cut_after(HEAD_BYTES, "chars", HEAD_BYTES, line_ends="lf")
_LINES: Final = Layout(line_ends="lf+crlf+cr", bom="drop")
_NUMBERED: Final = Layout(line_ends="lf", separator="\t", width=6)
_DIRECT: Final = Layout(line_ends="lf+crlf+cr", bom="drop", separator="\t", width=6)
_IMAGES: Final = {**IMAGE_TYPES, ".bmp": "image/bmp"}
_CLIPPED: Final = (
    "<response clipped><NOTE>Due to the max output limit, only part of this {what} has been shown to you. You"
    " should {then}</NOTE>"
)
_FILE_CLIPPED: Final = _CLIPPED.format(
    what="file",
    then="retry this tool after you have searched inside the file with `grep -n` in order to find the line"
    " numbers of what you are looking for.",
)
_DIRECTORY_CLIPPED: Final = _CLIPPED.format(
    what="directory", then="use `ls -la` instead to view large directories incrementally."
)


class OpenHandsEditor(Editor):
    """`view` of the `file_editor` of OpenHands."""

    name: ClassVar[str] = "file_editor"

    def checked(self, arguments: Mapping[str, Any], name: str) -> ViewCall:
        """Check the arguments after the repairs that OpenHands's agent makes before its tool is called."""
        return super().checked(_repaired(arguments), name)

    def fault(self, arguments: Mapping[str, Any]) -> str | None:
        """Refuse unknown arguments, too."""
        unknown = [each for each in arguments if each not in _ARGUMENTS]
        found = f"Extra inputs are not permitted: `{unknown[0]}`." if unknown else None
        return super().fault(arguments) or found

    def failure(self, message: str) -> Output:
        """Return an error."""
        return {"content": [{"type": "text", "text": message}], "is_error": True}

    def shown_path(self, path: str) -> str:
        """Return a path as Python's `Path` writes it, which keeps `..`."""
        return str(PurePath(path))

    def reply(self, call: ViewCall) -> Output:
        """Show a file or a directory; the path must be absolute."""
        if is_absolute(call.path):
            return super().reply(call)
        if call.path.startswith("~"):
            # The tool takes it for absolute, but does not look it up in the home directory.
            raise self.missing(call.path)
        message = "The path should be an absolute path."
        suggested = joined(self.context.cwd, "" if call.path == "." else call.path).rstrip("/")
        if not stat_errno(self.context.reader, suggested):
            message += f" Maybe you meant {suggested}?"
        raise self._refused("path", call.path, message)

    def missing(self, shown: str) -> Refusal:
        """Word that there is no such file."""
        reason = f"The path {shown} does not exist. Please provide a valid path."
        return self._refused("path", shown, reason)

    def unreadable(self, shown: str, failed: FailedCall) -> Refusal:
        """Word that a system call failed, which the tool ends with an exception unless it is an image."""
        if not failed.code:
            return self.refusal(f"Ran into {failed.python()} while trying to read {shown}")
        if failed.code in MISSING:
            return self.missing(shown)
        is_image = extension_of(shown) in _IMAGES and failed.is_found
        return self.refusal(f"Failed to read image file {shown}: " * is_image + str(failed.python()))

    def _refused(self, parameter: str, value: object, reason: str) -> Refusal:
        return self.refusal(f"Invalid `{parameter}` parameter: {value}. {reason}")

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, and the image if there is one."""
        urls = [{"url": url} for part in output["content"] for url in part.get("image_urls", ())]
        return blocks_of([*(part for part in output["content"] if "text" in part), *urls])

    def failed(self, output: Output) -> bool:
        """Check `is_error`, which every answer has."""
        return bool(output["is_error"])

    def file(self, file: OpenFile, shown: str, view_range: list[int]) -> Output:
        """Show an image by its extension, and any other file as text."""
        media_type = _IMAGES.get(extension_of(shown))
        if media_type is not None:
            return self._image(file, shown, media_type)
        return self._text(file, shown, view_range)

    def _image(self, file: OpenFile, path: str, media_type: str) -> Output:
        unseen = self.refusal(f"Failed to read image file {path}: the model does not accept images")
        _, url = attachment(self.context, file, media_type, kind="image", unseen=unseen, as_url=True)
        message = f"Image file {path} read successfully. Displaying image content."
        image = {"type": "image", "image_urls": [url]}
        return {"content": [{"type": "text", "text": message}, image], "is_error": False}

    def _text(self, file: OpenFile, path: str, view_range: list[int]) -> Output:
        if file.size_bytes > MAX_FILE_BYTES:
            size = f"{file.size_bytes / 1024 / 1024:.1f}MB"
            reason = f"File is too large ({size}). Maximum allowed size is 10MB."
            raise self.refusal(f"File validation failed for {path}: {reason}")
        is_utf8 = file.utf8_fault() is None
        if _is_binary(file, is_utf8=is_utf8):
            reason = "File appears to be binary and this file type cannot be read or edited by this tool."
            raise self.refusal(f"File validation failed for {path}: {reason}")
        encoding = "utf-8" if is_utf8 else None
        first, last, note = 1, None, ""
        if view_range:
            total = count_lines(file, _LINES, encoding)
            first, last, note = self._checked_range(view_range, total)
        # If nothing is cut, the lines can be numbered where they are read.
        is_short = file.size_bytes <= MAX_CHARS
        layout = _DIRECT if is_short else _LINES
        limit = LARGEST if last is None else last - first + 1
        window = file.window(first, limit, layout, encoding=encoding)
        self.context.note(file, kind="text", media_type="text/plain", key=("text", first, last))
        if is_short:
            return _answered(f"{note}{HEADING.format(path=path)}{window.text}" + "\n" * bool(window.text))
        total = window.total_lines or 0
        has_end = window.final_newline or (last is not None and last < total)
        text = window.text + "\n" * (has_end and total > 0)
        text = file.work(partial(self._shown, text, first), len(text))
        return _answered(f"{note}{HEADING.format(path=path)}{text}")

    def _checked_range(self, view_range: list[int], total: int) -> tuple[int, int, str]:
        """Return the first and the last line with a note for the model."""
        if len(view_range) != 2:
            raise self._refused("view_range", view_range, "It should be a list of two integers.")
        (first, last), note = view_range, ""
        if not 1 <= first <= total:
            within = f"within the range of lines of the file: [1, {total}]."
            raise self._refused("view_range", view_range, f"Its first element `{first}` should be {within}")
        if last == -1:
            last = total
        elif last > total:
            note = f"NOTE: We only show up to {total} since there're only {total} lines in this file.\n"
            last = total
        if last < first:
            least = f"greater than or equal to the first element `{first}`."
            raise self._refused("view_range", view_range, f"Its second element `{last}` should be {least}")
        return first, last, note

    def _shown(self, text: str, first: int) -> str:
        """Number the lines of a text, after its middle was cut out if it is too long."""
        head, tail, tail_line = text, "", 0
        if len(text) > MAX_CHARS:
            available = MAX_CHARS - len(_FILE_CLIPPED)
            end = available - available // 2
            start = len(text) - available // 2
            head, tail = text[:end] + _FILE_CLIPPED, text[start:]
            tail_line = first + text.count("\n", 0, start)
            if not self.context.settings.compat_numbers and "\n" in tail:
                # What is left of the first line of the tail follows the notice.
                rest, _, tail = tail.partition("\n")
                head, tail_line = f"{head}{rest}\n", tail_line + 1
            else:
                head, tail = head + tail, ""
        shown = numbered(head, first, _NUMBERED) if head else ""
        if tail:
            shown += "\n" + numbered(tail, tail_line, _NUMBERED)
        return f"{shown}\n" if shown else ""

    def directory(self, path: str, shown: str, view_range: list[int]) -> Output:
        """List the paths in a directory."""
        if view_range:
            raise self._refused("view_range", view_range, NO_RANGE)
        reader = self.context.reader
        found = visible_entries(reader, path, levels=2, is_sorted=True)
        listed = "\n".join(f"{shown}/{name}" + "/" * entry.is_directory for name, entry in found)
        text = f"Here's {LISTING.format(path=shown)}\n{shown}/" + "\n" * bool(listed) + listed
        hidden = sum(entry.name.startswith(".") for entry in list_directory(reader, path))
        if hidden:
            text += (
                f"\n\n{hidden} hidden files/directories in this directory are excluded. You can use"
                f" 'ls -la {shown}' to see them."
            )
        if len(text) > MAX_CHARS:
            available = MAX_CHARS - len(_DIRECTORY_CLIPPED)
            tail = text[len(text) - available // 2 :]
            text = text[: available - available // 2] + _DIRECTORY_CLIPPED + tail
        return _answered(text)


def _repaired(arguments: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in arguments.items() if value is not None}
    if found.get("kind") == "FileEditorAction":
        del found["kind"]
    inferred = [command for name, command in _INFERRED.items() if name in found]
    found.setdefault("command", inferred[0] if inferred else None)
    path, view_range = found.get("path"), found.get("view_range")
    if isinstance(path, list) and all(isinstance(part, str) for part in path):
        found["path"] = "".join(path)
    if isinstance(view_range, str):
        found["view_range"] = _decoded_list(view_range)
    return found


def _decoded_list(text: str) -> object:
    """Decode a list that was passed as JSON, whatever follows it; otherwise return the text."""
    for end in (len(text), text.rfind("]") + 1):
        with suppress(ValueError, RecursionError):
            value = json.loads(text[:end], strict=False)
            if isinstance(value, list):
                return value
    return text


def _is_binary(file: OpenFile, *, is_utf8: bool) -> bool:
    """Return whether a file is binary: by its signature, or by the control characters of its beginning.

    UTF-8 is binary if these are half of it, and text in other encodings if it has any.
    """
    if not is_utf8:
        if not file.is_text:
            return True
        text = file.window(1, LARGEST, _BEGINNING, encoding=None).text
        return _CONTROL.search(text) is not None
    head = file.head(_SAMPLE_BYTES)
    controls = len(head) - len(head.translate(None, _CONTROLS))
    has_signature = not (file.is_text or file.kind in {"image", "pdf"} or file.media_type == UNKNOWN)
    return controls > 0 and (has_signature or controls * 2 >= len(head))


def _answered(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "is_error": False}
