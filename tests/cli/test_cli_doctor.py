"""`anyread doctor` says what is active, and plainly what is missing."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

import anyread
from anyread.cli.doctor import examine
from anyread.decoding.host.pool import shared_pool
from helpers.media import drawing, encoded
from helpers.system_calls import why_not_traced

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-m", "anyread", "doctor"]
OTHER_HANDLER = """
import signal, sys
from anyread.cli import main
signal.signal(signal.SIGBUS, lambda *_: None)
sys.exit(main(["doctor"]))
"""


def run(*more: str, program: list[str] = COMMAND, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: os.environ[name] for name in os.environ if not name.startswith("ANYREAD_")}
    return subprocess.run(
        [*program, *more],
        capture_output=True,
        check=False,
        timeout=60,
        encoding="utf-8",
        env=inherited | environment,
    )


def shown(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Return the sentences by label."""
    assert (done.returncode, done.stderr) == (0, "")
    return {name: text.strip() for name, text in (line.split(":", 1) for line in done.stdout.splitlines())}


def without(*calls: str, tmp_path: Path) -> list[str]:
    """Return the command on a kernel that lacks some system calls."""
    missing = why_not_traced()
    if missing:
        pytest.skip(missing)
    names = ",".join(calls)
    strace = ["strace", "-f", "-qq", "--seccomp-bpf", "-o", str(tmp_path / "trace")]
    return [*strace, "-e", f"trace={names}", "-e", f"inject={names}:error=ENOSYS", *COMMAND]


def test_doctor_describes_this_machine() -> None:
    sentences = shown(run())
    assert list(sentences) == [
        "anyread",
        "python",
        "system",
        "packages",
        "paths in roots",
        "mapped scans",
        "decoders",
        "decoder files",
        "decoder calls",
    ]
    assert sentences["system"].startswith(f"{os.uname().sysname} {os.uname().release}, {os.uname().machine}")
    assert sys.executable in sentences["decoders"]
    assert (sentences["anyread"], sentences["python"]) == (
        anyread.__version__,
        f"{platform.python_version()}, {sys.executable}",
    )
    assert re.search(rf"\bpillow {re.escape(metadata.version('pillow'))}\b", sentences["packages"])


def test_doctor_as_json_agrees_with_the_decoders_of_a_reader(tmp_path: Path) -> None:
    found: dict[str, str] = json.loads(run("--json").stdout)
    assert found == shown(run())
    path = tmp_path / "a.png"
    path.write_bytes(encoded(drawing(20, 20), "PNG"))
    reader = anyread.Reader()
    reader.read_sync(path)
    restrictions = shared_pool().restrictions or frozenset()
    assert len(restrictions) == reader.stats()["decoder_restrictions"]
    assert found["decoder files"].startswith("NOT") is ("files" not in restrictions)
    assert found["decoder calls"].startswith("NOT") is ("system_calls" not in restrictions)


@pytest.mark.posix("mapped scans")
def test_doctor_says_whether_scans_map_files(tmp_path: Path) -> None:
    """The statement is that of a real scan in this process."""
    file = tmp_path / "a.log"
    file.write_bytes(b"x" * 63 + b"\n")
    with file.open("r+b") as lengthened:
        lengthened.truncate(70 << 20)
    os.utime(file, ns=(0, 0))
    found = examine()
    reader = anyread.Reader()
    reader.read_sync(file, kind="text", offset=1)
    assert found["mapped scans"].startswith("on") or reader.stats()["mapped"] == 0
    assert shown(run(ANYREAD_MMAP="0"))["mapped scans"] == "off (ANYREAD_MMAP=0); scans read instead"
    program = [sys.executable, "-c", OTHER_HANDLER]
    other = "off, because another handler of SIGBUS is installed; scans read instead"
    assert shown(run(program=program))["mapped scans"] == other


def test_doctor_without_openat2(tmp_path: Path) -> None:
    sentences = shown(run(program=without("openat2", tmp_path=tmp_path)))
    assert sentences["paths in roots"] == (
        "by anyread, one directory at a time, with the same guarantees (openat2 fails with ENOSYS)"
    )


def test_doctor_without_landlock(tmp_path: Path) -> None:
    sentences = shown(run(program=without("landlock_create_ruleset", tmp_path=tmp_path)))
    assert sentences["decoder files"] == (
        "none can be opened, not even fonts (no Landlock, but a seccomp filter)"
    )
    both = shown(run(program=without("landlock_create_ruleset", "seccomp", tmp_path=tmp_path)))
    assert both["decoder files"] == "NOT restricted (no Landlock): a decoder can open what this user can open"


def test_doctor_without_seccomp(tmp_path: Path) -> None:
    sentences = shown(run(program=without("seccomp", tmp_path=tmp_path)))
    assert sentences["decoder calls"] == (
        "NOT restricted (no seccomp): a decoder can connect and start programs"
    )


def test_doctor_without_decoders() -> None:
    sentences = shown(run(ANYREAD_PYTHON="/no/such/python"))
    assert sentences["decoders"] == (
        "not available, so images and PDFs cannot be read: "
        "ANYREAD_PYTHON is set to `/no/such/python`, which is not an executable"
    )
    assert "decoder files" not in sentences
