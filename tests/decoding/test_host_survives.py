"""The host survives when a decoder dies or its container runs out of memory."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import anyread
from anyread.decoding.child.worker import NICENESS
from anyread.decoding.host.pool import Pool
from anyread.running.threads import run as run_sync
from helpers.media import drawing, encoded, read_sync
from helpers.notebooks import code, display, write
from helpers.notebooks import png as image
from helpers.waiting import until

TESTS = Path(__file__).parents[1]
CGROUPS = Path("/sys/fs/cgroup")


def host(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run code in a separate host process, with everything from `media` imported."""
    first = f"import sys; sys.path.insert(0, {str(TESTS)!r})\n"
    first += "from pathlib import Path\nfrom helpers.media import *\n"
    return subprocess.run(
        [sys.executable, "-c", first + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def png(tmp_path: Path) -> Path:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(drawing(40, 30), "PNG"))
    return path


@pytest.mark.slow
def test_host_with_default_sigpipe_survives_a_decoder_that_dies_before_a_request(png: Path) -> None:
    """Sending to a dead decoder raised SIGPIPE, which ended hosts that leave it at its default action."""
    code = """
import os, signal, time
from anyread.decoding.host import decoder
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
path = Path(sys.argv[1])
read_sync(path)
ask = decoder.Decoder.ask

def is_running(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        # Its parent has taken note of its end, perhaps between opening and reading.
        return False

def ask_killed_decoder(self, *arguments, **named):
    decoder.Decoder.ask = ask
    os.kill(self._child.pid, signal.SIGKILL)
    while is_running(self._child.pid):
        time.sleep(0.005)
    return ask(self, *arguments, **named)

decoder.Decoder.ask = ask_killed_decoder
print(read_sync(path).shown.width)
"""
    done = host(code, png)
    assert (done.returncode, done.stdout) == (0, "40\n"), done.stderr


def descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from descendants(int(child))


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: other systems have no OOM killer")
def test_oom_killer_ends_decoders_first() -> None:
    """When a small PDF made its decoder grow, the kernel killed the host, the larger process."""
    pool = Pool(2)
    before = set(descendants(os.getpid()))
    claim = run_sync(pool.acquire)
    started = set(descendants(os.getpid())) - before
    assert started
    # A worker that was started in advance sets its own score before it takes a job.
    until(lambda: {Path(f"/proc/{pid}/oom_score_adj").read_text() for pid in started} == {"1000\n"})
    pool.release(claim, is_fit=True)
    pool.close()


def test_decoder_has_a_lower_priority_than_its_host(png: Path, pool: Pool) -> None:
    """Two slow files took most of two cores from all other reads."""
    read_sync(png, pool=pool)
    (child,) = pool._idle
    below = os.getpriority(os.PRIO_PROCESS, 0) + NICENESS
    assert os.getpriority(os.PRIO_PROCESS, child.pid) == min(below, 19)


def is_empty(group: Path) -> bool:
    return not (group / "cgroup.procs").read_text()


@pytest.fixture
def small_container() -> Iterator[Path]:
    """Create a control group with 300 MiB of memory."""
    name = f"anyread-test-{os.getpid()}"
    for group, limit in (
        (CGROUPS / "memory" / name, "memory.limit_in_bytes"),
        (CGROUPS / name, "memory.max"),
    ):
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit).write_text(str(300 << 20))
        except OSError:
            group.rmdir()
            continue
        yield group
        # Decoders of a host that has just ended may still be in the group.
        until(partial(is_empty, group))
        group.rmdir()
        return
    pytest.skip("needs permission to create control groups")


@pytest.mark.slow
def test_container_out_of_memory_fails_only_one_read(
    tmp_path: Path, png: Path, small_container: Path
) -> None:
    """The kernel killed the host instead of the decoder."""
    large = tmp_path / "large.png"
    large.write_bytes(encoded(Image.new("RGBA", (7_000, 7_000), (9, 9, 9, 200)), "PNG", compress_level=1))
    code = """
from anyread.errors import DecoderMemoryError
Path(sys.argv[1], "cgroup.procs").write_text("0")
held = b"x" * (180 << 20)
try:
    read_sync(Path(sys.argv[2]))
except DecoderMemoryError as error:
    print(error.system, error.message)
print(read_sync(Path(sys.argv[3])).shown.width, len(held) >> 20)
"""
    done = host(code, small_container, large, png)
    message = f"True the system ran out of memory and killed the decoder of `{large}`"
    assert (done.returncode, done.stdout) == (0, f"{message}\n40 180\n"), done.stderr


@pytest.mark.posix("socket pairs that the system makes")
def test_sockets_replaced_by_the_host_are_not_used(
    png: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gevent and eventlet patch their own sockets into the standard library; eventlet removes `poll`."""

    def replaced(*_: object, **__: object) -> None:
        raise AssertionError("a replaced socket was used")

    pool = Pool(2)
    notebook = write(tmp_path, *(code("show()", display(image_png=image())) for _ in range(6)))
    with monkeypatch.context() as patched:
        for name in ("socket", "socketpair", "send_fds", "recv_fds"):
            patched.setattr(socket, name, replaced)
        patched.delattr(select, "poll")
        for _ in range(3):
            assert read_sync(png, pool=pool).shown.width == 40
        page: Any = anyread.read_sync(notebook)
    pool.close()
    assert all(cell.outputs[0].image.block is not None for cell in page.cells)
