"""`anyread FILE`, and what is suggested for options and commands that do not exist."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from helpers.command_line import COMMAND, environment, run


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    for name in ("poem.txt", "info"):
        (tmp_path / name).write_text(f"{name} 1\n{name} 2\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["poem.txt"], "1\tpoem.txt 1\n2\tpoem.txt 2\n"),
        (["--tail", "1", "poem.txt"], "2\tpoem.txt 2\n"),
        (["-q", "--gutter=none", "poem.txt", "--limit", "1"], "poem.txt 1\n"),
        (["--lim", "1", "poem.txt"], "1\tpoem.txt 1\n"),
        (["./info", "--limit", "1"], "1\tinfo 1\n"),
        (["read", "info", "--limit", "1"], "1\tinfo 1\n"),
        (["--limit", "1", "info"], "1\tinfo 1\n"),
        (["--", "info"], "1\tinfo 1\n2\tinfo 2\n"),
        (["--color=never", "-q", "read", "poem.txt", "--limit", "1"], "1\tpoem.txt 1\n"),
    ],
)
def test_file_without_a_command_is_read(directory: Path, arguments: list[str], output: str) -> None:
    result = run(*arguments, cwd=directory)
    assert (result.stdout, result.returncode) == (output, 0), result.stderr


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["raed", "poem.txt"], "`raed` is neither a file nor a command (did you mean `anyread read`?)"),
        (["help"], "`help` is neither a file nor a command (did you mean `anyread --help`?)"),
        (["poem.txt", "--limt", "5"], "unknown option --limt (did you mean --limit?)"),
        (["read", "--exact_total"], "unknown option --exact_total (did you mean --exact-total?)"),
        (["info", "poem.txt", "--tial=3"], "unknown option --tial"),
        (["poem.txt", "--head", "5"], "unknown option --head (did you mean --limit?)"),
        (["mcp", "--head", "5"], "unknown option --head"),
        (["poem.txt", "-V"], "unknown option -V (did you mean anyread --version?)"),
        (["info", "--sandbox"], "unknown option --sandbox (did you mean anyread doctor?)"),
        (["read", "poem.txt", "--gate"], "unknown option --gate"),
        (
            ["follow", "poem.txt"],
            "`follow` is neither a file nor a command (did you mean `anyread --follow FILE`?)",
        ),
        (["serve"], "`serve` is neither a file nor a command (did you mean `anyread mcp --root DIR`?)"),
        (["nothing", "poem.txt"], "`nothing` is neither a file nor a command"),
        (["poem.txt", "--lines", "3-1"], "must be a line, or lines such as 10-20 or 10-: '3-1'"),
        (["poem.txt", "--lines", "1-2", "-n", "1"], "argument -n/--limit: not allowed with argument --lines"),
        (["mcp", "--roots", "."], "unknown option --roots (did you mean --root?)"),
        (["read", "poem.txt", "-Z"], "unknown option -Z"),
        ([], "a FILE or a COMMAND is required"),
    ],
)
def test_misspelled_name_is_exit_code_2_with_a_suggestion(
    directory: Path, arguments: list[str], error: str
) -> None:
    result = run(*arguments, cwd=directory)
    assert (result.returncode, result.stdout) == (2, "")
    usage, last = result.stderr.splitlines()
    assert usage.startswith("usage: anyread")
    assert error in last
    if "did you mean" not in error:
        assert "did you mean" not in last


@pytest.mark.parametrize(
    ("arguments", "first", "last"),
    [
        (["a.py:120"], 110, 130),
        (["a.py:120:8"], 110, 130),
        (["a.py:4"], 1, 14),
        (["a.py:195:"], 185, 200),
        (["a.py:10-20"], 10, 20),
        (["a.py:10-20", "-n", "2"], 10, 20),
        (["a.py:120", "-n", "5"], 118, 122),
        (["a.py", "--lines", "10-20"], 10, 20),
        (["a.py", "--lines", "7"], 7, 7),
        (["a.py", "--lines", "199-"], 199, 200),
        (["a.py:10", "--root", "."], 1, 20),
        pytest.param(["a.py:7", "--gutter", "none"], 1, 1, marks=pytest.mark.posix("a name with a colon")),
    ],
)
def test_lines_of_a_file_as_other_programs_write_them(
    tmp_path: Path, arguments: list[str], first: int, last: int
) -> None:
    (tmp_path / "a.py").write_text("".join(f"{number}\n" for number in range(1, 201)))
    (tmp_path / "a.py:7").write_text("1\n")
    shown = run("-q", "--gutter", "none", *arguments, cwd=tmp_path).stdout.split()
    assert (shown[0], shown[-1], len(shown)) == (str(first), str(last), last - first + 1)


@pytest.mark.parametrize("name", [None, "read"])
def test_help_that_nobody_reads_ends_quietly(name: str | None) -> None:
    """Python wrote "Exception ignored … BrokenPipeError" when it flushed standard output at its end."""
    given = [*COMMAND, *([name] if name else []), "--help"]
    with subprocess.Popen(
        given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
        assert (errors, process.wait(timeout=60)) == (b"", 141)


@pytest.mark.slow
def test_server_on_a_terminal_says_what_it_waits_for(tmp_path: Path) -> None:
    """`anyread mcp` waited silently, so that people did not know whether it worked."""
    primary, secondary = pty.openpty()
    command = [*COMMAND, "mcp", "--root", str(tmp_path)]
    with subprocess.Popen(
        command, stdin=secondary, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        os.close(secondary)
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith(b"anyread: waiting for a host of the Model Context Protocol")
        process.send_signal(signal.SIGINT)
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
        # A server that has started ends by the signal itself, which a shell reports as 130 too.
        assert process.wait(timeout=60) in {130, -signal.SIGINT}
    os.close(primary)
