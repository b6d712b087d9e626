"""A host that becomes a daemon: it forks and closes all descriptors, whose numbers are then used again.

usage: daemon.py DIRECTORY; it prints the number of checks and the failures as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

import anyread
from torture.programs import reads


def checked(directory: Path, rooted: anyread.Reader) -> list[str]:
    """Return what is wrong in a child that has closed all descriptors."""
    outside = directory / "outside"
    reused = [os.open(outside, os.O_RDONLY) for _ in range(64)]
    found = []
    for name, expected in (("a.txt", "inside\n"), (str(directory / "root" / "a.txt"), "inside\n")):
        content = reads.content(rooted.read_sync(name))
        if content != expected:
            found.append(f"{name}: {content}")
    with suppress(anyread.NotFoundError):
        found.append(f"escaped: {rooted.read_sync('secret.txt')}")
    each = reads.Reads(directory)
    found += reads.problems(each)
    del rooted
    for descriptor in reused:
        try:
            os.fstat(descriptor)
        except OSError:
            found.append(f"descriptor {descriptor} of the host was closed")
    return found


def main() -> None:
    directory = Path(sys.argv[1])
    for name, content in (
        ("root/a.txt", "inside\n"),
        ("outside/a.txt", "out\n"),
        ("outside/secret.txt", "out\n"),
    ):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(content)
    readers = [anyread.Reader(roots=[directory / "root"])]
    each = reads.Reads(directory)
    for kind in reads.KINDS:
        each.sync(kind)
    readers[0].read_sync("a.txt")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2_048, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    receiver, sender = os.pipe()
    os.dup2(sender, 1_500)
    if not os.fork():
        os.setsid()
        os.closerange(3, 1_024)
        try:
            found = checked(directory, readers.pop())
        except BaseException as error:  # noqa: BLE001 - any error is wrong
            found = [repr(error)]
        os.write(1_500, json.dumps(found).encode())
        os._exit(0)
    found = json.loads(os.read(receiver, 1 << 16))
    if reads.content(readers[0].read_sync("a.txt")) != "inside\n":
        found.append("the parent reads something else")
    print(json.dumps({"of": 4 + len(reads.KINDS) + 64, "failures": found}))


main()
