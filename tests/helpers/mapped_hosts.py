"""Processes that scan a file in mapped windows, and a process that changes it meanwhile.

Each host is a process of its own, because a signal handler belongs to the whole process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

LINE = 64
MIB = 1024 * 1024
SIZE = 24 * MIB


def content(start: int, end: int) -> bytes:
    """Return bytes `start` to `end` of a file of numbered lines of `LINE` bytes each."""
    lines = b"".join(
        b"%010d %s\n" % (number, b"x" * (LINE - 12)) for number in range(start // LINE, end // LINE)
    )
    assert len(lines) == end - start
    return lines


# The beginning of every host's code; the code of the case follows.
HOST = f"""
import ctypes, faulthandler, json, mmap, os, signal, sys, threading, time
import anyread
import anyread.errors

LINE, SIZE = {LINE}, {SIZE}
path, directory = sys.argv[1], sys.argv[2]
reader = anyread.Reader(limits=anyread.Limits(exact_total=True), gutter=anyread.Gutter.NONE)

def lines_in(size):
    # A file that is being written may end inside a line.
    return -(-size // LINE)

def scan():
    anyread.clear_caches()
    page = reader.read_sync(path, limit=1)
    assert page.total_lines == lines_in(page.size_bytes), page
    return page

def counts():
    return {{name: reader.stats()[name] for name in ("mapped", "mapping_repeats", "mapping_hits")}}

def fault():
    # A real fault, in a foreign mapping whose file was truncated.
    name = os.path.join(directory, "foreign")
    with open(name, "wb") as file:
        file.write(b"x" * 8192)
    with open(name, "r+b") as file:
        mapped = mmap.mmap(file.fileno(), 8192, prot=mmap.PROT_READ)
        file.truncate(0)
        mapped[5000]

def handler():
    # The address of the current handler: the first word of what the kernel returns.
    action = ctypes.create_string_buffer(256)
    assert ctypes.CDLL(None).sigaction(signal.SIGBUS, None, action) == 0
    return int.from_bytes(action.raw[:8], "little")

def report(**facts):
    print(json.dumps(facts | counts()))
    sys.stdout.flush()
"""


def run(
    code: str, path: Path, directory: Path, *, options: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a host to completion; scans of any size are mapped unless `environment` changes that."""
    script = HOST + textwrap.dedent(code)
    command = [sys.executable, *options, "-c", script, str(path), str(directory)]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("ANYREAD_")}
    inherited.pop("PYTHONFAULTHANDLER", None)
    return subprocess.run(
        command,
        env=inherited | {"ANYREAD_MMAP": "always"} | environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def facts(code: str, path: Path, directory: Path, **arguments: Any) -> dict[str, Any]:
    """Run a host that must succeed; return the facts that it reported."""
    host = run(code, path, directory, **arguments)
    assert host.returncode == 0, host.stderr
    reported: dict[str, Any] = json.loads(host.stdout)
    return reported


# Runs in a process that does not import anyread. The pauses between changes let the file be mapped.
WRITER = """
import os, sys, time
path, mode, size, line = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
whole = open(path, "rb").read()
file, turn = os.open(path, os.O_RDWR), 0
def write(start, end):
    while start < end:
        start += os.pwrite(file, whole[start:end], start)
def rest():
    time.sleep(0.021 + turn * 37 % 9 / 1000)
print("begun", flush=True)
while True:
    turn += 1
    # Cut at a page, at a line inside a page, or near the start.
    cut = (size // 2 + turn * 4096 * 1237 % (size // 3), turn * line * 40009 % size, 4096)[turn % 3]
    if mode == "truncate":
        os.ftruncate(file, cut)
        if turn % 2:
            rest()
        write(cut, size)
    elif mode == "grow":
        write(cut, size)
        os.ftruncate(file, cut)
        for start in range(cut, size, 1 << 20):
            write(start, min(start + (1 << 20), size))
            time.sleep(0.002)
    elif mode == "replace":
        other = os.open(path + ".new", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
        os.close(file)
        file = other
        write(0, size)
        os.rename(path + ".new", path)
    elif mode == "rotate":
        # As logrotate does with `copytruncate`, and with `create`.
        if turn % 2:
            os.ftruncate(file, 0)
        else:
            os.rename(path, path + ".1")
            os.close(file)
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        write(0, size)
    rest()
"""

STORM = """
seconds, scans, refused, wrong, deadline = float(os.environ["SECONDS"]), 0, 0, [], 0
deadline = time.monotonic() + seconds
def goes_on():
    # On a busy machine the writer may not have truncated a mapped window by the deadline.
    late_s = time.monotonic() - deadline
    return late_s < 0 or (late_s < 20 and os.environ["HITS"] == "1" and not counts()["mapping_hits"])
enabled = os.environ["FAULTHANDLER"]
if enabled == "before":
    faulthandler.enable()
def work():
    global scans, refused
    while goes_on():
        try:
            anyread.clear_caches()
            page = reader.read_sync(path, limit=1)
        except (anyread.errors.FileChangedError, anyread.errors.NotFoundError):
            refused += 1
            continue
        scans += 1
        if page.total_lines != lines_in(page.size_bytes):
            wrong.append(repr((page.total_lines, page.size_bytes)))
if enabled == "after":
    scan_once = reader.read_sync(path, limit=1)
    faulthandler.enable()
threads = [threading.Thread(target=work) for _ in range(int(os.environ["THREADS"]))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
report(scans=scans, refused=refused, wrong=wrong[:5])
"""


def storm(
    directory: Path, mode: str, enabled: str, *, seconds: float, threads: int = 1, code: str = STORM
) -> dict[str, Any]:
    """Scan a file repeatedly while a process changes it; every line count must match the file's size."""
    path = directory / "storm.log"
    path.write_bytes(content(0, SIZE))
    command = [sys.executable, "-c", WRITER, str(path), mode, str(SIZE), str(LINE)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        hits = mode in {"truncate", "rotate"}
        arguments = {"SECONDS": str(seconds), "THREADS": str(threads), "FAULTHANDLER": enabled}
        seen = facts(code, path, directory, HITS=str(int(hits)), **arguments)
        assert process.poll() is None, "the writer died"
    finally:
        process.kill()
        process.communicate()
    assert seen["wrong"] == []
    assert seen["scans"] > 0
    assert seen["mapped"] > 0
    if hits:
        assert seen["mapping_hits"] > 0, seen
    return seen
