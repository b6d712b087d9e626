"""No callback of an event loop computes for long, whatever a call reads."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.tools import CONTRACTS
from helpers import notebooks
from helpers.media import encoded, noise, text_pdf

LIMIT_S = 0.005
"""The processor time that a callback may use; an inline read takes a tenth of it."""
ENTRIES = 5_000


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a directory with many entries, and media of 10 to 20 MB."""
    root = tmp_path_factory.mktemp("large")
    directory = root / "many"
    directory.mkdir()
    for number in range(ENTRIES):
        (directory / f"file {number}.txt").touch()
    png = encoded(noise(1_800, 1_800), "PNG")
    (root / "a.png").write_bytes(png)
    (root / "a.pdf").write_bytes(text_pdf(20) + b"\n%" + b" " * 20_000_000)
    plots = [
        notebooks.code(f"plot({n})", notebooks.display(image_png=notebooks.png(900, 700))) for n in range(20)
    ]
    notebook = notebooks.write(root, *plots)
    (root / "a.txt").write_text("a line of text\n" * 1_400_000)
    (root / "small.png").write_bytes(encoded(noise(20, 20), "PNG"))
    (root / "small.pdf").write_bytes(text_pdf(1))
    return {
        "directory": directory,
        "missing": directory / "file 7.tx",
        "image": root / "a.png",
        "pdf": root / "a.pdf",
        "notebook": notebook,
        "text": root / "a.txt",
    }


@contextmanager
def watched() -> Iterator[list[float]]:
    """Return the processor time of each callback that asyncio runs in this thread."""
    times: list[float] = []
    run = asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        started = time.thread_time()
        try:
            run(handle)
        finally:
            times.append(time.thread_time() - started)

    asyncio.Handle._run = timed  # type: ignore[assignment, method-assign]
    gc.collect()
    gc.disable()
    try:
        yield times
    finally:
        gc.enable()
        asyncio.Handle._run = run  # type: ignore[method-assign]


def longest(call: Callable[[], Coroutine[Any, Any, Any]]) -> float:
    """Return the longest processor time of a callback during a call, in milliseconds."""
    with watched() as times:
        kept = asyncio.run(call())
    # Freeing 50 MB takes milliseconds too, in whatever thread drops them.
    del kept
    return max(times) * 1e3


MEDIA = ["image", "pdf", "notebook", "text"]


@pytest.mark.slow
@pytest.mark.usefixtures("patient_decoders")
@pytest.mark.parametrize(
    ("name", "what"),
    [
        *((name, "directory") for name in CONTRACTS),
        *(("anyread", what) for what in ("missing", *MEDIA)),
        # These convert images themselves.
        *((name, "image") for name in ("mycode", "pilotdeck")),
    ],
)
def test_tool_keeps_its_event_loop_free(files: dict[str, Path], name: str, what: str) -> None:
    """A directory of 100,000 entries stopped the loop for 8 s, and an image of 20 MB for 0.3 s."""
    tool = anyread.tool(name, cwd=files["text"].parent)
    arguments = tool.arguments_for(files[what])
    # Modules are imported by the first call of a process.
    for small in ("small.png", "small.pdf", files["notebook"].name):
        tool.call_sync(tool.arguments_for(files["text"].with_name(small)))

    async def call() -> Any:
        output = await tool.call(arguments)
        return output, tool.blocks(output)

    assert longest(call) < LIMIT_S * 1e3


@pytest.mark.slow
@pytest.mark.parametrize("what", MEDIA)
def test_reader_keeps_its_event_loop_free(files: dict[str, Path], what: str) -> None:
    reader = anyread.Reader(limits=anyread.Limits(decode_timeout_s=100))

    async def read() -> Any:
        return await reader.read(files[what])

    assert longest(read) < LIMIT_S * 1e3
