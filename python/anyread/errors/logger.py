"""The logger `anyread`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logging import Logger


def logger() -> Logger:
    """Return the logger, which is silent until the program configures `logging`."""
    # Few processes log anything, and the import takes milliseconds.
    import logging

    found = logging.getLogger("anyread")
    if not found.handlers:
        found.addHandler(logging.NullHandler())
    return found
