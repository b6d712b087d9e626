"""`anyread doctor`: versions, and what protects reads and decoders here, found out by using it."""

from __future__ import annotations

import os
import platform
import re
import sys
from contextlib import suppress
from errno import errorcode
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyread._native import __version__, can_map, openat2_errno
from anyread.errors import ReadError
from anyread.limits import Limits
from anyread.running import threads

from .colors import BOLD
from .showing import LABEL
from .terminal import size

if TYPE_CHECKING:
    from argparse import Namespace

    from anyread.decoding.host.pool import Pool

    from .terminal import Terminal

# One black pixel; a real decoder decodes it.
_IMAGE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a494441"
    "54789c636000000002000148afa4710000000049454e44ae426082"
)
# The same number on all architectures; there is no function for it in the C library.
_LANDLOCK_CREATE_RULESET = 444
_GET_VERSION = 1
_SECCOMP_FILTER = "2"
_NO_LIMIT = 1 << 60


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Print what is active; what is missing is stated and is not an error."""
    found = examine()
    if arguments.json:
        terminal.out_json(found)
    else:
        shown = "".join(f"{name + ':':<18}{text}\n" for name, text in lines(found))
        terminal.out_colored(shown, [(LABEL, BOLD)])
    return 0


def examine() -> dict[str, Any]:
    """Find out what is active, with a real lookup, a real handler and a real decoder.

    Returns:
        The versions, and under other names what protects reads and decoders; under `decoders` what
        restricts the decoder that was started, or only the `problem` if none can be started.
    """
    is_portable = os.environ.get("ANYREAD_PORTABLE") == "1"
    number = openat2_errno()
    error = None if number is None else errorcode.get(number, str(number))
    group = _control_group()
    # The file has another name in the hierarchy of version 1.
    limit = (_text(group / "memory.max") or _text(group / "memory.limit_in_bytes")) if group else None
    return {
        "anyread": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "packages": _packages(),
        "openat2": number is None and not is_portable,
        "openat2_error": "ANYREAD_PORTABLE=1" if is_portable else error,
        "mapped_scans": can_map(),
        "landlock_abi": _landlock_abi(),
        "decoders": _decoders(),
        "oom_score_adj": _number(_text(Path("/proc/self/oom_score_adj"))),
        "memory_limit_bytes": _bounded(_number(limit)),
        "is_killed_as_group": group is not None and _text(group / "memory.oom.group") == "1",
    }


def lines(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what was found as labels and sentences."""
    packages = (f"{name} {version or 'not installed'}" for name, version in found["packages"].items())
    shown = [
        ("anyread", found["anyread"]),
        ("Python", f"{found['python']}, {sys.executable}"),
        ("system", f"{found['system']}, {found['machine']}"),
        ("packages", ", ".join(packages)),
        ("paths in roots", _path_resolution(found)),
        ("mapped scans", _mapped_scans(found)),
    ]
    decoders = found["decoders"]
    if decoders["problem"] is not None:
        because = f"not available, so images and PDFs cannot be read: {decoders['problem']}"
        return [*shown, ("decoders", because)]
    how = "forked from a prepared process" if decoders["is_forked"] else "started one by one"
    shown.append(("decoders", f"one was started by {decoders['interpreter']}; they are {how}"))
    landlock = f"Landlock, ABI {found['landlock_abi']}" if found["landlock_abi"] else "no Landlock"
    if "files" not in decoders["walls"]:
        files = f"NOT restricted ({landlock}): a decoder can open what this user can open"
    elif found["landlock_abi"]:
        files = f"only fonts can be opened ({landlock})"
    else:
        files = f"none can be opened, not even fonts ({landlock}, but a seccomp filter)"
    shown.append(("decoder files", files))
    if "system_calls" in decoders["walls"] and decoders["has_system_call_filter"]:
        calls = "only those for decoding; no process, socket or new file (seccomp filter)"
    elif "system_calls" in decoders["walls"]:
        calls = "the decoder reports a seccomp filter, but /proc does not confirm it"
    else:
        calls = "NOT restricted (no seccomp): a decoder can connect and start programs"
    shown += [("decoder calls", calls), ("decoder limits", _limits(decoders)), ("memory", _memory(found))]
    return shown


def _packages() -> dict[str, str | None]:
    """Return the version of each package that anyread uses if it is installed; `None`: it is not."""
    found: dict[str, str | None] = {}
    for requirement in metadata.requires("anyread") or ():
        name = re.split(r"[^\w.-]", requirement)[0]
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def _path_resolution(found: dict[str, Any]) -> str:
    if found["openat2"]:
        return "by the kernel (openat2)"
    because = found["openat2_error"] or "unknown"
    reason = because if "=" in because else f"openat2 fails with {because}"
    return f"by anyread, one directory at a time, with the same guarantees ({reason})"


def _mapped_scans(found: dict[str, Any]) -> str:
    if found["mapped_scans"]:
        return "on if faster, for files of 64 MiB and more; a handler of SIGBUS guards against truncation"
    for name, value in (("ANYREAD_PORTABLE", "1"), ("ANYREAD_MMAP", "0")):
        if os.environ.get(name) == value:
            return f"off ({name}={value}); scans read instead"
    return "off, because another handler of SIGBUS is installed; scans read instead"


def _limits(decoders: dict[str, Any]) -> str:
    defaults = Limits()
    parts = []
    if decoders["max_open_files"] is not None:
        parts.append(f"{decoders['max_open_files']:,} open files")
    if decoders["max_written_bytes"] is not None:
        parts.append(f"{decoders['max_written_bytes']:,} bytes written")
    if decoders["max_core_bytes"] == 0:
        parts.append("no core dump")
    if decoders["has_no_new_privileges"]:
        parts.append("no new privileges")
    parts.append(
        f"{defaults.decode_timeout_s:g} s and {size(defaults.decode_memory_bytes)} per file by default"
    )
    return ", ".join(parts)


def _memory(found: dict[str, Any]) -> str:
    limit = found["memory_limit_bytes"]
    bounded = "no limit in this control group" if limit is None else f"{size(limit)} in this control group"
    if found["is_killed_as_group"]:
        return f"{bounded}; if it runs out, the kernel kills ALL its processes (memory.oom.group)"
    own, theirs = found["oom_score_adj"], found["decoders"]["oom_score_adj"]
    if own is not None and theirs is not None and theirs > own:
        return f"{bounded}; if it runs out, the kernel kills decoders before this process"
    return f"{bounded}; if it runs out, the kernel may kill this process before its decoders"


def _decoders() -> dict[str, Any]:
    from anyread.decoding.host.fitting import fitting, wanted
    from anyread.decoding.host.interpreter import NoInterpreterError, command
    from anyread.decoding.host.lease import Subject
    from anyread.decoding.host.pool import shared_pool
    from anyread.model import Model

    limits = Limits()
    pool = shared_pool()
    subject = Subject("a test image", media_type="image/png", size_bytes=len(_IMAGE), limits=limits, rules=0)
    try:
        interpreter = command("worker", 0)[0]
        threads.run(lambda: fitting(pool, subject, wanted(Model.any(), limits), data=_IMAGE))
    except NoInterpreterError as error:
        return {"problem": str(error)}
    except ReadError as error:
        return {"problem": error.message}
    return _restrictions(pool, interpreter)


def _restrictions(pool: Pool, interpreter: str) -> dict[str, Any]:
    """Return what the kernel and the decoder itself say about an idle decoder."""
    from anyread.decoding.host.sources import Zygote

    pid = next((child.pid for child in pool._idle), 0)  # noqa: SLF001 - no other command needs it
    status = dict(
        line.split(":", 1) for line in (_text(Path(f"/proc/{pid}/status")) or "").splitlines() if ":" in line
    )
    limits = _text(Path(f"/proc/{pid}/limits")) or ""
    return {
        "problem": None,
        "interpreter": interpreter,
        "is_forked": isinstance(pool._source, Zygote),  # noqa: SLF001 - the source in use
        # What the decoder reports: "files" (Landlock, or else seccomp) and "system_calls" (seccomp).
        "walls": sorted(pool.walls or ()),
        "has_system_call_filter": status.get("Seccomp", "").strip() == _SECCOMP_FILTER,
        "has_no_new_privileges": status.get("NoNewPrivs", "").strip() == "1",
        "max_open_files": _limit(limits, "Max open files"),
        "max_written_bytes": _limit(limits, "Max file size"),
        "max_core_bytes": _limit(limits, "Max core file size"),
        "oom_score_adj": _number(_text(Path(f"/proc/{pid}/oom_score_adj"))),
    }


def _limit(limits: str, name: str) -> int | None:
    """Return the soft limit of a row of /proc/PID/limits; `None` if it is unlimited or unknown."""
    row = next((line for line in limits.splitlines() if line.startswith(name)), name)
    return _number(next(iter(row.removeprefix(name).split()), None))


def _landlock_abi() -> int | None:
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        version: int = ctypes.CDLL(None).syscall(_LANDLOCK_CREATE_RULESET, None, 0, _GET_VERSION)
    except (OSError, AttributeError):
        return None
    return version if version > 0 else None


def _control_group() -> Path | None:
    """Return the directory of this process's control group for memory, of version 1 or else of version 2."""
    groups = {}
    for line in (_text(Path("/proc/self/cgroup")) or "").splitlines():
        number, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            # In a container, the hierarchy is mounted from its own group on.
            groups[1] = [Path("/sys/fs/cgroup/memory", path.lstrip("/")), Path("/sys/fs/cgroup/memory")]
        elif number == "0":
            groups[2] = [Path("/sys/fs/cgroup", path.lstrip("/"))]
    found = [*groups.get(1, ()), *groups.get(2, ())]
    return next((group for group in found if group.is_dir()), None)


def _bounded(limit: int | None) -> int | None:
    """Return a limit; `None` for that of version 1 which means that there is none."""
    return None if limit is None or limit > _NO_LIMIT else limit


def _text(path: Path) -> str | None:
    with suppress(OSError, ValueError):
        return path.read_text().strip()
    return None


def _number(text: str | None) -> int | None:
    return int(text) if text and text.removeprefix("-").isdecimal() else None
