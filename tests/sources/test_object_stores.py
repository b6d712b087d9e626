"""Object stores and file systems of other libraries, and servers with and without ranges of bytes."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import fsspec
import obstore
import pytest

import anyread
from anyread import errors
from anyread.sources.object_stores import Fsspec, LangSmith, ObjectStore

pytestmark = pytest.mark.parametrize("anyio_backend", ["asyncio"])
LINES = b"".join(b"line %d\n" % number for number in range(1, 400_001))
FILES = {"a.txt": LINES, "sub/b.txt": b"one\ntwo\n", "empty.txt": b""}


class Server(ThreadingHTTPServer):
    """Serves files with ETags, and with ranges if `ranges` is set; `asked` has the requests."""

    daemon_threads = True

    def __init__(self, *, ranges: bool) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.ranges, self.asked = ranges, list[str]()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: Any) -> None:
        """Write nothing."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.asked.append(f"{self.command} {wanted}")
        data = FILES.get(self.path[1:])
        status, part, headers = (404, b"", {}) if data is None else (200, data, {"ETag": '"1"'})
        if data is not None and wanted and self.server.ranges:
            [(first, last)] = re.findall(r"^bytes=(\d*)-(\d*)$", wanted)
            start = int(first) if first else max(len(data) - int(last), 0)
            end = min(int(last) + 1, len(data)) if first and last else len(data)
            status, part = (206, data[start:end]) if start < end else (416, b"")
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
        self.send_response(status)
        modified = {"Last-Modified": "Tue, 21 Oct 2025 07:28:00 GMT", "Content-Length": str(len(part))}
        for name, value in {**headers, **modified}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(part)


@pytest.fixture(params=[True, False], ids=["ranges", "no ranges"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    server = Server(ranges=request.param)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


async def check(reader: anyread.Reader, *, settled: bool) -> None:
    """Read a page at the start, the end and in the middle, an empty file, and one that does not exist."""
    page = await reader.read("a.txt", limit=2, kind="text")
    assert (page.content, page.size_bytes) == ("line 1\nline 2\n", len(LINES))
    assert bool(page.version) == settled
    assert (await reader.read("a.txt", offset=-1, kind="text")).content == "line 400000\n"
    assert (await reader.read("a.txt", offset=200_000, limit=1, kind="text")).content == "line 200000\n"
    assert (await reader.read("a.txt", find="line 77777$", kind="text")).hits == (77_777,)
    assert (await reader.read("sub/b.txt", kind="text")).content == "one\ntwo\n"
    assert (await reader.read("empty.txt")).size_bytes == 0
    with pytest.raises(errors.NotFoundError):
        await reader.read("none")


async def test_http(server: Server) -> None:
    store = obstore.store.HTTPStore.from_url(
        f"http://127.0.0.1:{server.server_port}", client_options={"allow_http": True}
    )
    reader = anyread.Reader(mounts={"/far": ObjectStore(store)})
    await reader.read("a.txt", limit=1)
    if server.ranges:
        assert sorted(server.asked) == ["GET bytes=-49152", "GET bytes=0-135167"]
    await check(reader, settled=True)


async def test_stores_without_suffixes_or_etags() -> None:
    """Azure refuses to send the last bytes of an object, and some servers send no ETag."""
    from obstore.exceptions import NotSupportedError

    store = obstore.store.MemoryStore()
    for name, data in FILES.items():
        await store.put_async(name, data)

    class Azure:
        head_async = store.head_async

        @staticmethod
        async def get_async(path: str, *, options: dict[str, Any]) -> Any:
            if isinstance(options.get("range"), dict):
                raise NotSupportedError("Azure does not support suffix range requests")
            return await store.get_async(path, options=options)

    await check(anyread.Reader(mounts={"/far": ObjectStore(Azure())}), settled=True)

    class Untagged:
        @staticmethod
        async def head_async(path: str) -> Any:
            return {**await store.head_async(path), "e_tag": None}

        @staticmethod
        async def get_async(path: str, *, options: dict[str, Any]) -> Any:
            assert "if_match" not in options
            found = await store.get_async(path, options=options)
            meta = {**found.meta, "e_tag": None}
            return SimpleNamespace(meta=meta, range=found.range, bytes_async=found.bytes_async)

    await check(anyread.Reader(mounts={"/far": ObjectStore(Untagged())}), settled=False)


async def test_objects_that_change() -> None:
    store = obstore.store.MemoryStore()
    for name, data in FILES.items():
        await store.put_async(f"prod/{name}", data)
    reader = anyread.Reader(mounts={"/far": ObjectStore(store, prefix="prod")})
    await check(reader, settled=True)
    await store.put_async("prod/a.txt", LINES.replace(b"line", b"LINE"))
    assert (await reader.read("a.txt", offset=300_000, limit=1, kind="text")).content == "LINE 300000\n"


async def test_file_systems(tmp_path: Path) -> None:
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    far = anyread.Reader(mounts={"/far": Fsspec(fsspec.filesystem("file"), root=str(tmp_path))})
    await check(far, settled=False)
    with pytest.raises(errors.DirectoryError):
        await far.read("sub")
    outside = anyread.Reader(mounts={"/far": Fsspec(fsspec.filesystem("file"), root=str(tmp_path / "sub"))})
    for path in ("b.txt/../../a.txt", "~/.bashrc", f"file:{tmp_path}/a.txt", f"local:{tmp_path}/a.txt"):
        with pytest.raises((errors.NotFoundError, errors.OutsideRootError)):
            await outside.read(f"/far/{path}")
    (tmp_path / "link.txt").symlink_to("a.txt")
    for path in ("link.txt", "a.txt"):
        denied = Fsspec(fsspec.filesystem("file"), root=str(tmp_path))
        with pytest.raises(errors.DeniedError):
            await anyread.Reader(mounts={"/far": denied}, deny=["/far/a.txt"]).read(path)
    # A file system that blocks is called in threads.
    assert await asyncio.to_thread(lambda: far.read_sync("sub/b.txt").text) == "1\tone\n2\ttwo"
    await check(
        anyread.Reader(mounts={"/far": ObjectStore(obstore.store.LocalStore(tmp_path))}), settled=True
    )


async def test_ranges_of_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """The protocol of `read_range` of LangSmith's sandboxes, whose package is not installed."""
    module: Any = ModuleType("langsmith.sandbox")
    module.ResourceNotFoundError = type("ResourceNotFoundError", (Exception,), {})
    module.SandboxOperationError = type("SandboxOperationError", (Exception,), {})
    monkeypatch.setitem(sys.modules, "langsmith", ModuleType("langsmith"))
    monkeypatch.setitem(sys.modules, "langsmith.sandbox", module)
    tag = '"1"'

    class Sandbox:
        async def read_range(
            self,
            path: str,
            *,
            start: int | None = None,
            end: int | None = None,
            suffix_bytes: int | None = None,
            if_range: str | None = None,
        ) -> SimpleNamespace:
            if path not in FILES:
                raise module.ResourceNotFoundError
            data = FILES[path]
            if not data:
                answer = SimpleNamespace(response=SimpleNamespace(status_code=416))
                raise module.SandboxOperationError from type("HTTPError", (Exception,), vars(answer))()
            if if_range not in {None, tag}:
                return SimpleNamespace(content=data, etag=tag, total_bytes=len(data), start=0, partial=False)
            first = max(len(data) - (suffix_bytes or 0), 0) if start is None else start
            part = data[first : len(data) if end is None else end + 1]
            return SimpleNamespace(content=part, etag=tag, total_bytes=len(data), start=first, partial=True)

    reader = anyread.Reader(mounts={"/far": LangSmith(Sandbox(), root="")})
    await check(reader, settled=True)
    tag = '"2"'
    assert (await reader.read("a.txt", offset=300_000, limit=1, kind="text")).content == "line 300000\n"
