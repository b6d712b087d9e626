"""A tree of files, and a process that swaps files, directories and links in it as fast as it can.

Every file that may be read contains `INSIDE`; all others contain something else, and every directory outside
of the root has an entry `STRANGER`. So content and errors prove whether something outside was opened.
`python -m torture.swapping BASE` swaps until its standard input ends, and prints the number of swaps.
"""

from __future__ import annotations

import ctypes
import os
import random
import select
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from torture.opening_modes import libc

if TYPE_CHECKING:
    from collections.abc import Callable

INSIDE = "inside\n"
OUTSIDE = "outside\n"
STRANGER = "stranger"
RENAME_EXCHANGE = 2


def build(base: Path) -> None:
    """Create the tree below `base`: the root, directories outside of it, and pairs of names to swap."""
    root = base / "root"
    for name in ("directory", "public", "a/directory", "a/b/c"):
        write(root / name / "file", INSIDE)
    # It takes the place of `a/b`, so it is sometimes in the root.
    write(base / "outside/b/c/file", INSIDE)
    for name in ("file", "plain", "regular"):
        write(root / name, INSIDE)
    write(root / "secrets/file", OUTSIDE)
    for name in ("outside/file", "outside/directory/file", "other/file", "other/directory/file", "file"):
        write(base / name, OUTSIDE)
    for name in ("outside", "outside/directory", "other", "."):
        (base / name / STRANGER).write_text(OUTSIDE)
    os.mkfifo(root / "fifo")
    for name, target in {
        "directory-out": "../outside",
        "plain-out": f"{base}/outside/file",
        "link": "directory/file",
        "link-out": "../outside/file",
        "absolute": f"{root}/directory/file",
        "absolute-out": f"{base}/outside/file",
        "through": "a/b/c/../../../directory/file",
        "again": f"{root}/through",
        "shown": "public",
        "hidden": "secrets",
    }.items():
        (root / name).symlink_to(target)


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


EXCHANGED = [
    ("directory", "directory-out"),
    ("plain", "plain-out"),
    ("link", "link-out"),
    ("absolute", "absolute-out"),
    ("regular", "fifo"),
    ("shown", "hidden"),
]
"""Names in the root that take each other's place."""
MOVED = ("a/b", "b")
"""A directory in the root and one in `outside` that take each other's place, and so get another `..`."""


class Attack:
    """Swaps names as fast as it can."""

    def __init__(self, base: Path) -> None:
        at = {name: os.open(base / name, os.O_PATH | os.O_DIRECTORY) for name in (".", "root", "outside")}
        pairs = [((at["root"], first), (at["root"], second)) for first, second in EXCHANGED]
        pairs.append(((at["root"], MOVED[0]), (at["outside"], MOVED[1])))
        # The root itself is replaced by another directory.
        pairs.append(((at["."], "root"), (at["."], "other")))
        swaps = [exchange(*pair) for pair in pairs]
        self.steps = random.Random(13).choices(swaps, k=1_000)

    def run(self) -> None:
        """Swap until standard input ends, and print the number of swaps."""
        print("ready", flush=True)
        swaps = 0
        while not select.select([sys.stdin], [], [], 0)[0]:
            for step in self.steps:
                step()
            swaps += len(self.steps)
        print(swaps, flush=True)


def exchange(first: tuple[int, str], second: tuple[int, str]) -> Callable[[], None]:
    """Return a function that exchanges two names, each in an open directory."""
    arguments = (first[0], first[1].encode(), second[0], second[1].encode(), RENAME_EXCHANGE)
    renameat2 = libc.renameat2

    def call() -> None:
        if renameat2(*arguments) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), first[1], None, second[1])

    return call


if __name__ == "__main__":
    Attack(Path(sys.argv[1])).run()
