"""Files that are not on this machine: `Reader(mounts={"/sandbox": Commands(run)})`."""

from __future__ import annotations

from .store import BLOCK as BLOCK
from .store import Blocks as Blocks
from .store import Fetched as Fetched
from .store import Store as Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .commands import Commands as Commands

__all__ = ["BLOCK", "Blocks", "Commands", "Fetched", "Store"]


def __getattr__(name: str) -> object:
    # Annotations of the reader load this package, and few programs use more of it.
    if name == "Commands":
        from .commands import Commands

        return Commands
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
