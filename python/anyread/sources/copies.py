"""Copies of the files of mounts, and what a call does until the bytes that it reads are present.

A call that reads a file of a mount first asks for its state. It then reads a local copy of the file, which
has its full size and is filled in where it is read: the core raises `NeedsBytes` for what is missing, the
driver of the call fetches it, and the call starts again.
"""

from __future__ import annotations

import errno
import os
import posixpath
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from inspect import iscoroutinefunction
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary, finalize

from anyread._native import PartialCopy, display_path
from anyread.errors import (
    BadPathError,
    DeniedError,
    FileChangedError,
    FileSystemError,
    NotFoundError,
    OutsideRootError,
    ReadError,
    StoreError,
    TooLargeError,
)
from anyread.errors.base import one_line
from anyread.running.calls import Fetch, WorkTarget, current_call
from anyread.running.fetching import IsAsynchronousError, Turn, awaited

from .store import BLOCK, Blocks, Fetched

if TYPE_CHECKING:
    from anyread.arguments.limits import Limits

    from .store import Store

HEAD, TAIL = 33, 12
"""The blocks at the start and the end of a file that are fetched with its state: what a first page looks at,
and the directory of a package."""
_MOST_BYTES = 8 * 1024 * 1024
_FIRST_AHEAD = 16
"""How many blocks are fetched at least; twice as many each time that a call reads on."""
_STEP, _FINE_STEP = 1024 * 1024, 64 * 1024
"""The steps in which lines are counted: of a whole file, and of one such step."""
_MOST_STEPS = 16_384
_ATTEMPTS = 4
"""How often a call starts again because the file has changed."""
_MOST_COPIES = 64
_MOST_NS = 2**63 - 1
_MOST_PIECES = 1_000
"""The most pieces of one answer."""
_MOST_CHARS = 65_536
"""The most characters of a version or a path."""
_MOST_REASON = 300
"""The most characters of another library's error in one of ours."""

_copies: OrderedDict[tuple[int, str], Copy] = OrderedDict()
"""The copies of this process, the most recent last.

Each operation is atomic: a fork could leave a lock locked.
"""
_numbers = count(1)


class Copy:
    """A copy of one version of a file."""

    def __init__(self, mount: Mount, path: str, state: Fetched) -> None:
        self.version = state.version
        self.is_settled = state.is_settled
        self.size = state.size
        self._path = mount.shown(path)
        try:
            self.native = PartialCopy(
                size=state.size,
                version=f"m-{sha256(state.version.encode()).hexdigest()[:32]}",
                is_settled=state.is_settled,
                modified_ns=max(-_MOST_NS, min(state.modified_ns, _MOST_NS)),
                real_path=os.fsencode(mount.shown(state.real_path or path)),
                counts=mount.count is not None,
            )
        except (OSError, OverflowError) as error:
            if isinstance(error, OverflowError) or error.errno in {errno.EFBIG, errno.EINVAL}:
                raise StoreError(self._path, reason=f"no file can have {state.size:,} bytes") from None
            raise FileSystemError(self._path, errno=error.errno or errno.EIO, operation="open") from None
        self._ahead, self._reached, self._began = _FIRST_AHEAD, -1, -1

    def add(self, fetched: Fetched) -> None:
        """Add what was fetched of it."""
        if fetched.version != self.version or fetched.size != self.size:
            raise FileChangedError(self._path, change="rewritten")
        for start, data in fetched.pieces:
            try:
                self.native.add(start, data)
            except OSError as error:
                raise FileSystemError(self._path, errno=error.errno or errno.EIO, operation="write") from None
            except (OverflowError, ValueError):
                raise StoreError(self._path, reason="it returns bytes after the end of the file") from None
        if fetched.line_feeds is not None and not self.native.add_total(fetched.line_feeds):
            raise StoreError(self._path, reason="its counts of lines contradict each other")

    def ahead(self, start: int, end: int, most: int) -> Blocks:
        """Return the blocks to fetch for a missing part: more and more if a call reads on, at most `most`."""
        first, last = start // BLOCK, -(-end // BLOCK)
        goes_on, goes_back = first == self._reached, last == self._began
        self._ahead = min(2 * self._ahead, _MOST_BYTES // BLOCK) if goes_on or goes_back else _FIRST_AHEAD
        more = max(min(self._ahead, most) - (last - first), 0)
        if goes_back:
            first = max(first - more, 0)
        else:
            last = min(last + more, -(-self.size // BLOCK))
        self._began, self._reached = first, last
        return Blocks(first, last - first)


class Mount:
    """A path, and the store whose files it shows."""

    def __init__(self, path: str, store: Store) -> None:
        mounted = getattr(store, "mounted", None)
        self.path, self.store = path, store if mounted is None else mounted(path)
        store = self.store
        self._root: str = getattr(store, "root", path)
        self.count: Any = getattr(store, "count", None)
        """What counts line feeds, if anything does."""
        self._turns: WeakValueDictionary[str, Turn] = WeakValueDictionary()
        self.number = next(_numbers)
        """Its number in this process."""
        finalize(self, _drop_copies, self.number)
        self.blocks: bool = getattr(store, "blocks", not iscoroutinefunction(store.get))
        """Whether calls of the store block a thread."""

    def turn(self, far: str) -> Turn:
        """Return the turn of a file of the store."""
        return self._turns.setdefault(far, Turn())

    def far(self, path: str) -> str:
        """Return the path in the store of a path of this mount."""
        return posixpath.join(self._root, path[len(self.path) :].lstrip("/"))

    def shown(self, far: str) -> str:
        """Return the path of this mount for one in the store; that itself if it is not below its root."""
        inside = self._root.rstrip("/") + "/"
        return posixpath.join(self.path, far[len(inside) :]) if far.startswith(inside) else far

    def pool(self) -> int | None:
        """Return the number of the threads in which calls of the store wait; `None`: of those for files."""
        # Its own, because it may hang. Those of file systems have positive numbers.
        return -self.number if self.blocks else None


class Mounts:
    """The mounts of a reader.

    Args:
        mounts: The stores, by absolute paths.
        limits: The limits of the reader.
        base: The directory to which relative paths are relative; empty: the first mount.
        has_roots: Whether the reader also reads local files.
        rule_of: Returns the deny rule that matches a path; `None`: there are no rules.

    Raises:
        ValueError: A mount has no absolute path.
        TypeError: A store has no method `get`.
    """

    def __init__(
        self,
        mounts: Mapping[str, Store],
        limits: Limits,
        *,
        base: str,
        has_roots: bool,
        rule_of: Callable[[bytes, bytes], str | None] | None,
    ) -> None:
        self._limits, self._has_roots, self._rule_of = limits, has_roots, rule_of
        made = []
        for path, store in mounts.items():
            if not str(path).startswith("/") or posixpath.normpath(path) != path:
                raise ValueError(f"Reader(mounts=…): {path!r} is no absolute path, such as '/sandbox'")
            if not callable(getattr(store, "get", None)):
                raise TypeError(f"Reader(mounts=…): {store!r} of {path!r} has no method `get`")
            made.append(Mount(path, store))
        # The longest path that matches is the one that counts.
        self._mounts = sorted(made, key=lambda mount: len(mount.path), reverse=True)
        self._base = base or next(iter(mounts), "/")

    def of(self, name: bytes) -> Far | None:
        """Return the file of a mount that has this path; `None` for a local path.

        Raises:
            OutsideRootError: It is a local path, and the reader has no roots.
            BadPathError: No file of a mount can have this path.
            DeniedError: A deny rule matches.
        """
        given = os.fsdecode(name)
        path = posixpath.join(self._base, given)
        plain = posixpath.normpath(path)
        plain = plain[1:] if plain.startswith("//") else plain
        for mount in self._mounts:
            if plain != mount.path and not plain.startswith(mount.path.rstrip("/") + "/"):
                continue
            shown = display_path(name)
            if "\0" in path:
                raise BadPathError(shown, reason="it contains a NUL")
            if ".." in path.split("/"):
                raise BadPathError(shown, reason="a path of a mount must not contain `..`")
            far = Far(mount, name, plain, self._limits, self._rule_of)
            far.check(plain)
            return far
        if self._has_roots:
            return None
        raise OutsideRootError(display_path(name), roots=tuple(mount.path for mount in self._mounts))


class Far:
    """A file of a mount, for the reads of one call."""

    def __init__(
        self,
        mount: Mount,
        name: bytes,
        path: str,
        limits: Limits,
        rule_of: Callable[[bytes, bytes], str | None] | None,
    ) -> None:
        self._mount, self._path, self._limits, self._rule_of = mount, path, limits, rule_of
        self._shown = display_path(name)
        # As for a local file, a name that ends with a slash is that of a directory.
        self._far = mount.far(path) + "/" * name.endswith(b"/")
        self._key = mount.number, self._far
        self._turn = mount.turn(self._far)
        self.target = WorkTarget(self._shown, mount.pool, lambda: None)
        """The target of work on it."""

    def check(self, path: str | None) -> None:
        """Refuse a path that a deny rule matches, and one that is not known if there are rules."""
        if self._rule_of is None:
            return
        if path is None:
            raise StoreError(self._shown, reason="its real path is not known, and there are deny rules")
        rule = self._rule_of(os.fsencode(path), os.fsencode(self._mount.path))
        if rule is not None:
            raise DeniedError(self._shown, rule=rule)

    def copy(self) -> PartialCopy:
        """Return the copy of the version that the file had when this call began; part of a call.

        Raises:
            Fetch: The state must be asked for first.
            ReadError: What was asked for could not be fetched.
        """
        call = current_call()
        copy: Copy | ReadError | None = call.kept(self._key)
        if copy is None:
            raise Fetch(self._state, self._mount, self.target)
        if isinstance(copy, ReadError):
            raise copy
        call.far[copy.native.number] = Fetch(partial(self._fetched, copy), self._mount, self.target)
        return copy.native

    async def _state(self) -> None:
        """Ask for the state of the file, and keep its copy for this call, or the error."""
        for attempt in range(_ATTEMPTS):
            try:
                if self._key in _copies:
                    await self._ask()
                else:
                    async with self._turn.taken():
                        await self._ask()
            except ReadError as error:
                if isinstance(error, FileChangedError) and attempt + 1 < _ATTEMPTS:
                    continue
                # The call may read several files, of which this one fails.
                current_call().keep(self._key, error)
            return

    async def _ask(self) -> None:
        known = _copies.get(self._key)
        if known is not None and known.native.present_bytes > self._limits.max_copied_bytes:
            # Other calls have filled it.
            known = None
        state = None if known is None else await self._got([], None)
        if known is None or state is None or (known.version, known.size) != (state.version, state.size):
            _copies.pop(self._key, None)
            state = await self._got([Blocks(0, HEAD), Blocks(None, TAIL)], None)
            known = Copy(self._mount, self._far, state)
            known.add(state)
        if state.real_path != "":
            self.check(None if state.real_path is None else self._mount.shown(state.real_path))
        current_call().keep(self._key, known)
        if state.is_settled:
            _copies[self._key] = known
            _copies.move_to_end(self._key)
            _shrink(self._limits.copies_bytes)

    async def _fetched(
        self,
        copy: Copy,
        start: int,
        end: int,
        counted: bool,  # noqa: FBT001 - as the core passes it
    ) -> None:
        """Fetch a part of the file, or count the line feeds in it."""
        call = current_call()
        try:
            async with self._turn.taken():
                if counted:
                    await self._count(copy, start, end)
                elif copy.native.missing(start, end - start) is not None:
                    await self._fetch(copy, start, end)
        except FileChangedError as error:
            _copies.pop(self._key, None)
            call.restarts += 1
            # The call starts again with another copy.
            call.drop_all()
            if call.restarts >= _ATTEMPTS:
                call.keep(self._key, error)
        except ReadError as error:
            if isinstance(call.kept(self._key), ReadError):
                raise
            call.keep(self._key, error)
        _shrink(self._limits.copies_bytes)

    async def _fetch(self, copy: Copy, start: int, end: int) -> None:
        most, store = self._limits.max_copied_bytes, self._mount.store
        # Kept for the call, which starts again after each part.
        call, of_call = current_call(), (*self._key, "bytes")
        spent, present = call.kept(of_call) or 0, copy.native.present_bytes
        # Some of it may be present.
        missing = min(end - start, copy.size - present)
        if spent + missing > most:
            raise TooLargeError(self._shown, size=copy.size, maximum=most, unit="copied bytes")
        whole = getattr(store, "whole", None)
        if whole is not None and 2 * missing > copy.size and copy.size <= most:
            data = await self._asked(whole, self._far, copy.version)
            if len(data) != copy.size:
                raise FileChangedError(self._shown, change="rewritten")
            copy.add(Fetched(copy.size, copy.version, [(0, data)]))
            call.keep(of_call, spent + copy.native.present_bytes - present)
            return
        first, blocks = copy.ahead(start, end, (most - spent) // BLOCK)
        start, end = (first or 0) * BLOCK, ((first or 0) + blocks) * BLOCK
        most_blocks = max(getattr(store, "most_bytes", _MOST_BYTES) // BLOCK, 1)
        while (part := copy.native.missing(start, end - start)) is not None:
            first = part[0] // BLOCK
            wanted = Blocks(first, min(-(-part[1] // BLOCK) - first, most_blocks))
            copy.add(await self._got([wanted], copy.version))
            if copy.native.missing(start, end - start) == part:
                raise StoreError(self._shown, reason="`get` does not return what was asked for")
        call.keep(of_call, spent + copy.native.present_bytes - present)

    async def _count(self, copy: Copy, start: int, end: int) -> None:
        is_whole = end - start > _STEP
        step = _STEP if is_whole else _FINE_STEP
        steps = -(-(end - start) // step)
        if steps > _MOST_STEPS:
            most = _MOST_STEPS * _STEP
            raise TooLargeError(self._shown, size=copy.size, maximum=most, unit="counted bytes")
        counts = await self._asked(self._mount.count, self._far, start, step, steps, copy.version)
        is_list = isinstance(counts, Sequence) and len(counts) == steps
        if not is_list or not all(type(each) is int and 0 <= each <= step for each in counts):
            raise StoreError(self._shown, reason="`count` does not return a number for each step")
        if not copy.native.add_counts(start, step, counts):
            raise StoreError(self._shown, reason="its counts of lines contradict each other")

    async def _got(self, wanted: Sequence[Blocks], version: str | None) -> Fetched:
        """Ask the store for blocks, and check the types of its answer."""
        answer = await self._asked(self._mount.store.get, self._far, wanted, version)
        found = answer if isinstance(answer, Fetched) else None
        is_right = (
            found is not None
            and (type(found.size), type(found.version), type(found.modified_ns)) == (int, str, int)
            and 0 <= found.size < 2**63
            and len(found.version) <= _MOST_CHARS
            and type(found.real_path) in {str, type(None)}
            and len(found.real_path or "") <= _MOST_CHARS
            and len(found.pieces) <= _MOST_PIECES
            and (found.line_feeds is None or 0 <= found.line_feeds <= found.size)
            and all(type(start) is int and start >= 0 for start, _ in found.pieces)
        )
        if found is None or not is_right:
            raise StoreError(self._shown, reason=f"`get` returned {one_line(str(answer)[:_MOST_REASON])}")
        received, most = sum(len(data) for _, data in found.pieces), self._limits.max_copied_bytes
        if received > max(most, BLOCK * sum(part.length for part in wanted)):
            raise TooLargeError(self._shown, size=received, maximum=most, unit="copied bytes")
        return found

    async def _asked(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the store."""
        try:
            # A method of ours is asynchronous, and calls what may not be.
            is_ours = iscoroutinefunction(function)
            return await function(*arguments) if is_ours else await awaited(function(*arguments))
        except IsAsynchronousError:
            raise
        except ReadError as error:
            # With the path that was passed instead of that in the store.
            more = {"elsewhere": True} if isinstance(error, NotFoundError) else {}
            raise type(error)(self._shown, **{**error.data, **more}) from error
        except Exception as error:
            # Some libraries write many lines, and what is in them is not trusted.
            first = next(iter(str(error).strip().splitlines()), "")
            reason = one_line(f"{type(error).__name__}: {first}", _MOST_REASON)
            raise StoreError(self._shown, reason=reason) from error


def _keys() -> list[tuple[int, str]]:
    """Return the keys of all copies, also if the garbage collector drops some meanwhile."""
    while True:
        try:
            return [*_copies]
        except RuntimeError:
            pass


def _drop_copies(mount: int) -> None:
    """Drop the copies of a mount that no reader has any more."""
    for key in _keys():
        if key[0] == mount:
            _copies.pop(key, None)


def _shrink(most_bytes: int) -> None:
    """Drop the least recent copies of this process that are too many, or too large together."""
    copies = {key: _copies.get(key) for key in _keys()}
    sizes = {key: copy.native.present_bytes for key, copy in copies.items() if copy is not None}
    total = sum(sizes.values())
    for key, size in sizes.items():
        if len(sizes) <= 1 or (total <= most_bytes and len(_copies) <= _MOST_COPIES):
            return
        _copies.pop(key, None)
        total -= size
