"""The process that decoders are forked from: it loads them once, and never reads a file of a user.

It has one thread and one loop: a byte from the host forks a child, whose socket, pidfd and obituary
go to the host; a child that ends is buried, and its obituary says how it ended.
When the host goes, it ends its children and itself.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
from contextlib import suppress
from typing import NamedTuple

from .children import OBITUARY, oom_kills
from .preload import preload, shut_off
from .protocol import blocking, send
from .worker import serve


class _Born(NamedTuple):
    pid: int
    pidfd: int
    obituary: int
    oom_kills: int
    """How many processes the OOM killer had ended by then."""


def main(descriptor: int) -> None:
    """Serve the host on an inherited socket until it closes it."""
    shut_off(keep=descriptor)
    host = socket.socket(fileno=descriptor)
    try:
        preload()
    except Exception as error:  # noqa: BLE001 - whatever it is, the host must hear of it
        blocking(send(host, {"unavailable": f"{type(error).__name__}: {error}"[:1000]}))
        os._exit(1)
    # What is loaded is shared with the children until somebody writes to it, as the collector would.
    gc.collect()
    gc.freeze()
    blocking(send(host, {"ready": os.getpid()}))
    try:
        _Zygote(host).run()
    finally:
        os._exit(0)


class _Zygote:
    def __init__(self, host: socket.socket) -> None:
        self.host = host
        self.children: dict[int, _Born] = {}
        self.poll = select.poll()
        self.poll.register(host, select.POLLIN)

    def run(self) -> None:
        try:
            while True:
                for descriptor, _ in self.poll.poll():
                    if descriptor in self.children:
                        self.bury(descriptor)
                    elif not self.obey():
                        return
        finally:
            for child in self.children.values():
                os.kill(child.pid, signal.SIGKILL)

    def obey(self) -> bool:
        wanted = self.host.recv(64)
        for _ in wanted:
            self.bear()
        return bool(wanted)

    def bear(self) -> None:
        ours, theirs = socket.socketpair()
        last_words, obituary = os.pipe()
        killed = oom_kills()
        pid = os.fork()
        if not pid:
            _live(theirs)
        child = _Born(pid, os.pidfd_open(pid), obituary, killed)
        self.children[child.pidfd] = child
        self.poll.register(child.pidfd, select.POLLIN)
        # The descriptors travel as copies; if the host has gone, the next look at its socket tells.
        blocking(send(self.host, {"pid": pid}, descriptors=(ours.fileno(), child.pidfd, last_words)))
        os.close(last_words)
        ours.close()
        theirs.close()

    def bury(self, pidfd: int) -> None:
        child = self.children.pop(pidfd)
        self.poll.unregister(pidfd)
        _, status, usage = os.wait4(child.pid, 0)
        is_killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        memory_ran_out = is_killed and oom_kills() > child.oom_kills
        # A host that let go of the child does not ask how it ended.
        with suppress(BrokenPipeError):
            os.write(child.obituary, OBITUARY.pack(status, usage.ru_maxrss * 1024, memory_ran_out))
        os.close(child.obituary)
        os.close(pidfd)


def _live(connection: socket.socket) -> None:
    """Be a decoder until the host lets go."""
    status = 1
    try:
        # Siblings' sockets and obituaries, and the zygote's own socket, are not the child's.
        os.dup2(connection.fileno(), 3)
        os.closerange(4, 1 << 16)
        serve(socket.socket(fileno=3))
        status = 0
    finally:
        os._exit(status)
