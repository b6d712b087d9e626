"""A fleet of files through a pool of processes, with one budget, progress, and a worker that is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from examples.in_processes import in_processes

from anyread.batch import Histogram, ReadRows, level
from helpers import fleet

pytestmark = pytest.mark.slow


class KilledOnce:
    """A function that kills its process with the first batch, after it has read the files."""

    def __init__(self, function: Any, mark: Path) -> None:
        self.function = function
        self.mark = mark

    def __call__(self, columns: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self.function(columns)
        try:
            self.mark.touch(exist_ok=False)
        except FileExistsError:
            return result
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("the process survived")


def always_killed(columns: dict[str, Any]) -> dict[str, Any]:
    os.kill(os.getpid(), signal.SIGKILL)
    return columns


def run(cases: list[fleet.Case], mark: Path, *, batch_rows: int) -> None:
    """Survey the files, compute the level, and read them with a worker that is killed; check every row."""
    by_path = {case.path: case for case in cases}
    paths = list(by_path)
    surveyed = in_processes(ReadRows().survey, paths, batch_rows=batch_rows)
    histogram = sum((Histogram.of(facts["tokens"]) for facts in surveyed), Histogram())
    assert histogram.files == len(cases)
    budget = histogram.tokens // 2
    read = KilledOnce(ReadRows(max_tokens=level(histogram, budget)), mark)
    done: list[str] = []
    progress: list[int] = []
    tokens = 0
    for rows in in_processes(read, paths, batch_rows=batch_rows):
        done += rows["path"]
        progress.append(len(done))
        tokens += sum(rows["tokens"])
        for index, path in enumerate(rows["path"]):
            row = {name: values[index] for name, values in rows.items()}
            case = by_path[path]
            if row["tokens"] == 0:
                case = case._replace(marker="")
            assert fleet.wrong(case, row) == []
    assert mark.exists()
    # No row is missing, and none appears twice.
    assert sorted(done) == sorted(paths)
    assert len(progress) == -(-len(cases) // batch_rows)
    assert 0 < tokens <= budget


def test_fleet_is_read_once_although_a_worker_is_killed(tmp_path: Path) -> None:
    run(fleet.write(tmp_path / "fleet", 600), tmp_path / "killed", batch_rows=100)


@pytest.mark.torture
@pytest.mark.timeout(1_200)
def test_fleet_of_100_000_files_is_read_once_although_a_worker_is_killed(tmp_path: Path) -> None:
    run(fleet.write(tmp_path / "fleet", 100_000), tmp_path / "killed", batch_rows=1_000)


def test_batch_that_always_kills_its_worker_ends_with_an_error() -> None:
    with pytest.raises(RuntimeError, match="1 batches ended their worker 2 times"):
        list(in_processes(always_killed, ["a"], workers=1, attempts=2))
