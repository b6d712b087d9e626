"""The error for a framework that is not installed: what needs it, and the command that installs it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(*distributions: str) -> Iterator[None]:
    """Word the error of the imports in a `with` block as the command that installs what they need.

    Args:
        distributions: What `pip install` needs, such as "langchain-core"; the first one is named as the
            requirement.

    Raises:
        ImportError: An import in the block failed; the error's cause says which.

    Example:
        >>> with needs("langchain-core"):
        ...     from langchain_core.tools import BaseTool
    """
    try:
        yield
    except ImportError as error:
        module = _importing_module()
        raise ImportError(
            f"{module} needs {distributions[0]}: pip install {' '.join(distributions)}",
            name=error.name,
            path=error.path,
        ) from error


def _importing_module() -> str:
    """Return the name of the module whose `with` block has failed."""
    frame = sys._getframe(1)  # noqa: SLF001 - the only way to learn the caller's name
    while frame.f_back is not None and frame.f_globals.get("__name__") in {__name__, "contextlib"}:
        frame = frame.f_back
    return str(frame.f_globals.get("__name__"))
