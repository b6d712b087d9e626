"""Decoders when processes or descriptors run out or sockets fail: typed errors, then recovery."""

from __future__ import annotations

import errno
import os
import platform
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from anyread.decoding.host import children, decoder, starters
from anyread.decoding.host import pool as pool_module
from anyread.decoding.host.pool import Pool
from anyread.decoding.host.starters import RefusedError
from anyread.errors import DecoderUnavailableError, FileSystemError
from helpers.media import read_sync
from helpers.waiting import until

TESTS = Path(__file__).parents[1]
PORTABLE = os.environ.get("ANYREAD_PORTABLE") == "1" or sys.platform == "win32"
fork_server_only = pytest.mark.skipif(PORTABLE, reason="the portable path has no fork server")


def end_idle(pool: Pool) -> None:
    for child in pool._idle:
        os.kill(child.pid, signal.SIGKILL)
        while child.is_alive():
            pass


@fork_server_only
def test_refused_fork_leaves_the_fork_server_alive(png: Path, pool: Pool) -> None:
    """One failed fork ended the fork server and every decoder at work."""
    read_sync(png, pool=pool)
    assert isinstance(pool._starter, starters.ForkServer)
    fork_server = pool._starter.pid
    limits = resource.prlimit(fork_server, resource.RLIMIT_NOFILE)
    resource.prlimit(fork_server, resource.RLIMIT_NOFILE, (5, limits[1]))
    refused = []
    for _ in range(3):
        # The first read may use a child that was forked in advance.
        end_idle(pool)
        try:
            read_sync(png, pool=pool)
        except DecoderUnavailableError as error:
            refused.append(error)
    assert "reached its limit of open files, 5" in refused[0].reason
    assert refused[0].may_pass
    assert "ANYREAD_PYTHON" not in refused[0].hint
    resource.prlimit(fork_server, resource.RLIMIT_NOFILE, limits)
    assert read_sync(png, pool=pool).shown.width == 20
    assert pool.stats()["decoder_restarts"] == 0


def test_read_waits_if_no_second_decoder_can_be_started(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    first = pool.acquire()

    def refused(*_: Any) -> Any:
        raise RefusedError("there is no process left")

    monkeypatch.setattr(pool._starter, "child", refused)
    second: list[Any] = []
    waiting = threading.Thread(target=lambda: second.append(pool.acquire()))
    waiting.start()
    until(lambda: pool._waiting == 1)
    pool.release(first, is_fit=True)
    waiting.join(10)
    assert second == [first]
    pool.release(first, is_fit=True)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [24, 40, 63])
def test_low_descriptor_limit_is_enough(png: Path, limit: int) -> None:
    """With a limit below 64 no decoder started, and the error blamed a signal from outside."""
    assert host(png, limit=limit) == "20 20 20 20 20 20"


def host(png: Path, *, limit: int) -> str:
    code = f"""
import resource, sys
sys.path.insert(0, {str(TESTS)!r})
import anyread
from anyread.formats import image
from anyread.decoding.child import worker
from anyread.decoding.host import pool, starters
from anyread.running import loop, threads
resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, {limit}))
shown = []
for _ in range(6):
    try:
        shown.append(anyread.read_sync({str(png)!r}).shown.width)
    except anyread.ReadError as error:
        shown.append(error.message)
print(*shown)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, close_fds=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOBUFS, errno.ENOMEM])
@pytest.mark.parametrize(("module", "place"), [(children, "send"), (decoder, "receive")])
def test_failing_socket_raises_a_typed_error(
    png: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch, module: ModuleType, place: str, number: int
) -> None:
    """Errors of the sockets to decoders were raised as bare `OSError`."""
    read_sync(png, pool=pool)

    def failing(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        broken.setattr(module, place, failing)
        with pytest.raises(FileSystemError) as caught:
            read_sync(png, pool=pool)
    assert (caught.value.errno, caught.value.operation) == (number, "decode")
    assert pool._busy == 0
    assert read_sync(png, pool=pool).shown.width == 20


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.EMFILE])
def test_failing_process_start_raises_a_typed_error(
    png: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refused(*_: Any, **__: Any) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        module, name = (subprocess, "Popen") if sys.platform == "win32" else (os, "posix_spawn")
        broken.setattr(module, name, refused)
        with pytest.raises(DecoderUnavailableError) as caught:
            read_sync(png, pool=pool)
    assert caught.value.may_pass
    assert "retry" in caught.value.hint
    assert read_sync(png, pool=pool).shown.width == 20


@fork_server_only
@pytest.mark.skipif(platform.machine() != "x86_64", reason="has the numbers of its system calls")
@pytest.mark.parametrize(("call", "number"), [("sendmsg", 46), ("setsockopt", 54)])
def test_refused_system_call_of_sockets_is_a_typed_error(png: Path, call: str, number: int) -> None:
    """Without `sendmsg`, it came after 18 s and named the interpreter; `setsockopt` left a traceback."""
    code = f"""
import ctypes, errno, struct
import anyread
refuse = [0x20, 0, 0, 0, 0x15, 0, 1, {number}, 6, 0, 0, 0x50001, 6, 0, 0, 0x7FFF0000]
instructions = struct.pack("HBBI" * 4, *refuse)
program = ctypes.create_string_buffer(instructions)
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, struct.pack("HxxxxxxP", 4, ctypes.addressof(program)), 0, 0) == 0
for _ in range(2):
    try:
        anyread.read_sync({str(png)!r})
    except anyread.ReadError as error:
        print(error.message)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stderr == ""
    assert [line.endswith("Operation not permitted (EPERM)") for line in done.stdout.splitlines()] == [
        True
    ] * 2


@fork_server_only
def test_fork_server_that_is_stopped_is_not_waited_for_as_for_a_first_start(
    png: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was stopped again and again held a call for 21 s."""
    read_sync(png, pool=pool)
    assert isinstance(pool._starter, starters.ForkServer)
    pool._starter.child(time.monotonic() + 30).dispose()
    end_idle(pool)
    os.kill(pool._starter.pid, signal.SIGSTOP)
    monkeypatch.setattr(pool_module, "RESTART_S", 0.2)
    with pytest.raises(DecoderUnavailableError, match="it did not start in time"):
        read_sync(png, pool=pool)
