"""What a decoder cannot do, whoever tells it to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from anyread.decoding.pool import Pool
from media import encoded, picture, read_sync

if sys.platform != "linux":
    pytest.skip("the sandbox is Linux's", allow_module_level=True)

INSIDE = """
import os, socket, sys
from pathlib import Path
from anyread._native import enter_sandbox
from anyread.decoding.worker import FONT_FOLDERS
fonts = [path for folder in FONT_FOLDERS for path in Path(os.fsdecode(folder)).rglob("*.ttf")]
ours, theirs = socket.socketpair()
walls = enter_sandbox(readable_folders=FONT_FOLDERS)
def attempt(name, do):
    try:
        do()
    except OSError as error:
        # The one stream that is left.
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
sys.stdout.write(f"walls {','.join(sorted(walls))}\\n")
sys.stdout.flush()
os._exit(0)
"""


def test_process_inside_can_neither_read_nor_write_nor_start_nor_connect() -> None:
    told = subprocess.run(
        [sys.executable, "-c", INSIDE], capture_output=True, text=True, timeout=60, check=False
    )
    assert (told.returncode, told.stderr) == (0, "")
    outcomes = dict(line.split() for line in told.stdout.splitlines())
    walls = outcomes.pop("walls", "").split(",")
    assert outcomes["send"] == outcomes["memory"] == outcomes["fonts"] == "done"
    if "system_calls" in walls:
        for name in ("write", "remove", "socket", "fork", "exec", "signal"):
            assert outcomes[name] in {"1", "13"}, name
    if "files" in walls:
        assert outcomes["read"] == "13"
    if walls == [""]:
        pytest.skip("this kernel has neither wall")


def test_decoders_are_inside_and_say_so(tmp_path: Path) -> None:
    pool = Pool(2)
    try:
        path = tmp_path / "a.png"
        path.write_bytes(encoded(picture(20, 20), "PNG"))
        read_sync(path, pool=pool)
        assert pool.walls is not None
        assert pool.stats()["decoder_walls"] == len(pool.walls)
        status = Path(f"/proc/{pool._idle[0].pid}/status").read_text()
        if "system_calls" in pool.walls:
            assert "\nSeccomp:\t2\n" in status
            assert "\nNoNewPrivs:\t1\n" in status
    finally:
        pool.close()
