"""Run the command line as a process: in pipes, and on a terminal."""

from __future__ import annotations

import os
import pty
import struct
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COMMAND = [sys.executable, "-m", "anyread"]
# These decide about colors and images.
_VARIABLES = ("NO_COLOR", "FORCE_COLOR", "TMUX", "STY", "TERM_PROGRAM", "LC_TERMINAL", "WT_SESSION")
# Buffered output fails only when it is flushed, which is what users have.
_BUFFERING = ("PYTHONUNBUFFERED",)


def environment(**variables: str) -> dict[str, str]:
    """Return the environment of a terminal that has colors and shows no images."""
    inherited = {name: value for name, value in os.environ.items() if name not in (*_VARIABLES, *_BUFFERING)}
    return {**inherited, "TERM": "xterm-256color", **variables}


def run(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run in pipes; the text is decoded as UTF-8."""
    options = {"env": environment(), "timeout": 60, "encoding": "utf-8", **options}
    return subprocess.run([*COMMAND, *arguments], capture_output=True, check=False, **options)


def run_on_terminal(
    *arguments: str | Path,
    env: Mapping[str, str] | None = None,
    size: tuple[int, int, int, int] = (24, 80, 0, 0),
    **options: Any,
) -> tuple[str, int]:
    """Run with standard output and standard error on a terminal.

    Args:
        arguments: The arguments of the command.
        env: The environment; `None`: a terminal with colors.
        size: Rows, columns, and the width and height in pixels.
        options: Further options of `subprocess.Popen`.

    Returns:
        What the terminal receives, and the exit code.
    """
    import fcntl
    import termios

    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", *size))
    streams = {"stdin": secondary, "stdout": secondary, "stderr": secondary, **options}
    with subprocess.Popen([*COMMAND, *arguments], env=env or environment(), **streams) as process:
        os.close(secondary)
        shown = b""
        while True:
            try:
                shown += os.read(primary, 65_536)
            except OSError:
                # The last process that had opened the other end has ended.
                break
        os.close(primary)
        return shown.replace(b"\r\n", b"\n").decode(), process.wait(timeout=60)
