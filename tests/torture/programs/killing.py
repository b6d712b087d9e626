"""A host whose decoders and zygote get signals at random moments while its threads read images and PDFs.

usage: killing.py DIRECTORY SIGNAL TARGET COUNT, where TARGET is decoder, zygote or host; a host can only be
stopped, and is continued. It prints the number of signals and the failures as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import anyread
from anyread.decoding.host.pool import shared_pool
from torture import hosts
from torture.programs import reads

DIRECTORY, NUMBER, TARGET = Path(sys.argv[1]), signal.Signals[sys.argv[2]], sys.argv[3]
DECODE_S = 3
"""Seconds after which a stopped decoder is reported; a stopped zygote is replaced after 5."""
JOIN_S = 40
DECODER_ERRORS = (
    anyread.DecoderCrashedError,
    anyread.DecoderTimeoutError,
    anyread.DecoderUnavailableError,
    anyread.DecoderMemoryError,
)
"""What a read raises whose decoder got a signal."""


def targets() -> list[int]:
    """List the processes that may get the next signal."""
    source = getattr(shared_pool()._starter, "pid", 0)
    if TARGET == "zygote":
        return [source] if source else []
    return [pid for pid in hosts.descendants(os.getpid()) if pid != source]


def stop_host(rng: Random) -> None:
    """Stop this process for a moment, with the help of another one."""
    host = os.getpid()
    helper = os.fork()
    if not helper:
        os.kill(host, signal.SIGSTOP)
        time.sleep(rng.uniform(0, 0.05))
        os.kill(host, signal.SIGCONT)
        os._exit(0)
    os.waitpid(helper, 0)


def send_signals(count: int, rng: Random) -> None:
    """Send signals at random moments."""
    mean_per_s = 2 if NUMBER == signal.SIGSTOP and TARGET != "host" else 60
    while count:
        time.sleep(rng.expovariate(mean_per_s))
        if TARGET == "host":
            stop_host(rng)
            count -= 1
        elif found := targets():
            with suppress(ProcessLookupError):
                os.kill(rng.choice(found), NUMBER)
                count -= 1


def read_on(
    each: reads.Reads, kind: str, stop: threading.Event, failures: list[str], *, on_loop: bool
) -> None:
    """Read a file again and again; errors of decoders are expected unless only the host is stopped."""
    while not stop.is_set():
        try:
            if on_loop:
                reads.run_on("asyncio", lambda: each.on_loop(kind))
            else:
                each.sync(kind)
        except BaseException as error:  # noqa: BLE001 - it must be typed
            if TARGET == "host" or not isinstance(error, DECODER_ERRORS):
                failures.append(f"{kind}: {error!r}"[:300])


def problems_afterwards(each: reads.Reads) -> list[str]:
    """Return what is wrong once no more signals come."""
    found = []
    for number in range(4 * len(reads.KINDS)):
        kind = reads.KINDS[number % len(reads.KINDS)]
        # An idle decoder of the pool may be stopped, or has just been killed.
        is_doubtful = NUMBER == signal.SIGSTOP or number < len(reads.KINDS)
        try:
            each.sync(kind)
        except Exception as error:  # noqa: BLE001 - any error is wrong
            if not (is_doubtful and isinstance(error, DECODER_ERRORS)):
                found.append(f"next {kind}: {error!r}"[:300])
    deadline = time.monotonic() + reads.PATIENCE_S
    while shared_pool()._busy and time.monotonic() < deadline:
        time.sleep(0.02)
    return found + (["a decoder is still in use"] if shared_pool()._busy else [])


def main() -> None:
    count, stop = int(sys.argv[4]), threading.Event()
    each, failures = reads.Reads(DIRECTORY), list[str]()
    each.plain = anyread.Reader(limits=anyread.Limits(decode_timeout_s=DECODE_S))
    reads.warm_up(each.sync)
    threads = [
        threading.Thread(target=read_on, args=(each, kind, stop, failures), kwargs={"on_loop": on_loop})
        for kind in ("image", "pdf")
        for on_loop in (False, True)
    ]
    for thread in threads:
        thread.start()
    send_signals(count, Random(3))
    stop.set()
    for thread in threads:
        thread.join(JOIN_S)
    failures += ["a read hangs" for thread in threads if thread.is_alive()]
    print(json.dumps({"of": count, "failures": failures + problems_afterwards(each)}))


if __name__ == "__main__":
    main()
