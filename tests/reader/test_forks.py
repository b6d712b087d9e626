"""Forks of the host process while another of its threads is reading."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("no_coverage_of_processes")

FORK_DURING_FIRST_USE = """
import os, signal, sys, threading, time, warnings
import anyread

# Python warns about forks in a process with threads, which is what this tests.
warnings.simplefilter("ignore", DeprecationWarning)


def count():
    return anyread._native.count_tokens("hello world" * 50, "o200k_base")


thread = threading.Thread(target=count)
thread.start()
time.sleep(float(sys.argv[1]))
child = os.fork()
if child == 0:
    signal.alarm(20)
    os._exit(0 if count() == anyread._native.count_tokens("hello world" * 50, "o200k_base") else 1)
_, status = os.waitpid(child, 0)
thread.join()
sys.exit(os.waitstatus_to_exitcode(status))
"""


FORK_DURING_AN_IMPORT = """
import importlib, os, signal, sys, threading, warnings
from importlib.machinery import PathFinder
import anyread

warnings.simplefilter("ignore", DeprecationWarning)
assert "anyread.tools" not in sys.modules
begun, forked = threading.Event(), threading.Event()


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name != "anyread.tools" or threading.current_thread() is not thread:
            return None
        spec = PathFinder.find_spec(name, path)
        execute = spec.loader.exec_module

        def slowly(module):
            begun.set()
            forked.wait()
            execute(module)

        spec.loader.exec_module = slowly
        return spec


sys.meta_path.insert(0, Finder())
thread = threading.Thread(target=importlib.import_module, args=("anyread.tools",))
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)
    os._exit(0 if importlib.import_module("anyread.tools").Tool else 1)
forked.set()
_, status = os.waitpid(child, 0)
thread.join()
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.posix("forks")
def test_fork_while_another_thread_imports_a_part() -> None:
    """The child waited forever for the thread that was importing."""
    run = [sys.executable, "-c", FORK_DURING_AN_IMPORT]
    assert subprocess.run(run, check=False, timeout=60).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("delay_s", [0, 0.005, 0.02, 0.04])
def test_fork_during_the_first_use_of_a_tokenizer(delay_s: float) -> None:
    """A child that was forked while another thread unpacked a vocabulary waited for that thread forever."""
    run = [sys.executable, "-c", FORK_DURING_FIRST_USE, str(delay_s)]
    assert subprocess.run(run, check=False, timeout=60).returncode == 0
