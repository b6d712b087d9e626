"""A host that gevent or eventlet has patched, before or after it imported anyread.

usage: greenlets.py DIRECTORY LIBRARY WHEN COUNT, where WHEN is before or after. It prints the number of reads
and the failures as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

DIRECTORY, LIBRARY, WHEN, COUNT = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
GREENLETS = 4


def patched() -> Any:
    """Patch the standard library and return the library that did."""
    library = import_module(LIBRARY)
    if LIBRARY == "gevent":
        import_module("gevent.monkey").patch_all()
    else:
        library.monkey_patch()
    return library


def interrupted(library: Any, each: Any, kinds: list[str]) -> list[str]:
    """Interrupt reads with timeouts, after which no decoder may be in use; return other errors."""
    failures = []
    for number in range(COUNT):
        timeout = library.Timeout(0.0003 * (number % 10))
        try:
            each.sync(kinds[number % len(kinds)])
        except library.Timeout:
            continue
        except Exception as error:  # noqa: BLE001 - any error is wrong
            failures.append(f"with a timeout: {error!r}"[:300])
        finally:
            timeout.cancel() if LIBRARY == "eventlet" else timeout.close()
    return failures


def main() -> None:
    library = patched() if WHEN == "before" else None
    from anyread.decoding.host.pool import shared_pool
    from torture.programs import reads

    library = library or patched()
    each, failures, ticks = reads.Reads(DIRECTORY), [], [time.monotonic()]
    kinds = [kind for kind in reads.KINDS if kind != "many"]

    def tick() -> None:
        while True:
            ticks.append(time.monotonic())
            library.sleep(0.005)

    def read(start: int) -> None:
        for number in range(COUNT):
            kind = kinds[(start + number) % len(kinds)]
            try:
                each.sync(kind)
            except Exception as error:  # noqa: BLE001 - any error is wrong
                failures.append(f"{kind}: {error!r}"[:300])

    ticker = library.spawn(tick)
    greenlets = [library.spawn(read, start) for start in range(GREENLETS)]
    for greenlet in greenlets:
        greenlet.get() if LIBRARY == "gevent" else greenlet.wait()
    failures += interrupted(library, each, kinds)
    ticker.kill()
    for kind in kinds:
        each.sync(kind)
    deadline = time.monotonic() + reads.PATIENCE_S
    while shared_pool()._busy and time.monotonic() < deadline:
        # An interrupted read gives its decoder back when its own greenlet runs again.
        library.sleep(0.02)
    if shared_pool()._busy:
        failures.append("a decoder is still in use")
    if len(ticks) < 3:
        failures.append("no other greenlet ran during the reads")
    print(json.dumps({"of": GREENLETS * COUNT + COUNT, "failures": failures}))


main()
