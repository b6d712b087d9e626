"""What a mount asks of the place where its files are."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

BLOCK = 4096
"""The size of the blocks in which files are fetched, in bytes."""


class Blocks(NamedTuple):
    """Some blocks of a file, each of `BLOCK` bytes."""

    first: int | None
    """The number of the first one, counted from 0; `None`: the last ones of the file."""
    length: int
    """How many; those past the end of the file are empty."""


class Fetched(NamedTuple):
    """The state of a file, and bytes of it in that state."""

    size: int
    """Its size in bytes."""
    version: str
    """What is different after any change of its content, if `is_settled`: an ETag, or size and times."""
    pieces: Sequence[tuple[int, bytes]] = ()
    """Bytes, each with the offset of the first, in at most 1,000 pieces. They may be fewer than wanted, but
    not none, and more only up to `Limits.max_copied_bytes`."""
    modified_ns: int = 0
    """When it was last modified, in nanoseconds since 1970 in UTC; 0: unknown."""
    is_settled: bool = True
    """Whether any later change will show in `version`; otherwise nothing is kept after a call."""
    real_path: str | None = ""
    """Its path there with links resolved, which deny rules must not match; empty: as passed; `None`: unknown,
    so that it is refused if there are deny rules."""
    line_feeds: int | None = None
    """The number of line feeds in it, if that was counted on the way."""


Answer: TypeAlias = "Fetched | Awaitable[Fetched]"


class Store(Protocol):
    """Where the files of a mount are. Each method may be asynchronous.

    A method raises `NotFoundError`, `AccessError`, `DirectoryError`, `NotRegularFileError`, or
    `FileChangedError` for a file that does not have the `version` that was passed. Any other exception
    becomes a `StoreError`.

    Optional attributes, in the order of use:

    - `root: str`: The path in the store that the mount shows; without it, that of the mount.
    - `mounted(path) -> Store`: Returns the store to use for a mount with this path; without it, the same.
    - `most_bytes: int`: The most bytes that one call of `get` is asked for; without it, 8 MiB.
    - `whole(path, version) -> bytes`: Returns a whole file, if that is one request.
    - `count(path, start, step, steps, version) -> list[int]`: Counts the line feeds in steps of `step` bytes
      from an offset on. Without it, lines far from the start and the end of a large file cannot be found.
    - `blocks: bool`: Whether its methods block a thread; without it, whether `get` is no coroutine function.

    Example:
        >>> class Folder:
        ...     def get(self, path, wanted, version):
        ...         data = pathlib.Path(path).read_bytes()
        ...         return Fetched(len(data), hashlib.sha256(data).hexdigest(), [(0, data)])
        >>> reader = anyread.Reader(mounts={"/far": Folder()})
    """

    def get(self, path: str, wanted: Sequence[Blocks], version: str | None) -> Answer:
        """Return the state of a file, and blocks of it.

        Args:
            path: Its path in the store.
            wanted: The blocks; none if only the state is asked for.
            version: The version that it must have; `None`: any.
        """
        ...
