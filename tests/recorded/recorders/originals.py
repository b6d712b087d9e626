"""Record the calls of a contract again with its original, or say which originals have newer versions.

    python tests/recorded/recorders/originals.py record CONTRACT [--check] [--only TEXT]
    python tests/recorded/recorders/originals.py check

The packages and their versions are those of `REFERENCE` in the module of the contract.
They are installed into `target/originals`, with the clients of their registries.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import venv
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from anyread.registry import CONTRACTS, TEXT_EDITORS, contract_path

ROOT = Path(__file__).parents[3]
RECORDERS = Path(__file__).parent
NODE = "node@24"
"""The version of Node.js that runs the programs, as a package."""


class Original(NamedTuple):
    """How the answers of an original are obtained."""

    command: str = ""
    """The program for `record.py`, with `{directory}` for that of the packages; empty: there is none."""
    also: str = ""
    """Packages that it needs besides those of `REFERENCE`."""
    where: str = ""
    """Where new versions are announced, if not in a registry."""
    is_python: bool = False


AGENT = "python agents.py {contract} {directory}"
MODULES = "{directory}/node_modules"
ORIGINALS = {
    **dict.fromkeys(("claude-code", "copilot-cli", "kimi-code", "qwen-code"), Original(AGENT, NODE)),
    "cline": Original("node cline.mjs {directory}", NODE),
    "opencode": Original(f"python opencode_calls.py {MODULES}/opencode-linux-x64/bin/opencode"),
    "opencode-2": Original(where="https://github.com/anomalyco/opencode/releases"),
    "gemini-cli": Original(f"node gemini_cli.mjs {MODULES}/@google/gemini-cli-core", NODE),
    "mcp-filesystem": Original(
        f"python mcp_filesystem_calls.py {MODULES}/@modelcontextprotocol/server-filesystem/dist/index.js",
        NODE,
    ),
    "pi": Original(
        f"node pi.mjs {MODULES}/@earendil-works/pi-coding-agent",
        f"{NODE} typebox@1.3.27 cross-spawn @silvia-odwyer/photon-node@0.3.4",
    ),
    "deepagents": Original("python deepagents_calls.py", is_python=True),
    "anthropic-toolset": Original("python anthropic_toolset_calls.py", is_python=True),
    **dict.fromkeys(
        ("openhands", "strands", "anthropic-memory"),
        Original("python text_editor_calls.py none", is_python=True),
    ),
    "swe-agent": Original(where="https://github.com/SWE-agent/SWE-agent/commits"),
    "mycode": Original(where="https://github.com/yanmxa/gencode/commits"),
    "forge": Original(where="https://github.com/antinomyhq/forge/commits"),
    "llm-gateway": Original(where="https://github.com/hvent90/llm-gateway/commits"),
    "codelet": Original(where="https://github.com/sengac/fspec/commits"),
    "pilotdeck": Original(where="https://github.com/OpenBMB/PilotDeck/commits"),
}
"""The originals by contract."""


def reference(contract: str) -> dict[str, str]:
    """Return the packages that a contract follows, with their versions."""
    module = import_module(contract_path(contract).partition(":")[0])
    found: dict[str, str] = getattr(module, "REFERENCE", {})
    return found


def installed(contract: str) -> tuple[Path, Path]:
    """Install an original unless it is there; return the directory, and that of its programs."""
    original, packages = ORIGINALS[contract], reference(contract)
    directory = ROOT / "target" / "originals" / contract
    programs = directory / "bin" if original.is_python else directory / "node_modules" / ".bin"
    separator = "==" if original.is_python else "@"
    wanted = [f"{name}{separator}{version}" for name, version in packages.items()]
    stamp = directory / ".stamp"
    if stamp.exists() and stamp.read_text("utf-8").split() == wanted:
        return directory, programs
    directory.mkdir(parents=True, exist_ok=True)
    also = original.also.split()
    if original.is_python:
        venv.create(directory, symlinks=True)
        pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet"]
        subprocess.run([*pip, *wanted, *also], check=True)
    else:
        (directory / "package.json").write_text('{"private": true}\n', "utf-8")
        npm = ["npm", "--prefix", str(directory), "install", "--no-audit", "--no-fund", "--loglevel=error"]
        # Not all packages that pi requires are published.
        packed = wanted if contract == "pi" else []
        subprocess.run([*npm, *([] if packed else wanted), *also], check=True, stdout=sys.stderr)
        for name in packed:
            subprocess.run(["npm", "pack", "--silent", name], cwd=directory, check=True, stdout=sys.stderr)
            [archive] = directory.glob("*.tgz")
            target = directory / "node_modules" / name.rpartition("@")[0]
            target.mkdir(parents=True, exist_ok=True)
            subprocess.run(["tar", "-xzf", archive, "-C", target, "--strip-components=1"], check=True)
            archive.unlink()
    stamp.write_text("\n".join(wanted), "utf-8")
    return directory, programs


def record(contract: str, options: list[str]) -> int:
    """Make the calls of all rows of a contract with its original."""
    original = ORIGINALS[contract]
    if not original.command:
        raise SystemExit(f"the original of {contract} is on no registry: {original.where}")
    directory, programs = installed(contract)
    program, script, *more = original.command.format(contract=contract, directory=directory).split()
    own = programs / program
    command = [str(own if own.exists() else sys.executable), str(RECORDERS / script), *more]
    if contract in TEXT_EDITORS:
        options = [*options, "--only", f"{contract}/"]
    elif contract == "claude-code" and "--only" not in options:
        # The others were written by hand.
        options = [*options, "--only", "agents/", "--only", "further/"]
    rows = "text-editor" if contract in TEXT_EDITORS else contract
    arguments = [str(RECORDERS / "record.py"), rows, *options, "--", *command]
    return subprocess.run([sys.executable, *arguments], check=False).returncode


def newest(package: str, *, is_python: bool) -> str:
    """Ask the registry of a package for its newest version; empty: it did not answer."""
    command = ["npm", "view", package, "version"]
    if is_python:
        # Whatever Python runs this.
        command = [sys.executable, "-m", "pip", "index", "versions", "--python-version=3.12", package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"[\w.+-]*\d[\w.+-]*", done.stdout.partition("(")[2] if is_python else done.stdout)
    return found[0] if found and not done.returncode else ""


def check() -> None:
    """Print the version that each contract follows, and the newest one if it is another."""
    for contract in (*CONTRACTS, *TEXT_EDITORS):
        original = ORIGINALS.get(contract)
        if original is None:
            continue
        if original.where:
            version = next(iter(reference(contract).values()), "no version")
            print(f"{contract}: {version}, on no registry; see {original.where}")
            continue
        for package, version in reference(contract).items():
            found = newest(package, is_python=original.is_python)
            state = "is the newest" if found == version else f"the newest is {found or 'not known'}"
            print(f"{contract}: {package} {version}, {state}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="say which originals have newer versions")
    recording = commands.add_parser("record", help="make the recorded calls again")
    names = [name for name, original in ORIGINALS.items() if original.command]
    recording.add_argument("contract", choices=names)
    options, rest = parser.parse_known_args()
    if options.command == "check":
        check()
        return 0
    return record(options.contract, rest)


if __name__ == "__main__":
    sys.exit(main())
