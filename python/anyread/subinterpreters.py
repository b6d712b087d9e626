"""Refuses the import in a subinterpreter, which would share the objects of the native core with others.

CPython refuses it only in subinterpreters with a GIL of their own; once another one ended, every read failed.
"""

from __future__ import annotations

import sys


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
