"""A host that waits to be killed while its decoders are in a certain state.

usage: killed.py DIRECTORY STATE; it prints the process IDs that must end with it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import anyread
from anyread.decoding.host.pool import shared_pool
from torture import processes

DIRECTORY, STATE = Path(sys.argv[1]), sys.argv[2]


def read_in_background() -> None:
    """Begin to read a PDF that takes minutes, and wait until a decoder works on it."""
    reader = anyread.Reader(limits=anyread.Limits(decode_timeout_s=600))
    path = DIRECTORY / ("a.png" if STATE == "starting" else "endless.pdf")
    threading.Thread(target=reader.read_sync, args=(path,), daemon=True).start()
    while not processes.descendants(os.getpid()) or (STATE != "starting" and not working()):
        time.sleep(0.005)
    time.sleep(0.02 if STATE == "starting" else 0.3)


def working() -> list[int]:
    """List the decoders that work on a file."""
    return [child.pid for child in tuple(shared_pool()._working)]


def main() -> None:
    if STATE != "starting":
        anyread.read_sync(DIRECTORY / "a.png")
    if STATE != "idle":
        read_in_background()
    found, busy = processes.descendants(os.getpid()), working()
    source = [pid for pid in found if pid not in busy][:1]
    if "zygote killed" in STATE:
        os.kill(source[0], signal.SIGKILL)
    if "zygote stopped" in STATE:
        os.kill(source[0], signal.SIGSTOP)
    if "decoder stopped" in STATE:
        os.kill(busy[0], signal.SIGSTOP)
    if "forked" in STATE and not os.fork():
        # The child has copies of the descriptors that were open.
        os.close(1)
        time.sleep(10)
        os._exit(0)
    print(*found, flush=True)
    time.sleep(60)


main()
