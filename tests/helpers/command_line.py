"""Run the command line: in this process, as if in pipes or on a terminal, and as a process of its own.

Most tests call `run` and `run_on_terminal`: a process takes 0.1 s to start. What depends on the process
itself (its start and end, signals, streams that are closed) is tested with `run_process` and `COMMAND`.
"""

from __future__ import annotations

import os
import pty
import struct
import subprocess
import sys
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from tempfile import TemporaryFile
from threading import Thread
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from anyread.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import TextIO

COMMAND = [sys.executable, "-m", "anyread"]
# These decide about colors and images.
_VARIABLES = ("NO_COLOR", "FORCE_COLOR", "TMUX", "STY", "TERM_PROGRAM", "LC_TERMINAL", "WT_SESSION")
# Buffered output fails only when it is flushed, which is what users have.
_BUFFERING = ("PYTHONUNBUFFERED",)


def environment(**variables: str) -> dict[str, str]:
    """Return the environment of a terminal that has colors and shows no images."""
    inherited = {name: value for name, value in os.environ.items() if name not in (*_VARIABLES, *_BUFFERING)}
    if "HOME" in variables:
        # Its name on Windows.
        variables["USERPROFILE"] = variables["HOME"]
    return {**inherited, "TERM": "xterm-256color", **variables}


def run(
    *arguments: str | Path,
    input: str | None = None,  # noqa: A002 - as `subprocess.run` names it
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run in this process, like `run_bytes`; the text is decoded as UTF-8."""
    done = run_bytes(*arguments, input=None if input is None else input.encode(), env=env, cwd=cwd)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def run_bytes(
    *arguments: str | Path,
    input: bytes | None = None,  # noqa: A002 - as `subprocess.run` names it
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run in this process, with output that is not a terminal.

    Args:
        arguments: The arguments of the command.
        input: What a pipe at standard input contains; `None`: the input of the tests.
        env: The environment; `None`: one with colors.
        cwd: The current directory; `None`: that of the tests.
    """
    with (
        TemporaryFile("w+", encoding="utf-8") as out,
        TemporaryFile("w+", encoding="utf-8") as err,
        _standard_input(input),
    ):
        status = _main(arguments, out, err, env=env, cwd=cwd)
        shown = []
        for stream in (out, err):
            stream.seek(0)
            shown.append(bytes(stream.buffer.read()))
    return subprocess.CompletedProcess([*arguments], status, *shown)


def run_on_terminal(
    *arguments: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    size: tuple[int, int, int, int] = (24, 80, 0, 0),
) -> tuple[str, int]:
    """Run in this process, with standard output and standard error on a terminal.

    Args:
        arguments: The arguments of the command.
        env: The environment; `None`: a terminal with colors.
        cwd: The current directory; `None`: that of the tests.
        size: Rows, columns, and the width and height in pixels.

    Returns:
        What the terminal receives, and the exit code.
    """
    import fcntl
    import termios

    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", *size))
    shown: list[bytes] = []

    def collect() -> None:
        # After the other end is closed, reading fails, or returns nothing on macOS.
        with suppress(OSError):
            while part := os.read(primary, 65_536):
                shown.append(part)

    collecting = Thread(target=collect)
    collecting.start()
    try:
        with _writing(secondary) as out, _writing(secondary) as err:
            status = _main(arguments, out, err, env=env, cwd=cwd)
    finally:
        os.close(secondary)
        collecting.join()
        os.close(primary)
    return b"".join(shown).replace(b"\r\n", b"\n").decode(), status


def _writing(descriptor: int) -> TextIO:
    return open(descriptor, "w", 1, "utf-8", closefd=False)


def run_process(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run as a process of its own, in pipes."""
    options = {"env": environment(), "timeout": 60, "stdout": subprocess.PIPE, **options}
    return subprocess.run([*COMMAND, *arguments], stderr=subprocess.PIPE, check=False, **options)


def _main(
    arguments: tuple[str | Path, ...],
    out: TextIO,
    err: TextIO,
    *,
    env: Mapping[str, str] | None,
    cwd: Path | None,
) -> int:
    """Run `main` with its streams, and return the exit code."""
    variables = environment() if env is None else env
    with (
        patch.dict(os.environ, variables, clear=True),
        chdir(cwd or "."),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        status = main([os.fspath(each) for each in arguments])
        out.flush()
        err.flush()
    return status


@contextmanager
def _standard_input(content: bytes | None) -> Iterator[None]:
    """Put a pipe with some content in the place of standard input."""
    if content is None:
        yield
        return
    reading, writing = os.pipe()

    def fill() -> None:
        # The command may end without reading everything.
        with suppress(BrokenPipeError), os.fdopen(writing, "wb") as pipe:
            pipe.write(content)

    filling = Thread(target=fill)
    filling.start()
    before = os.dup(0)
    os.dup2(reading, 0)
    os.close(reading)
    try:
        with open(0, encoding="utf-8", closefd=False) as stdin, patch("sys.stdin", stdin):
            yield
    finally:
        os.dup2(before, 0)
        os.close(before)
        filling.join()
