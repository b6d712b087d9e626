"""Interpreters that exit and loops that are closed while reads are pending."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from torture import hosts
from torture.programs.reads import written_files
from torture.scoreboard import Scale, Score, short


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("files")
    written_files(directory)
    return directory


@pytest.mark.slow
@pytest.mark.parametrize("how", ["errors", *short("threads", "tokenizers", "handlers", "a loop")])
def test_interpreter_exits_while_reads_are_pending(how: str, files: Path, scale: Scale, score: Score) -> None:
    """Before Python 3.14, a thread that ends at the exit is unwound, which must not happen inside Rust.

    In "errors" and "tokenizers", the core calls Python code; there, such an exit once aborted the process.
    """
    rounds, wrong = scale(3, 12), []
    for number in range(rounds):
        run = subprocess.run(
            [sys.executable, str(hosts.PROGRAMS / "ending.py"), str(files), how, str(0.4 + number * 0.0037)],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        if (run.returncode, run.stderr, run.stdout.count("read")) != (3, "", 2 * (how == "handlers")):
            wrong.append(f"{run.returncode} {run.stderr[-500:]}")
    score(
        hosts.ROW, f"exit with {how}", failures=len(wrong), of=rounds, unit="exits", detail="; ".join(wrong)
    )


@pytest.mark.slow
@pytest.mark.parametrize("how", short("loops closed", "loops abandoned", "executors shut down"))
def test_reads_work_after_loops_ended(how: str, files: Path, score: Score) -> None:
    hosts.lived("ending", files, how, 0.2).score(score, f"{how} while reads are pending", "reads")
