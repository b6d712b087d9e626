"""The machine and commit of a measurement, and the files of the records."""

from __future__ import annotations

import datetime as dt
import os
import platform
import re
import subprocess
from pathlib import Path

from benches import inputs, judges

ROOT = Path(__file__).parent.parent
RECORD = Path(__file__).parent / "record"
COLUMNS = ("date", "commit", "cpu", "cores", "memory_gb", "kernel", "file_system", "python", "commands")
"""The keys of `facts`, in order."""


def record_path(part: str) -> Path:
    """Return the path of today's record of a part, `targets`, `batch` or `comparison`, for this machine."""
    RECORD.mkdir(exist_ok=True)
    cpu = re.sub(r"\((r|tm)\)|cpu|processor|@.*", "", facts()["cpu"].lower())
    short = re.sub(r"[^a-z0-9]+", "-", cpu).strip("-")
    return RECORD / f"{_today()}-{short}-{os.cpu_count()}-cores-{part}.csv"


def newest_record(part: str) -> Path | None:
    """Return the record of a part with the latest date; of several, the last by name."""
    return max(RECORD.glob(f"*-cores-{part}.csv"), default=None)


def facts() -> dict[str, str]:
    """Return what each line of a record contains: the date, the commit and the machine."""
    models = re.findall(r"^model name\s*: (.*)$", _text("/proc/cpuinfo"), re.MULTILINE)
    memory_kb = re.findall(r"^MemTotal: *(\d+)", _text("/proc/meminfo"), re.MULTILINE)
    return {
        "date": _today(),
        "commit": _commit(),
        "cpu": models[0] if models else platform.processor() or platform.machine(),
        "cores": str(os.cpu_count()),
        "memory_gb": f"{int(memory_kb[0]) / 1e6:.0f}" if memory_kb else "",
        "kernel": platform.release(),
        "file_system": _file_system(inputs.DATA),
        "python": platform.python_version(),
        "commands": "; ".join(judges.version(name) for name in ("wc", "sed")),
    }


def _today() -> str:
    return dt.datetime.now(dt.UTC).date().isoformat()


def _file_system(directory: Path) -> str:
    """Return the type of the mount with the longest path above the directory."""
    mounts = [line.split() for line in _text("/proc/mounts").splitlines()]
    above = [(len(mount[1]), mount[2]) for mount in mounts if directory.resolve().is_relative_to(mount[1])]
    return max(above)[1] if above else ""


def _commit() -> str:
    """Return the short commit, with a "+" if there are uncommitted changes."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", ":/", ":!/benches/record")
        return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:  # not Linux
        return ""
