"""A file system whose times are in whole seconds, mounted for a test."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

IMAGE_BYTES = 200 * 1024 * 1024
"""The size of the sparse file that holds the file system."""


@contextmanager
def mounted_with_whole_seconds(base: Path) -> Iterator[Path]:
    """Mount an ext4 with inodes of 128 bytes below `base`; skip the test where that is not possible."""
    target, image = base / "mounted", base / "image"
    target.mkdir()
    with image.open("wb") as file:
        file.truncate(IMAGE_BYTES)
    run("mkfs.ext4", "-q", "-F", "-I", "128", str(image))
    run("mount", "-o", "loop", str(image), str(target))
    try:
        yield target
    finally:
        run("umount", "-l", str(target))


def run(*command: str) -> None:
    """Run a command of the system; skip the test if it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip(f"needs `{command[0]}`")
    if done.returncode:
        pytest.skip(f"`{' '.join(command[:2])}` failed: {done.stderr.strip().splitlines()[-1:]}")
