"""S18: memory of reads is bounded in bytes, whatever a document, notebook, JSON, ignore or gzip file has."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from helpers.corpus import CORPUS
from helpers.notebooks import code
from helpers.notebooks import write as write_notebook
from torture.hostile_files import HOSTILE
from torture.processes import start
from torture.scoreboard import IS_FULL, Score
from torture.structured_mutants import FORMATS, originals

COPIES = 8
BOUNDS = {"one": 64, "eight": 128, "kept": 8, "stop": math.inf}
"""The MiB that a read may take, and eight at once, and that are kept of eight files with this `index_bytes`.

How long a read goes on after it is stopped is only recorded.
"""
LARGER = {("many kinds", "eight"): 256}
"""The bounds of the file in which a workbook, its sheet and one row are at all of their limits at once."""
SEARCHED = {("empty cells", "eight"): 192, ("lines of a cell", "eight"): 192}
"""The bounds of searches in notebooks with a million cells, or lines of a cell."""
HONEST_MIB = 8
STOP_MS = 100
QUICK = ("relations", "comments", "diagrams")
"""The hostile files of a short run."""
NAMES = tuple(HOSTILE) if IS_FULL else QUICK
Job = tuple[str, list[Path], dict[str, Any]]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(7_200)]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return files of each kind, and a directory with an ignore file."""
    directory = tmp_path_factory.mktemp("honest")
    (directory / ".gitignore").write_text("*.log\n")
    found = [directory, write_notebook(directory, code("a = 1"))]
    for kind, suffix in FORMATS.items():
        for number, content in enumerate(originals(kind)[:3]):
            found.append(directory / f"{kind}{number}{suffix}")
            found[-1].write_bytes(content)
    return found


def measured(warm: list[Path], *jobs: Job) -> list[float | str]:
    """Return what each job took, in a fork of a process that has read other files, or how the fork ended."""
    with start("measured_reads", stdin=subprocess.PIPE) as process:
        output, _ = process.communicate(json.dumps([warm, jobs], default=str))
    assert process.returncode == 0
    return [json.loads(line) for line in output.splitlines()]


def faults(found: Iterable[tuple[str, float | str]], bound: float) -> list[str]:
    """Return what is out of a bound, or was not measured because its process died."""
    return [
        f"{name}: {figure if isinstance(figure, str) else f'{figure:.0f} MiB'}"
        for name, figure in found
        if isinstance(figure, str) or figure > bound
    ]


def copies_of(name: str, directory: Path) -> list[Path]:
    """Write a hostile file and copies of it, each of which is another file to caches."""
    directory.mkdir()
    first = HOSTILE[name].write(directory, "0")
    copies = [directory / f"{number}{first.suffix}" for number in range(1, COPIES)]
    for copy in copies:
        (shutil.copytree if first.is_dir() else shutil.copy)(first, copy)
    return [first, *copies]


def test_memory_of_hostile_files_is_bounded(tmp_path: Path, honest: list[Path], score: Score) -> None:
    """A workbook of 2 kB made a read take 24 GB."""
    table: dict[str, dict[str, float | str]] = {}
    for name in NAMES:
        copies = copies_of(name, tmp_path / name)
        jobs = [(kind, copies, HOSTILE[name].arguments) for kind in BOUNDS]
        table[name] = dict(zip(BOUNDS, measured(honest, *jobs), strict=True))
        print(f"{name}: {table[name]}", flush=True)
        shutil.rmtree(tmp_path / name)
    stops = [(each["stop"], name) for name, each in table.items() if not isinstance(each["stop"], str)]
    stop_ms, last = max(stops)
    work = "processor time after a cancellation"
    score.figure("S18", work, float(stop_ms), "ms", must=STOP_MS, detail=f"`{last}`")
    wrong = [
        fault
        for kind, bound in BOUNDS.items()
        for name, each in table.items()
        for fault in faults([(f"`{name}`, {kind}", each[kind])], LARGER.get((name, kind), bound))
    ]
    measurements = len(NAMES) * len(BOUNDS)
    detail = "; ".join(wrong)
    score("S18", "hostile files", failures=len(wrong), of=measurements, unit="measurements", detail=detail)


def test_memory_of_searches_is_bounded(tmp_path: Path, honest: list[Path], score: Score) -> None:
    """Nothing is found, so all of each file is looked at."""
    wrong = []
    for name in NAMES:
        copies = copies_of(name, tmp_path / name)
        given = HOSTILE[name].arguments
        arguments = {key: given[key] for key in ("at", "kind", "values") if key in given}
        found = measured(
            honest, *((kind, copies, {**arguments, "find": "zzzq"}) for kind in ("one", "eight"))
        )
        print(f"{name}: {found}", flush=True)
        named = zip(("one", "eight"), found, strict=True)
        for kind, figure in named:
            bound = (LARGER | SEARCHED).get((name, kind), BOUNDS[kind])
            wrong += faults([(f"`{name}`, {kind}", figure)], bound)
        shutil.rmtree(tmp_path / name)
    detail = "; ".join(wrong)
    score("S18", "searches", failures=len(wrong), of=2 * len(NAMES), unit="measurements", detail=detail)


def test_memory_of_many_hostile_files_is_bounded(tmp_path: Path, honest: list[Path], score: Score) -> None:
    paths = [HOSTILE[name].write(tmp_path, name) for name in NAMES if not HOSTILE[name].arguments]
    (taken,) = measured(honest, ("many", paths, {}))
    wrong = faults([(f"{len(paths)} files", taken)], BOUNDS["eight"])
    score("S18", "`read_many`", failures=len(wrong), of=1, unit="calls", detail="; ".join(wrong))


def test_memory_of_honest_files_is_little(honest: list[Path], score: Score) -> None:
    """The bounds must not be those of files that people write."""
    real = sorted((CORPUS / "office" / "files").glob("*")) if IS_FULL else []
    files = [*honest, *real]
    taken = measured(honest, *(("beyond_page", [path], {}) for path in files))
    wrong = faults(zip((path.name for path in files), taken, strict=True), HONEST_MIB)
    score("S18", "honest files", failures=len(wrong), of=len(files), unit="files", detail="; ".join(wrong))
