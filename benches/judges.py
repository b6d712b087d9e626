"""Commands whose answers are known to be correct; some are also rivals, see `rivals.py`.

They run in the C locale, in which they are fastest.
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


def jq_record(path: Path, number: int) -> bytes:
    """Return a record of JSON Lines with `jq`, which ends after it."""
    return _output("jq", "-c", "-n", f"nth({number - 1}; inputs)", str(path))


def version(command: str) -> str:
    """Return the name and version of a command."""
    return _output(command, "--version").decode().splitlines()[0]


def _output(*command: str) -> bytes:
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, env=_ENVIRONMENT).stdout
