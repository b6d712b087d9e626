"""Output of readers: read by threads, with a limit, so that no reader can fill the memory of this process."""

from __future__ import annotations

import queue
import threading
from typing import IO

MAX_OUTPUT_BYTES = 64 * 1024 * 1024
"""Where the output of one call is no longer read."""
_BLOCK = 64 * 1024


class Drain:
    """Reads a stream to its end in a thread, and keeps the first `MAX_OUTPUT_BYTES`."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.flooded = threading.Event()
        self._stream = stream
        self._parts: list[bytes] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def data(self, timeout_s: float = 5) -> bytes:
        """Return what was read, after the end of the stream."""
        self._thread.join(timeout_s)
        return b"".join(self._parts)

    def tail(self) -> bytes:
        """Return the last output so far."""
        return b"".join(self._parts[-4:])

    def _run(self) -> None:
        size = 0
        with self._stream as stream:
            while block := stream.read1(_BLOCK):  # type: ignore[attr-defined]  # a buffered pipe has it
                size += len(block)
                if size > MAX_OUTPUT_BYTES:
                    self.flooded.set()
                    return
                self._parts.append(block)


class Lines:
    """Reads a stream line by line in a thread."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.flooded = threading.Event()
        self._stream = stream
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=self._run, daemon=True).start()

    def next(self, timeout_s: float) -> bytes | None:
        """Return the next line; `None` after the end. Raises `TimeoutError` if there is none in time."""
        if timeout_s <= 0:
            # A reader that never stops printing would always have another line.
            raise TimeoutError
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            self._lines.put(None)
        return line

    def _run(self) -> None:
        with self._stream as stream:
            while line := stream.readline(MAX_OUTPUT_BYTES):
                if len(line) == MAX_OUTPUT_BYTES:
                    self.flooded.set()
                    break
                self._lines.put(line)
        self._lines.put(None)
