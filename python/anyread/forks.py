"""Makes a fork of the host wait until no other thread imports a part of this package.

Parts are imported on first use. Python keeps a lock for each module that is being imported, also in a forked
child, where the thread that should release it does not exist: the child's first read then waited forever.
"""

from __future__ import annotations

import os
import sys
import threading
import time

PATIENCE_S = 2.0
"""Seconds after which the fork is made nevertheless: the import may itself wait for the forking thread."""
_POLL_S = 0.001


def _is_importing_elsewhere() -> bool:
    bootstrap = sys.modules["_frozen_importlib"]
    own = threading.get_ident()
    for name, reference in list(getattr(bootstrap, "_module_locks", {}).items()):
        owner = getattr(reference(), "owner", None)
        if owner not in {None, own} and name.startswith(f"{__package__}."):
            return True
    return False


def _wait_for_imports() -> None:
    deadline = time.monotonic() + PATIENCE_S
    while _is_importing_elsewhere() and time.monotonic() < deadline:
        time.sleep(_POLL_S)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_imports)
