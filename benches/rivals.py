"""What else answers the same questions: each function returns the answer that the reader's is compared with.

The commands run in the C locale, in which they are fastest.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ENVIRONMENT = {"LC_ALL": "C", "PATH": "/usr/bin:/bin:/usr/local/bin"}


def wc_lines(path: Path) -> int:
    """Count line feeds with `wc -l`."""
    return int(_output("wc", "-l", str(path)).split()[0])


def head(path: Path, lines: int) -> str:
    """Return the first lines with `head`."""
    return _output("head", "-n", str(lines), str(path)).decode()


def sed_window(path: Path, first: int, last: int) -> str:
    """Return lines `first` to `last` with `sed`, which quits after them."""
    return _output("sed", "-n", f"{first},{last}p;{last}q", str(path)).decode()


def tail(path: Path, lines: int) -> str:
    """Return the last lines with `tail`."""
    return _output("tail", "-n", str(lines), str(path)).decode()


def usual_python(path: str, offset: int = 1, limit: int = 2_000) -> str:
    """Number a file's lines as read tools in Python do: `cat -n`, a window, long lines clipped."""
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - the spelling that is measured
        lines = file.read().splitlines()
    shown = []
    for number, line in enumerate(lines[offset - 1 : offset - 1 + limit], start=offset):
        clipped = line if len(line) <= 2_000 else line[:2_000] + "..."
        shown.append(f"{number:6d}\t{clipped}")
    return "\n".join(shown)


def bare_python(path: str) -> str:
    """Number a file's lines with the least that plain Python can: no window, no clipping, no padding."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - the spelling that is measured
        text = file.read()
    return "\n".join(f"{number}\t{line}" for number, line in enumerate(text.split("\n"), start=1))


def version(command: str) -> str:
    """Return a command's name and version, as records and readers of ratios need it."""
    return _output(command, "--version").decode().splitlines()[0]


def _output(*command: str) -> bytes:
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, env=_ENVIRONMENT).stdout
