"""Errors about finding, opening and reading a file, whatever is in it."""

from __future__ import annotations

import errno as codes
import os

from .base import Argument, ReadError, fill_os_error, listed, quoted, shortened


class NotFoundError(ReadError, FileNotFoundError):
    """Nothing has that name, nor one that reads the same.

    Args:
        path: The path as given.
        near: Up to five files that it may have meant, the nearest first; each can be passed as it stands.
    """

    code = "not_found"
    system_errno = codes.ENOENT

    def __init__(self, path: str, *, near: tuple[str, ...] = ()) -> None:
        self.near = near
        if near:
            hint = f"read {listed(near)}"
        else:
            # A relative path is looked for in a root that is not told here, so `.` could mislead.
            folder = path.rstrip("/").rpartition("/")[0] or ("/" if path.startswith("/") else "")
            where = f"the folder {quoted(folder)}" if folder else "the files that are there"
            hint = f"no similar name is there either: list {where} first"
        super().__init__(path, f"{quoted(path)} does not exist", hint)


class AmbiguousPathError(ReadError, FileNotFoundError):
    """No file has exactly that name, and several have one that reads the same.

    Args:
        path: The path as given.
        candidates: The files that it could be; each can be passed as it stands.
    """

    code = "ambiguous_path"
    system_errno = codes.ENOENT

    def __init__(self, path: str, *, candidates: tuple[str, ...]) -> None:
        self.candidates = candidates
        message = f"{quoted(path)} does not exist and {len(candidates):,} names differ only in spelling"
        super().__init__(path, message, f"read {listed(candidates)}")


class AccessError(ReadError, PermissionError):
    """The operating system refused.

    Args:
        path: The path as given.
        part: The component that refused: the file itself, or a folder above it.
    """

    code = "permission_denied"
    system_errno = codes.EACCES

    def __init__(self, path: str, *, part: str = "") -> None:
        self.part = part or path
        where = "" if self.part == path else f" at {quoted(self.part)}"
        hint = f"read another file, or have the permissions of {quoted(self.part)} changed"
        super().__init__(path, f"permission denied for {quoted(path)}{where}", hint)


class OutsideRootError(ReadError, PermissionError):
    """The path leads out of every root of this reader.

    Args:
        path: The path as given.
        roots: The folders that may be read.
    """

    code = "outside_root"
    system_errno = codes.EACCES

    def __init__(self, path: str, *, roots: tuple[str, ...]) -> None:
        self.roots = roots
        where = listed(roots) if roots else "the allowed folders"
        message = f"{quoted(path)} is outside the folders that may be read"
        super().__init__(path, message, f"read a path inside {where}")


class DeniedError(ReadError, PermissionError):
    """A deny rule matches the path, or the file that it leads to.

    Args:
        path: The path as given.
        rule: The rule that matches.
    """

    code = "denied"
    system_errno = codes.EACCES

    def __init__(self, path: str, *, rule: str) -> None:
        self.rule = rule
        message = f"{quoted(path)} may not be read, by the rule {quoted(rule)}"
        super().__init__(path, message, "read another file: the rule holds for every spelling")


_SHOWN_NAMES = 10


class DirectoryError(ReadError, IsADirectoryError):
    """It is a folder.

    Args:
        path: The path as given.
        entries: Some of the names in it, sorted; the hint shows ten, hidden ones last.
        more: Whether it has more than those.
    """

    code = "is_a_directory"
    system_errno = codes.EISDIR

    def __init__(self, path: str, *, entries: tuple[str, ...] = (), more: bool = False) -> None:
        self.entries = entries
        self.more = more
        inside = quoted(path.rstrip("/") + "/")
        if entries:
            # Hidden names are seldom what is sought, and would fill the list of a home folder.
            names = sorted(entries, key=lambda name: name.startswith("."))
            rest = ", …" if more or len(names) > _SHOWN_NAMES else ""
            hint = f"put a name in it behind {inside}: {', '.join(map(quoted, names[:_SHOWN_NAMES]))}{rest}"
        elif more:
            hint = f"its names cannot be listed: pass the path of a file in it, after {inside}"
        else:
            hint = "it is empty: read another path"
        super().__init__(path, f"{quoted(path)} is a folder", hint)


class NotRegularFileError(ReadError, OSError):
    """It is neither file nor folder, and reading it could wait for ever.

    Args:
        path: The path as given.
        file_type: "FIFO", "socket", "character device" or "block device".
    """

    code = "not_a_regular_file"
    system_errno = codes.EINVAL

    def __init__(self, path: str, *, file_type: str) -> None:
        self.file_type = file_type
        hint = "read a regular file: copy what it delivers into one first"
        super().__init__(path, f"{quoted(path)} is not a regular file but a {file_type}", hint)


class BadPathError(ReadError, ValueError):
    """No file can have that path.

    Args:
        path: The path as given, as far as it can be shown; the middle of a very long one is left out.
        reason: Why not, as a clause: "it holds a NUL".
    """

    code = "bad_path"

    def __init__(self, path: str, *, reason: str) -> None:
        self.reason = reason
        path = shortened(path)
        shown = path.replace("\0", "\\x00")
        hint = 'pass the path of one file as text, such as "src/main.py"'
        super().__init__(path, f"{quoted(shown)} cannot be a path: {reason}", hint)


class FileSystemError(ReadError, OSError):
    """A system call failed for a reason that no other error names.

    Args:
        path: The path as given.
        errno: The error number.
        operation: What was attempted: "open", "read", "stat", "decode" or "start_thread".
    """

    code = "io_error"

    def __init__(self, path: str, *, errno: int, operation: str = "read") -> None:
        name = codes.errorcode.get(errno, f"errno {errno}")
        verb = _OPERATIONS.get(operation, operation)
        message = f"cannot {verb} {quoted(path)}: {os.strerror(errno)} ({name})"
        if errno == codes.ENOTDIR and path.endswith("/"):
            hint = f"read {quoted(path.rstrip('/'))}, without the slash: it is a file"
        elif operation == "start_thread":
            hint = "the system has no thread left for it: read it again when fewer reads and programs run"
        else:
            hint = _FILE_SYSTEM_HINTS.get(errno, _AGAIN)
        super().__init__(path, message, hint)
        fill_os_error(self, errno, path)
        self.operation = operation


_OPERATIONS = {"start_thread": "start a thread for"}
_AGAIN = "read it again once, then give it up"
_FILE_SYSTEM_HINTS = {
    codes.EAGAIN: "it has nothing to read now and would wait: read another file",
    codes.ELOOP: "its symbolic links lead in a circle: read the file that they were to lead to",
    codes.ENAMETOOLONG: "read a path with shorter names, relative to the root if there is one",
    codes.ENOMEM: "this process has no memory left for it: read it again when fewer reads run at once",
    codes.ENOTDIR: "what stands before one of its slashes is a file: read that, or correct the path",
    codes.EMFILE: "this process has too many files open: read again when fewer reads run at once",
    codes.ENFILE: "the system has too many files open: read again later",
    codes.ESTALE: "the file was replaced on its server: read it again",
}


class ReadTimeoutError(ReadError, TimeoutError):
    """The file did not answer within `Limits.timeout_s`.

    Args:
        path: The path as given.
        timeout_s: The time allowed, in seconds.
        decoding: Whether the read waited for a decoder or for its answer.
    """

    code = "timeout"
    system_errno = codes.ETIMEDOUT

    def __init__(self, path: str, *, timeout_s: float, decoding: bool = False) -> None:
        self.timeout_s = timeout_s
        self.decoding = decoding
        hint = "retry once, because a scan continues where it stopped; if that fails too, read another file"
        if decoding:
            hint = "retry once when fewer images and PDFs are being read, or read another file"
        super().__init__(path, f"reading {quoted(path)} took longer than {timeout_s:g} s", hint)


class FileChangedError(ReadError, RuntimeError):
    """The file changed under the read in such a way that no consistent answer could be given.

    Args:
        path: The path as given.
        change: "truncated" or "rewritten".
    """

    code = "changed_during_read"

    def __init__(self, path: str, *, change: str) -> None:
        self.change = change
        hint = ("read it again from the start with ", Argument("offset", 1), ": line numbers may have moved")
        super().__init__(path, f"{quoted(path)} was {change} while it was being read", *hint)


class StaleReadError(ReadError, RuntimeError):
    """What was read of the file is no longer what it holds, or it was never read.

    Args:
        path: The path as given.
        reason: What is known, as a clause: "it was modified after it was read".
        wording: The whole text in the words of another tool's contract; `None`: this library's own.
    """

    code = "stale_read"

    def __init__(self, path: str, *, reason: str, wording: str | None = None) -> None:
        self.reason, self.wording = reason, wording
        hint = ("read it with ", Argument("offset", 1), " before writing to it")
        message = f"{quoted(path)} must be read again: {reason}" if wording is None else wording
        super().__init__(path, message, *hint)

    def __str__(self) -> str:
        # A hint would name arguments that the contract's tool does not have.
        return super().__str__() if self.wording is None else self.wording
