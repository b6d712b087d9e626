"""What `read_file` refuses before it opens any file."""

from __future__ import annotations

from anyread.tools.pilotdeck.arguments import is_blocked_device

BLOCKED = [
    *[f"/dev/{name}" for name in ["zero", "random", "urandom", "full", "stdin", "tty", "console"]],
    *["/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/1", "/dev/fd/2"],
    *["/proc/self/fd/0", "/proc/1/fd/1", "/proc/1/task/2/fd/2"],
    *["CON", "NUL", "PRN", "AUX", "COM1", "LPT1", "CON.txt", "NUL.log", "nul", "Con", "/src/aux.rs"],
    *["/a/com9.tar", "/a/lpt9"],
]
ALLOWED = [
    *["/dev/null", "/dev/fd/3", "/dev/zero/x", "/proc/self/fd/3", "/x/proc/self/fd/0"],
    *["COM0", "COM10", "console", "nul.tar.gz", ".nul", "/src/auxiliary.rs"],
]


def test_devices_are_blocked_and_other_paths_are_not() -> None:
    assert [path for path in BLOCKED if not is_blocked_device(path)] == []
    assert [path for path in ALLOWED if is_blocked_device(path)] == []
