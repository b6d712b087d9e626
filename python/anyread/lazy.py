"""Public names that few programs use, each loaded when it is first used.

An annotation such as `lazy.Model | None` costs nothing at import, and `typing.get_type_hints` still finds
the class, on which frameworks that build schemas from signatures depend.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .arguments.request import *
    from .models.model import *
    from .reading.following import *
    from .reading.many import *
    from .reading.open_file import *
    from .reading.paging import *
    from .reading.written_places import *
    from .results import *
    from .session import *
    from .sources.store import *

MODULES = {
    "Contract": "tools",
    "Definition": "tools",
    "Follow": "reading.following",
    "FollowSync": "reading.following",
    "Many": "reading.many",
    "ManySync": "reading.many",
    "Model": "models.model",
    "OpenFile": "reading.open_file",
    "Pages": "reading.paging",
    "PagesSync": "reading.paging",
    "Place": "reading.written_places",
    "ReadArguments": "arguments.request",
    "Record": "session",
    "Session": "session",
    "Stamp": "session",
    "Store": "sources.store",
    "Tool": "tools",
    "places": "reading.written_places",
    "tool": "tools",
}
"""The module of each name that is not one of `results`.

A class costs up to a millisecond, and most programs use few of them.
"""


def __getattr__(name: str) -> object:
    module = import_module(f".{MODULES.get(name, 'results')}", __package__)
    # Stored, because an import takes longer than many reads, also if the module is loaded.
    found = globals()[name] = getattr(module, name)
    return found
