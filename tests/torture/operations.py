"""The operations whose faults are tested, and what each returned or raised, as one line.

Processes that have little memory or whose system calls fail import this, so it only imports what it needs.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyread
from anyread import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

LINES: Final = 20_000
"""Lines of the large file: more than 1 MiB, so that it is indexed."""
HUGE_LINES: Final = 300_000
"""Lines of the huge file: more than two windows of a scan, so that several threads scan it."""
LINE_BYTES: Final = 64


OPERATIONS: Final = (
    ("text", "text on a loop", "cold text on a loop", "scan", "scan on a loop", "indexed text", "tail"),
    ("several files", "directory", "large directory", "near names", "notebook", "large notebook", "info"),
    (
        "follow",
        "contract with hash",
        "contract with CRLF",
        "changed since",
        "session",
        "whole text",
        "UTF-16 text",
    ),
    ("legacy text", "long line", "exact tokens"),
)
"""The operations that need no decoder, in groups that take about as long as each other."""


def write_files(directory: Path) -> None:
    """Write the files that the operations read."""
    import json

    from helpers.media import drawing, encoded, text_pdf

    (directory / "small.py").write_text("".join(f"value_{number} = {number}\n" for number in range(120)))
    with (directory / "large.log").open("wb") as file:
        file.writelines(b"%0*d\n" % (LINE_BYTES - 1, number) for number in range(1, LINES + 1))
    with (directory / "huge.log").open("wb") as file:
        file.write((b"y" * (LINE_BYTES - 1) + b"\n") * HUGE_LINES)
    for name in "abc":
        (directory / f"{name}.txt").write_text(f"the file {name}\n" * 50)
    (directory / "folder").mkdir()
    for number in range(12):
        (directory / "folder" / f"module_{number}.py").touch()
    (directory / "crlf.txt").write_bytes((b"x" * 298 + b"\r\n") * 1_900)
    (directory / "whole.txt").write_text("a line of the text\n" * 40_000)
    (directory / "utf-16.txt").write_text("a line of the text\n" * 20_000, encoding="utf-16")
    (directory / "legacy.txt").write_text("der Schlüssel für Öl\n" * 10_000, encoding="latin-1")
    (directory / "line.txt").write_text("wörter " * 150_000)
    (directory / "crowd").mkdir()
    for number in range(3_000):
        (directory / "crowd" / f"a file with a rather long name {number}").touch()
    (directory / "picture.png").write_bytes(encoded(drawing(60, 40), "PNG"))
    (directory / "paper.pdf").write_bytes(text_pdf(2))
    output = {"output_type": "stream", "name": "stdout", "text": "1\n"}
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "print(1)\n", "outputs": [output]}
    notebook = {"cells": [cell | {"execution_count": 1}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (directory / "notes.ipynb").write_text(json.dumps(notebook))
    source = [cell | {"source": "x = 1\n" * 1_000, "execution_count": 1}] * 100
    (directory / "large.ipynb").write_text(json.dumps(notebook | {"cells": source}))


class ContractError(Exception):
    """A contract answered with its own error, instead of raising one."""


class Operations:
    """The operations on the files of a directory, in one process.

    Args:
        directory: The directory of `write_files`.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.reader = anyread.Reader(roots=[directory])
        wide = anyread.Limits(max_lines=1 << 20, max_bytes=8 << 20, max_tokens=1 << 30)
        self.whole = anyread.Reader(roots=[directory], limits=wide)
        self.counted = anyread.Reader(roots=[directory], limits=anyread.Limits(tokenizer="o200k_base"))
        self.session = anyread.Session()
        self.noting = anyread.Reader(roots=[directory], session=self.session)
        self.tool = anyread.tool("forge", roots=[directory])
        self.loop = asyncio.new_event_loop()
        self.all: dict[str, Callable[[], object]] = {
            "text": lambda: self.read("small.py"),
            "text on a loop": lambda: self.wait(self.reader.read("small.py")),
            "cold text on a loop": lambda: self.wait(self.reader.read("small.py")),
            "scan": lambda: self.read("large.log", offset=LINES - 5, limit=3),
            "scan on a loop": lambda: self.wait(self.reader.read("large.log", offset=LINES - 5, limit=3)),
            "threaded scan": lambda: self.read("huge.log", offset=HUGE_LINES - 5, limit=3),
            "indexed text": lambda: self.read("large.log", offset=LINES // 2, limit=3),
            "tail": lambda: self.read("large.log", offset=-3),
            "several files": lambda: list(
                self.reader.read_many_sync(["a.txt", "b.txt", "c.txt", "large.log"])
            ),
            "directory": lambda: self.read("folder"),
            "whole text": lambda: self.whole.read_sync("whole.txt"),
            "UTF-16 text": lambda: self.whole.read_sync("utf-16.txt"),
            "legacy text": lambda: self.read("legacy.txt", offset=9_000),
            "long line": lambda: self.read("line.txt", column=700_000),
            "exact tokens": lambda: self.counted.read_sync("small.py"),
            "large notebook": lambda: self.whole.read_sync("large.ipynb"),
            "large directory": lambda: self.read("crowd"),
            "near names": lambda: self.read("folder/modul_1.py"),
            "image": lambda: self.read("picture.png"),
            "image on a loop": lambda: self.wait(self.reader.read("picture.png")),
            "pdf": lambda: self.read("paper.pdf", pages="1-2"),
            "notebook": lambda: self.read("notes.ipynb"),
            "info": lambda: self.reader.info_sync("large.log"),
            "image info": lambda: self.reader.info_sync("picture.png"),
            "follow": lambda: self.wait(self.followed()),
            "contract with hash": lambda: self.contract("small.py"),
            "contract with CRLF": lambda: self.contract("crlf.txt"),
            "changed since": lambda: self.read("small.py", since_version="1-1-1-1-1"),
            "session": self.checked,
            "decoder start": self.start_decoder,
        }

    def read(self, name: str, **arguments: Any) -> object:
        return self.reader.read_sync(name, **arguments)

    def wait(self, coroutine: Coroutine[Any, Any, object]) -> object:
        return self.loop.run_until_complete(coroutine)

    async def followed(self) -> object:
        follow = self.reader.follow("a.txt", offset=-2)
        try:
            return await follow.poll()
        finally:
            await follow.aclose()

    def checked(self) -> object:
        self.session.forget()
        page = self.noting.read_sync("small.py")
        # A file that cannot be examined counts as modified.
        if self.session.check(page.resolved_path) not in {"fresh", "modified"}:
            raise ValueError("the session forgot the file")
        return page

    def contract(self, name: str) -> object:
        answer = self.tool.call_sync({"path": str(self.directory / name)})
        if self.tool.failed(answer):
            raise ContractError(str(answer))
        return answer

    def start_decoder(self) -> object:
        from anyread.decoding.host.pool import close_shared_pool

        close_shared_pool()
        return self.read("picture.png")

    def prepare(self, operation: str) -> None:
        """Set the state from which an operation starts."""
        if "scan" in operation:
            _native.clear_caches()
        if operation == "indexed text":
            self.reader.read_sync("large.log", offset=LINES - 5, limit=1)
        if operation.startswith("cold"):
            descriptor = os.open(self.directory / "small.py", os.O_RDONLY)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)

    def outcome(self, operation: str) -> str:
        """Run an operation, and return "right:", "error:", "memory" or "wrong:" with details.

        An error is only "error:" if it is typed, with its code, the path, a message and a hint. If there are
        several results, there is a line for each.
        """
        try:
            result = self.all[operation]()
        except anyread.ReadError as error:
            return summary_of_error(error)
        except ContractError as error:
            return f"error: contract {error}"
        except MemoryError:
            return "memory"
        except BaseException as error:  # noqa: BLE001 - this is what is tested
            return f"wrong: {type(error).__name__}: {error}"
        several = result if isinstance(result, list) else [result]
        return "\n".join(map(summary_of, several))


def summary_of_error(error: anyread.ReadError) -> str:
    """Return the code of an error and its text, on one line."""
    if not (error.code and error.path and error.message and error.hint):
        return f"wrong: incomplete {error!r}"
    return f"error: {error.code} {str(error)!r}"


def summary_of(result: Any) -> str:
    """Return what must be equal between two runs of an operation."""
    if isinstance(result, anyread.Failed):
        return summary_of_error(result.error)
    if isinstance(result, anyread.TextPage):
        return f"right: text {result.start_line}-{result.end_line} {result.total_lines} {digest(result.text)}"
    if isinstance(result, anyread.Info):
        facts = (result.kind, result.size_bytes, result.lines, result.width)
        return f"right: info {facts}" if result.problem is None else summary_of_error(result.problem)
    if isinstance(result, anyread.Appended):
        return f"right: appended {result.start_line} {digest(result.text)}"
    if isinstance(result, anyread.Page):
        return f"right: {result.kind} {digest(result.blocks)}"
    return f"right: {result if isinstance(result, str) else digest(result)}"


def digest(value: object) -> str:
    data = value.encode() if isinstance(value, str) else repr(value).encode()
    return hashlib.sha256(data).hexdigest()[:12]
