"""Forks: during reads of several threads, by `multiprocessing`, and by hosts that become daemons."""

from __future__ import annotations

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
def test_parent_and_child_read_after_a_fork_during_any_reads(files: Path, scale: Scale, score: Score) -> None:
    life = hosts.lived("forking", files, "threads", scale(5, 150), timeout_s=110)
    life.score(score, "forks during reads, scans and decodes", "forks")


@pytest.mark.slow
@pytest.mark.parametrize("method", short("fork", "forkserver", "spawn"))
def test_multiprocessing_reads_with_readers_made_before_and_after(
    method: str, files: Path, scale: Scale, score: Score
) -> None:
    life = hosts.lived("forking", files, method, scale(1, 8), timeout_s=110)
    life.score(score, f"multiprocessing, {method}", "reads")


@pytest.mark.slow
def test_daemon_that_closed_all_descriptors_stays_below_its_roots(files: Path, score: Score) -> None:
    """The number of a root's descriptor was used again, and reads were relative to the new directory."""
    life = hosts.lived("daemon", files)
    life.score(score, "all descriptors closed after a fork", "checks")
