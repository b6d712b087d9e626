"""Stores with ranges of bytes: object stores, file systems of fsspec, and LangSmith's sandboxes.

None of them counts lines: those far from the start and the end of a large file are found by fetching it, up
to `Limits.max_copied_bytes`.

Sources: the packages `obstore` 0.12.1, `fsspec` 2026.9.0 and `langsmith` 0.15.1, 2026-11-29.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from anyread.errors import (
    AccessError,
    DirectoryError,
    FileChangedError,
    NotFoundError,
    NotRegularFileError,
    TooLargeError,
)
from anyread.running.fetching import awaited, together

from .store import BLOCK, Blocks, Fetched

_NS = 1_000_000_000
_WHOLE_BYTES = 64 * 1024 * 1024
"""The most bytes that are fetched at once of a server without ranges."""
_NO_SUCH_RANGE = 416
"""The status of HTTP for a range past the end."""
_TIME = "time "
"""How a version begins that is no ETag."""
_Part: TypeAlias = tuple[Any, int, bytes]
"""The metadata of an object, and bytes of it with the offset of the first."""


class ObjectStore:
    """The objects of a store of obstore, such as S3, GCS or Azure, with asyncio.

    Args:
        store: The store, as `obstore.store.S3Store(…)`.
        prefix: What the names of the objects begin with that the mount shows.

    """

    blocks = False
    most_bytes = 8 * 1024 * 1024

    def __init__(self, store: Any, *, prefix: str = "") -> None:
        self._store, self._has_ranges = store, True
        self.root = prefix

    async def get(self, path: str, wanted: Sequence[Blocks], version: str | None) -> Fetched:
        """Return the state of an object, and blocks of it, with one request for each; see `Store.get`."""
        from obstore.exceptions import NotFoundError as Missing
        from obstore.exceptions import NotSupportedError, PermissionDeniedError, PreconditionError

        # A version without an ETag is a time.
        checks = {"if_match": version} if version and not version.startswith(_TIME) else {}
        try:
            if not wanted:
                return _fetched(path, [(await self._store.head_async(path), 0, b"")], version)
            try:
                found = await together([partial(self._part, path, each, checks) for each in wanted])
            except NotSupportedError:
                found = await self._without_suffixes(path, wanted, checks)
            except (Missing, PermissionDeniedError, PreconditionError, FileNotFoundError):
                raise
            except Exception:
                # An empty object has no ranges.
                found = [(await self._store.head_async(path), 0, b"")]
                if found[0][0]["size"]:
                    raise
        except (Missing, FileNotFoundError):
            raise NotFoundError(path) from None
        except PermissionDeniedError:
            raise AccessError(path) from None
        except PreconditionError:
            raise FileChangedError(path, change="rewritten") from None
        return _fetched(path, found, version)

    async def _without_suffixes(
        self, path: str, wanted: Sequence[Blocks], checks: dict[str, str]
    ) -> list[_Part]:
        """Return blocks of an object of a store that knows no last bytes, or no ranges at all."""
        from obstore.exceptions import NotSupportedError

        size = (await self._store.head_async(path))["size"]
        blocks = -(-size // BLOCK)
        parts = [
            Blocks(max(blocks - each.length, 0), each.length) if each.first is None else each
            for each in wanted
        ]
        try:
            if self._has_ranges and size:
                return await together([partial(self._part, path, each, checks) for each in parts])
        except NotSupportedError:
            self._has_ranges = False
        if size > _WHOLE_BYTES:
            raise TooLargeError(path, size=size, maximum=_WHOLE_BYTES, unit="copied bytes")
        return [await self._got(path, checks)]

    async def _part(self, path: str, blocks: Blocks, checks: dict[str, str]) -> _Part:
        start, length = (blocks.first or 0) * BLOCK, blocks.length * BLOCK
        asked: Any = (start, start + length) if blocks.first is not None else {"suffix": length}
        return await self._got(path, {"range": asked, **checks})

    async def _got(self, path: str, options: dict[str, Any]) -> _Part:
        found = await self._store.get_async(path, options=options)
        return found.meta, found.range[0], bytes(await found.bytes_async())


def _fetched(path: str, parts: Sequence[_Part], version: str | None) -> Fetched:
    metas = [meta for meta, _, _ in parts]
    versions = {str(meta["e_tag"] or f"{_TIME}{meta['last_modified']}") for meta in metas}
    if len(versions) > 1 or (version is not None and versions != {version}):
        raise FileChangedError(path, change="rewritten")
    modified: datetime = metas[0]["last_modified"]
    return Fetched(
        size=metas[0]["size"],
        version=versions.pop(),
        pieces=[(start, data) for _, start, data in parts if data],
        modified_ns=int(modified.timestamp() * _NS),
        is_settled=bool(metas[0]["e_tag"]),
    )


class Fsspec:
    """The files of a file system of fsspec, synchronous or asynchronous.

    Args:
        fs: The file system, as `fsspec.filesystem("sftp", host=…)`.
        root: The directory of it that the mount shows; nothing else of it is read, but for links.

    """

    most_bytes = 8 * 1024 * 1024

    def __init__(self, fs: Any, *, root: str) -> None:
        self._fs = fs
        self.root = root
        self._below = str(fs._strip_protocol(root)).rstrip("/") + "/"  # noqa: SLF001 - it has no other name
        self._is_async = bool(getattr(fs, "asynchronous", False))
        self.blocks = not self._is_async

    async def get(self, path: str, wanted: Sequence[Blocks], version: str | None) -> Fetched:
        """Return the state of a file, and blocks of it; see `Store.get`."""
        # What a path means may depend on how it begins, as `file:/etc` or `~`.
        if not str(self._fs._strip_protocol(path)).startswith(self._below):  # noqa: SLF001 - as above
            raise NotFoundError(path)
        # Some file systems keep what they have listed.
        self._fs.invalidate_cache(path)
        state = _state(path, await self._call("info", path))
        if version is not None and state.version != version:
            raise FileChangedError(path, change="rewritten")
        pieces = []
        for first, length in wanted:
            start = (max(-(-state.size // BLOCK) - length, 0) if first is None else first) * BLOCK
            end = min(start + length * BLOCK, state.size)
            if end > start:
                pieces.append((start, await self._call("cat_file", path, start=start, end=end)))
        if wanted and _state(path, await self._call("info", path)).version != state.version:
            raise FileChangedError(path, change="rewritten")
        return state._replace(pieces=pieces)

    async def whole(self, path: str, version: str) -> bytes:
        """Return a whole file; see `Store`."""
        data: bytes = await self._call("cat_file", path)
        await self.get(path, (), version)
        return data

    async def _call(self, name: str, path: str, **arguments: int) -> Any:
        try:
            if self._is_async:
                return await getattr(self._fs, f"_{name}")(path, **arguments)
            return await awaited(getattr(self._fs, name)(path, **arguments))
        except FileNotFoundError:
            raise NotFoundError(path) from None
        except PermissionError:
            raise AccessError(path) from None


def _state(path: str, info: dict[str, Any]) -> Fetched:
    if info.get("type") == "directory":
        raise DirectoryError(path, more=True)
    if info.get("type") == "other":
        raise NotRegularFileError(path, file_type="special file")
    size = info.get("size")
    if size is None:
        raise ValueError("its size is not known")
    tag = info.get("ETag") or info.get("etag")
    times = {
        name: info[name] for name in ("mtime", "modified", "LastModified", "last_modified") if info.get(name)
    }
    modified = next(iter(times.values()), 0)
    seconds = modified.timestamp() if isinstance(modified, datetime) else modified
    return Fetched(
        size=int(size),
        version=str(tag or (size, info.get("ino"), *map(str, times.values()))),
        modified_ns=int(float(seconds) * _NS) if isinstance(seconds, int | float) else 0,
        # Times may be as coarse as a second, and without any, nothing shows a change.
        is_settled=bool(tag),
        real_path=_real_path(path, info),
    )


def _real_path(path: str, info: dict[str, Any]) -> str | None:
    """Return the path of a file without links; `None`: it may be one, or below one."""
    if "islink" in info:
        # A file of this machine.
        return os.path.realpath(path)
    return None if info.get("type") == "link" or "uid" in info else ""


class LangSmith:
    """The files of a sandbox of LangSmith, which has ranges of bytes.

    Args:
        sandbox: An asynchronous sandbox, with `read_range`.
        root: The directory of it that the mount shows; `None`: the one with the path of the mount.
    """

    blocks = False

    def __init__(self, sandbox: Any, *, root: str | None = None) -> None:
        self._sandbox = sandbox
        if root is not None:
            self.root = root

    async def get(self, path: str, wanted: Sequence[Blocks], version: str | None) -> Fetched:
        """Return the state of a file, and blocks of it, with one request for each; see `Store.get`."""
        from langsmith.sandbox import ResourceNotFoundError, SandboxOperationError

        async def part(blocks: Blocks) -> Any:
            asked = {"suffix_bytes": blocks.length * BLOCK}
            if blocks.first is not None:
                start = blocks.first * BLOCK
                asked = {"start": start, "end": start + max(blocks.length * BLOCK, 1) - 1}
            return await self._sandbox.read_range(path, if_range=version or None, **asked)

        try:
            # The state comes with any byte.
            chunks = await together([partial(part, each) for each in wanted or (Blocks(0, 0),)])
        except ResourceNotFoundError:
            raise NotFoundError(path) from None
        except SandboxOperationError as error:
            # An empty file has no ranges.
            answer = getattr(error.__cause__, "response", None)
            if getattr(answer, "status_code", None) != _NO_SUCH_RANGE:
                raise
            return Fetched(0, "", is_settled=False)
        sizes, tags = {each.total_bytes for each in chunks}, {each.etag for each in chunks}
        is_whole = any(not each.partial for each in chunks)
        if len(sizes) > 1 or len(tags) > 1 or (version and (is_whole or tags != {version})):
            raise FileChangedError(path, change="rewritten")
        size = sizes.pop()
        pieces = [(each.start, each.content) for each in chunks if each.content] if wanted else []
        size, tag = len(chunks[0].content) if size is None else size, tags.pop()
        # A sandbox has links, and does not say where they lead.
        return Fetched(size, tag or "", pieces, is_settled=tag is not None, real_path=None)
