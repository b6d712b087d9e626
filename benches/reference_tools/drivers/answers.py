"""The protocol of drivers: one JSON object per line on standard input and output.

A request has the `arguments` of a call. The reply to one without `rounds` is two lines: when the call ended,
and then what it returned, so that digests are not part of the measurement. With `rounds`, it is the times.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import sys
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEPT_CHARACTERS = 100_000
"""Answers up to this length as JSON are returned themselves; of all others, only the digests."""


def serve(
    version: str,
    call: Callable[[dict[str, Any]], Any],
    before: Callable[[], object] | None = None,
    parsed: Callable[[Any], Any] = lambda answer: answer,
    clock: Callable[[], int] | None = None,
) -> None:
    """Answer requests until standard input ends.

    Args:
        version: The version of the tool.
        call: Calls the tool, and returns its answer; an exception is one that the tool lets its host see.
        before: Drops cached data before each call of a request with `cold`; not timed.
        parsed: Parses an answer; not timed.
        clock: Returns the nanoseconds of the last call, if the tool measures them itself.
    """
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Some tools print to standard output.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def reply(message: dict[str, Any]) -> None:
        print(json.dumps(message), file=replies, flush=True)

    def once(request: dict[str, Any]) -> tuple[int, Any]:
        if before is not None and request.get("cold"):
            before()
        started = perf_counter_ns()
        answer = call(request["arguments"])
        ended = perf_counter_ns()
        return ended - started if clock is None else clock(), answer

    reply({"version": version})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request.get("rounds"):
                reply({"ns": _timed(once, request)})
                continue
            took, answer = once(request)
            reply({"ns": [took]})
            reply(described(parsed(answer)))
        except MemoryError:
            reply({"raised": "MemoryError"})
        except Exception as failure:  # noqa: BLE001 - any exception of a tool is its answer
            reply({"raised": repr(failure)[:500]})


def _timed(once: Callable[[dict[str, Any]], tuple[int, Any]], request: dict[str, Any]) -> list[int]:
    """Return the nanoseconds of each round, none started after `seconds`."""
    times: list[int] = []
    end = perf_counter_ns() + request["seconds"] * 1e9
    gc.collect()
    while len(times) < request["rounds"] and (not times or perf_counter_ns() < end):
        took, answer = once(request)
        del answer  # freeing it is not timed, for any tool
        times.append(took)
    return times


def described(answer: Any) -> dict[str, Any]:
    """Return the length and the digest of each value of an answer, and the answer itself if it is short."""
    leaves = dict(_leaves(answer, ""))
    characters = sum(length for length, _ in leaves.values())
    return {
        "leaves": leaves,
        "characters": characters,
        "answer": answer if characters <= KEPT_CHARACTERS else None,
    }


def _leaves(value: Any, place: str) -> Iterator[tuple[str, tuple[int, str]]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{place}[{index}]")
    else:
        text = value if isinstance(value, str) else json.dumps(value)
        data = text.encode("utf-8", "surrogatepass")
        yield place, (len(data), hashlib.sha256(data).hexdigest()[:16])
