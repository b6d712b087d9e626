"""Hosts that exit, with code 3, while reads are pending.

usage: ending.py DIRECTORY HOW DELAY, where HOW is one of `HOSTS` and DELAY is in seconds.
"""

from __future__ import annotations

import atexit
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyread
from torture.programs import reads

if TYPE_CHECKING:
    from collections.abc import Callable


class Lingering:
    """Keeps the interpreter from ending for a while after it has begun to end threads."""

    def __del__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        sleep(0.3)


lingering: Lingering | None = None


def beside_errors(each: reads.Reads) -> None:
    """Let daemon threads make errors, whose classes are in Python, and switch as often as possible."""
    sys.setswitchinterval(1e-6)

    def read() -> None:
        while True:
            # At the exit, the decoders end before this thread.
            with suppress(anyread.ReadError):
                each.sync("missing")

    for _ in range(8):
        threading.Thread(target=read, daemon=True).start()
    time.sleep(float(sys.argv[3]))


def beside_tokenizers(each: reads.Reads) -> None:
    """Let each of some daemon threads be inside a tokenizer of the host, which gives up the GIL."""
    global lingering
    inside, lingering = threading.Semaphore(0), Lingering()

    def count(text: str) -> int:
        inside.release()
        time.sleep(0.05)
        return len(text)

    reader = anyread.Reader(limits=anyread.Limits(tokenizer=count))
    for _ in range(4):
        threading.Thread(target=reader.read_sync, args=(each.directory / "poem.txt",), daemon=True).start()
        inside.acquire()


def with_handlers(each: reads.Reads) -> None:
    """Read in handlers that run at the exit, some of them after the decoders were ended."""

    def handler() -> None:
        for kind in reads.KINDS:
            each.sync(kind)
        print("read", flush=True)

    atexit.register(handler)
    for kind in reads.KINDS:
        each.sync(kind)
    atexit.register(handler)


HOSTS = {"errors": beside_errors, "tokenizers": beside_tokenizers, "handlers": with_handlers}
HOSTS[sys.argv[2]](reads.Reads(Path(sys.argv[1])))
sys.exit(3)
