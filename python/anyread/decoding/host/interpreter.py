"""Which Python runs the decoders, and how it finds this package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Reports an import error without the protocol module, since importing that module may be what fails.
_BOOT = """
import json, os, socket, struct, sys
if sys.platform == "win32":
    connection = socket.fromshare(sys.stdin.buffer.read())
else:
    connection = socket.socket(fileno=int(sys.argv[1]))
sys.path += [path for path in sys.argv[3:] if path not in sys.path]
try:
    module = __import__("anyread.decoding.child." + sys.argv[2], fromlist=["main"])
except BaseException as error:
    header = json.dumps({"unavailable": f"{type(error).__name__}: {error}"[:1000]}).encode()
    connection.send(struct.pack("!IQ", len(header), 0) + header)
    connection.close()
    os._exit(1)
module.main(connection)
"""


class NoInterpreterError(Exception):
    """No Python can run the decoders; the text says why, as a clause."""


def command(module: str, descriptor: int) -> list[str]:
    """Return the command line that runs `anyread.decoding.child.<module>` on an inherited socket.

    On Windows, the socket is read from standard input instead.

    Raises:
        NoInterpreterError: No interpreter was found.
    """
    chosen = os.environ.get("ANYREAD_PYTHON")
    if chosen:
        # An interpreter that the host chose has its own packages, which `site` finds.
        program, options = _checked(chosen), ["-I"]
    else:
        program, options = _found(), ["-I", "-S"]
    return [program, *options, "-c", _BOOT, str(descriptor), module, *_search_path()]


def environment() -> dict[str, str]:
    """Return what the interpreter needs to start; decoders then have an empty environment."""
    # Some Python builds need it to find their own shared library, and Windows to find its own.
    name = "SYSTEMROOT" if sys.platform == "win32" else "LD_LIBRARY_PATH"
    return {name: os.environ[name]} if name in os.environ else {}


def _checked(chosen: str) -> str:
    if not os.access(chosen, os.X_OK) or Path(chosen).is_dir():
        raise NoInterpreterError(f"ANYREAD_PYTHON is set to `{chosen}`, which is not an executable")
    return chosen


def _found() -> str:
    # Under uWSGI this is uwsgi, and in a frozen application it is the application itself.
    own = sys.executable or ""
    if sys.platform == "win32":
        # That of a virtual environment starts another process.
        own = str(getattr(sys, "_base_executable", own))
    if Path(own).name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False):
        return own
    names = [f"python{sys.version_info.major}.{sys.version_info.minor}", "python3", "python"]
    directory = Path(sys.exec_prefix, "bin")
    if sys.platform == "win32":
        directory, names = Path(sys.base_exec_prefix), ["python.exe"]
    for name in names:
        if os.access(directory / name, os.X_OK):
            return str(directory / name)
    raise NoInterpreterError(f"`{own or 'this program'}` is not a Python interpreter")


def _search_path() -> list[str]:
    """Return the directories to import from: this package's first, then those of the host.

    The current directory is excluded, because it may be untrusted.
    """
    own = str(Path(__file__).resolve().parents[3])
    if getattr(sys, "frozen", False):
        return [own]
    return [own, *[os.path.abspath(path) for path in sys.path if path]]  # noqa: PTH100 - keeps links
