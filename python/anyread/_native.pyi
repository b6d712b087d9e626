"""The core, written in Rust.

It raises the leaves of `anyread.errors` and fills the classes of `anyread.results`.
"""

from collections.abc import Sequence
from typing import final

from .arguments import Request
from .errors import ReadError
from .gutter import Gutter
from .limits import Limits
from .results import TextPage, Unchanged

__all__ = ["Cancel", "Content", "Core", "__version__", "count_tokens", "display_path", "drop_indexes"]

__version__: str

@final
class Cancel:
    """A flag that stops one call: set it from any thread, and the call ends within milliseconds."""

    def __new__(cls) -> Cancel: ...
    def cancel(self) -> None:
        """Ask the call to stop; it raises `InterruptedError` where it runs."""

    @property
    def scanned_bytes(self) -> int:
        """Bytes that the call has scanned so far."""

@final
class Content:
    """The text of one window, not yet decoded."""

    def decode(self) -> str:
        """Decode it, with exact line endings and without gutter, marker or footer."""

@final
class Core:
    """The reader's own state: root descriptors, rules, limits and counters; safe for threads."""

    def __new__(
        cls, *, roots: Sequence[bytes], deny: Sequence[str], limits: Limits, gutter: Gutter, mmap: bool
    ) -> Core: ...
    def read_now(self, path: bytes, request: Request) -> TextPage | Unchanged | None:
        """Read one window if that needs no waiting, with the interpreter lock held; else `None`."""

    def read(
        self,
        path: bytes,
        request: Request,
        *,
        max_bytes: int | None,
        max_tokens: int | None,
        cancel: Cancel | None,
    ) -> TextPage | Unchanged:
        """Read one window; the interpreter lock is released once.

        `max_bytes` and `max_tokens` tighten those of the limits for this call.
        Without `cancel` it first tries as `read_now` does; then, on the main thread, signals are
        looked for, so that Ctrl-C works.
        """

    def read_batch(
        self,
        paths: Sequence[bytes],
        request: Request,
        *,
        max_bytes: int | None,
        max_tokens: int | None,
        threads: int,
        cancel: Cancel | None,
    ) -> list[TextPage | Unchanged | ReadError | None]:
        """Read the same window of several files on `threads` threads; results are in order.

        `None` stands for a file on a mount whose calls may hang.
        """

    def remote_mount(self, path: bytes) -> int | None:
        """Tell which mount a path leads into whose calls may hang, without asking it; else `None`."""

    def stats(self) -> dict[str, int]:
        """Count the paths that reads have taken."""

def drop_indexes() -> None:
    """Forget the line indexes of all files in this process.

    They are made again when they are needed; `Limits.index_bytes` bounds them anyway.

    Example:
        >>> anyread.drop_indexes()
    """

def count_tokens(text: str, tokenizer: str | None) -> int:
    """Count the tokens of a text by the named tokenizer; `None` estimates them."""

def display_path(path: bytes) -> str:
    r"""Spell a path as text: bytes that are not UTF-8 as `\xff`."""
