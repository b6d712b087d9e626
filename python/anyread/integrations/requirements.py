"""The error for a framework that is not installed: what needs it, and the command that installs it."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(module: str, *distributions: str) -> Iterator[None]:
    """Word the error of the imports in a `with` block as the command that installs what they need.

    Args:
        module: The module that imports them: `__name__`.
        distributions: What `pip install` needs, such as "langchain-core"; the first one is named as the
            requirement.

    Raises:
        ImportError: An import in the block failed; the error's cause says which.

    Example:
        >>> with needs(__name__, "langchain-core"):
        ...     from langchain_core.tools import BaseTool
    """
    try:
        yield
    except ImportError as error:
        install = f"pip install {' '.join(distributions)}"
        raise ImportError(
            f"{module} needs {distributions[0]}: {install}", name=error.name, path=error.path
        ) from error
