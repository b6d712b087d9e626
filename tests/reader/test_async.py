"""Asynchronous reads, on asyncio, uvloop and trio."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

import anyread

Reader = anyread.Reader
read_sync = anyread.read_sync
read = anyread.read
read_many = anyread.read_many

pytestmark = pytest.mark.anyio


@pytest.fixture
def poem(tmp_path: Path) -> Path:
    """A small file."""
    path = tmp_path / "poem.txt"
    path.write_text("Tyger Tyger, burning bright,\nIn the forests of the night;\n")
    return path


@pytest.fixture
def huge(tmp_path: Path) -> Path:
    """A log of 1 TiB that is almost all hole: counting its lines takes minutes."""
    path = tmp_path / "huge.log"
    path.write_bytes(b"line\n" * 4_000)
    os.truncate(path, 1 << 40)
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of 5 MiB, large enough for an index."""
    path = tmp_path / "app.log"
    path.write_text("".join(f"{n} {'.' * (n % 60)}\n" for n in range(1, 150_001)))
    return path


async def test_iteration_that_is_ended_during_a_read_stays_ended(log: Path) -> None:
    """The end of the read undid it."""

    def counted(text: str) -> int:
        # It is called during a read.
        with suppress(StopIteration):
            results.aclose().send(None)
        return len(text)

    reader = Reader(limits=anyread.Limits(tokenizer=counted))
    for results in (reader.pages(log, kind="text", limit=10), reader.read_many([log] * 40, kind="text")):
        assert len([page async for page in results]) <= 1
        assert [page async for page in results] == []


# ---------------------------------------------------------------- cancellation and deadlines


@pytest.mark.slow
async def test_cancelled_scan_stops_its_worker(huge: Path) -> None:
    with anyio.move_on_after(0.2):
        await read(huge, offset=10**9)
    await anyio.sleep(0.1)
    # A scan keeps a core busy; a worker that has stopped uses none.
    before = time.process_time()
    await anyio.sleep(0.3)
    assert time.process_time() - before < 0.15


# ---------------------------------------------------------------- functions of the host


async def test_tokenizer_sees_the_context_of_the_caller(tmp_path: Path) -> None:
    """A tracer or a tenant's setting was unset in the threads that read files."""
    tenant: ContextVar[str] = ContextVar("tenant", default="")
    seen = []

    def count(text: str) -> int:
        seen.append(tenant.get())
        return len(text)

    (tmp_path / "a.txt").write_text("one\n")
    reader = anyread.Reader(limits=anyread.Limits(tokenizer=count, inline_bytes=1))
    tenant.set("a")
    await reader.read(tmp_path / "a.txt")
    assert set(seen) == {"a"}


@pytest.mark.parametrize("is_sync", [False, True])
async def test_exception_that_is_its_own_cause_is_raised(tmp_path: Path, is_sync: bool) -> None:
    """The search for its causes never ended."""

    def count(_: str) -> int:
        error = ValueError("of the host")
        raise error from error

    (tmp_path / "a.txt").write_text("one\n")
    reader = anyread.Reader(limits=anyread.Limits(tokenizer=count, inline_bytes=1))
    with pytest.raises(ValueError, match="of the host"):
        reader.read_sync(tmp_path / "a.txt") if is_sync else await reader.read(tmp_path / "a.txt")
