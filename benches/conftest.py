"""The inputs as fixtures, the timer that runs anyread and a rival in turn, and the table at the end."""

from __future__ import annotations

import os
import statistics
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from benches import inputs
from benches.record import SECONDS, Row, comparison_table, save
from benches.targets import TARGETS

import anyread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROWS = pytest.StashKey[list[Row]]()
_WARMED = pytest.StashKey[set[Path]]()
_CAVEATS = pytest.StashKey[list[str]]()


@dataclass(frozen=True, slots=True)
class Measure:
    """Times calls with pytest-benchmark, and adds the figures to the table."""

    benchmark: Any
    rows: list[Row]

    def alone(
        self,
        key: str,
        ours: Callable[[], object],
        *,
        rounds: int,
        before: Callable[[], object] | None = None,
        floor: tuple[str, Callable[[], object]] | None = None,
    ) -> None:
        """Time `ours` in `rounds`, each after `before`, and report the median in the unit of its target.

        `floor`, a name and a function, takes turns with it, and its median is shown beside the figure.
        """
        floor_seconds: list[float] = []

        def prepare() -> None:
            if floor is not None:
                floor_seconds.append(_seconds_of(floor[1]))
            if before is not None:
                before()

        self.benchmark.pedantic(ours, setup=prepare, rounds=rounds, warmup_rounds=2)
        if self.benchmark.stats is None:  # --benchmark-disable: answers are checked, but not timed
            return
        seconds = self.benchmark.stats.stats.median
        unit = TARGETS[key].unit
        if floor is None:
            self.report(key, seconds / SECONDS[unit], unit)
        else:
            bare = statistics.median(floor_seconds) / SECONDS[unit]
            self.report(key, seconds / SECONDS[unit], unit, floor[0], bare)

    def pair(
        self,
        key: str,
        ours: Callable[[], object],
        rival: Callable[[], object],
        rival_name: str,
        *,
        rounds: int,
        before: Callable[[], object] | None = None,
    ) -> None:
        """Time `rival` and `ours` in turn, and report the ratio of their medians."""
        rival_seconds: list[float] = []

        def rival_first() -> None:
            rival_seconds.append(_seconds_of(rival))
            if before is not None:
                before()

        self.benchmark.pedantic(ours, setup=rival_first, rounds=rounds, warmup_rounds=1)
        if self.benchmark.stats is None:
            return
        ours_ms = self.benchmark.stats.stats.median * 1e3
        rival_ms = statistics.median(rival_seconds[1:]) * 1e3  # without the warm-up round
        self.benchmark.extra_info[rival_name] = f"{rival_ms:.3f} ms"
        self.report(key, ours_ms, "ms", rival_name, rival_ms)

    def report(
        self, key: str, figure: float, unit: str, rival: str = "", rival_figure: float | None = None
    ) -> None:
        """Add a figure that was measured in another way to the table; the rival's has the same unit."""
        self.rows.append(Row(TARGETS[key], figure, unit, rival, rival_figure))


@pytest.fixture
def measure(benchmark: Any, request: pytest.FixtureRequest) -> Measure:
    """Return the timer of this test."""
    return Measure(benchmark, request.config.stash[_ROWS])


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a function that adds figures to the table."""
    return Measure(None, request.config.stash[_ROWS]).report


@pytest.fixture
def not_run(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a function that records that this machine cannot run some rows, and skips the test."""

    def skip(*keys: str, reason: str) -> None:
        request.config.stash[_ROWS].extend(Row(TARGETS[key], rival=f"not run: {reason}") for key in keys)
        pytest.skip(reason)

    return skip


@pytest.fixture(autouse=True)
def _no_index() -> Iterator[None]:
    """Drop the indexes, so that no benchmark uses those of an earlier one."""
    anyread.clear_caches()
    yield
    anyread.clear_caches()


@pytest.fixture
def log_4_gib(request: pytest.FixtureRequest) -> Iterator[inputs.Log]:
    """Yield the log on which ratios are measured, in the page cache."""
    _require(inputs.LOG_BYTES)
    log = inputs.log(inputs.LOG_BYTES)
    with _cached(log.path, request):
        yield log


@pytest.fixture
def log_10_gb(request: pytest.FixtureRequest) -> Iterator[inputs.Log]:
    """Yield the largest log, in the page cache; afterwards, remove what a benchmark appended to it."""
    _require(inputs.BIG_LOG_BYTES)
    log = inputs.log(inputs.budget_bytes())
    with _cached(log.path, request):
        yield log
    os.truncate(log.path, log.size_bytes)


@pytest.fixture
def endless_line(request: pytest.FixtureRequest) -> Iterator[inputs.EndlessLine]:
    """Yield the file of one line, in the page cache."""
    _require(inputs.LOG_BYTES)
    line = inputs.endless_line()
    with _cached(line.path, request):
        yield line


@contextmanager
def _cached(path: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Bring a file into the page cache, and record a caveat if part of it left the cache during the test."""
    warmed = request.config.stash[_WARMED]
    if path not in warmed or inputs.cached_share(path) != 1:
        inputs.warm(path)
        warmed.add(path)
    yield
    share = inputs.cached_share(path)
    if share is not None and share < 1:
        lost = f"{request.node.name}: only {share:.1%} of {path.name} was still in the page cache at the end"
        request.config.stash[_CAVEATS].append(lost)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_ROWS] = []
    config.stash[_WARMED] = set()
    config.stash[_CAVEATS] = []


def pytest_report_header() -> str:
    budget = inputs.budget_bytes()
    return f"anyread {anyread.__version__}, inputs of up to {budget / inputs.GB:.1f} GB (ANYREAD_BENCH_GB)"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    rows = config.stash[_ROWS]
    budget = inputs.budget_bytes()
    if not rows:
        return
    rows += [Row(target) for target in TARGETS.values() if target.needs_bytes > budget]
    order = list(TARGETS.values())
    rows.sort(key=lambda row: order.index(row.target))
    terminalreporter.section(f"anyread against its targets (inputs of up to {budget / inputs.GB:.1f} GB)")
    terminalreporter.write_line(comparison_table(rows))
    for caveat in config.stash[_CAVEATS]:
        terminalreporter.write_line(f"caveat: {caveat}")
    terminalreporter.write_line(f"recorded in {save(rows)}")


def _require(size_bytes: int) -> None:
    if size_bytes > inputs.budget_bytes():
        pytest.skip(f"not run: needs {size_bytes / inputs.GB:.1f} GB, ANYREAD_BENCH_GB allows less")


def _seconds_of(function: Callable[[], object]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started
