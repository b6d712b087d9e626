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
from contextlib import ExitStack, suppress
from typing import NamedTuple

from anyread.decoding.host.children import OBITUARY, oom_kills
from anyread.decoding.host.sources import refusal
from anyread.decoding.protocol import ORDER, blocking, send

from .preload import preload, shut_off
from .worker import serve


class _Born(NamedTuple):
    pid: int
    pidfd: int
    obituary: int
    oom_kills: int
    """How many processes the OOM killer had ended by then."""


def main(descriptor: int) -> None:
    """Serve the host on an inherited socket until it closes it."""
    shut_off(keep=range(descriptor, descriptor + 1))
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
        _ForkServer(host).run()
    finally:
        os._exit(0)


class _ForkServer:
    def __init__(self, host: socket.socket) -> None:
        self.host = host
        self.children: dict[int, _Born] = {}
        self.borne = 0
        """How many children there were."""
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
        """Carry out one order of the host; tells whether the host is still there."""
        order = self.host.recv(ORDER.size)
        if not order:
            return False
        (wanted,) = ORDER.unpack(order)
        try:
            while self.borne < wanted:
                self.bear()
        except OSError as error:
            # The host asks again if it still needs a child; those that live are not affected.
            blocking(send(self.host, {"refused": refusal(error), "number": self.borne}))
        return True

    def bear(self) -> None:
        """Fork a child and send it to the host.

        Raises:
            OSError: The system refused a process or a descriptor; nothing is left behind.
        """
        with ExitStack() as passed:
            ours, theirs = socket.socketpair()
            passed.callback(theirs.close)
            passed.callback(ours.close)
            last_words, obituary = os.pipe()
            passed.callback(os.close, last_words)
            with ExitStack() as kept:
                kept.callback(os.close, obituary)
                killed = oom_kills()
                pid = os.fork()
                if not pid:
                    _live(theirs)
                kept.callback(os.waitpid, pid, 0)
                kept.callback(os.kill, pid, signal.SIGKILL)
                child = _Born(pid, os.pidfd_open(pid), obituary, killed)
                kept.pop_all()
            self.children[child.pidfd] = child
            self.poll.register(child.pidfd, select.POLLIN)
            self.borne += 1
            header = {"pid": pid, "number": self.borne}
            # The descriptors travel as copies; if the host has gone, the next look at its socket tells.
            blocking(send(self.host, header, descriptors=(ours.fileno(), child.pidfd, last_words)))

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
