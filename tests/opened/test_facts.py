"""Facts about a whole file match its bytes, are cached for its version, and can be cancelled."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import anyread
from anyread import _native
from helpers.numbered_lines import SIZES, WHOLE, numbered

Open = Callable[[Path], _native.Opened]


def utf8_fault(data: bytes) -> tuple[bool, int, int | None]:
    """Return whether Python's decoder finds the data valid, where it stops, and how many bytes are wrong."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        is_cut = error.reason == "unexpected end of data"
        return False, error.start, None if is_cut else error.end - error.start
    return True, len(data), None


def is_known(fact: Callable[[], object]) -> bool:
    try:
        fact()
    except BlockingIOError:
        return False
    return True


def check(file: _native.Opened) -> tuple[bool, int, int | None]:
    found = file.check_utf8(may_wait=True)
    return found.is_valid, found.index, found.length


BROKEN = {"sound": b"", "nul": b"\0", "invalid": b"\xff\0", "cut": b"\xe2\x82"}
CASES = [
    pytest.param(size, broken, where, id=f"{way}-{name}-{where}")
    for way, size in SIZES.items()
    for name, broken in BROKEN.items()
    for where in ("middle", "end")
    # Larger files take most of the time, and only their blocks differ.
    if size < 1 << 20 or (name, where) in {("invalid", "middle"), ("cut", "end")}
]


@pytest.mark.slow
@pytest.mark.parametrize(("size", "broken", "where"), CASES)
def test_facts_match_the_bytes(size: int, broken: bytes, where: str, tmp_path: Path, settled: Open) -> None:
    data = numbered(size)
    at = data.index(b"\n", len(data) // 2) if where == "middle" else len(data)
    data = data[:at] + broken + data[at:]
    path = tmp_path / "a.log"
    path.write_bytes(data)
    file = settled(path)
    is_quick = len(data) <= WHOLE
    for fact in (file.sha256, file.check_utf8, file.find_nul):
        assert is_known(fact) == is_quick
    assert file.sha256(may_wait=True) == hashlib.sha256(data).hexdigest()
    assert check(file) == utf8_fault(data)
    assert file.find_nul(may_wait=True) == data.find(b"\0")
    # Other callers that open the file now get these facts without reading it.
    other = settled(path)
    assert other.sha256() == file.sha256()
    assert other.find_nul() == data.find(b"\0")
    known = other.check_utf8()
    assert (known.is_valid, known.index, known.length) == utf8_fault(data)


def test_token_counts_match_the_text(tmp_path: Path, settled: Open) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"some words \xff of text\n" * 100)
    text = path.read_bytes().decode("utf-8", "replace")
    file = settled(path)
    for tokenizer in ("o200k_base", "cl100k_base"):
        expected = _native.count_tokens(text, tokenizer)
        assert file.count_tokens(tokenizer, may_wait=True) == expected
        assert settled(path).count_tokens(tokenizer) == expected
    with pytest.raises(ValueError, match="p50k_base"):
        file.count_tokens("p50k_base")


@pytest.mark.parametrize("change", ["rewritten", "appended", "replaced", "forgotten"])
def test_facts_are_dropped_when_the_version_changes(change: str, tmp_path: Path, settled: Open) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(numbered(300 * 1024))
    settled(path).sha256(may_wait=True)
    assert is_known(settled(path).sha256)
    if change == "rewritten":
        with path.open("r+b") as stream:
            stream.write(b"LINE")
    elif change == "appended":
        with path.open("ab") as stream:
            stream.write(b"more\n")
    elif change == "replaced":
        (tmp_path / "next").write_bytes(path.read_bytes() + b"x")
        (tmp_path / "next").replace(path)
    else:
        anyread.clear_caches()
    file = settled(path)
    assert not is_known(file.sha256)
    assert file.sha256(may_wait=True) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_facts_of_a_file_without_a_version_are_not_kept(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(numbered(300 * 1024))
    file = opened(path)
    while file.version:
        path.write_bytes(numbered(300 * 1024))
        file = opened(path)
    assert file.sha256(may_wait=True) == hashlib.sha256(path.read_bytes()).hexdigest()
    assert not is_known(opened(path).sha256)


def test_facts_of_a_generated_file_match_its_bytes(opened: Open) -> None:
    path = Path("/proc/self/cmdline")
    if not path.exists():
        pytest.skip("needs /proc")
    file, data = opened(path), path.read_bytes()
    assert file.find_nul(may_wait=True) == data.find(b"\0")
    assert file.sha256(may_wait=True) == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("fact", ["sha256", "check_utf8", "find_nul"])
def test_cancelled_fact_raises_interrupted_error(fact: str, tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"")
    os.truncate(path, 64 << 20)
    if fact == "find_nul":
        path.write_bytes(b"a" * (64 << 20))
    cancel = _native.Cancel()
    cancel.cancel()
    with pytest.raises(InterruptedError):
        getattr(opened(path), fact)(cancel, may_wait=True)


FORK_BESIDE_A_BUSY_THREAD = """
import os, signal, sys, threading, warnings
from anyread import Gutter, Limits, _native

# Python warns about forks in a process with threads, which this test needs.
warnings.simplefilter("ignore", DeprecationWarning)
settings = {"gutter": Gutter.TAB, "mmap": True, "token_factor": 1.0, "formats": [],
            "as_text": (), "extensions": (), "blocks": True, "decompress": False}
core = _native.Engine(roots=[], deny=[], limits=Limits(), **settings)
file = core.open(os.fsencode(sys.argv[1]), repair=False, whole=0, may_wait=True)
expected, stop = file.sha256(may_wait=True), threading.Event()


def look():
    while not stop.is_set():
        file.sha256()


busy = threading.Thread(target=look)
busy.start()
for _ in range(50):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(0 if file.sha256(may_wait=True) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
busy.join()
"""


@pytest.mark.slow
@pytest.mark.usefixtures("no_coverage_of_processes")
def test_facts_are_available_in_a_forked_child(tmp_path: Path, settled: Open) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(numbered(300 * 1024))
    settled(path)
    run = [sys.executable, "-c", FORK_BESIDE_A_BUSY_THREAD, str(path)]
    assert subprocess.run(run, check=False, timeout=60).returncode == 0
