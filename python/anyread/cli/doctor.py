"""`anyread doctor`: versions, and what protects reads and decoders here, found out by using it."""

from __future__ import annotations

import os
import platform
import re
import sys
from errno import errorcode
from importlib import metadata
from typing import TYPE_CHECKING

from anyread._native import __version__, can_map, openat2_errno
from anyread.arguments.limits import Limits
from anyread.errors import ReadError
from anyread.running import threads

from .colors import BOLD
from .showing import LABEL

if TYPE_CHECKING:
    from argparse import Namespace

    from .terminal import Terminal

# One black pixel; a real decoder decodes it.
_IMAGE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a494441"
    "54789c636000000002000148afa4710000000049454e44ae426082"
)
# The same number on all architectures; there is no function for it in the C library.
_LANDLOCK_CREATE_RULESET = 444
_GET_VERSION = 1


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Print what is active; what is missing is stated and is not an error."""
    found = examine()
    if arguments.json:
        terminal.out_json(found)
    else:
        shown = "".join(f"{name + ':':<18}{text}\n" for name, text in found.items())
        terminal.out_colored(shown, [(LABEL, BOLD)])
    return 0


def examine() -> dict[str, str]:
    """Find out what is active, with a real lookup, a real handler and a real decoder, as sentences."""
    return {
        "anyread": __version__,
        "python": f"{platform.python_version()}, {sys.executable}",
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "packages": ", ".join(map(_installed, metadata.requires("anyread") or ())),
        "paths in roots": _path_resolution(),
        "mapped scans": _mapped_scans(),
        **_decoders(),
    }


def _installed(requirement: str) -> str:
    name = re.split(r"[^\w.-]", requirement)[0]
    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return f"{name} not installed"


def _path_resolution() -> str:
    number = openat2_errno()
    if not sys.platform.startswith("linux"):
        reason = "only Linux has openat2"
    elif os.environ.get("ANYREAD_PORTABLE") == "1":
        reason = "ANYREAD_PORTABLE=1"
    elif number is not None:
        reason = f"openat2 fails with {errorcode.get(number, number)}"
    else:
        return "by the kernel (openat2)"
    return f"by anyread, one directory at a time, with the same guarantees ({reason})"


def _mapped_scans() -> str:
    if can_map():
        return "on if faster, for files of 64 MiB and more; a handler of SIGBUS guards against truncation"
    if not sys.platform.startswith("linux"):
        return "off, because only Linux has them; scans read instead"
    for name, value in (("ANYREAD_PORTABLE", "1"), ("ANYREAD_MMAP", "0")):
        if os.environ.get(name) == value:
            return f"off ({name}={value}); scans read instead"
    return "off, because another handler of SIGBUS is installed; scans read instead"


def _decoders() -> dict[str, str]:
    """Start a decoder, and describe what it reports about itself."""
    from anyread.decoding.host.decoder import Subject
    from anyread.decoding.host.fitting import fitting, wanted
    from anyread.decoding.host.interpreter import NoInterpreterError, command
    from anyread.decoding.host.pool import shared_pool
    from anyread.decoding.host.starters import ForkServer
    from anyread.models.model import Model

    limits = Limits()
    pool = shared_pool()
    subject = Subject("a test image", media_type="image/png", size_bytes=len(_IMAGE), limits=limits, rules=0)
    try:
        interpreter = command("worker", 0)[0]
        threads.run(lambda: fitting(pool, subject, wanted(Model.any(), limits), data=_IMAGE))
    except (NoInterpreterError, ReadError) as error:
        reason = error.message if isinstance(error, ReadError) else str(error)
        return {"decoders": f"not available, so images and PDFs cannot be read: {reason}"}
    forked = isinstance(pool._starter, ForkServer)  # noqa: SLF001 - the one in use
    how = "forked from a prepared process" if forked else "started one by one"
    restrictions, abi = pool.restrictions or (), _landlock_abi()
    landlock = f"Landlock, ABI {abi}" if abi else "no Landlock"
    if "files" not in restrictions:
        files = f"NOT restricted ({landlock}): a decoder can open what this user can open"
    elif abi:
        files = f"only fonts can be opened ({landlock})"
    else:
        files = f"none can be opened, not even fonts ({landlock}, but a seccomp filter)"
    programs = "but start no program" if sys.platform == "win32" else "and start programs"
    return {
        "decoders": f"one was started by {interpreter}; they are {how}",
        "decoder files": files,
        "decoder calls": (
            "only those for decoding; no process, socket or new file (seccomp filter)"
            if "system_calls" in restrictions
            else f"NOT restricted (no seccomp): a decoder can connect {programs}"
        ),
    }


def _landlock_abi() -> int | None:
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        version: int = ctypes.CDLL(None).syscall(_LANDLOCK_CREATE_RULESET, None, 0, _GET_VERSION)
    except (OSError, AttributeError):
        return None
    return version if version > 0 else None
