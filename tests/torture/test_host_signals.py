"""Signals at any moment of a read: nothing is lost, and the next read works."""

from __future__ import annotations

from pathlib import Path

import pytest

from torture import hosts
from torture.programs.reads import written_files
from torture.scoreboard import Scale, Score, short

LOOPS = ("asyncio", "sync", "unmanaged", "uvloop", "trio")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("files")
    written_files(directory)
    return directory


@pytest.mark.slow
@pytest.mark.parametrize("loop", short(*LOOPS))
def test_ctrl_c_at_random_moments_loses_nothing(loop: str, files: Path, scale: Scale, score: Score) -> None:
    life = hosts.lived("interrupted", files, loop, "SIGINT", scale(40, 400), timeout_s=110)
    life.score(score, "Ctrl-C", "interruptions")


@pytest.mark.slow
def test_handler_that_raises_at_random_moments_loses_nothing(files: Path, scale: Scale, score: Score) -> None:
    """Only for reads without an event loop: asyncio itself swallows such an exception inside a callback."""
    life = hosts.lived("interrupted", files, "sync", "SIGALRM", scale(40, 400), timeout_s=110)
    life.score(score, "SIGALRM whose handler raises", "interruptions")


@pytest.mark.slow
@pytest.mark.parametrize("loop", short("sync", "asyncio"))
def test_interrupted_system_calls_are_repeated(loop: str, files: Path, scale: Scale, score: Score) -> None:
    life = hosts.lived("interrupted", files, loop, "SIGUSR1", scale(40, 400), timeout_s=110)
    life.score(score, "interrupted system calls", "reads")


@pytest.mark.torture
def test_exception_after_any_c_call_of_a_read_loses_nothing(files: Path, score: Score) -> None:
    """An exception after `recvmsg`, `pidfd_open` or `list.pop` left descriptors open.

    One after `ContextVar.set` left the deadline of the call, so that all later reads timed out.
    """
    life = hosts.lived("interrupted_calls", files, "sync", timeout_s=300)
    life.score(score, "an exception after each C call", "moments")
