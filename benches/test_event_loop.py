"""P5, P7 and P11: small files from an event loop."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import pytest
from benches import async_small, inputs, lag
from benches.contest import Driver
from benches.drivers.protocol import digest, texts
from benches.record import quantity
from benches.rivals import ANYREAD, TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from benches.contest import Reply
    from benches.rivals import Rival

pytestmark = pytest.mark.benchmark

TASKS = 64
LAG_TASKS = 256


# ---------------------------------------------------------------------------------------------------------
# P5


@pytest.mark.parametrize("place", ["disk", "overlay"])
def test_small_file_async(report: Callable[..., None], not_run: Callable[..., None], place: str) -> None:
    keys = {rival: f"small-async-{rival}-{place}" for rival in ("asyncio.to_thread", "aiofiles")}
    medians = async_small.on_disk() if place == "disk" else async_small.on_overlay()
    if medians is None:
        not_run(*keys.values(), reason="this machine does not permit overlay mounts")
        return
    for rival, key in keys.items():
        report(key, medians["anyread"] / 1e3, "µs", rival, medians[rival] / 1e3)


# ---------------------------------------------------------------------------------------------------------
# P7


def test_many_small_files(report: Callable[..., None], not_run: Callable[..., None]) -> None:
    paths = [str(path) for path in inputs.small_files()]
    if not any(rival.installed for rival in TOOLS):
        not_run("many", reason="no read tool is installed: make bench-rivals")
        return
    fastest = min(
        (rival for rival in TOOLS if rival.installed), key=lambda rival: seconds_of(rival, paths[:1_000])
    )
    with Driver(ANYREAD) as ours, Driver(fastest) as rival:
        for driver in (ours, rival):
            check_answer(driver, paths)
        turns = [(seconds_of_round(ours, paths), seconds_of_round(rival, paths)) for _ in range(5)]
        our_ms, rival_ms = (statistics.median(seconds) * 1e3 for seconds in zip(*turns, strict=True))
        name = f"{rival.version}, the fastest of {sum(tool.installed for tool in TOOLS)}"
    report("many", our_ms, "ms", name, rival_ms)


def seconds_of(rival: Rival, paths: list[str]) -> float:
    with Driver(rival) as driver:
        check_answer(driver, paths)
        return seconds_of_round(driver, paths)


def seconds_of_round(driver: Driver, paths: list[str]) -> float:
    return answered(driver.ask("many", {"paths": paths, "tasks": TASKS}, rounds=1)).seconds


def check_answer(driver: Driver, paths: list[str]) -> None:
    reply = answered(driver.ask("many", {"paths": paths, "tasks": TASKS, "digests": True}))
    assert [text for _, text in reply.lines] == [f"{path} {digest_of(path)}" for path in sorted(paths)]


def digest_of(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - faster, and called 10,000 times
        return digest(texts(file.read()))


def answered(reply: Reply) -> Reply:
    assert reply.state == "ok", reply.detail
    return reply


# ---------------------------------------------------------------------------------------------------------
# P11


@pytest.mark.parametrize("loop", ["asyncio", "uvloop", "trio"])
def test_lag_of_event_loop(report: Callable[..., None], loop: str) -> None:
    if loop == "uvloop":
        pytest.importorskip("uvloop")
    inputs.small_files()
    seen: dict[str, Any] = {reader: lag.measured(loop, reader, LAG_TASKS) for reader in lag.READERS}
    ours, threads, idle = (seen[reader] for reader in lag.READERS)
    p50, worst, idle_p99 = (quantity(number, "ms") for number in (ours.p50, ours.worst, idle.p99))
    remark = f"p50 {p50}, worst {worst}; idle loop p99 {idle_p99}; typical Python in threads p99"
    report(f"lag-{loop}", ours.p99, "ms", remark, threads.p99)


@pytest.mark.parametrize("loop", ["asyncio", "uvloop", "trio"])
def test_lag_while_large_pages_are_read(report: Callable[..., None], loop: str) -> None:
    if loop == "uvloop":
        pytest.importorskip("uvloop")
    found = lag.median(loop, "pages", LAG_TASKS)
    p50, worst, took = (quantity(number, "ms") for number in (found.p50, found.worst, found.seconds * 1e3))
    report(f"lag-pages-{loop}", found.p99, "ms", f"p50 {p50}, worst {worst}, all in {took}")


@pytest.mark.parametrize("loop", ["asyncio", "uvloop", "trio"])
def test_lag_while_files_come_from_the_disk(report: Callable[..., None], loop: str) -> None:
    if loop == "uvloop":
        pytest.importorskip("uvloop")
    readers = lag.COLD_READERS if loop == "asyncio" else lag.COLD_READERS[:1]
    seen = {reader: lag.median(loop, reader, TASKS) for reader in readers}
    for reader, found in seen.items():
        assert found.disk_bytes >= lag.COLD_BYTES, f"{reader}: {found.disk_bytes} bytes from the disk"
    ours = seen["cold-anyread"]
    p50, worst, took = (quantity(number, "ms") for number in (ours.p50, ours.worst, ours.seconds * 1e3))
    remark = f"p50 {p50}, worst {worst}, all in {took}"
    if loop != "asyncio":
        report(f"lag-cold-{loop}", ours.p99, "ms", remark)
        return
    threads, aiofiles = seen["cold-threads"], seen["cold-aiofiles"]
    theirs = f"aiofiles p99 {quantity(aiofiles.p99, 'ms')}; asyncio.to_thread p99"
    report("lag-cold-asyncio", ours.p99, "ms", f"{remark}; {theirs}", threads.p99)
    for rival, found in (("asyncio.to_thread", threads), ("aiofiles", aiofiles)):
        report(f"cold-{rival}", ours.seconds * 1e3, "ms", rival, found.seconds * 1e3)
