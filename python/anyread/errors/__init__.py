"""Everything that a read can raise.

Every class is derived from `ReadError`, and also is the builtin exception that callers of `open` already
catch. docs/errors.md draws the tree, and has the cause, the fix and the next call for each class.

Classes that are an `OSError` have its `errno`, `strerror` and `filename`.
All errors can be pickled and copied with their fields.
"""

from typing import TYPE_CHECKING

# A class is declared once, in one of these modules; the list of names below comes from the classes.
from .arguments import *  # noqa: F403
from .base import ReadError as ReadError
from .base import tree as _tree
from .content import *  # noqa: F403
from .decoding import *  # noqa: F403
from .opening import *  # noqa: F403

if not TYPE_CHECKING:
    # Type checkers understand only a literal list, and without one export what the lines above import.
    __all__ = [kind.__name__ for kind in _tree()]
