"""A host that reads files in several ways, and reports each read as a line of JSON.

`python -m torture.read_host TIMEOUT_S` gets lines `{"path": …, "ways": […]}` on standard input.
For each way it prints a line before the read, and the outcome after it.
It is a process of its own, so that `torture.read_hosts` notices when it crashes or hangs, and so that its
memory is that of a plain host.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import anyread
from anyread import Limits, Reader
from anyread.errors import ReadError
from helpers.waiting import kept_waiting_s

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
HINT = "\nhint: "
SETTLE_S = 15.0


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


class Host:
    """Every way to read a file, by name.

    `kind:text` is `read_sync` with that kind, and `sound` is `read_sync` without the deadline of the others.
    """

    def __init__(self, timeout_s: float) -> None:
        limits = Limits(timeout_s=timeout_s, decode_timeout_s=timeout_s)
        self.reader = Reader(limits=limits)
        self.patient = Reader()
        self.loop = asyncio.new_event_loop()
        self.tools: dict[str, anyread.Tool] = {}

    def outcome(self, path: str, way: str) -> str:
        """Read a file; return "result", the code of a typed error, or "untyped: …"."""
        try:
            problem = self.read(path, way)
        except ReadError as error:
            problem = error_problem(error)
            return f"untyped: {problem}" if problem else f"error {error.code}"
        except Exception as error:  # noqa: BLE001 - exactly these are counted
            return f"untyped: {type(error).__name__}: {error}"
        return f"untyped: {problem}" if problem else "result"

    def read(self, path: str, way: str) -> str:
        """Read a file; return what is wrong with the result, or an empty string."""
        name, _, detail = way.partition(":")
        if name == "settle":
            return settle()
        if name == "tool":
            return self.call(path, detail)
        if name == "info":
            info: Any = self.reader.info_sync(path)
            json.dumps(info.to_dict(), allow_nan=False, ensure_ascii=False).encode()
            return ""
        page: Any
        if name == "sound":
            page = self.patient.read_sync(path)
        elif name == "read":
            page = self.loop.run_until_complete(self.reader.read(path))
        elif name == "window":
            page = self.reader.read_sync(path, kind="text", **json.loads(detail))
        else:
            page = self.reader.read_sync(path, kind=detail or None)
        for block in page.blocks:
            getattr(block, "text", "").encode()
        page.to_json().encode()
        return "" if page.blocks and page.kind else "no blocks"

    def call(self, path: str, name: str) -> str:
        """Call the tool of a contract; its failures are outputs."""
        if name not in self.tools:
            self.tools[name] = anyread.tool(name, cwd=Path(path).parent, reader=self.reader)
        tool = self.tools[name]
        output = tool.call_sync(tool.arguments_for(path))
        json.dumps(output, allow_nan=False, ensure_ascii=False).encode()
        return "" if tool.blocks(output) or tool.failed(output) else "no blocks"


def is_busy() -> bool:
    """Return whether another thread runs, or waits for a processor or a disk."""
    own = threading.get_native_id()
    try:
        states = [
            (task / "stat").read_text().rpartition(")")[2].split()[0]
            for task in Path("/proc/self/task").iterdir()
            if int(task.name) != own
        ]
    except (FileNotFoundError, ProcessLookupError):
        # A thread has just ended.
        return True
    return bool({"R", "D"} & set(states))


def settle() -> str:
    """Wait until work that outlived its read has ended; return a problem if it does not end."""
    end = time.monotonic() + SETTLE_S
    idle = 0
    while time.monotonic() < end:
        idle = 0 if is_busy() else idle + 1
        if idle == 5:
            gc.collect()
            return ""
        time.sleep(0.02)
    return f"the host is still busy {SETTLE_S:.0f} s after its last read"


def error_problem(error: ReadError) -> str:
    """Return what an error lacks, or an empty string."""
    text = str(error)
    if not error.code or error.code == "read_error":
        return f"no code: {text}"
    if not error.path:
        return f"no path: {text}"
    if text.count(HINT) != 1 or not error.hint or len(text.splitlines()) != 2:
        return f"not a sentence and one hint: {text!r}"
    return ""


def main(timeout_s: float) -> None:
    host = Host(timeout_s)
    for line in sys.stdin:
        entry = json.loads(line)
        for way in entry["ways"]:
            print(json.dumps({"path": entry["path"], "way": way, "began": True}), flush=True)
            started = time.monotonic() - kept_waiting_s()
            outcome = host.outcome(entry["path"], way)
            # Waits for a processor are the machine's, not the reader's.
            seconds = time.monotonic() - kept_waiting_s() - started
            print(
                json.dumps({"outcome": outcome, "seconds": seconds, "resident": resident_bytes()}), flush=True
            )
    print(json.dumps({"ended": True}), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]))
