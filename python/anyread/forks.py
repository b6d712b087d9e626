"""Lets a forked child import the parts of this package that another thread was importing during the fork.

Parts are imported on first use. Python keeps a lock for each module that is being imported, also in the
child, where the thread that should release it does not exist: the child's first read then waited forever.
"""

from __future__ import annotations

import os
import sys
import threading


def _forget_unfinished_imports() -> None:
    locks = getattr(sys.modules["_frozen_importlib"], "_module_locks", {})
    own = threading.get_ident()
    for name, reference in list(locks.items()):
        owner = getattr(reference(), "owner", None)
        if owner not in {None, own} and name.startswith(f"{__package__}."):
            del locks[name]
            sys.modules.pop(name, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_unfinished_imports)
