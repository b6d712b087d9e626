"""File systems that are mounted for a test, below a directory."""

from __future__ import annotations

import subprocess
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import pytest

from helpers import fuse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECOND_NS = 10**9
IMAGE_BYTES = 600 * 1024 * 1024
"""The size of the sparse file that holds a file system; xfs needs 300 MiB."""

FORMATS = {
    "ext4": ("mkfs.ext4", "-q", "-F"),
    "ext4, whole seconds": ("mkfs.ext4", "-q", "-F", "-I", "128"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
}
"""How file systems on a loop device are made. Inodes of 128 bytes have times in whole seconds."""

NAMES = (*FORMATS, "tmpfs", "overlay", "fuse", "fuse, whole seconds")
"""All file systems that can be mounted."""


class Place(NamedTuple):
    """A directory of a mounted file system."""

    read: Path
    """The directory as a reader sees it."""
    write: Path
    """The directory in which its files are written: the same one, or the one that it shows."""
    settled_ns: int = 20_000_000
    """The age from which a change of a file is certain to show in its stat."""


@contextmanager
def mounted(name: str, base: Path) -> Iterator[Place]:
    """Mount a file system below `base`; skip the test, with the reason, where that is not possible."""
    with ExitStack() as stack:
        target = base / "mounted"
        target.mkdir()
        if name.startswith("fuse"):
            granule_ns = SECOND_NS if "seconds" in name else 1
            shown = stack.enter_context(fuse.mirrored(base, target, granule_ns=granule_ns))
            yield Place(shown, target, 2 * SECOND_NS)
            return
        if name in FORMATS:
            image = base / "image"
            with image.open("wb") as file:
                file.truncate(IMAGE_BYTES)
            run(*FORMATS[name], str(image))
            options = ["-o", "loop", str(image)]
        elif name == "overlay":
            for layer in ("lower", "upper", "work"):
                (base / layer).mkdir()
            options = ["-t", "overlay", "overlay", "-o"]
            options += [",".join(f"{layer}dir={base / layer}" for layer in ("lower", "upper", "work"))]
        else:
            options = ["-t", name, name]
        run("mount", *options, str(target))
        stack.callback(run, "umount", "-l", str(target))
        yield Place(target, target, 2 * SECOND_NS if "seconds" in name else 20_000_000)


def run(*command: str) -> None:
    """Run a command of the system; skip the test if it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip(f"needs `{command[0]}`")
    if done.returncode:
        pytest.skip(f"`{' '.join(command[:2])}` failed: {done.stderr.strip().splitlines()[-1:]}")
