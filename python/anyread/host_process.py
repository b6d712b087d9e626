"""What the process that imports this package must be protected from: unfinished imports, and subinterpreters.

- Parts are imported on first use. Python keeps a lock for each module that is being imported, also in a
  forked child, where the thread that should release it does not exist: its first read then waited forever.
- A subinterpreter would share the objects of the native core with others. CPython refuses the import only in
  one with a GIL of its own; once another one ended, every read failed.
"""

from __future__ import annotations

import os
import sys
import threading


def _forget_unfinished_imports() -> None:
    locks = getattr(sys.modules["_frozen_importlib"], "_module_locks", {})
    owners = {name: getattr(reference(), "owner", None) for name, reference in list(locks.items())}
    # A thread that imports a part of this package may be inside an import of the standard library by then.
    importing = {owner for name, owner in owners.items() if name.startswith(f"{__package__}.")}
    for name, owner in owners.items():
        if owner in importing - {None, threading.get_ident()}:
            del locks[name]
            sys.modules.pop(name, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_unfinished_imports)


def _is_main() -> bool:
    if sys.version_info >= (3, 12):
        import _thread

        return _thread._is_main_interpreter()  # noqa: SLF001 - the only way to find out
    try:
        import _xxsubinterpreters as interpreters  # type: ignore[import-not-found] # missing in typeshed
    except ImportError:
        # A Python without the module creates subinterpreters only for a program that embeds it.
        return True
    return bool(interpreters.get_current() == interpreters.get_main())


if not _is_main():
    raise ImportError(
        "anyread cannot be imported in a subinterpreter: import it in the main interpreter"
        " (with mod_wsgi, set `WSGIApplicationGroup %{GLOBAL}`)"
    )
