"""How a rival is asked: requests and replies, one JSON object a line, on standard input and output.

A driver runs as a process of its own, in the environment of its rival and under a limit of memory.
It takes the time itself, around the call alone: neither the start of its process nor this protocol is in it.
A request without `rounds` is answered with the answer, one with `rounds` with times only.
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
    """The rival does not read this file; the message is its own."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a rival showed, without its frame."""

    lines: list[tuple[int | None, str]] = field(default_factory=list)
    """Number and text of each line, without its ending; a number that was not shown is `None`."""
    total: int | None = None
    """How many lines it says the file has."""


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that a rival can do."""

    read: Callable[..., Awaitable[Any]]
    """Does it; this is what is timed."""
    answer: Callable[[Any], Answer]
    """Takes the frame off what was read; not timed."""
    before: Callable[[], object] = gc.get_count
    """Forgets the file before each round; not timed."""


def serve(version: str, **questions: Question) -> None:
    """Answer requests until standard input ends; the command line names the limit of memory in bytes."""
    if "whole" in questions:
        questions["many"] = _many(questions["whole"])
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Some rivals print what they read.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    limit = int(sys.argv[-1])
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    def reply(message: dict[str, Any]) -> None:
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    async def loop() -> None:
        reply({"state": "ready", "version": version, "questions": sorted(questions)})
        for line in sys.stdin:  # nothing else runs on this loop while it waits
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
        give_back_freed()
        started = perf_counter_ns()
        raw = await question.read(**arguments)
        took = perf_counter_ns() - started
        answer = question.answer(raw)
    except Exception as failure:  # noqa: BLE001 - whatever a rival raises is its answer
        return _refusal(failure)
    return {"state": "ok", "lines": answer.lines, "total": answer.total, "ns": [took]}


def _refusal(failure: BaseException) -> dict[str, Any]:
    while isinstance(failure, BaseExceptionGroup):  # of the tasks of `many`
        failure = failure.exceptions[0]
    if isinstance(failure, MemoryError):
        return {"state": "memory", "detail": "MemoryError"}
    words = str(failure) if isinstance(failure, RefusedError) else repr(failure)
    return {"state": "refused", "detail": words[:_WORDS]}


async def _timed(question: Question, arguments: dict[str, Any], rounds: int, seconds: float) -> list[int]:
    """Return the nanoseconds of each round: at most `rounds`, and none begins after `seconds`."""
    times: list[int] = []
    end = perf_counter_ns() + seconds * 1e9
    while len(times) < rounds and (not times or perf_counter_ns() < end):
        question.before()
        started = perf_counter_ns()
        raw = await question.read(**arguments)
        times.append(perf_counter_ns() - started)
        del raw  # freed outside of the time, as it is with every rival
    return times


def _many(whole: Question) -> Question:
    """Read many whole files with a number of tasks at once; the answer is one digest of all they showed."""

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
    """Return the lines of a text that has no numbers."""
    return [(None, line) for line in text.removesuffix("\n").split("\n")]


def numbered(text: str, separator: str = "\t") -> list[tuple[int | None, str]]:
    """Return the lines of a text in which each has its number before it."""
    lines: list[tuple[int | None, str]] = []
    for line in text.removesuffix("\n").split("\n"):
        number, _, rest = line.lstrip().partition(separator)
        if not number.lstrip("-").isdecimal():
            raise ValueError(f"no number before {line[:80]!r}")
        lines.append((int(number), rest))
    return lines


def give_back_freed() -> None:
    """Let Python and the allocator return to the system what was freed, where they can (glibc)."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
