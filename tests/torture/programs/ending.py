"""Hosts that end, or that end their event loops, while reads are pending.

usage: ending.py DIRECTORY HOW DELAY, where HOW is one of `HOSTS` and DELAY is in seconds. A host that must be
working afterwards prints the number of checks and the failures as JSON; the others exit with code 3.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyread
from anyread.running import workers
from torture.programs import reads

if TYPE_CHECKING:
    from collections.abc import Callable

DIRECTORY, HOW, DELAY_S = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
LOOPS = 10


def read_forever(each: reads.Reads, kind: str) -> None:
    """Read until the interpreter ends."""
    while True:
        # At the exit, the decoders end before this thread.
        with suppress(anyread.ReadError):
            each.sync(kind)


def exit_beside_threads(each: reads.Reads) -> None:
    """Exit while daemon threads read every kind of file."""
    for kind in reads.KINDS:
        threading.Thread(target=read_forever, args=(each, kind), daemon=True).start()
    time.sleep(DELAY_S)
    sys.exit(3)


class Lingering:
    """Keeps the interpreter from ending for a while after it has begun to end threads."""

    def __del__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        sleep(0.3)


lingering: Lingering | None = None


def exit_beside_errors(each: reads.Reads) -> None:
    """Exit while daemon threads make errors, whose classes are in Python, and switch as often as possible."""
    sys.setswitchinterval(1e-6)
    for _ in range(8):
        threading.Thread(target=read_forever, args=(each, "missing"), daemon=True).start()
    time.sleep(DELAY_S)
    sys.exit(3)


def exit_beside_tokenizers(each: reads.Reads) -> None:
    """Exit while each of some daemon threads is inside a tokenizer of the host, which gives up the GIL."""
    global lingering
    inside, lingering = threading.Semaphore(0), Lingering()

    def count(text: str) -> int:
        inside.release()
        time.sleep(0.05)
        return len(text)

    reader = anyread.Reader(limits=anyread.Limits(tokenizer=count))
    path = each.directory / "poem.txt"
    for _ in range(4):
        threading.Thread(target=reader.read_sync, args=(path,), daemon=True).start()
        inside.acquire()
    sys.exit(3)


def exit_with_handlers(each: reads.Reads) -> None:
    """Read in handlers that run at the exit, some of them after the decoders were ended."""

    def handler() -> None:
        for kind in reads.KINDS:
            each.sync(kind)
        print("read", flush=True)

    atexit.register(handler)
    for kind in reads.KINDS:
        each.sync(kind)
    atexit.register(handler)
    sys.exit(3)


def exit_inside_a_loop(each: reads.Reads) -> None:
    """Exit inside a task, while other tasks read."""

    async def forever(kind: str) -> None:
        while True:
            await each.on_loop(kind)

    async def main() -> None:
        tasks = [asyncio.create_task(forever(kind)) for kind in reads.KINDS]
        await asyncio.sleep(DELAY_S)
        sys.exit(3 if tasks else 4)

    asyncio.run(main())


def close_loops(each: reads.Reads) -> list[str]:
    """Close loops, or drop them, while tasks read; then everything must work and nothing may be left."""
    workers.IDLE_S = 1
    descriptors = reads.warm_up(each.sync)
    failures = []
    for number in range(LOOPS):
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(lambda *_: None)
        tasks = [loop.create_task(each.on_loop(kind)) for kind in reads.KINDS]
        loop.run_until_complete(asyncio.sleep(DELAY_S * number / LOOPS))
        if HOW == "executors shut down":
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.run_until_complete(asyncio.wait(tasks))
        if HOW != "loops abandoned":
            loop.close()
        del tasks, loop
        gc.collect()
    deadline = time.monotonic() + 5
    while (left := reads.leftovers(descriptors)) and time.monotonic() < deadline:
        time.sleep(0.05)
    for kind in reads.KINDS:
        try:
            each.sync(kind)
        except Exception as error:  # noqa: BLE001 - any error is wrong
            failures.append(f"{kind}: {error!r}"[:300])
    with ThreadPoolExecutor(2) as executor:
        list(executor.map(each.sync, reads.KINDS))
    return failures + left


HOSTS = {
    "threads": exit_beside_threads,
    "errors": exit_beside_errors,
    "tokenizers": exit_beside_tokenizers,
    "handlers": exit_with_handlers,
    "a loop": exit_inside_a_loop,
}


def main() -> None:
    each = reads.Reads(DIRECTORY)
    if HOW in HOSTS:
        HOSTS[HOW](each)
    else:
        print(json.dumps({"failures": close_loops(each), "of": LOOPS * len(reads.KINDS)}))


main()
