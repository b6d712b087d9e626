"""Decoder processes: queueing, failures, replacement, and cleanup."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from anyread.arguments.limits import Limits
from anyread.decoding.host import starters
from anyread.decoding.host.fitting import ImageJob, fit_all
from anyread.decoding.host.pool import Pool
from anyread.decoding.protocol import GoneError
from anyread.errors import (
    DecoderCrashedError,
    DecoderMemoryError,
    DecoderTimeoutError,
    DecoderUnavailableError,
    ReadError,
)
from anyread.models.model import Model
from helpers.media import drawing, encoded, noise, read, read_sync, tiled_pdf

PORTABLE = os.environ.get("ANYREAD_PORTABLE") == "1" or sys.platform == "win32"
fork_server_only = pytest.mark.skipif(PORTABLE, reason="the portable path has no fork server")


@pytest.fixture
def png(tmp_path: Path) -> Path:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(drawing(40, 30), "PNG"))
    return path


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    path = tmp_path / "endless.pdf"
    path.write_bytes(tiled_pdf())
    return path


def eventually(condition: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return False


def descendants(pid: int) -> set[int]:
    """Return the descendants of a process that have not ended."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            parents[int(entry.name)] = int(parent)
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def open_descriptors() -> set[str]:
    # The listing includes its own descriptor, which is closed by now.
    return {entry.name for entry in Path("/proc/self/fd").iterdir() if entry.exists()}


def ticks(pid: int) -> int:
    """Return the user CPU time of a process in clock ticks."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])


def exists(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@fork_server_only
def test_killed_fork_server_is_started_again(png: Path, pool: Pool) -> None:
    before = read_sync(png, pool=pool)
    assert isinstance(pool._starter, starters.ForkServer)
    os.kill(pool._starter.pid, signal.SIGKILL)
    # First the child that was forked in advance takes over, then one of a new fork server.
    for _ in range(2):
        for child in pool._idle:
            os.kill(child.pid, signal.SIGKILL)
        assert eventually(lambda: not any(exists(child.pid) for child in pool._idle))
        assert read_sync(png, pool=pool) == before
    assert pool.stats()["decoder_restarts"] >= 1


@fork_server_only
def test_call_that_waits_for_a_killed_fork_server_tries_the_next_one(png: Path, pool: Pool) -> None:
    """Beside one that was killed, reads ended in `Bad file descriptor`: a call closed their socket."""
    before = read_sync(png, pool=pool)
    killed = pool._starter
    assert isinstance(killed, starters.ForkServer)
    os.kill(killed.pid, signal.SIGSTOP)
    errors: list[Exception] = []

    def take() -> None:
        try:
            while True:
                killed.child(time.monotonic() + 60).dispose()
        except Exception as error:  # noqa: BLE001 - its type is what is tested
            errors.append(error)

    threads = [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert eventually(lambda: killed._ordered > killed._received and killed._taking.locked())
    pool._discard(killed)
    for thread in threads:
        thread.join(60)
    killed.restock()
    assert [type(error) for error in errors] == [GoneError] * 3
    assert read_sync(png, pool=pool) == before


def test_decoder_killed_at_work_raises_a_typed_error(endless: Path, png: Path, pool: Pool) -> None:
    errors: list[BaseException] = []

    def work() -> None:
        try:
            read_sync(endless, pool=pool)
        except ReadError as error:
            errors.append(error)

    read_sync(png, pool=pool)
    victim = pool._idle[-1]
    thread = threading.Thread(target=work)
    idle_ticks = ticks(victim.pid)
    thread.start()
    # If it is killed before it begins, another decoder does the job.
    assert eventually(lambda: ticks(victim.pid) > idle_ticks + 10)
    os.kill(victim.pid, signal.SIGSEGV)
    thread.join(10)
    assert [type(error) for error in errors] == [DecoderCrashedError]
    assert "SIGSEGV" in str(errors[0])
    assert read_sync(png, pool=pool)


@pytest.mark.slow
def test_endless_file_times_out_at_the_deadline(endless: Path, png: Path, pool: Pool) -> None:
    read_sync(png, pool=pool)
    started = time.monotonic()
    with pytest.raises(DecoderTimeoutError):
        read_sync(endless, pool=pool, limits=Limits(decode_timeout_s=0.3))
    assert 0.3 <= time.monotonic() - started < 5
    assert read_sync(png, pool=pool)


def test_memory_over_the_limit_raises_a_typed_error(tmp_path: Path, pool: Pool) -> None:
    path = tmp_path / "wide.png"
    path.write_bytes(encoded(drawing(6_000, 6_000), "PNG"))
    with pytest.raises(DecoderMemoryError) as caught:
        read_sync(path, pool=pool, limits=Limits(decode_memory_bytes=20_000_000))
    assert caught.value.memory_bytes == 20_000_000
    # Decoding this takes seconds where other processes use the processors.
    assert read_sync(path, pool=pool, limits=Limits(decode_timeout_s=100)).width == 6_000


def test_low_memory_limit_applies_to_one_file_only(png: Path, pool: Pool) -> None:
    tight = Limits(decode_memory_bytes=1)
    for _ in range(3):
        try:
            read_sync(png, pool=pool, limits=tight)
        except ReadError as error:
            assert error.code in {"decoder_memory", "decoder_crashed"}  # noqa: PT017 - it may also have enough
        large = [ImageJob(functools.partial(encoded, noise(1_500, 700), "PNG"), "image/png", 3_000_000)]
        [found] = fit_all(large, path="x", rules=0, limits=Limits(), model=Model.any(), pool=pool)
        assert not isinstance(found, ReadError)


@pytest.mark.slow
async def test_cancelled_read_ends_its_decoder(endless: Path, png: Path, pool: Pool) -> None:
    await read(png, pool=pool)
    with anyio.move_on_after(0.2) as scope:
        await read(endless, pool=pool)
    assert scope.cancelled_caught
    assert eventually(lambda: pool._busy == 0)
    assert await read(png, pool=pool)


@pytest.mark.slow
async def test_cancelled_waiter_leaves_the_queue(endless: Path, png: Path, pool: Pool) -> None:
    await read(png, pool=pool)
    async with anyio.create_task_group() as group:
        for _ in range(2):
            group.start_soon(lambda: read(endless, pool=pool))
        await anyio.sleep(0.1)
        with anyio.move_on_after(0.1) as scope:
            await read(png, pool=pool)
        assert scope.cancelled_caught
        group.cancel_scope.cancel()
    assert eventually(lambda: pool._busy == 0 and not pool._waiting)
    assert await read(png, pool=pool)


# ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_host_without_a_guarded_main_is_not_run_again(png: Path, tmp_path: Path) -> None:
    host = tmp_path / "host.py"
    tests = Path(__file__).parents[1]
    host.write_text(
        f"import sys; sys.path.insert(0, {str(tests)!r})\n"
        "from pathlib import Path\nfrom helpers.media import read_sync\n"
        f"print('once'); print(read_sync(Path({str(png)!r})).shown.width)\n"
    )
    done = subprocess.run(
        [sys.executable, host], capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path
    )
    assert (done.stdout, done.stderr) == ("once\n40\n", "")


@pytest.mark.posix("/proc")
def test_closed_pool_leaves_no_processes_or_descriptors(png: Path) -> None:
    pool = Pool(2)
    before = open_descriptors()
    read_sync(png, pool=pool)
    processes = descendants(os.getpid())
    started = {child.pid for child in pool._idle}
    assert started <= processes
    pool.close()
    assert open_descriptors() == before
    assert eventually(lambda: not any(exists(pid) for pid in started))


@pytest.mark.posix("a script as a program")
def test_read_that_waits_for_a_decoder_says_that_the_process_is_exiting(
    png: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said that the interpreter is unusable, or that the file cannot be decoded."""
    slow = tmp_path / "python"
    slow.write_text("#!/bin/sh\nexec sleep 2\n")
    slow.chmod(0o755)
    monkeypatch.setenv("ANYREAD_PYTHON", str(slow))
    pool, caught = Pool(1), []

    def work() -> None:
        with pytest.raises(DecoderUnavailableError) as error:
            read_sync(png, pool=pool)
        caught.append(error.value.reason)

    thread = threading.Thread(target=work)
    thread.start()
    assert eventually(lambda: pool._starter is not None)
    pool.close()
    thread.join()
    assert caught == ["this process is exiting, or has ended its decoders"]


# ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("python", "reason"),
    [
        ("/nonexistent/python", "ANYREAD_PYTHON is set to `/nonexistent/python`, which is not an executable"),
        pytest.param(
            "/bin/false", "the interpreter exited while starting", marks=pytest.mark.posix("a program")
        ),
    ],
)
def test_unusable_interpreter_raises_a_typed_error(
    png: Path, monkeypatch: pytest.MonkeyPatch, python: str, reason: str
) -> None:
    monkeypatch.setenv("ANYREAD_PYTHON", python)
    pool = Pool(2)
    with pytest.raises(DecoderUnavailableError) as caught:
        read_sync(png, pool=pool)
    assert caught.value.reason == reason
    assert "ANYREAD_PYTHON" in caught.value.hint
    monkeypatch.delenv("ANYREAD_PYTHON")
    assert read_sync(png, pool=pool)
    pool.close()


@pytest.mark.posix("a package that is not beside its libraries")
def test_missing_library_is_named_in_the_error(png: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The interpreter finds this package but none of its libraries.
    monkeypatch.setattr(sys, "path", [path for path in sys.path if not path.endswith("site-packages")])
    pool = Pool(2)
    with pytest.raises(DecoderUnavailableError, match="No module named"):
        read_sync(png, pool=pool)
    pool.close()
