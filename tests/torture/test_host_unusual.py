"""Hosts that do something unusual: subinterpreters, small stacks, other users, patched libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from torture import hosts
from torture.programs.reads import written_files
from torture.scoreboard import Scale, Score, short

SITUATIONS = (
    "smallest stacks",
    "SIGCHLD ignored",
    "children reaped by the host",
    "smallest stacks that can import",
    "another user",
    "another root directory",
    "working directory removed",
    "2,000 readers dropped",
)
NEEDS_ROOT = {"another user", "another root directory"}
SUBINTERPRETER = """
import sys
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
code = '''
try:
    import anyread
except ImportError as error:
    print(error)
'''
if sys.argv[1] == "after":
    import anyread
legacy = ("legacy",) if sys.version_info >= (3, 13) else ()
interpreter = interpreters.create(*legacy)
interpreters.run_string(interpreter, code)
interpreters.destroy(interpreter)
import anyread
print(anyread.read_sync(sys.argv[2]).content, end="")
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("files")
    written_files(directory)
    return directory


@pytest.mark.slow
@pytest.mark.parametrize("what", short(*SITUATIONS))
def test_every_read_works_in_an_unusual_host(what: str, files: Path, score: Score) -> None:
    """The tokenizer needed more stack than the smallest thread has, which ended the process."""
    if what in NEEDS_ROOT and os.geteuid() != 0:
        pytest.skip("needs root")
    if what == "another user":
        for directory in (files, *files.parents):
            if not directory.stat().st_mode & 0o001 and directory.owner() == "root":
                directory.chmod(directory.stat().st_mode | 0o011)
    hosts.lived("unusual", files, what).score(score, what, "reads")


@pytest.mark.slow
@pytest.mark.parametrize("when", short("after", "before"))
def test_subinterpreter_is_refused(when: str, files: Path, score: Score) -> None:
    """Once a subinterpreter that had imported the package ended, every read in the main one failed."""
    run = subprocess.run(
        [sys.executable, "-c", SUBINTERPRETER, when, str(files / "poem.txt")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    refusal, _, content = run.stdout.partition("\n")
    expected = "anyread cannot be imported in a subinterpreter: import it in the main interpreter"
    is_right = refusal.startswith(expected) and content == "one\ntwo\nthree\n" and run.returncode == 0
    score(
        hosts.ROW, "subinterpreters", failures=int(not is_right), of=1, unit="interpreters", detail=run.stderr
    )


@pytest.mark.slow
@pytest.mark.parametrize("when", short("before", "after"))
@pytest.mark.parametrize("library", short("gevent", "eventlet"))
def test_reads_of_greenlets(library: str, when: str, files: Path, scale: Scale, score: Score) -> None:
    life = hosts.lived("greenlets", files, library, when, scale(10, 200), timeout_s=110)
    life.score(score, f"patched by {library} {when} the import", "reads")
