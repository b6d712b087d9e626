"""Errors of the processes that decode images and PDFs."""

from __future__ import annotations

from .base import ReadError, quoted
from .logger import logger


def _simplified(path: str) -> str:
    return f"convert {quoted(path)} to a simpler or smaller file, and read that"


def log_end(error: ReadError) -> None:
    """Log the error of a decoder that ended or could not start; other errors are not logged."""
    if error.code.startswith("decoder_"):
        logger().warning("%s: %s", error.code, error.message)


class DecoderTimeoutError(ReadError, RuntimeError):
    """Decoding took too long and was stopped; other reads are not affected.

    Args:
        path: The path as given.
        timeout_s: The time allowed, in seconds (`Limits.decode_timeout_s`).
    """

    code = "decoder_timeout"

    def __init__(self, path: str, *, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        super().__init__(path, f"decoding {quoted(path)} took longer than {timeout_s:g} s", _simplified(path))


class DecoderMemoryError(ReadError, RuntimeError):
    """Decoding needed too much memory and was stopped; other reads are not affected.

    Args:
        path: The path as given.
        memory_bytes: The memory allowed, in bytes (`Limits.decode_memory_bytes`).
        system: Whether the memory of the system or container ran out before that limit was reached.
    """

    code = "decoder_memory"

    def __init__(self, path: str, *, memory_bytes: int, system: bool = False) -> None:
        self.memory_bytes = memory_bytes
        self.system = system
        if system:
            message = f"the system ran out of memory and killed the decoder of {quoted(path)}"
        else:
            message = f"decoding {quoted(path)} needed more than {memory_bytes:,} bytes of memory"
        super().__init__(path, message, _simplified(path))


class DecoderCrashedError(ReadError, RuntimeError):
    """The decoder crashed on the file; other reads are not affected.

    Args:
        path: The path as given.
        reason: How the decoder ended, as a clause: "it was killed by SIGSEGV".
    """

    code = "decoder_crashed"

    def __init__(self, path: str, *, reason: str) -> None:
        self.reason = reason
        super().__init__(path, f"the decoder failed on {quoted(path)}: {reason}", _simplified(path))


class DecoderUnavailableError(ReadError, RuntimeError):
    """No decoder could be started.

    Args:
        path: The path as given.
        reason: Why it could not be started, as a clause.
        may_pass: Whether the cause is a limit shared with other reads and programs, so that a retry may help.
        supported: Whether this system can run decoders at all.
        install: What to install, such as "pillow>=12.1", if a library is too old; otherwise empty.
        sandboxed: Whether decoders are in the sandbox that the reader requires.
    """

    code = "decoder_unavailable"

    def __init__(
        self,
        path: str,
        *,
        reason: str,
        may_pass: bool = False,
        supported: bool = True,
        install: str = "",
        sandboxed: bool = True,
    ) -> None:
        self.reason = reason
        self.may_pass = may_pass
        self.supported = supported
        self.install = install
        self.sandboxed = sandboxed
        hint = "ask whoever runs this tool to set ANYREAD_PYTHON to a Python interpreter that has anyread"
        if may_pass:
            hint = "retry when fewer reads and programs are running"
        if install:
            hint = f"ask whoever runs this tool to run `pip install '{install}'`"
        if not supported:
            hint = "read a text instead; images and PDFs are read on Linux and macOS only"
        if not sandboxed:
            hint = "ask whoever runs this tool what `anyread doctor` reports as missing"
        super().__init__(path, f"cannot start a decoder for {quoted(path)}: {reason}", hint)
