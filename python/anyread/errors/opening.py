"""Errors about finding, opening and reading a file, whatever its content."""

from __future__ import annotations

import errno as codes
import os
import re

from .base import Argument, ReadError, fill_os_error, listed, quoted, shortened

_LINK = (
    r"https?://[^/]+/(?:[^/]+/){2,}?(?:-/)?blob/[^/]+/([^?#]++)(?:\?[^#]*)?"
    r"(?:#L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?)?\Z"
)
"""A file on GitHub or GitLab, and lines of it."""


class NotFoundError(ReadError, FileNotFoundError):
    """No file has that name, or a name that differs only in spelling.

    Args:
        path: The path as given.
        near: Up to five paths that may have been meant: files of that name in a directory below or beside,
            then similar names, the most similar first; or, if the directory of the path does not exist,
            the deepest one that does. Each can be passed unchanged.
        dangling_link: The symbolic link on the path whose target does not exist, if that is the reason.
        elsewhere: Whether it is the path of a mount, whose directories are not listed.
    """

    code = "not_found"
    system_errno = codes.ENOENT

    def __init__(
        self,
        path: str,
        *,
        near: tuple[str, ...] = (),
        dangling_link: str | None = None,
        elsewhere: bool = False,
    ) -> None:
        self.near = near
        self.dangling_link = dangling_link
        self.elsewhere = elsewhere
        message = f"{quoted(path)} does not exist"
        if dangling_link is not None:
            reason = f"{quoted(dangling_link)} is a symbolic link whose target does not exist"
            message = reason if dangling_link == path else f"{message}, because {reason}"
        if near:
            hint = f"read {listed(near)}"
        elif path.partition("://")[0].isalpha() and "://" in path:
            message = f"{quoted(path)} is a URL, not a file of this machine"
            hint = "download it first, and read the copy"
            if link := re.match(_LINK, path):
                from urllib.parse import unquote

                local, first, last = link.groups()
                lines = "".join(filter(None, (first and f":{first}", last and f"-{last}")))
                place = quoted(f"{unquote(local)}{lines}")
                hint = f"if its repository is on this machine, read {place} in it"
        elif dangling_link is not None:
            hint = "read the file that the link was meant to point to"
        elif elsewhere:
            hint = "list the files where they are, because directories of a mount cannot be read"
        else:
            parent = path.rstrip("/").rpartition("/")[0] or ("/" if path.startswith("/") else ".")
            hint = f"no similar name was found; read the directory {quoted(parent)} to see the names in it"
        super().__init__(path, message, hint)


class AmbiguousPathError(ReadError, FileNotFoundError):
    """No file has exactly that name, and several have names that differ only in spelling.

    Args:
        path: The path as given.
        candidates: The paths that may have been meant; each can be passed unchanged.
    """

    code = "ambiguous_path"
    system_errno = codes.ENOENT

    def __init__(self, path: str, *, candidates: tuple[str, ...]) -> None:
        self.candidates = candidates
        message = f"{quoted(path)} does not exist, but {len(candidates):,} names differ only in spelling"
        super().__init__(path, message, f"read {listed(candidates)}")


class AccessError(ReadError, PermissionError):
    """The operating system denied access.

    Args:
        path: The path as given.
        part: The path to which access was denied: the file itself, or a directory above it.
    """

    code = "permission_denied"
    system_errno = codes.EACCES

    def __init__(self, path: str, *, part: str = "") -> None:
        self.part = part or path
        where = "" if self.part == path else f" at {quoted(self.part)}"
        hint = f"read another file, or ask for the permissions of {quoted(self.part)} to be changed"
        super().__init__(path, f"permission denied for {quoted(path)}{where}", hint)


class OutsideRootError(ReadError, PermissionError):
    """The path is outside every root of this reader.

    Args:
        path: The path as given.
        roots: The directories that may be read.
    """

    code = "outside_root"
    system_errno = codes.EACCES

    def __init__(self, path: str, *, roots: tuple[str, ...]) -> None:
        self.roots = roots
        where = listed(roots) if roots else "the allowed directories"
        message = f"{quoted(path)} is outside the directories that may be read"
        super().__init__(path, message, f"read a path inside {where}")


class DeniedError(ReadError, PermissionError):
    """A deny rule matches the path, or the file to which it leads.

    Args:
        path: The path as given.
        rule: The rule that matches.
    """

    code = "denied"
    system_errno = codes.EACCES

    def __init__(self, path: str, *, rule: str) -> None:
        self.rule = rule
        message = f"reading {quoted(path)} is forbidden by the deny rule {quoted(rule)}"
        hint = "read another file; the rule also applies to other spellings and links"
        super().__init__(path, message, hint)


_SHOWN_NAMES = 10


class DirectoryError(ReadError, IsADirectoryError):
    """The path is a directory.

    Args:
        path: The path as given.
        entries: Some of the names in the directory, sorted; the hint shows ten, hidden ones last.
        more: Whether it has more entries than these.
        has_choice: Whether nobody chose that the reader does not list it.
    """

    code = "is_a_directory"
    system_errno = codes.EISDIR

    def __init__(
        self, path: str, *, entries: tuple[str, ...] = (), more: bool = False, has_choice: bool = False
    ) -> None:
        self.entries = entries
        self.more = more
        self.has_choice = has_choice
        inside = path.rstrip("/") + "/"
        if entries:
            # Hidden files are rarely wanted, and would fill the list of a home directory.
            first, *others = sorted(entries, key=lambda name: name.startswith("."))
            hint = f"read one of its entries, for example {quoted(inside + first)}"
            if others:
                rest = ", …" if more or len(others) >= _SHOWN_NAMES else ""
                hint += f"; it also contains {', '.join(map(quoted, others[: _SHOWN_NAMES - 1]))}{rest}"
        elif more:
            hint = f"its entries cannot be listed; pass the path of a file in {quoted(inside)}"
        else:
            hint = "it is empty; read another path"
        if has_choice:
            hint += '; `Reader(directories="list")` lists it'
        super().__init__(path, f"{quoted(path)} is a directory", hint)


class NotRegularFileError(ReadError, OSError):
    """The path is neither a file nor a directory, so reading it could block forever.

    Args:
        path: The path as given.
        file_type: "FIFO", "socket", "character device" or "block device".
    """

    code = "not_a_regular_file"
    system_errno = codes.EINVAL

    def __init__(self, path: str, *, file_type: str) -> None:
        self.file_type = file_type
        hint = "copy the data that you need into a regular file, and read that"
        super().__init__(path, f"{quoted(path)} is not a regular file but a {file_type}", hint)


class BadPathError(ReadError, ValueError):
    """No file can have that path.

    Args:
        path: The path as given; the middle of a very long path is left out.
        reason: Why no file can have it, as a clause: "it contains a NUL byte".
    """

    code = "bad_path"

    def __init__(self, path: str, *, reason: str) -> None:
        self.reason = reason
        path = shortened(path)
        shown = path.replace("\0", "\\x00")
        hint = 'pass the path of one file as text, such as "src/main.py"'
        super().__init__(path, f"{quoted(shown)} cannot be a path: {reason}", hint)


class FileSystemError(ReadError, OSError):
    """A system call failed for a reason that no other error describes.

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
            hint = f"read {quoted(path.rstrip('/'))} without the slash, because it is a file"
        elif operation == "start_thread":
            hint = "the system cannot start another thread; retry when fewer reads and programs are running"
        else:
            hint = _FILE_SYSTEM_HINTS.get(errno, "retry once, then give up")
        super().__init__(path, message, hint)
        fill_os_error(self, errno, path)
        self.operation = operation


_OPERATIONS = {"start_thread": "start a thread for"}
_FILE_SYSTEM_HINTS = {
    codes.EAGAIN: "it has no data yet, and reading would block; read another file",
    codes.ELOOP: "its symbolic links form a loop; read the file that they were meant to point to",
    codes.ENAMETOOLONG: "pass a path with shorter names, relative to the root if there is one",
    codes.ENOMEM: "this process is out of memory; retry when fewer reads are running",
    codes.ENOTDIR: "the path uses a file as a directory; read that file, or correct the path",
    codes.EMFILE: "this process has too many open files; retry when fewer reads are running",
    codes.ENFILE: "the system has too many open files; retry later",
    codes.ESTALE: "the file was replaced on its server; retry",
}


class ReadTimeoutError(ReadError, TimeoutError):
    """The read did not finish within `Limits.timeout_s`.

    Args:
        path: The path as given; "" if a call for several files had begun none.
        timeout_s: The time allowed, in seconds.
        decoding: Whether the read was waiting for a decoder.
    """

    code = "timeout"
    system_errno = codes.ETIMEDOUT

    def __init__(self, path: str, *, timeout_s: float, decoding: bool = False) -> None:
        self.timeout_s = timeout_s
        self.decoding = decoding
        hint = "retry once, because a scan resumes where it stopped; if that fails too, read another file"
        if decoding:
            hint = "retry once when fewer images and PDFs are being read, or read another file"
        subject = f"reading {quoted(path)}" if path else "the call"
        super().__init__(path, f"{subject} took longer than {timeout_s:g} s", hint)


class FileChangedError(ReadError, RuntimeError):
    """The file changed during the read, so that no consistent result is possible.

    Args:
        path: The path as given.
        change: "truncated" or "rewritten".
    """

    code = "changed_during_read"

    def __init__(self, path: str, *, change: str) -> None:
        self.change = change
        hint = ("read it again with ", Argument("offset", 1), ", because line numbers may have changed")
        super().__init__(path, f"{quoted(path)} was {change} while it was being read", *hint)


class StoreError(ReadError, OSError):
    """The store of a mount failed, or returned what cannot be true.

    Args:
        path: The path as given.
        reason: Why, as a clause.
        can_retry: Whether another attempt may have another result.
    """

    code = "store_failed"
    system_errno = codes.EIO

    def __init__(self, path: str, *, reason: str, can_retry: bool = True) -> None:
        self.reason, self.can_retry = reason, can_retry
        hint = "use a command where it is"
        if can_retry:
            hint = "retry once; if it fails again, read it with a command where the file is"
        super().__init__(path, f"cannot read {quoted(path)}: {reason}", hint)


class StaleReadError(ReadError, RuntimeError):
    """The file was never read, or has changed since it was read.

    Args:
        path: The path as given.
        reason: Why, as a clause: "it was modified after it was read".
        wording: The complete message that another tool's contract requires; `None`: this library's own.
    """

    code = "stale_read"

    def __init__(self, path: str, *, reason: str, wording: str | None = None) -> None:
        self.reason, self.wording = reason, wording
        hint = ("read it with ", Argument("offset", 1), " before you write to it")
        message = f"{quoted(path)} must be read again: {reason}" if wording is None else wording
        super().__init__(path, message, *hint)

    def __str__(self) -> str:
        # A hint would name arguments that the tool of that contract does not have.
        return super().__str__() if self.wording is None else self.wording
