"""S9: each system call of each operation fails, with each error that it may report."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from torture.fault_plan import faults, mistake
from torture.fault_supervisor import Fault, GoneError, Supervised
from torture.operations import OPERATIONS
from torture.scoreboard import IS_FULL

# The short run tests a few operations, the full run all of them.
TEXTS = OPERATIONS if IS_FULL else (("text", "scan", "directory", "follow"),)
DECODERS = (("image", "image on a loop", "image info"), ("pdf",)) if IS_FULL else (("image",),)

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="knows the system calls of x86-64 Linux only"
)


@pytest.fixture
def start(files: Path) -> Iterator[Callable[..., Supervised]]:
    started: list[Supervised] = []

    def new(**environment: str) -> Supervised:
        started.append(Supervised(files, **environment))
        return started[-1]

    yield new
    for process in started:
        process.close()


class Campaign:
    """Injections into one process after another, and their mistakes.

    Args:
        start: Starts a process.
    """

    def __init__(self, start: Callable[..., Supervised]) -> None:
        self.start = start
        self.process = start()
        self.injected = 0
        self.mistakes: list[str] = []
        self.outcomes: Counter[str] = Counter()

    def run(self, operation: str, most: int, of: Callable[[Fault], bool] = lambda _: True) -> None:
        """Inject at most this many faults into an operation, spread over all of them."""
        self.process.run(operation)
        expected = self.process.run(operation)["outcome"]
        plan = [fault for fault in faults(self.process.calls) if of(fault)]
        for number in range(min(most, len(plan))):
            self.inject(operation, plan[number * len(plan) // min(most, len(plan))], expected)
        left = self.process.survivors()
        if left:
            self.mistakes.append(f"{operation}: {len(left)} processes were left")

    def inject(self, operation: str, fault: Fault, expected: str) -> None:
        """Inject one fault; a call that an operation did not reach this time does not count."""
        try:
            answer = self.process.run(operation, fault)
        except GoneError as gone:
            self.injected += 1
            self.mistakes.append(f"{operation}, {fault}: {gone}")
            self.process = self.start()
            self.process.run(operation)
            return
        if not self.process.injected:
            return
        self.injected += 1
        self.outcomes["right" if answer["outcome"] == expected else "error"] += 1
        found = mistake(fault, expected, answer)
        if found:
            self.mistakes.append(f"{operation}, {fault}: {found}")


def record(score: Any, part: str, campaign: Campaign) -> None:
    errors = f"{campaign.outcomes['error']:,} typed errors, {campaign.outcomes['right']:,} right results"
    detail = "; ".join([errors, *campaign.mistakes[:5]])
    score("S9", part, failures=len(campaign.mistakes), of=campaign.injected, unit="faults", detail=detail)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("operations", TEXTS, ids=lambda names: f"{names[0]} and others")
def test_failed_call_gives_a_typed_error(
    operations: tuple[str, ...], start: Callable[..., Supervised], scale: Any, score: Any
) -> None:
    campaign = Campaign(start)
    for operation in operations:
        campaign.run(operation, scale(short=8, full=10_000))
    record(score, "reads without a decoder", campaign)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("mapping", ["always", "0"])
def test_failed_call_of_a_scan_by_several_threads_gives_a_typed_error(
    mapping: str, start: Callable[..., Supervised], scale: Any, score: Any
) -> None:
    campaign = Campaign(lambda: start(ANYREAD_MMAP=mapping))
    campaign.run("threaded scan", scale(short=4, full=500))
    record(score, "scans by several threads", campaign)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("operations", DECODERS, ids=lambda names: names[0])
def test_failed_call_of_host_or_decoder_gives_a_typed_error(
    operations: tuple[str, ...], start: Callable[..., Supervised], scale: Any, score: Any
) -> None:
    campaign = Campaign(start)
    for operation in operations:
        campaign.run(operation, scale(short=4, full=10_000))
    record(score, "reads with a decoder", campaign)


@pytest.mark.torture
@pytest.mark.timeout(400)
def test_failed_call_while_decoders_start_gives_a_typed_error(
    start: Callable[..., Supervised], scale: Any, score: Any
) -> None:
    """The interpreter of a decoder makes thousands of calls when it starts, of which this tests a sample."""
    campaign = Campaign(start)
    most = scale(short=1, full=60)
    campaign.run("decoder start", most, lambda fault: not fault.in_child)
    campaign.run("decoder start", most, lambda fault: fault.in_child)
    record(score, "the start of decoders", campaign)
