"""A host in which an exception comes after each call of a C function during a read, one after the other.

These are the moments at which CPython runs the handlers of signals. A handler that raises there drops what
the function returned, for example a descriptor.

usage: interrupted_calls.py DIRECTORY LOOP. It prints the number of moments and the failures as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyread
from anyread.decoding.host.pool import shared_pool
from anyread.running import workers
from torture.programs import reads

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

PACKAGE = os.path.dirname(anyread.__file__)  # noqa: PTH120 - compared as text
CASES = ("hop", "image", "replaced", "restarted", "pdf")
EACH_RESTART = 4
"""Of the moments while a zygote starts, which takes 0.3 s, one in this many is tried."""


class Interruption(BaseException):
    """What the handler of a signal raises."""


class Interruptions:
    """Raises after one of the C calls that the package makes, by its number."""

    def __init__(self) -> None:
        self.due = 0
        self.passed = 0
        self.where = ""

    def arm(self, number: int) -> None:
        self.due, self.passed, self.where = number, 0, ""
        sys.setprofile(self.profile)

    def profile(self, frame: FrameType, event: str, function: object) -> None:
        if event == "c_return" and frame.f_code.co_filename.startswith(PACKAGE):
            self.passed += 1
            if self.passed == self.due:
                name = getattr(function, "__qualname__", function)
                self.where = f"{frame.f_code.co_filename.removeprefix(PACKAGE)}:{frame.f_lineno} {name}"
                raise Interruption


def prepare(case: str) -> None:
    """Kill what a case is about: an idle decoder, or the source of decoders."""
    pool = shared_pool()
    if case == "replaced":
        for child in pool._idle:
            child.kill()
    elif case == "restarted":
        pids = [child.pid for child in pool._idle] + [getattr(pool._starter, "pid", 0)]
        for pid in filter(None, pids):
            # The pool may not have noticed that it ended.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def main() -> None:
    directory, loop = Path(sys.argv[1]), sys.argv[2]
    each, interruptions, failures, moments = reads.Reads(directory), Interruptions(), [], 0
    workers.IDLE_S = 1
    sys.unraisablehook = lambda _: None

    def read(case: str) -> None:
        kind = "image" if case in {"replaced", "restarted"} else case
        if loop == "sync":
            each.sync(kind)
        else:
            reads.run_on(loop, lambda: each.on_loop(kind))

    descriptors = reads.warm_up(each.sync)
    for case in CASES:
        step = EACH_RESTART if case == "restarted" else 1
        number, is_reached = step, True
        while is_reached:
            prepare(case)
            interruptions.arm(number)
            try:
                read(case)
            except Interruption:
                pass
            except BaseException as error:  # noqa: BLE001 - any other error is wrong
                failures.append(f"{case} {interruptions.where}: {error!r}"[:300])
            finally:
                sys.setprofile(None)
            is_reached = bool(interruptions.where)
            moments += is_reached
            number += step
            failures += [f"{case} {interruptions.where}: {each}" for each in settled(read, descriptors)]
            if failures:
                descriptors = reads.other_descriptors()
        if len(failures) > 40:
            break
    print(json.dumps({"of": moments, "failures": failures}))


def settled(read: Callable[[str], None], descriptors: dict[int, str]) -> list[str]:
    """Return what is left after an interruption, once abandoned work has ended."""
    deadline = time.monotonic() + 2
    while (found := reads.leftovers(descriptors)) and time.monotonic() < deadline:
        time.sleep(0.002)
    started = time.monotonic()
    for kind in ("image", "hop"):
        try:
            read(kind)
        except Exception as error:  # noqa: BLE001 - any error is wrong
            found.append(f"next {kind}: {error!r}"[:200])
    if time.monotonic() - started > 5:
        found.append(f"the next reads took {time.monotonic() - started:.1f} s")
    return found


if __name__ == "__main__":
    main()
