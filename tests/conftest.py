"""Shared fixtures: the event loops, a guard against blocking them, and reports that workers can send."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest
import trio

from anyread import Limits, _native, engine, reader
from anyread.running import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

# Their frameworks and engines are installed by `make integrations` and `make batch`, which run them.
collect_ignore = ["engines", "integrations"]
if os.name == "nt":
    pytest_plugins = ["platforms.windows"]


@pytest.fixture(
    params=[
        pytest.param(("asyncio", {"use_uvloop": False}), id="asyncio"),
        pytest.param(("asyncio", {"use_uvloop": True}), id="uvloop"),
        pytest.param(("trio", {}), id="trio"),
    ]
)
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """Run every async test on each of these loops."""
    backend: tuple[str, dict[str, Any]] = request.param
    if backend[1].get("use_uvloop"):
        pytest.importorskip("uvloop")
    return backend


@pytest.fixture
def no_coverage_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure no coverage in the processes that a test starts.

    Another thread may hold the lock of a tracer during a fork, and the child would wait for it forever.
    """
    for name in ("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def patient_decoders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let readers and tools of a test wait long for a decoder: a large image takes a loaded machine 10 s."""
    defaults: Any = Limits.__init__.__kwdefaults__
    monkeypatch.setitem(defaults, "decode_timeout_s", 100)
    monkeypatch.setattr("anyread.tools.TOOL_TIMEOUT_S", 300)


def loop_is_running() -> bool:
    """Return whether this thread is inside asyncio or trio."""
    return asyncio._get_running_loop() is not None or trio.lowlevel.in_trio_run()


class GuardedEngine:
    """An engine that records the reads that run on an event loop's thread."""

    def __init__(self, core: Any, blocked: list[bytes], waiting: threading.local) -> None:
        self.core = core
        self.blocked = blocked
        self.waiting = waiting

    def read(self, path: bytes, request: Any, **named: Any) -> Any:
        if named.get("may_wait"):
            self.note(path)
        return self.core.read(path, request, **named)

    def read_batch(self, paths: list[bytes], requests: Any, **named: Any) -> Any:
        if named.get("may_wait", True):
            self.note(paths[0])
        return self.core.read_batch(paths, requests, **named)

    def note(self, path: bytes) -> None:
        # A caller of `read_sync` inside a loop blocks it on purpose.
        if loop_is_running() and not getattr(self.waiting, "is_intended", False):
            self.blocked.append(path)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.core, name)


@pytest.fixture(autouse=True)
def blocked_reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """Fail a test in which an asynchronous read blocked the event loop, unless the test clears the list."""
    blocked: list[bytes] = []
    waiting = threading.local()
    make_engine = _native.Engine

    def allowed(blocking: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            waiting.is_intended = True
            try:
                return blocking(*arguments, **named)
            finally:
                waiting.is_intended = False

        return call

    monkeypatch.setattr(
        engine, "Engine", lambda **named: GuardedEngine(make_engine(**named), blocked, waiting)
    )
    monkeypatch.setattr(threads, "run", allowed(threads.run))
    default = reader._default._engine
    monkeypatch.setattr(default, "_native", GuardedEngine(default._native, blocked, waiting))
    yield blocked
    assert not blocked, f"read on the event loop's thread: {blocked}"


def pytest_configure() -> None:
    """Let Ctrl-C interrupt the processes of tests, even if this one was started with SIGINT ignored.

    A shell without job control ignores the signal in its background commands, and so do their children.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Escape lone surrogates in reports: a worker cannot send them, which would abort the whole run."""
    return encodable((yield))


def encodable(value: Any) -> Any:
    """Return a report with everything escaped that UTF-8 cannot encode."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case dict():
            return {encodable(name): encodable(each) for name, each in value.items()}
        case list() | tuple():
            return type(value)(encodable(each) for each in value)
        case _:
            return value
