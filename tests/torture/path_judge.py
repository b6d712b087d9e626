"""What must become of a path, one component at a time with `lstat` and `readlink`: slow, and obvious."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torture.path_tree import Setting

Outcome: TypeAlias = tuple[str, ...]
"""Such as ("read", real path, content), ("outside",) or ("not regular", "FIFO")."""

MAX_LINKS = 40
MAX_PATH_BYTES = 4095


class LeavesRootError(Exception):
    """The path leads out of the root that it started in."""


class Judge:
    """Decides for one reader. Nothing in its tree may change."""

    def __init__(self, setting: Setting) -> None:
        self.directories = [os.fsencode(directory) for directory in setting.directories]
        # A root is known by the name that the reader got, and by its real path at that time.
        given = [os.fsencode(root) for root in setting.roots]
        resolved = given if setting.moved_to else self.directories
        self.names = list(zip(given, resolved, strict=True))
        self.first = given[0] if given else os.fsencode(setting.base / "root")
        self.rules = rules_of(setting)
        # The rule for `into/locked` also covers the real path of that directory.
        self.rules_of_real_paths = [*self.rules, rb"a/b/locked(/.*)?"] if self.rules else []

    def outcome(self, path: bytes) -> Outcome:
        """Return what must become of a read."""
        if not path or b"\0" in path or len(path) > MAX_PATH_BYTES:
            return ("bad path",)
        if self.matches(self.rules, path) or self.matches(self.rules, normalized(self.first, path)):
            return ("denied",)
        for start, names in self.starts(path):
            try:
                return self.opened(resolve(self, start, names))
            except LeavesRootError:
                pass
            except OSError as error:
                return refusal(path, error)
        return ("outside",)

    def starts(self, path: bytes) -> Iterator[tuple[bytes, list[bytes]]]:
        """Yield the directories from which a path is resolved, and its components below them."""
        if path.startswith(b"/"):
            yield from self.roots_named_by(path)
        else:
            start = self.directories[0] if self.directories else b"/"
            yield start, components(path if self.directories else self.first + b"/" + path)

    def roots_named_by(self, path: bytes) -> list[tuple[bytes, list[bytes]]]:
        """Return the roots that an absolute path names, the innermost first, and the components below."""
        if not self.directories:
            return [(b"/", components(path))]
        found = []
        for directory, names in zip(self.directories, self.names, strict=True):
            rests = [(len(components(name)), below(path, name)) for name in names]
            matches = [(length, rest) for length, rest in rests if rest is not None]
            if matches:
                length, rest = max(matches)
                found.append((length, directory, rest))
        found.sort(key=lambda each: -each[0])
        return [(directory, rest) for _, directory, rest in found]

    def matches(self, rules: list[bytes], path: bytes) -> bool:
        """Whether a rule matches a path as text, as it is or below a root."""
        bases = {name + b"/" for names in self.names for name in names} or {self.first + b"/"}
        texts = [path, *(path.removeprefix(base) for base in bases)]
        return any(re.fullmatch(rule, text, re.DOTALL) for rule in rules for text in texts)

    def opened(self, real_path: bytes) -> Outcome:
        """Return the outcome for a real path that exists."""
        if self.matches(self.rules_of_real_paths, real_path):
            return ("denied",)
        mode = os.lstat(real_path).st_mode
        if stat.S_ISREG(mode):
            content = Path(os.fsdecode(real_path)).read_text("ascii")
            return ("read", os.fsdecode(real_path), content)
        return ("directory",) if stat.S_ISDIR(mode) else ("not regular", NAMES[stat.S_IFMT(mode)])


NAMES = {
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}


def rules_of(setting: Setting) -> list[bytes]:
    """Return the rules of `path_tree.DENY` as regular expressions for paths below the root."""
    if not setting.has_rules:
        return []
    root = re.escape(os.fsencode(setting.base / "root"))
    return [
        rb"private(/.*)?",
        rb"(.*/)?[^/]*\.pem(/.*)?",
        rb"(.*/)?c/hidden(/.*)?",
        rb"into/locked(/.*)?",
        root + rb"/a/locked(/.*)?",
    ]


def resolve(judge: Judge, root: bytes, names: list[bytes]) -> bytes:
    """Return the real path of a path below a root; only a link into a root may leave the current one."""
    trail, steps, links = [root], list(names), 0
    while steps:
        name = steps.pop(0)
        if not stat.S_ISDIR(os.lstat(trail[-1]).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "")
        if name in (b"", b"."):
            continue
        if name == b"..":
            if len(trail) > 1:
                trail.pop()
            elif judge.directories:
                raise LeavesRootError
            continue
        found = trail[-1].rstrip(b"/") + b"/" + name
        if not stat.S_ISLNK(os.lstat(found).st_mode):
            trail.append(found)
            continue
        links += 1
        if links > MAX_LINKS:
            raise OSError(errno.ELOOP, "")
        target = os.readlink(found)  # noqa: PTH115 - a `Path` would drop its trailing slash
        if target.startswith(b"/"):
            inside = judge.roots_named_by(target)
            if not inside:
                raise LeavesRootError
            # The outermost root: what a link may reach in an inner one, it may reach there too.
            directory, names = inside[-1]
            trail, steps[:0] = [directory], names
        else:
            steps[:0] = components(target)
    return trail[-1]


def refusal(path: bytes, error: OSError) -> Outcome:
    """Return the outcome for a path that a system call refused."""
    match error.errno:
        case errno.ENOENT:
            return ("missing",)
        case errno.ENOTDIR if not path.endswith((b"/", b"/.")):
            return ("missing",)
        case errno.ENAMETOOLONG:
            return ("bad path",)
        case number:
            return ("failed", errno.errorcode[number or 0])


def components(path: bytes) -> list[bytes]:
    """Split a path. A trailing slash becomes `.`, because what is before it must be a directory."""
    names = [name for name in path.split(b"/") if name]
    return [*names, b"."] if path.endswith(b"/") else names


def below(path: bytes, directory: bytes) -> list[bytes] | None:
    """Return the components of an absolute path after the name of a directory, or `None`."""
    names = components(path)
    for wanted in components(directory):
        while names and names[0] == b".":
            names.pop(0)
        if not names or names.pop(0) != wanted:
            return None
    return names


def normalized(directory: bytes, path: bytes) -> bytes:
    """Return a path as text without `.`, `..` and doubled slashes."""
    whole = path if path.startswith(b"/") else directory + b"/" + path
    # `normpath` keeps two leading slashes, as POSIX allows.
    return b"/" + os.path.normpath(whole).lstrip(b"/")
