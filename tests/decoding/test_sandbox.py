"""Sandboxed decoders cannot read, write, fork, execute, connect or send signals."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from anyread.arguments.limits import Limits
from anyread.decoding.host.children import ReaderSettings
from anyread.decoding.host.pool import Pool
from helpers.media import drawing, encoded, read_sync, text_pdf

if sys.platform != "linux":
    pytest.skip("needs Linux: the sandbox is made of Landlock and seccomp", allow_module_level=True)

SANDBOXED_PROCESS = """
import os, socket, sys
from pathlib import Path
from anyread._native import enter_sandbox
from anyread.decoding.child.worker import FONT_DIRECTORIES
fonts = [path for directory in FONT_DIRECTORIES for path in Path(os.fsdecode(directory)).rglob("*.ttf")]
ours, theirs = socket.socketpair()
restrictions = enter_sandbox(readable_directories=FONT_DIRECTORIES)
def attempt(name, do):
    try:
        do()
    except OSError as error:
        # Standard output is the only stream left.
        sys.stdout.write(f"{name} {error.errno}\\n")
    else:
        sys.stdout.write(f"{name} done\\n")
attempt("read", lambda: open("/etc/passwd").close())
attempt("fonts", lambda: [open(path, "rb").read(1) for path in fonts])
attempt("write", lambda: open("/tmp/anyread-sandbox", "w").close())
attempt("remove", lambda: os.unlink("/tmp/anyread-sandbox-is-not-there"))
attempt("socket", lambda: socket.socket())
attempt("fork", lambda: os.fork() or os._exit(0))
attempt("exec", lambda: os.execv("/bin/true", ["true"]))
attempt("signal", lambda: os.kill(os.getppid(), 0))
attempt("send", lambda: ours.send(b"x"))
attempt("memory", lambda: bytearray(50_000_000))
sys.stdout.write(f"restrictions {','.join(sorted(restrictions))}\\n")
sys.stdout.flush()
os._exit(0)
"""


def test_sandboxed_process_cannot_read_write_fork_execute_or_connect() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SANDBOXED_PROCESS], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    outcomes = dict(line.split() for line in done.stdout.splitlines())
    restrictions = outcomes.pop("restrictions", "").split(",")
    assert outcomes["send"] == outcomes["memory"] == outcomes["fonts"] == "done"
    if "system_calls" in restrictions:
        for name in ("write", "remove", "socket", "fork", "exec", "signal"):
            assert outcomes[name] in {"1", "13"}, name
    if "files" in restrictions:
        assert outcomes["read"] in {"1", "13"}
    if restrictions == [""]:
        pytest.skip("needs a kernel with Landlock or seccomp")


def test_decoders_are_sandboxed_and_report_it(tmp_path: Path) -> None:
    pool = Pool(2)
    try:
        path = tmp_path / "a.png"
        path.write_bytes(encoded(drawing(20, 20), "PNG"))
        read_sync(path, pool=pool)
        assert pool.restrictions is not None
        assert pool.stats()["decoder_restrictions"] == len(pool.restrictions)
        status = Path(f"/proc/{pool._idle[0].pid}/status").read_text()
        if "system_calls" in pool.restrictions:
            assert "\nSeccomp:\t2\n" in status
            assert "\nNoNewPrivs:\t1\n" in status
        assert "\nCapEff:\t0000000000000000\n" in status
    finally:
        pool.close()


def test_decoder_gets_no_files_of_readers_with_other_rules() -> None:
    """A decoder that one reader's file had taken over got the files of all other readers."""
    pool = Pool(1)
    seen: dict[int, list[int]] = {}
    try:
        for rules in (1, 2, 1, 1):
            settings = ReaderSettings(rules)
            child = pool.acquire(settings=settings)
            seen.setdefault(child.pid, []).append(rules)
            pool.release(child, is_fit=True)
    finally:
        pool.close()
    assert list(seen.values()) == [[1], [2], [1, 1]]


def test_decoder_that_knows_passwords_gets_no_files_of_other_readers(tmp_path: Path) -> None:
    """One that a file of another reader takes over later would find them in its memory."""
    path = tmp_path / "a.pdf"
    path.write_bytes(text_pdf(1))
    pool = Pool(1)
    pids = []
    try:
        for passwords in (["secret"], ["secret"], ["other"], [], ["secret"]):
            read_sync(path, pool=pool, passwords=passwords)
            (child,) = (each for each in pool._idle if each.settings is not None)
            pids.append(child.pid)
    finally:
        pool.close()
    assert pids[0] == pids[1]
    assert len(set(pids)) == len(pids) - 1


def test_limits_of_a_decoder_are_hard(tmp_path: Path) -> None:
    """They were soft, so that a decoder that was taken over could raise them."""
    path = tmp_path / "a.png"
    path.write_bytes(encoded(drawing(20, 20), "PNG"))
    pool = Pool(1)
    try:
        read_sync(path, pool=pool, limits=Limits(decode_memory_bytes=300 << 20, decode_timeout_s=3))
        (child,) = pool._idle
        memory = resource.prlimit(child.pid, resource.RLIMIT_AS)
        assert 300 << 20 < memory[0] == memory[1] < 1 << 30
        assert resource.prlimit(child.pid, resource.RLIMIT_CPU) == (160, 160)
    finally:
        pool.close()


HOST_AT_A_TERMINAL = """
import fcntl, signal, sys, termios
from pathlib import Path
import anyread
from anyread.decoding.host.pool import shared_pool
signal.signal(signal.SIGINT, signal.SIG_IGN)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
def seen():
    return anyread.read_sync(sys.argv[1]).image.width
def terminals():
    fork_server = getattr(shared_pool()._starter, "pid", None)
    pids = [child.pid for child in shared_pool()._idle] + ([fork_server] if fork_server else [])
    return pids, [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[4] for pid in pids]
assert Path("/proc/self/stat").read_text().rpartition(")")[2].split()[4] != "0"
seen()
before = terminals()
print("ready", flush=True)
sys.stdin.readline()
assert seen() and terminals() == before, terminals()
print("terminals", *sorted({"decoder", *before[1]}), flush=True)
"""


def test_decoders_have_no_terminal_and_survive_ctrl_c(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(encoded(drawing(16, 16), "PNG"))
    terminal, host_end = os.openpty()
    host = subprocess.Popen(
        [sys.executable, "-c", HOST_AT_A_TERMINAL, str(file)],
        stdin=host_end,
        stdout=host_end,
        stderr=host_end,
        start_new_session=True,
    )
    os.close(host_end)
    shown = b""
    # Reading fails once no process has the terminal open.
    with host, suppress(OSError):
        while part := os.read(terminal, 1_000):
            shown += part
            if b"ready" in part:
                os.write(terminal, b"\x03")
                os.write(terminal, b"go\n")
    os.close(terminal)
    assert host.returncode == 0, shown
    assert b"terminals 0 decoder\r\n" in shown
