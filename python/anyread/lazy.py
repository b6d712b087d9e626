"""Classes for annotations that few programs use, each loaded when its annotation is resolved.

An annotation such as `lazy.Model | None` costs nothing at import, and `typing.get_type_hints` still finds
the class, on which frameworks that build schemas from signatures depend.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .following import Follow
    from .many import Many, ManySync
    from .model import Model
    from .results import Page
    from .results.image import ImageView
    from .results.info import Info
    from .results.notebook import NotebookPage
    from .results.pdf import PdfPages
    from .session import Session

__all__ = [
    "Follow",
    "ImageView",
    "Info",
    "Many",
    "ManySync",
    "Model",
    "NotebookPage",
    "Page",
    "PdfPages",
    "Session",
]

_MODULES = {
    "Follow": "following",
    "ImageView": "results.image",
    "Info": "results.info",
    "Many": "many",
    "ManySync": "many",
    "Model": "model",
    "NotebookPage": "results.notebook",
    "Page": "results",
    "PdfPages": "results.pdf",
    "Session": "session",
}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(f".{_MODULES[name]}", __package__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
