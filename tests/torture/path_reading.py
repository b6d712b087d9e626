"""A process that reads a list of paths in one mode and prints what became of each.

`python -m torture.path_reading BASE MODE` reads lines of JSON, each with the name of a setting and a path in
hexadecimal digits. It prints the outcomes of a blocking and of an asynchronous read.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import anyread
from anyread import errors
from torture import opening_modes
from torture.path_tree import STRANGER, Setting, settings

if TYPE_CHECKING:
    from torture.path_judge import Outcome


def reader_of(setting: Setting) -> anyread.Reader:
    """Create the reader of a setting, and move its root if that is part of the setting."""
    if not setting.moved_to:
        return anyread.Reader(roots=setting.roots, deny=setting.rules)
    root, now = setting.roots[0], setting.base / setting.moved_to
    root.unlink()
    now.rename(root)
    reader = anyread.Reader(roots=setting.roots, deny=setting.rules)
    root.rename(now)
    root.symlink_to("../outside")
    return reader


def outcome_of_page(page: anyread.TextPage) -> Outcome:
    return ("read", page.resolved_path, page.content)


def outcome_of_error(error: Exception, *, has_roots: bool) -> Outcome:
    """Return an error as the judge would name it."""
    if has_roots and STRANGER in f"{error} {vars(error)}":
        return ("names something outside", str(error))
    match error:
        case errors.NotRegularFileError():
            return (NAMES[error.code], error.file_type)
        case errors.FileSystemError():
            return (NAMES[error.code], errno.errorcode[error.errno or 0])
        case anyread.ReadError() if error.code in NAMES:
            return (NAMES[error.code],)
        case _:
            return ("unexpected", repr(error))


NAMES = {
    "outside_root": "outside",
    "not_found": "missing",
    "denied": "denied",
    "is_a_directory": "directory",
    "not_a_regular_file": "not regular",
    "bad_path": "bad path",
    "io_error": "failed",
}
"""The judge's names for the codes of errors."""


def read(reader: anyread.Reader, path: bytes) -> Outcome:
    try:
        return outcome_of_page(reader.read_sync(path, kind="text"))
    except Exception as error:  # noqa: BLE001 - an error that is not typed is an outcome, which fails the test
        return outcome_of_error(error, has_roots=bool(reader.roots))


async def read_async(reader: anyread.Reader, path: bytes) -> Outcome:
    try:
        return outcome_of_page(await reader.read(path, kind="text"))
    except Exception as error:  # noqa: BLE001 - as above
        return outcome_of_error(error, has_roots=bool(reader.roots))


async def read_all(readers: dict[str, anyread.Reader]) -> None:
    for line in sys.stdin:
        name, digits = json.loads(line)
        path = bytes.fromhex(digits)
        print(json.dumps([read(readers[name], path), await read_async(readers[name], path)]))


def main(base: str, mode: str) -> None:
    opening_modes.enter(mode)
    os.chdir(Path(base) / "root")
    asyncio.run(read_all({name: reader_of(setting) for name, setting in settings(Path(base)).items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
