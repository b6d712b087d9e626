"""Decoders on every system: what they show, and that one that hangs, dies or is left behind does no harm."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

import anyread
from anyread.decoding.host import starters
from anyread.decoding.host.pool import close_shared_pool, shared_pool
from helpers.media import drawing, encoded, text_pdf, tiled_pdf
from helpers.waiting import until

if sys.platform == "win32":
    import _winapi

pytestmark = pytest.mark.skipif(not starters.is_supported(), reason="this system has no decoders")
TESTS = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _own_decoders() -> Iterator[None]:
    yield
    close_shared_pool()


@pytest.fixture
def png(tmp_path: Path) -> Path:
    path = tmp_path / "ä.png"
    path.write_bytes(encoded(drawing(40, 30), "PNG"))
    return path


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    path = tmp_path / "endless.pdf"
    path.write_bytes(tiled_pdf())
    return path


def shown(path: Path, reader: anyread.Reader | None = None) -> int:
    page: Any = (reader or anyread.Reader()).read_sync(path)
    width: int = page.shown.width
    return width


def is_running(pid: int) -> bool:
    if sys.platform == "win32":
        try:
            process = _winapi.OpenProcess(0x100000, False, pid)
        except OSError:
            return False
        is_over = _winapi.WaitForSingleObject(process, 0) == 0
        _winapi.CloseHandle(process)
        return not is_over
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def working() -> int:
    """Wait until a decoder works, and return its process ID."""
    until(lambda: bool(shared_pool()._working))
    [child] = shared_pool()._working
    return child.pid


def test_killed_decoder_is_an_error_of_one_call(png: Path, endless: Path) -> None:
    async def read() -> Any:
        async with anyio.create_task_group() as group:
            group.start_soon(kill)
            await anyread.read(endless)

    async def kill() -> None:
        pid = await anyio.to_thread.run_sync(working)
        await anyio.sleep(1)
        # Not SIGKILL, which the kernel sends if the memory of any test runs out.
        os.kill(pid, signal.SIGTERM)

    with pytest.RaisesGroup(anyread.DecoderCrashedError):
        anyio.run(read)
    assert shown(png) == 40


@pytest.mark.parametrize("ends", ["decode_timeout_s", "timeout_s", "cancelled"])
def test_decoder_whose_call_ends_is_killed(png: Path, endless: Path, ends: str) -> None:
    pids: list[int] = []

    async def read() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            if ends == "cancelled":
                with anyio.move_on_after(3):
                    await anyread.read(endless)
            else:
                limits: dict[str, Any] = {ends: 3}
                reader = anyread.Reader(limits=anyread.Limits(**limits))
                with pytest.raises((anyread.DecoderTimeoutError, anyread.ReadTimeoutError)):
                    await reader.read(endless)

    async def watch() -> None:
        pids.append(await anyio.to_thread.run_sync(working))

    assert shown(png) == 40
    anyio.run(read)
    until(lambda: not is_running(pids[0]))
    assert shown(png) == 40


def test_decoders_end_with_a_killed_host(endless: Path) -> None:
    code = f"""
import sys, threading; sys.path.insert(0, {str(TESTS)!r})
import anyread
from anyread.decoding.host.pool import shared_pool
threading.Thread(target=anyread.read_sync, args=({str(endless)!r},), daemon=True).start()
while not shared_pool()._working:
    pass
print(*(child.pid for child in shared_pool()._working), flush=True)
threading.Event().wait()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None
        pid = int(host.stdout.readline())
        time.sleep(1)
        assert is_running(pid)
        host.kill()
    until(lambda: not is_running(pid))


def test_memory_of_a_decoder_is_limited(tmp_path: Path, png: Path) -> None:
    path = tmp_path / "wide.png"
    path.write_bytes(encoded(drawing(6_000, 6_000), "PNG"))
    reader = anyread.Reader(limits=anyread.Limits(decode_memory_bytes=20_000_000))
    with pytest.raises(anyread.DecoderMemoryError):
        reader.read_sync(path)
    assert shown(png) == 40


def test_pages_of_one_file_come_from_two_decoders(tmp_path: Path) -> None:
    path = tmp_path / "pages.pdf"
    path.write_bytes(text_pdf(20))
    page: Any = anyread.read_sync(path, pages="1-20")
    assert len(page.pages) > 10
    for number, each in enumerate(page.pages, 1):
        assert each.text.startswith(f"line 1 of page {number} ")
        assert each.image is not None


def test_required_sandbox_refuses_where_there_is_none(png: Path) -> None:
    reader = anyread.Reader(limits=anyread.Limits(require_sandbox=True))
    try:
        assert shown(png, reader) == 40
    except anyread.DecoderUnavailableError as error:
        assert not error.sandboxed  # noqa: PT017 - most kernels of Linux have one
