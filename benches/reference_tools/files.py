"""The files that are read, in a directory of their own below `benches/.data`."""

from __future__ import annotations

import os
import subprocess

from benches import documents, inputs

DIRECTORY = inputs.DATA / "reference-tools" / "memories"
"""The directory that all tools may read; the memory tool knows it as `/memories`."""
LOGS = {"log-9MiB.log": 9 * inputs.MIB, "log-100MiB.log": 100 * inputs.MIB, "log-1GB.log": inputs.GB}
"""The logs by name, with the most bytes of each."""
LINE_BYTES = 200 * 10**6
"""The size of the file with a single line."""
WORDS = "Grüße, 世界 – naïve café\n"
EMOJI = "a" * 1_999 + "😀" * 500
"""One line; 2,000 UTF-16 units end inside a character."""


def make() -> None:
    """Create the files that do not exist yet."""
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    # Tools look for ignored files, instructions and a project in the directories above.
    subprocess.run(["git", "init", "--quiet", str(DIRECTORY)], check=True)
    _link(inputs.source_file(), "source.py")
    for name, size_bytes in LOGS.items():
        _link(inputs.log(size_bytes).path, name)
    line = DIRECTORY / "one-line-200MB.txt"
    if not line.exists() or line.stat().st_size != LINE_BYTES:
        with line.open("wb") as file:
            for number in range(LINE_BYTES // 1_000):
                file.write(b"%09d " % number + b"the quick brown fox jumps over the lazy dog. " * 22)
    fifo = DIRECTORY / "fifo"
    if not fifo.exists():
        os.mkfifo(fifo)
    image = documents.small_png(64)
    (DIRECTORY / "broken.png").write_bytes(image[: len(image) // 2])
    (DIRECTORY / "utf-16.txt").write_bytes((WORDS * 40).encode("utf-16"))
    (DIRECTORY / "surrogate-bytes.txt").write_bytes(b"before\n\xed\xa0\xbd\xed\xb8\x80\nafter\n")
    (DIRECTORY / "cut-emoji.txt").write_text(f"before\n{EMOJI}\nafter\n", "utf-8")


def lines_of(name: str) -> int:
    """Return how many lines a log has."""
    return inputs.log(LOGS[name]).lines


def _link(path: os.PathLike[str], name: str) -> None:
    """Give a file a second name, without copying its gigabytes."""
    link = DIRECTORY / name
    if not link.exists() or not link.samefile(path):
        link.unlink(missing_ok=True)
        os.link(path, link)


def warm(name: str) -> None:
    """Read a file to bring it into the page cache."""
    inputs.warm(DIRECTORY / name)
