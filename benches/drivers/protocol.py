"""The protocol of drivers: requests and replies, one JSON object per line, on standard input and output.

A driver runs as a separate process, in the environment of its rival and with a memory limit.
It measures the time of the call itself, without the start of the process and this protocol.
The reply to a request without `rounds` is the answer; with `rounds` it has times only.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import hashlib
import json
import os
import resource
import sys
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

_WORDS = 200  # characters of a refusal that are kept


class RefusedError(Exception):
    """The rival refuses to read this file; the message is the rival's."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a rival showed, without headers and line numbers."""

    lines: list[tuple[int | None, str]] = field(default_factory=list)
    """Number and text of each line, without its ending; the number is `None` if it was not shown."""
    total: int | None = None
    """How many lines the file has according to the rival."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question that a rival can answer."""

    read: Callable[..., Awaitable[Any]]
    """Reads the file; only this is timed."""
    answer: Callable[[Any], Answer]
    """Parses what was read; not timed."""
    before: Callable[[], object] = gc.get_count
    """Drops cached data before each round; not timed."""


def serve(version: str, **questions: Question) -> None:
    """Answer requests until standard input ends; the last argument is the memory limit in bytes."""
    if "whole" in questions:
        questions["many"] = _many(questions["whole"])
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Some rivals print what they read to standard output.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    limit = int(sys.argv[-1])
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    def reply(message: dict[str, Any]) -> None:
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    async def loop() -> None:
        reply({"state": "ready", "version": version, "questions": sorted(questions)})
        for line in sys.stdin:  # blocks the loop, on which nothing else runs
            request = json.loads(line)
            reply(await _reply_to(questions[request.pop("question")], **request))

    asyncio.run(loop())


async def _reply_to(
    question: Question, arguments: dict[str, Any], rounds: int = 0, seconds: float = 0
) -> dict[str, Any]:
    try:
        if rounds:
            return {"state": "ok", "ns": await _timed(question, arguments, rounds, seconds)}
        question.before()
        trim_heap()
        started = perf_counter_ns()
        raw = await question.read(**arguments)
        took = perf_counter_ns() - started
        answer = question.answer(raw)
    except Exception as failure:  # noqa: BLE001 - any exception of a rival is its reply
        return _refusal(failure)
    return {"state": "ok", "lines": answer.lines, "total": answer.total, "ns": [took]}


def _refusal(failure: BaseException) -> dict[str, Any]:
    while isinstance(failure, BaseExceptionGroup):  # from the tasks of `many`
        failure = failure.exceptions[0]
    if isinstance(failure, MemoryError):
        return {"state": "memory", "detail": "MemoryError"}
    words = str(failure) if isinstance(failure, RefusedError) else repr(failure)
    return {"state": "refused", "detail": words[:_WORDS]}


async def _timed(question: Question, arguments: dict[str, Any], rounds: int, seconds: float) -> list[int]:
    """Return the nanoseconds of each round: at most `rounds` rounds, none started after `seconds`."""
    times: list[int] = []
    end = perf_counter_ns() + seconds * 1e9
    while len(times) < rounds and (not times or perf_counter_ns() < end):
        question.before()
        started = perf_counter_ns()
        raw = await question.read(**arguments)
        times.append(perf_counter_ns() - started)
        del raw  # freeing it is not timed, for any rival
    return times


def _many(whole: Question) -> Question:
    """Return the question for many whole files, read by several tasks; the answer has a digest per file."""

    async def read(paths: list[str], tasks: int, *, digests: bool = False) -> dict[str, str]:
        waiting = iter(paths)
        found: dict[str, str] = {}

        async def work() -> None:
            for path in waiting:
                raw = await whole.read(path=path)
                if digests:
                    found[path] = digest(whole.answer(raw).lines)

        async with asyncio.TaskGroup() as group:
            for _ in range(tasks):
                group.create_task(work())
        return found

    def answer(found: dict[str, str]) -> Answer:
        return Answer([(None, path + " " + found[path]) for path in sorted(found)])

    return Question(read, answer)


def digest(lines: Iterable[tuple[int | None, str]]) -> str:
    """Return a short digest of the lines' texts."""
    return hashlib.sha256("\n".join(text for _, text in lines).encode()).hexdigest()[:16]


def texts(text: str) -> list[tuple[int | None, str]]:
    """Return the lines of a text without line numbers."""
    return [(None, line) for line in text.removesuffix("\n").split("\n")]


def numbered(text: str, separator: str = "\t") -> list[tuple[int | None, str]]:
    """Return the lines of a text in which each begins with its number."""
    lines: list[tuple[int | None, str]] = []
    for line in text.removesuffix("\n").split("\n"):
        number, _, rest = line.lstrip().partition(separator)
        if not number.lstrip("-").isdecimal():
            raise ValueError(f"no number before {line[:80]!r}")
        lines.append((int(number), rest))
    return lines


def trim_heap() -> None:
    """Make Python and the allocator return freed memory to the system, if they support that (glibc)."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
