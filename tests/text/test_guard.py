"""Mapped scans in real processes: SIGBUS handling, and files that are written during a scan.

Each case runs in its own process, because a signal handler belongs to the whole process.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from helpers.mapped_hosts import SIZE, STORM, content, facts, run, storm

pytestmark = pytest.mark.usefixtures("no_coverage_of_processes")

SIGBUS_EXIT = -signal.SIGBUS
REPORT = "Fatal Python error: Bus error"


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file that is large enough for threads, and old enough to be mapped."""
    path = tmp_path_factory.mktemp("guard") / "a.log"
    path.write_bytes(content(0, SIZE))
    time.sleep(0.03)
    return path


# ------------------------------------------------------------------------------------------------------------
# When a scan is mapped


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
def test_scan_is_mapped_with_the_default_action_or_faulthandler(
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
def test_scan_is_not_mapped_under_a_foreign_handler_and_keeps_it(
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


def test_scan_is_not_mapped_under_the_handler_of_a_library(log: Path, tmp_path: Path) -> None:
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
def test_scan_is_not_mapped_if_disabled_or_too_small(
    log: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    seen = facts("before = handler(); scan(); report(kept=handler() == before)", log, tmp_path, **environment)
    assert seen == {"mapped": 0, "mapping_repeats": 0, "mapping_hits": 0, "kept": True}


# ------------------------------------------------------------------------------------------------------------
# Foreign SIGBUS signals

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
def test_foreign_sigbus_during_scans_ends_the_process_with_one_report(
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


def test_parent_and_child_can_scan_after_a_fork_during_scans(log: Path, tmp_path: Path) -> None:
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
    # A fault in a child is not mistaken for one in its parent's windows.
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
def test_scans_during_writes_are_correct_or_refused(tmp_path: Path, mode: str, enabled: str) -> None:
    storm(tmp_path, mode, enabled, seconds=0.8)


@pytest.mark.slow
def test_scans_during_writes_survive_with_every_signal_blocked(tmp_path: Path) -> None:
    code = "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n" + STORM
    storm(tmp_path, "truncate", "never", seconds=0.8, threads=2, code=code)
