"""What a decoder process does before it gets a file: it loads everything and isolates itself.

Decoding then imports nothing and opens only fonts, which tests check with an audit hook and `strace`.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from anyread.decoding.protocol import send

if sys.platform != "win32":
    import fcntl
    import termios

if TYPE_CHECKING:
    from anyread.decoding.protocol import Socket

OLDEST = {"pillow": (12, 3), "pypdfium2": (5, 0)}
"""The oldest versions of the libraries that work, as in pyproject.toml."""
_PLUGINS = ("Png", "Jpeg", "Gif", "WebP", "Bmp", "Tiff", "Avif", "Ico", "Mpo")
"""Pillow's modules for `IMAGE_FORMATS`; what it calls MPO is a JPEG followed by more images."""


_OF_ERRORS = ("anyread.errors.from_core", "difflib", "shlex")
"""What is imported when the core first raises certain errors."""


def isolate(descriptor: int) -> None:
    """Drop what the process inherited from the host, except for its socket and the kill pipe after that."""
    # Ctrl-C in a terminal must not end decoders, which end with their host.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "win32":
        # It inherits only this variable, which sockets need, and has no console.
        os.chdir(os.environ["SYSTEMROOT"])
        return
    os.environ.clear()
    os.chdir("/")
    os.closerange(3, descriptor)
    os.closerange(descriptor + 2, 1 << 16)
    _leave_terminal()
    _prefer_for_oom_killer()
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    _end_with(descriptor + 1)


def _leave_terminal() -> None:
    """Detach from the controlling terminal, so that it cannot be opened or typed into."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return
    try:
        fcntl.ioctl(terminal, termios.TIOCNOTTY)
    finally:
        os.close(terminal)


def _prefer_for_oom_killer() -> None:
    """Let Linux kill this process first if memory runs out; forked decoders inherit this.

    Otherwise the kernel kills the largest process of the container, which is the host.
    """
    # Other systems do not have the file, and a container may hide it; decoding works without it.
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_bytes(b"1000")


def _end_with(kill_pipe: int) -> None:
    """Let the kernel kill this process and its forks when the host closes its end of a pipe.

    The host does so at the latest when it ends. A decoder that is decoding does not poll its socket, and a
    fork server that was killed no longer kills its decoders.
    """
    # Its default action kills a process on Linux; elsewhere a decoder ends by its own alarm.
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    # The process group: this process leads it, and its forks are in it.
    fcntl.fcntl(kill_pipe, fcntl.F_SETOWN, -os.getpgrp())
    if hasattr(fcntl, "F_SETSIG"):
        # A process that is stopped handles no other signal.
        fcntl.fcntl(kill_pipe, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(kill_pipe, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    try:
        os.read(kill_pipe, 1)
    except BlockingIOError:
        return
    # The host has closed it already.
    os._exit(0)


class OutdatedError(Exception):
    """A library is older than the decoders need.

    Args:
        requirement: What to install, such as "pillow>=12.3".
        version: The version that is installed.
    """

    def __init__(self, requirement: str, version: str) -> None:
        self.requirement = requirement
        name, _, oldest = requirement.partition(">=")
        super().__init__(f"{name} {version} is installed, but {oldest} or newer is needed")


def require_versions() -> None:
    """Check the versions of the libraries, because an old one fails with an error that does not say so.

    Raises:
        OutdatedError: One is too old.
    """
    import PIL
    import pypdfium2.version

    found = {"pillow": PIL.__version__, "pypdfium2": str(pypdfium2.version.PYPDFIUM_INFO)}
    for name, oldest in OLDEST.items():
        numbers = [int(number) for number in re.findall(r"\d+", found[name])[: len(oldest)]]
        if tuple(numbers) < oldest:
            raise OutdatedError(f"{name}>={'.'.join(map(str, oldest))}", found[name])


def preload_or_exit(host: Socket) -> None:
    """Preload everything; if that fails, report the reason to the host and exit."""
    try:
        preload()
    except Exception as error:  # noqa: BLE001 - the host must learn of any error
        header = {"unavailable": f"{type(error).__name__}: {error}"[:1000]}
        if isinstance(error, OutdatedError):
            header = {"unavailable": str(error), "install": error.requirement}
        send(host, header)
        # Windows may discard what was sent if the process exits first.
        host.close()
        os._exit(1)


def preload() -> None:
    """Load and warm up the libraries, so that decoding loads nothing."""
    from importlib import import_module

    require_versions()
    from PIL import AvifImagePlugin, Image

    for plugin in _PLUGINS:
        import_module(f"PIL.{plugin}ImagePlugin")
    # Converts images in CIELAB.
    import_module("PIL.ImageCms")
    # Otherwise the first image of a format that `preinit` omits would load all forty plugins.
    Image._initialized = 2  # noqa: SLF001 - the only way to keep them out
    # A decoder has one thread: the host relies on it, and forks are safe only then.
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1
    for module in _OF_ERRORS:
        import_module(module)
    from . import blank_font, images, pages

    blank_font.install()
    images.warm()
    pages.warm()
