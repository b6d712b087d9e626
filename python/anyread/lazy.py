"""Public names that few programs use, each loaded when it is first used.

An annotation such as `lazy.Model | None` costs nothing at import, and `typing.get_type_hints` still finds
the class, on which frameworks that build schemas from signatures depend.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .models.model import Model
    from .reading.following import Follow, FollowSync
    from .reading.many import Many, ManySync
    from .reading.open_file import OpenFile
    from .reading.written_places import Place
    from .results import ImageView, Info, NotebookPage, Page, PdfPages
    from .session import Session

__all__ = [
    "Follow",
    "FollowSync",
    "ImageView",
    "Info",
    "Many",
    "ManySync",
    "Model",
    "NotebookPage",
    "OpenFile",
    "Page",
    "PdfPages",
    "Place",
    "Session",
]

MODULES = {
    "Appended": "results",
    "Block": "results",
    "Cell": "results",
    "CellImage": "results",
    "CellOutput": "results",
    "Continuation": "results",
    "Contract": "tools",
    "Definition": "tools",
    "DirectoryPage": "results",
    "DocumentBlock": "results",
    "Entry": "results",
    "Follow": "reading.following",
    "FollowSync": "reading.following",
    "ImageBlock": "results",
    "ImageView": "results",
    "Info": "results",
    "Many": "reading.many",
    "ManySync": "reading.many",
    "Model": "models.model",
    "NotebookPage": "results",
    "Notice": "results",
    "OpenFile": "reading.open_file",
    "Page": "results",
    "Pages": "reading.paging",
    "PagesSync": "reading.paging",
    "PdfPage": "results",
    "PdfPages": "results",
    "Place": "reading.written_places",
    "ReadArguments": "arguments.request",
    "Record": "session",
    "Session": "session",
    "Size": "results",
    "Stamp": "session",
    "Tool": "tools",
    "places": "reading.written_places",
    "tool": "tools",
}
"""The module of each name; a class costs up to a millisecond, and most programs use few of them."""


def __getattr__(name: str) -> object:
    if name in MODULES:
        # Stored, because an import takes longer than many reads, also if the module is loaded.
        found = globals()[name] = getattr(import_module(f".{MODULES[name]}", __package__), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
