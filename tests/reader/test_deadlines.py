"""`Limits.timeout_s` limits a whole call, including its waits for decoders."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Limits
from anyread.decoding.host import starters
from anyread.decoding.host.pool import close_shared_pool, shared_pool
from anyread.running.deadline import call_deadline, current_deadline
from anyread.running.threads import run as run_sync
from helpers.media import drawing, encoded, text_pdf, tiled_pdf

TIMEOUT_S = 0.3
GENEROUS_S = 9.0
"""Much longer than the timeout, much shorter than the waits before the fix: 10 s and more."""
Reader = anyread.Reader
PORTABLE = os.environ.get("ANYREAD_PORTABLE") == "1"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    found = {}
    for name, data in {
        "image": encoded(drawing(20, 20), "PNG"),
        "pdf": text_pdf(2),
        "endless": tiled_pdf(),
    }.items():
        found[name] = tmp_path / name
        found[name].write_bytes(data)
    return found


@pytest.fixture
def busy() -> Iterator[None]:
    """Take all decoders of the process."""
    pool = shared_pool()
    claims = [run_sync(pool.acquire) for _ in range(pool.size)]
    yield
    for claim in claims:
        pool.release(claim, is_fit=True)


class Watch:
    """Expects a `ReadTimeoutError` after `TIMEOUT_S`, and before `GENEROUS_S`."""

    def __enter__(self) -> None:
        self.started = time.monotonic()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        assert isinstance(error, anyread.ReadTimeoutError), error
        assert error.timeout_s == TIMEOUT_S
        assert error.decoding
        assert TIMEOUT_S * 0.9 <= time.monotonic() - self.started < GENEROUS_S
        return True


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("kind", ["image", "pdf"])
async def test_wait_for_a_decoder_ends_at_the_timeout(files: dict[str, Path], kind: str) -> None:
    """A read with `timeout_s=1` waited 14 to 30 s while other reads used all decoders."""
    reader = Reader(limits=Limits(timeout_s=TIMEOUT_S))
    with Watch():
        await reader.read(files[kind])
    with Watch():
        reader.read_sync(files[kind])
    (result,) = [result async for result in reader.read_many([files[kind]])]
    with Watch():
        time.sleep(TIMEOUT_S)
        assert isinstance(result, anyread.Failed)
        raise result.error


@pytest.mark.usefixtures("busy")
def test_tool_call_ends_at_the_timeout(files: dict[str, Path]) -> None:
    # Long enough for a loaded machine to begin the read of the file.
    tool: Any = anyread.tool("anyread", reader=Reader(limits=Limits(timeout_s=5 * TIMEOUT_S)))
    for arguments in ({"path": str(files["image"])}, {"places": [str(files["image"])]}):
        started = time.monotonic()
        output = tool.call_sync(arguments)
        assert output["code"] == "timeout"
        assert f"`{files['image']}`" in output["message"]
        assert time.monotonic() - started < GENEROUS_S


def test_deadline_of_several_files_names_the_last_one() -> None:
    """The thread that waits named no file when the one that reads had seen the deadline pass before it."""
    with call_deadline("", 60):
        # After its last file, a list has no name for what it does next.
        for path in ("a.py", "b.py", ""):
            with call_deadline(path, 60):
                pass
        deadline = current_deadline()
        assert deadline is not None
        assert deadline.error().path == "b.py"
    with call_deadline("one.py", 60), call_deadline("its-link.py", 60):
        deadline = current_deadline()
        assert deadline is not None
        assert deadline.error().path == "one.py"


@pytest.mark.slow
async def test_decoding_ends_at_the_timeout(files: dict[str, Path]) -> None:
    reader = Reader(limits=Limits(timeout_s=TIMEOUT_S))
    anyread.read_sync(files["image"])
    with Watch():
        await reader.read(files["endless"])
    with Watch():
        reader.read_sync(files["endless"])
    assert anyread.read_sync(files["image"]).kind == "image"


def test_decode_timeout_raises_decoder_timeout_error(files: dict[str, Path]) -> None:
    reader = Reader(limits=Limits(timeout_s=60, decode_timeout_s=TIMEOUT_S))
    with pytest.raises(anyread.DecoderTimeoutError):
        reader.read_sync(files["endless"])


@pytest.mark.skipif(PORTABLE, reason="needs a fork server, which the portable path does not have")
@pytest.mark.posix("forks")
def test_read_with_a_stopped_fork_server_times_out_and_replaces_it(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fork server that was stopped delayed every call by 30 s and was never replaced."""
    monkeypatch.setattr(starters, "FORK_S", 1)
    close_shared_pool()
    anyread.read_sync(files["image"])
    pool = shared_pool()
    assert isinstance(pool._starter, starters.ForkServer)
    stopped = pool._starter.pid
    os.kill(stopped, signal.SIGSTOP)
    # The first read uses the child that was forked in advance; the next needs the fork server.
    reader = Reader(limits=Limits(timeout_s=TIMEOUT_S))
    codes: list[str] = []
    while "timeout" not in codes:
        for child in pool._idle:
            os.kill(child.pid, signal.SIGKILL)
        try:
            codes.append(reader.read_sync(files["image"]).kind)
        except anyread.ReadError as error:
            codes.append(error.code)
    assert len(codes) <= 4
    assert anyread.read_sync(files["image"]).kind == "image"
    assert pool.stats()["decoder_restarts"] == 1
    assert not Path(f"/proc/{stopped}/fd").exists() or not os.listdir(f"/proc/{stopped}/fd")  # noqa: PTH208
