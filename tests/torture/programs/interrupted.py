"""A host whose main thread is interrupted by Ctrl-C at random moments of its reads.

usage: interrupted.py DIRECTORY LOOP ROUNDS, where LOOP is sync, asyncio, uvloop or trio. It prints the number
of rounds and the failures as JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from anyread.running import workers
from torture.programs import reads

if TYPE_CHECKING:
    from collections.abc import Callable

CHECK_EACH = 20
"""Rounds between two checks that nothing was lost."""
LOST_S = 5.0
"""Seconds after which a signal is sent again: Python ignores an exception in `__del__`, for example."""
PATIENCE_S = 1.0
"""Seconds in which a cancelled task must end.

An exception of a signal handler inside asyncio's own loop may lose the callback that would resume a task."""
DELAY = struct.Struct("d")


class Sender:
    """Another process that sends one SIGINT to this one after each request."""

    def __init__(self) -> None:
        requests, self._requests = os.pipe()
        host = os.getpid()
        self._pid = os.fork()
        if not self._pid:
            os.close(self._requests)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            while data := os.read(requests, DELAY.size):
                time.sleep(DELAY.unpack(data)[0])
                os.kill(host, signal.SIGINT)
            os._exit(0)
        os.close(requests)

    def request(self, delay_s: float) -> None:
        os.write(self._requests, DELAY.pack(delay_s))

    def close(self) -> None:
        os.close(self._requests)
        os.waitpid(self._pid, 0)


def factory_of(loop: str) -> Callable[[], asyncio.AbstractEventLoop]:
    """Return the function that creates a loop of asyncio or uvloop."""
    if loop == "uvloop":
        import uvloop

        return uvloop.new_event_loop
    return asyncio.new_event_loop


class Host:
    """Reads until it is interrupted, again and again."""

    def __init__(self, directory: Path, loop: str) -> None:
        self.loop_name = loop
        self.each, self.sender = reads.Reads(directory), Sender()
        # One loop for all rounds: an interruption while a loop is created or closed leaves its descriptors.
        self.runner = asyncio.Runner(loop_factory=factory_of(loop))
        self.loop = self.runner.get_loop()
        self.descriptors = reads.warm_up(self.each.sync)
        self.durations = {kind: self.timed(kind) for kind in reads.KINDS}

    def timed(self, kind: str) -> float:
        started = time.monotonic()
        self.each.sync(kind)
        return time.monotonic() - started

    def read_until_interrupted(self, kind: str, delay_s: float) -> None:
        if self.loop_name == "sync":
            resend = self.begin(delay_s)
            while True:
                self.each.sync(kind)
                resend = self.resent(resend)
        elif self.loop_name == "trio":
            reads.run_on("trio", lambda: self.read_on_loop(kind, delay_s))
        else:
            self.runner.run(self.read_on_loop(kind, delay_s))

    async def read_on_loop(self, kind: str, delay_s: float) -> None:
        from anyio import sleep

        resend = self.begin(delay_s)
        while True:
            await self.each.on_loop(kind)
            await sleep(0)
            resend = self.resent(resend)

    def begin(self, delay_s: float) -> float:
        self.sender.request(delay_s)
        return time.monotonic() + LOST_S

    def resent(self, at: float) -> float:
        return at if time.monotonic() < at else self.begin(0)

    def round(self, kind: str, delay_s: float) -> list[str]:
        """Read until the signal arrives; return what went wrong."""
        try:
            self.read_until_interrupted(kind, delay_s)
        except KeyboardInterrupt:
            return []
        except BaseException as error:  # noqa: BLE001 - nothing else may arrive
            return [f"{kind}: {error!r}"[:300], *self.late_signal()]
        finally:
            self.cancel_pending()
        return [f"{kind}: it ended without an interruption", *self.late_signal()]

    def late_signal(self) -> list[str]:
        """Wait for a signal that is still due; return whether it came."""
        try:
            time.sleep(PATIENCE_S)
        except KeyboardInterrupt:
            return ["the signal came later"]
        return []

    def cancel_pending(self) -> None:
        """Cancel the tasks that are pending; if asyncio has lost the wakeup of one, replace its loop."""
        pending = asyncio.all_tasks(self.loop)
        for task in pending:
            task.cancel()
        # The loop still holds a callback of the interrupted task, and so its exception and the open file.
        self.loop.run_until_complete(asyncio.sleep(0))
        if pending and self.loop.run_until_complete(asyncio.wait(pending, timeout=PATIENCE_S))[1]:
            self.loop.close()
            self.runner = asyncio.Runner(loop_factory=factory_of(self.loop_name))
            self.loop = self.runner.get_loop()

    def checked(self) -> list[str]:
        """Return what is wrong between two rounds: every kind of read must work, and nothing is left."""
        found = []
        for kind in reads.KINDS:
            try:
                if (seconds := self.timed(kind)) > 5:
                    found.append(f"the next {kind} took {seconds:.1f} s")
            except Exception as error:  # noqa: BLE001 - any error is wrong
                found.append(f"next {kind}: {error!r}"[:300])
        return found + reads.leftovers(self.descriptors)

    def close(self) -> list[str]:
        """Return what is left at the end."""
        self.runner.close()
        self.sender.close()
        deadline = time.monotonic() + 8
        while (count := reads.our_threads()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return [f"{count} threads did not end"] if count else []


def main() -> None:
    directory, loop, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    workers.IDLE_S = 1
    sys.unraisablehook = lambda _: None
    rng, failures, count = Random(5), list[str](), 0
    host = Host(directory, loop)
    while count < rounds and len(failures) < 20:
        count += 1
        kind = rng.choice(reads.KINDS)
        failures += host.round(kind, rng.uniform(0, 0.0005 + 2 * host.durations[kind]))
        if count % CHECK_EACH == 0 or count == rounds:
            failures += host.checked()
    # One that was sent again would end the interpreter while it exits.
    while signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        with suppress(KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    failures += host.close()
    print(json.dumps({"of": count, "failures": failures}))


if __name__ == "__main__":
    main()
