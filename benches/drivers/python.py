"""Plain Python, and two libraries for files on an event loop; the variant selects one."""

from __future__ import annotations

import asyncio
import importlib.metadata
import linecache
import mmap
import platform
import sys
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from benches.drivers.protocol import Answer, Question, numbered, serve
from benches.usual import numbered as number_window
from benches.usual import usual_python

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK = 2**20


# ---------------------------------------------------------------------------------------------------------
# Read whole, then split


def usual_tail(path: str, count: int) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as `usual_python`
        lines = file.read().splitlines()
    first = max(0, len(lines) - count)
    return "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(lines[first:], start=first + 1))


def usual_count(path: str, count: int) -> tuple[str, int]:
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as `usual_python`
        lines = file.read().splitlines()
    return "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(lines[:count], start=1)), len(lines)


# ---------------------------------------------------------------------------------------------------------
# Line by line, in constant memory


def streamed_window(path: str, first: int, count: int) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as `usual_python`
        lines = list(islice(file, first - 1, first - 1 + count))
    return "".join(f"{number:6d}\t{line}" for number, line in enumerate(lines, start=first))


def streamed_tail(path: str, count: int) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as `usual_python`
        last = deque(enumerate(file, start=1), count)
    return "".join(f"{number:6d}\t{line}" for number, line in last)


def streamed_count(path: str, count: int) -> tuple[str, int]:
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as `usual_python`
        lines = list(islice(file, count))
        total = len(lines) + sum(1 for _ in file)
    return "".join(f"{number:6d}\t{line}" for number, line in enumerate(lines, start=1)), total


# ---------------------------------------------------------------------------------------------------------
# linecache, whose cache is cleared before each round


def linecache_window(path: str, first: int, count: int) -> str:
    linecache_lines(path)
    numbers = range(first, first + count)
    return "".join(f"{number:6d}\t{linecache.getline(path, number)}" for number in numbers)


def linecache_tail(path: str, count: int) -> str:
    return linecache_window(path, max(1, len(linecache_lines(path)) - count + 1), count)


def linecache_count(path: str, count: int) -> tuple[str, int]:
    return linecache_window(path, 1, count), len(linecache_lines(path))


def linecache_lines(path: str) -> list[str]:
    lines = linecache.getlines(path)
    if not lines:
        # linecache suppresses the MemoryError, returns no lines, and would retry for each line.
        raise MemoryError
    return lines


# ---------------------------------------------------------------------------------------------------------
# mmap, optimized by hand: line feeds are counted chunk by chunk, and only the necessary lines are split


def mapped_window(path: str, first: int, count: int) -> str:
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:  # noqa: PTH123
        position, seen = 0, 0
        while position < len(data):
            found = data[position : position + _CHUNK].count(b"\n")
            if seen + found >= first - 1:
                break
            seen += found
            position += _CHUNK
        data.seek(position)
        for _ in range(first - 1 - seen):
            data.readline()
        lines = [data.readline() for _ in range(count)]
    return _mapped_lines(lines, first)


def mapped_tail(path: str, count: int) -> str:
    """Show the last lines without their numbers, which would require counting all lines."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:  # noqa: PTH123
        start = len(data) - 1  # a last line feed ends the last line
        for _ in range(count):
            start = data.rfind(b"\n", 0, start)
            if start < 0:
                break
        return data[start + 1 :].decode(errors="replace")


def mapped_count(path: str, count: int) -> tuple[str, int]:
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:  # noqa: PTH123
        total = sum(
            data[position : position + _CHUNK].count(b"\n") for position in range(0, len(data), _CHUNK)
        )
        lines = [data.readline() for _ in range(count)]
    return _mapped_lines(lines, 1), total


def _mapped_lines(lines: list[bytes], first: int) -> str:
    return "".join(
        f"{number:6d}\t{line.decode(errors='replace')}" for number, line in enumerate(lines, start=first)
    )


# ---------------------------------------------------------------------------------------------------------
# Files on an event loop


async def aiofiles_window(path: str, first: int = 1, count: int = 2_000) -> str:
    import aiofiles

    async with aiofiles.open(path, encoding="utf-8", errors="replace") as file:
        text = await file.read()
    return number_window(text, first, count)


async def anyio_window(path: str, first: int = 1, count: int = 2_000) -> str:
    import anyio

    return number_window(await anyio.Path(path).read_text(encoding="utf-8", errors="replace"), first, count)


async def thread_whole(path: str) -> str:
    return await asyncio.to_thread(usual_python, path)


# ---------------------------------------------------------------------------------------------------------
# The questions of each variant


def blocking(read: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a plain function, which blocks the event loop while it runs."""

    async def call(**arguments: Any) -> Any:
        return read(**arguments)

    return call


def shown(text: str) -> Answer:
    return Answer(numbered(text))


def shown_without_numbers(text: str) -> Answer:
    return Answer([(None, line) for line in text.removesuffix("\n").split("\n")])


def shown_and_counted(found: tuple[str, int]) -> Answer:
    return Answer(numbered(found[0]), found[1])


def usual_window(path: str, first: int, count: int) -> str:
    return usual_python(path, first, count)


_FORGET = linecache.clearcache
_VARIANTS = {
    "usual": {
        "window": Question(blocking(usual_window), shown),
        "tail": Question(blocking(usual_tail), shown),
        "count": Question(blocking(usual_count), shown_and_counted),
        "whole": Question(blocking(usual_python), shown),
    },
    "streamed": {
        "window": Question(blocking(streamed_window), shown),
        "tail": Question(blocking(streamed_tail), shown),
        "count": Question(blocking(streamed_count), shown_and_counted),
    },
    "linecache": {
        "window": Question(blocking(linecache_window), shown, _FORGET),
        "tail": Question(blocking(linecache_tail), shown, _FORGET),
        "count": Question(blocking(linecache_count), shown_and_counted, _FORGET),
    },
    "mmap": {
        "window": Question(blocking(mapped_window), shown),
        "tail": Question(blocking(mapped_tail), shown_without_numbers),
        "count": Question(blocking(mapped_count), shown_and_counted),
    },
    "to_thread": {"whole": Question(thread_whole, shown)},
    "aiofiles": {"window": Question(aiofiles_window, shown), "whole": Question(aiofiles_window, shown)},
    "anyio": {"window": Question(anyio_window, shown), "whole": Question(anyio_window, shown)},
}

if __name__ == "__main__":
    variant = sys.argv[1]
    name = f"Python {platform.python_version()}"
    if variant in {"aiofiles", "anyio"}:
        name = f"{variant} {importlib.metadata.version(variant)}, {name}"
    serve(name, **_VARIANTS[variant])
