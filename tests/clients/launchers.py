"""The commands of docs/mcp.md for hosts that only start `uvx` or `npx`: `python -m clients.launchers`.

`uvx` gets a wheel of this checkout, because anyread is in no package index yet.
`npx` starts a bridge to a server that already listens.
"""

from __future__ import annotations

import asyncio
import base64
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from clients import node_packages, questions
from clients.questions import ARGUMENTS
from clients.run import listening

BRIDGE = "mcp-remote@0.15.1"
"""The package that connects a host to a server over HTTP."""
WHEELS = node_packages.ROOT / "target" / "clients" / "wheels"
_SCRIPTS = Path(sysconfig.get_path("scripts"))


def uvx(package: str, root: str) -> list[str]:
    """Return the arguments of `uvx`; `package` is a wheel, a checkout or a name in a package index."""
    return ["--from", f"{package}[mcp]", "anyread", "mcp", "--root", root]


def npx(url: str) -> list[str]:
    """Return the arguments of `npx`."""
    return ["-y", BRIDGE, url]


def build() -> Path:
    """Build the wheel of this checkout, from what `make` has compiled."""
    command = [str(_SCRIPTS / "maturin"), "build", "--release", "--quiet", "--out", str(WHEELS)]
    subprocess.run(command, cwd=node_packages.ROOT, check=True)
    return max(WHEELS.glob("*.whl"), key=lambda path: path.stat().st_mtime)


async def check(program: list[str], arguments: list[str], truth: questions.Truth) -> None:
    """Start a server with a command, and read the text and the image."""
    command, *first = program
    environment = {**os.environ, **node_packages.environment()}
    parameters = StdioServerParameters(command=command, args=[*first, *arguments], env=environment)
    async with Client(stdio_client(parameters)) as client:
        text = (await client.call_tool("read", ARGUMENTS["text"])).content
        image = (await client.call_tool("read", ARGUMENTS["PNG"])).content
    assert [block.text for block in text if block.type == "text"] == [truth.text], "the text differs"
    assert [base64.b64decode(block.data) for block in image if block.type == "image"] == [truth.png]


def main() -> None:
    """Run both commands."""
    with tempfile.TemporaryDirectory() as files:
        truth = questions.write(Path(files))
        asyncio.run(check([str(_SCRIPTS / "uvx")], uvx(str(build()), files), truth))
        print("uvx: the server started and answered")
        npx_program = node_packages.NPM.with_name("npx-cli.js")
        with listening([sys.executable, "-m", "anyread", "mcp", "--root", files]) as url:
            asyncio.run(check([str(node_packages.NODE), str(npx_program)], npx(url), truth))
        print("npx: the bridge started and answered")


if __name__ == "__main__":
    main()
