"""The process that decoders are forked from: it loads the libraries once and never reads a user's file.

Its only thread runs one loop. On an order from the host it forks children and sends the host their sockets,
pidfds and the pipes on which it later reports how they ended. When the host exits, it kills its children
and exits.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
from contextlib import ExitStack, suppress
from typing import NamedTuple

from anyread.decoding.host.children import EXIT_REPORT, oom_kills
from anyread.decoding.host.starters import refusal
from anyread.decoding.protocol import ORDER, send

from . import freed_memory
from .preload import isolate, preload_or_exit
from .worker import serve, specialize


class _Child(NamedTuple):
    pid: int
    pidfd: int
    report_pipe: int
    oom_kills: int
    """The value of `oom_kills()` before the fork."""


def main(host: socket.socket) -> None:
    """Serve the host on an inherited socket until the host closes it."""
    isolate(host.fileno())
    preload_or_exit(host)
    specialize()
    freed_memory.keep()
    # Memory is shared with the children until it is written to, which the garbage collector would do.
    gc.collect()
    gc.freeze()
    send(host, {"ready": os.getpid(), "number": 0})
    try:
        _ForkServer(host).run()
    finally:
        os._exit(0)


class _ForkServer:
    def __init__(self, host: socket.socket) -> None:
        self.host = host
        self.children: dict[int, _Child] = {}
        self.fork_count = 0
        self.poll = select.poll()
        self.poll.register(host, select.POLLIN)

    def run(self) -> None:
        try:
            while True:
                for descriptor, _ in self.poll.poll():
                    if descriptor in self.children:
                        self.reap(descriptor)
                    elif not self.handle_order():
                        return
        finally:
            for child in self.children.values():
                os.kill(child.pid, signal.SIGKILL)

    def handle_order(self) -> bool:
        """Carry out one order of the host; return whether the host is still connected."""
        order = self.host.recv(ORDER.size)
        if not order:
            return False
        (wanted,) = ORDER.unpack(order)
        try:
            while self.fork_count < wanted:
                self.fork()
        except OSError as error:
            # The host repeats the order if it still needs a child; living children are not affected.
            send(self.host, {"refused": refusal(error), "number": self.fork_count})
        return True

    def fork(self) -> None:
        """Fork a child and send it to the host.

        Raises:
            OSError: The system refused a process or a descriptor; nothing is left behind.
        """
        with ExitStack() as passed:
            host_end, child_end = socket.socketpair()
            passed.callback(child_end.close)
            passed.callback(host_end.close)
            report_reader, report_pipe = os.pipe()
            passed.callback(os.close, report_reader)
            with ExitStack() as kept:
                kept.callback(os.close, report_pipe)
                killed = oom_kills()
                pid = os.fork()
                if not pid:
                    _run_decoder(child_end)
                kept.callback(os.waitpid, pid, 0)
                kept.callback(os.kill, pid, signal.SIGKILL)
                child = _Child(pid, os.pidfd_open(pid), report_pipe, killed)
                kept.callback(os.close, child.pidfd)
                header = {"pid": pid, "number": self.fork_count + 1}
                # The descriptors are sent as copies. If the host has exited, the next poll reports it.
                send(self.host, header, descriptors=(host_end.fileno(), child.pidfd, report_reader))
                kept.pop_all()
            self.children[child.pidfd] = child
            self.poll.register(child.pidfd, select.POLLIN)
            self.fork_count += 1

    def reap(self, pidfd: int) -> None:
        child = self.children.pop(pidfd)
        self.poll.unregister(pidfd)
        _, status, usage = os.wait4(child.pid, 0)
        is_killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        memory_ran_out = is_killed and oom_kills() > child.oom_kills
        # A host that has disposed of the child does not read the report.
        with suppress(BrokenPipeError):
            os.write(child.report_pipe, EXIT_REPORT.pack(status, usage.ru_maxrss * 1024, memory_ran_out))
        os.close(child.report_pipe)
        os.close(pidfd)


def _run_decoder(connection: socket.socket) -> None:
    """Run the decoder of a forked child until the host closes the connection, then exit."""
    status = 1
    try:
        # Closes the sockets and pipes of the fork server and of the other children, but not the kill pipe.
        os.dup2(connection.fileno(), 3)
        os.closerange(5, 1 << 16)
        serve(socket.socket(fileno=3))
        status = 0
    finally:
        os._exit(status)
