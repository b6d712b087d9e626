"""Mapped scans in real processes: what SIGBUS does to a host, and what writers do to a scan.

Each case is a process of its own, because a signal's handler belongs to the whole process.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

SIGBUS_EXIT = -signal.SIGBUS
REPORT = "Fatal Python error: Bus error"
LINE = 64
MIB = 1024 * 1024
SIZE = 24 * MIB


def content(start: int, end: int) -> bytes:
    """Return lines of `LINE` bytes, each with its own number, of the file from byte `start` to `end`."""
    lines = b"".join(
        b"%010d %s\n" % (number, b"x" * (LINE - 12)) for number in range(start // LINE, end // LINE)
    )
    assert len(lines) == end - start
    return lines


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file that is large enough for threads, written long enough ago to be at rest."""
    path = tmp_path_factory.mktemp("guard") / "a.log"
    path.write_bytes(content(0, SIZE))
    time.sleep(0.03)
    return path


# What every host has at hand; the case's own code follows.
HOST = f"""
import ctypes, faulthandler, json, mmap, os, signal, sys, threading, time
import anyread
import anyread.errors

LINE, SIZE = {LINE}, {SIZE}
path, folder = sys.argv[1], sys.argv[2]
reader = anyread.Reader(limits=anyread.Limits(exact_total=True), gutter=anyread.Gutter.NONE)

def lines_in(size):
    # A file that is being written may end inside a line.
    return -(-size // LINE)

def scan():
    anyread.drop_indexes()
    page = reader.read_sync(path, limit=1)
    assert page.total_lines == lines_in(page.size_bytes), page
    return page

def counts():
    return {{name: reader.stats()[name] for name in ("mapped", "mapping_repeats", "mapping_hits")}}

def fault():
    # A mapping of somebody else's whose file is gone: the real thing.
    name = os.path.join(folder, "foreign")
    with open(name, "wb") as file:
        file.write(b"x" * 8192)
    with open(name, "r+b") as file:
        mapped = mmap.mmap(file.fileno(), 8192, prot=mmap.PROT_READ)
        file.truncate(0)
        mapped[5000]

def handler():
    # The address of the present handler: the first word of the kernel's answer.
    action = ctypes.create_string_buffer(256)
    assert ctypes.CDLL(None).sigaction(signal.SIGBUS, None, action) == 0
    return int.from_bytes(action.raw[:8], "little")

def report(**facts):
    print(json.dumps(facts | counts()))
    sys.stdout.flush()
"""


def run(
    code: str, path: Path, folder: Path, *, options: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a host to its end; scans of any size are mapped unless `environment` says otherwise."""
    script = HOST + textwrap.dedent(code)
    command = [sys.executable, *options, "-c", script, str(path), str(folder)]
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


def facts(code: str, path: Path, folder: Path, **arguments: Any) -> dict[str, Any]:
    """Run a host that must end well; return what it reported."""
    host = run(code, path, folder, **arguments)
    assert host.returncode == 0, host.stderr
    reported: dict[str, Any] = json.loads(host.stdout)
    return reported


# ------------------------------------------------------------------------------------------------------------
# Whether a scan is mapped at all


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), "scan(); report()"),
        ((), "faulthandler.enable(); scan(); report()"),
        ((), "scan(); faulthandler.enable(); scan(); report()"),
        ((), "faulthandler.enable(); scan(); faulthandler.disable(); scan(); report()"),
        (("-X", "faulthandler"), "scan(); report()"),
        ((), "signal.signal(signal.SIGBUS, signal.SIG_DFL); scan(); report()"),
        ((), "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()); scan(); report()"),
    ],
    ids=[
        "bare",
        "faulthandler",
        "faulthandler-later",
        "faulthandler-gone",
        "-X",
        "default-set",
        "all-blocked",
    ],
)
def test_scan_is_mapped_over_the_default_action_and_faulthandler(
    log: Path, tmp_path: Path, options: tuple[str, ...], code: str
) -> None:
    seen = facts(code, log, tmp_path, options=options)
    assert seen["mapped"] == code.count("scan()")
    assert seen["mapping_repeats"] == 0


@pytest.mark.parametrize(
    "install",
    [
        "signal.signal(signal.SIGBUS, lambda *arguments: None)",
        "signal.signal(signal.SIGBUS, signal.SIG_IGN)",
        (
            "keep = ctypes.CFUNCTYPE(None, ctypes.c_int)(print); libc = ctypes.CDLL(None)\n"
            "libc.signal.argtypes = [ctypes.c_int, type(keep)]; libc.signal(signal.SIGBUS, keep)"
        ),
        "signal.signal(signal.SIGBUS, lambda *arguments: None); faulthandler.enable()",
    ],
    ids=["python", "ignored", "ctypes", "python-under-faulthandler"],
)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_scan_is_read_where_a_foreign_handler_stands_and_leaves_it(
    log: Path, tmp_path: Path, install: str, *, after: bool
) -> None:
    first = "scan()" if after else "pass"
    code = f"{first}\n{install}\nbefore = handler()\nscan()\nreport(kept=handler() == before)"
    seen = facts(code, log, tmp_path)
    assert seen["mapped"] == int(after)
    assert seen["kept"]


FOREIGN_LIBRARY = """
#include <signal.h>
static void foreign(int number, siginfo_t *info, void *context) { (void)number; (void)info; (void)context; }
int install(void) {
    struct sigaction action = {0};
    action.sa_sigaction = foreign;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    return sigaction(SIGBUS, &action, 0);
}
"""


def test_scan_is_read_where_a_library_guards_the_process(log: Path, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    source, library = tmp_path / "foreign.c", tmp_path / "foreign.so"
    source.write_text(FOREIGN_LIBRARY)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    code = f"""
    faulthandler.enable()
    scan()
    assert ctypes.CDLL({str(library)!r}).install() == 0
    before = handler()
    scan()
    report(kept=handler() == before)
    """
    seen = facts(code, log, tmp_path)
    assert seen["mapped"] == 1
    assert seen["kept"]


@pytest.mark.parametrize(
    "environment", [{"ANYREAD_MMAP": "0"}, {"ANYREAD_PORTABLE": "1"}, {"ANYREAD_MMAP": "auto"}], ids=str
)
def test_scan_is_read_where_the_environment_or_its_size_says_so(
    log: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    seen = facts("before = handler(); scan(); report(kept=handler() == before)", log, tmp_path, **environment)
    assert seen == {"mapped": 0, "mapping_repeats": 0, "mapping_hits": 0, "kept": True}


def test_reader_that_never_maps_does_not_whatever_the_environment_says(log: Path, tmp_path: Path) -> None:
    code = """
    reader = anyread.Reader(limits=anyread.Limits(exact_total=True), mmap="never")
    scan()
    report(kept=handler() == 0)
    """
    seen = facts(code, log, tmp_path)
    assert seen == {"mapped": 0, "mapping_repeats": 0, "mapping_hits": 0, "kept": True}


def test_large_scan_tries_a_mapping_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "large.log"
    block = content(0, 8 * MIB)
    with path.open("wb") as file:
        for _ in range(16):
            file.write(block)
    time.sleep(0.03)
    assert facts("scan(); report()", path, tmp_path, ANYREAD_MMAP="auto")["mapped"] == 1


# ------------------------------------------------------------------------------------------------------------
# A SIGBUS that is not ours

ENABLED = {
    "never": ("scan()", 0),
    "before": ("faulthandler.enable(); scan()", 1),
    "after": ("scan(); faulthandler.enable()", 1),
    "after-and-armed-again": ("scan(); faulthandler.enable(); scan()", 1),
    "twice": (
        "faulthandler.enable(); scan(); faulthandler.disable(); scan(); faulthandler.enable(); scan()",
        1,
    ),
    "gone": ("faulthandler.enable(); scan(); faulthandler.disable(); scan()", 0),
}


@pytest.mark.parametrize("raise_it", ["fault()", "os.kill(os.getpid(), signal.SIGBUS); time.sleep(10)"])
@pytest.mark.parametrize("enabled", ENABLED)
def test_foreign_sigbus_ends_the_process_with_one_report(
    log: Path, tmp_path: Path, enabled: str, raise_it: str
) -> None:
    prepare, reports = ENABLED[enabled]
    host = run(f"{prepare}\nreport()\n{raise_it}\nprint('survived')", log, tmp_path)
    assert json.loads(host.stdout)["mapped"] == prepare.count("scan()")
    assert host.returncode == SIGBUS_EXIT, host.stderr
    assert host.stderr.count(REPORT) == reports
    assert host.stderr.count("Fatal Python error") == reports


@pytest.mark.parametrize("enabled", ["never", "before", "after-and-armed-again"])
def test_foreign_sigbus_under_scans_ends_the_process_with_one_report(
    log: Path, tmp_path: Path, enabled: str
) -> None:
    prepare, reports = ENABLED[enabled]
    code = f"""
    {prepare}
    def endless():
        while True:
            scan()
    for _ in range(2):
        threading.Thread(target=endless, daemon=True).start()
    time.sleep(0.05)
    fault()
    """
    host = run(code, log, tmp_path)
    assert host.returncode == SIGBUS_EXIT, host.stderr
    assert host.stderr.count(REPORT) == reports


# ------------------------------------------------------------------------------------------------------------
# Forks


def test_fork_during_scans_leaves_both_processes_reading(log: Path, tmp_path: Path) -> None:
    code = """
    def endless():
        while not done:
            scan()
    done = False
    scan()
    threads = [threading.Thread(target=endless) for _ in range(2)]
    for thread in threads:
        thread.start()
    failed = 0
    for _ in range(20):
        child = os.fork()
        if child == 0:
            before = reader.stats()["mapped"]
            scan()
            os._exit(0 if reader.stats()["mapped"] == before + 1 else 3)
        failed += os.waitpid(child, 0)[1] != 0
    done = True
    for thread in threads:
        thread.join()
    # A fault in a child is not taken for one of its parent's windows.
    child = os.fork()
    if child == 0:
        fault()
    died = os.WTERMSIG(os.waitpid(child, 0)[1])
    scan()
    report(failed=failed, died=died)
    """
    host = run(code, log, tmp_path, options=("-W", "ignore"))
    assert host.returncode == 0, host.stderr
    seen = json.loads(host.stdout)
    assert seen["failed"] == 0
    assert seen["died"] == signal.SIGBUS
    assert seen["mapped"] > 2


# ------------------------------------------------------------------------------------------------------------
# Writers

# Run by a process that knows nothing of anyread. Between two changes the file rests long enough to be mapped.
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
    # At a page, at a line within one, and near the start.
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
    # On a busy machine the writer may not have cut a mapped window by the deadline.
    late_s = time.monotonic() - deadline
    return late_s < 0 or (late_s < 20 and os.environ["HITS"] == "1" and not counts()["mapping_hits"])
enabled = os.environ["FAULTHANDLER"]
if enabled == "before":
    faulthandler.enable()
def work():
    global scans, refused
    while goes_on():
        try:
            anyread.drop_indexes()
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
    folder: Path, mode: str, enabled: str, *, seconds: float, threads: int = 1, code: str = STORM
) -> dict[str, Any]:
    """Scan a file again and again while another process changes it; every count must fit the file's size."""
    path = folder / "storm.log"
    path.write_bytes(content(0, SIZE))
    command = [sys.executable, "-c", WRITER, str(path), mode, str(SIZE), str(LINE)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        hits = mode in {"truncate", "rotate"}
        arguments = {"SECONDS": str(seconds), "THREADS": str(threads), "FAULTHANDLER": enabled}
        seen = facts(code, path, folder, HITS=str(int(hits)), **arguments)
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "enabled"),
    [
        ("truncate", "never"),
        ("truncate", "before"),
        ("truncate", "after"),
        ("rotate", "before"),
        ("replace", "never"),
        ("grow", "never"),
    ],
)
def test_scans_under_a_writer_count_right_or_are_refused(tmp_path: Path, mode: str, enabled: str) -> None:
    storm(tmp_path, mode, enabled, seconds=1.5)


@pytest.mark.slow
def test_scans_under_a_writer_live_on_with_every_signal_blocked(tmp_path: Path) -> None:
    code = "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n" + STORM
    storm(tmp_path, "truncate", "never", seconds=1.5, threads=2, code=code)


@pytest.mark.torture
@pytest.mark.parametrize("enabled", ["never", "before", "after"])
@pytest.mark.parametrize("mode", ["truncate", "rotate", "replace", "grow"])
def test_thousands_of_scans_under_a_writer(tmp_path: Path, mode: str, enabled: str) -> None:
    seen = storm(tmp_path, mode, enabled, seconds=40, threads=2)
    assert seen["scans"] + seen["refused"] >= 1_000, seen
