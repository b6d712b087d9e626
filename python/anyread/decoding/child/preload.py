"""What a decoder process does before it sees a file: loads everything, and lets go of everything else.

Afterwards decoding imports nothing and opens nothing but fonts; tests hold that with an audit hook
and with `strace`.
"""

from __future__ import annotations

import fcntl
import os
import signal
import termios
from contextlib import suppress
from pathlib import Path

_PLUGINS = ("Png", "Jpeg", "Gif", "WebP", "Bmp", "Tiff", "Avif", "Ico", "Mpo")
"""Pillow's modules for `opening.FORMATS`; what it calls MPO is a JPEG followed by more images."""


def shut_off(*, keep: range) -> None:
    """Let go of what the host's process passed on, some descriptors aside."""
    os.environ.clear()
    os.chdir("/")
    os.closerange(3, keep.start)
    os.closerange(keep.stop, 1 << 16)
    _leave_terminal()
    _offer_to_oom_killer()
    # What ends a terminal's job does not end its decoders: they end with their host.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def _leave_terminal() -> None:
    """Have no terminal from now on, so that none can be opened and typed into."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        # There is none.
        return
    try:
        fcntl.ioctl(terminal, termios.TIOCNOTTY)
    finally:
        os.close(terminal)


def _offer_to_oom_killer() -> None:
    """Be the first that Linux ends when memory runs out; forked decoders inherit this.

    Otherwise the kernel ends the largest process of the container, which is the host.
    """
    # Other systems have no such file, and a container may hide it; decoding works without it.
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_bytes(b"1000")


def end_with(lifeline: int) -> None:
    """Have the kernel end this process, in whatever code it is, when its host closes its end of a pipe.

    A decoder at work does not look at its socket. The host closes the pipe at the latest when it dies.
    """
    # Its default action ends a process on Linux; elsewhere a decoder ends by its own alarm.
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    try:
        os.read(lifeline, 1)
    except BlockingIOError:
        return
    # It was closed before.
    os._exit(0)


def preload() -> None:
    """Load and warm the decoders, so that nothing is left to be loaded while a file is decoded."""
    from importlib import import_module

    from PIL import AvifImagePlugin, Image

    for plugin in _PLUGINS:
        import_module(f"PIL.{plugin}ImagePlugin")
    # What images in the colors of CIELAB are converted by.
    import_module("PIL.ImageCms")
    # Otherwise the first image of a format that `preinit` leaves out would load all forty plugins.
    Image._initialized = 2  # noqa: SLF001 - the only way to keep them out
    # One decoder is one thread: the host counts on it, and forks are safe only so.
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1
    from . import images, pages

    images.warm()
    pages.warm()
