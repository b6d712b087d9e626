"""Files that are not on this machine: `Reader(mounts={"/sandbox": Commands(run)})`."""

from .commands import Commands as Commands
from .store import BLOCK as BLOCK
from .store import Blocks as Blocks
from .store import Fetched as Fetched
from .store import Store as Store

__all__ = ["BLOCK", "Blocks", "Commands", "Fetched", "Store"]
