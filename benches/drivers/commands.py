"""Shell commands; the variant names the command. A call includes the start of its process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from benches.drivers.protocol import Answer, Question, serve, texts

# In the C locale `sed` and `wc` are fastest.
_ENVIRONMENT = {"LC_ALL": "C", "PATH": os.environ["PATH"]}


async def wc(path: str, count: int) -> str:  # noqa: ARG001 - it shows no page
    return run("-l", path).split()[0]


async def rg(path: str, count: int) -> str:  # noqa: ARG001 - it shows no page
    return run("--no-config", "--count", "", path)


async def sed(path: str, first: int, count: int) -> str:
    last = first + count - 1
    return run("-n", f"{first},{last}p;{last}q", path)


async def tail(path: str, count: int) -> str:
    return run("-n", str(count), path)


def run(*arguments: str) -> str:
    command = [PROGRAM, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, env=_ENVIRONMENT).stdout.decode()


def lines(text: str) -> Answer:
    return Answer(texts(text))


def total(text: str) -> Answer:
    return Answer(total=int(text))


_COMMANDS = {
    "wc": {"count": Question(wc, total)},
    "rg": {"count": Question(rg, total)},
    "sed": {"window": Question(sed, lines)},
    "tail": {"tail": Question(tail, lines)},
}


def program(name: str) -> str:
    """Return the path of a command in this environment, or else in the system."""
    installed = Path(sys.executable).parent / name
    found = str(installed) if installed.exists() else shutil.which(name)
    if found is None:
        raise SystemExit(f"`{name}` is not installed")
    return found


if __name__ == "__main__":
    variant = sys.argv[1]
    PROGRAM = program(variant)
    version = run("--version").splitlines()[0].removeprefix(f"{Path(PROGRAM).parent}/")
    serve(version, **_COMMANDS[variant])
