"""Which Python runs the decoders, and how it finds this package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Reports by hand what keeps it from importing the package: the protocol's own module may be what fails.
_BOOT = """
import json, os, struct, sys
connection = int(sys.argv[1])
sys.path += [path for path in sys.argv[3:] if path not in sys.path]
try:
    module = __import__("anyread.decoding.child." + sys.argv[2], fromlist=["main"])
except BaseException as error:
    header = json.dumps({"unavailable": f"{type(error).__name__}: {error}"[:1000]}).encode()
    os.write(connection, struct.pack("!IQ", len(header), 0) + header)
    os._exit(1)
module.main(connection)
"""


class NoInterpreterError(Exception):
    """There is no Python to run the decoders; the text says why, as a clause."""


def command(module: str, descriptor: int) -> list[str]:
    """Return the command line that runs `anyread.decoding.child.<module>` on an inherited socket.

    Raises:
        NoInterpreterError: If no interpreter is found.
    """
    chosen = os.environ.get("ANYREAD_PYTHON")
    if chosen:
        # Chosen by hand: it has packages of its own, which `site` finds.
        program, options = _checked(chosen), ["-I"]
    else:
        program, options = _found(), ["-I", "-S"]
    return [program, *options, "-c", _BOOT, str(descriptor), module, *_search_path()]


def environment() -> dict[str, str]:
    """Return what the interpreter needs to start; decoders then have an empty environment."""
    # Some Pythons find their own library by it.
    name = "LD_LIBRARY_PATH"
    return {name: os.environ[name]} if name in os.environ else {}


def _checked(chosen: str) -> str:
    if not os.access(chosen, os.X_OK) or Path(chosen).is_dir():
        raise NoInterpreterError(f"ANYREAD_PYTHON names `{chosen}`, which is no program")
    return chosen


def _found() -> str:
    # Under uWSGI it is uwsgi, in a frozen application the application, which would start itself forever.
    own = sys.executable or ""
    if Path(own).name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False):
        return own
    folder = Path(sys.exec_prefix, "bin")
    for name in (f"python{sys.version_info.major}.{sys.version_info.minor}", "python3", "python"):
        if os.access(folder / name, os.X_OK):
            return str(folder / name)
    raise NoInterpreterError(f"`{own or 'this program'}` is no Python interpreter")


def _search_path() -> list[str]:
    """List where to import from: this package's directory first, then what the host has.

    The current directory is left out: an agent works in directories of others, and decoders import nothing
    from there.
    """
    own = str(Path(__file__).resolve().parents[3])
    if getattr(sys, "frozen", False):
        return [own]
    return [own, *[os.path.abspath(path) for path in sys.path if path]]  # noqa: PTH100 - keeps links
