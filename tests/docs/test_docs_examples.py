"""Every code block of the documentation runs or is checked; `pages.py` explains how."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import integrations
from anyread.cli.demo import FILES
from anyread_conformance import options
from anyread_conformance.locate import options as locate_options
from helpers import pages
from helpers.file_permissions import applied_to_root
from helpers.pages import Block
from helpers.readme import ROOT, create_files
from helpers.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_coverage_of_processes")]

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
FRAMEWORKS = {*integrations.__all__, "ray", "daft", "daytona", "obstore"}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create the example files, and a repository in `repository`."""
    directory = tmp_path_factory.mktemp("docs")
    create_files(directory)
    pages.create_repository(directory / "repository")
    return directory


def wait_for_versions(directory: Path) -> None:
    """Wait for the tick of the clock after which new files have a version."""
    until(lambda: all(anyread.read_sync(directory / name, limit=1, kind="text").version for name in FILES))


@pytest.mark.usefixtures("patient_decoders")
@pytest.mark.parametrize("page", [page for page in pages.PAGES if pages.runs(page)], ids=pages.name_of)
def test_examples_print_what_the_page_shows(
    page: Path, directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some pages create all files of their examples.
    if "The examples use these files." not in page.read_text("utf-8"):
        for name in FILES:
            shutil.copyfile(directory / name, tmp_path / name)
        wait_for_versions(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(anyread.tools, "CONTRACTS", dict(anyread.tools.CONTRACTS))
    with applied_to_root():
        pages.run_page(page, directory / "repository")


def blocks(*languages: str) -> Iterator[Any]:
    """Yield the blocks in these languages as parameters."""
    for page in pages.PAGES:
        for block in pages.blocks_of(page):
            if block.language in languages:
                yield pytest.param(block, id=f"{pages.name_of(page)}:{block.line}")


@pytest.mark.parametrize("page", pages.PAGES, ids=pages.name_of)
def test_every_block_has_a_language_that_is_checked(page: Path) -> None:
    text = page.read_text("utf-8")
    found = pages.blocks_of(page)
    assert len(found) * 2 == len(re.findall(r"^ *```", text, re.MULTILINE)), "a block is not recognized"
    for block in found:
        language, _, framework = block.language.partition(" ")
        assert language in pages.LANGUAGES, f"line {block.line}: {block.language!r}"
        assert not framework or framework in FRAMEWORKS, f"line {block.line}: {block.language!r}"
        # Longer lines scroll sideways on the site; the commands of conformance.md have long paths.
        if language != "text" and page.name != "conformance.md":
            assert max(map(len, block.code.splitlines())) <= 88, f"line {block.line}"


@pytest.mark.parametrize("block", list(blocks("sh")))
def test_commands_to_type_exist(block: Block) -> None:
    for line in re.split(r"\n|&&", block.code.replace("\\\n", "")):
        command = shlex.split(line, comments=True)
        while command and "=" in command[0]:
            command.pop(0)  # a variable of the environment
        if command:
            command[0] = command[0].rpartition("/")[2] or command[0]
        match command:
            case [] | ["python3", "-m", "venv", _] | ["." | "cd", _] | ["man", "anyread"]:
                pass
            case ["make", *targets]:
                assert {target for target in targets if "=" not in target} <= TARGETS, line
            case ["pip", "install", *packages] | ["uv", "add", *packages]:
                assert packages, line
            case ["anyread-conformance", *arguments]:
                is_locate = arguments[:1] == ["locate"]
                (locate_options if is_locate else options).make_parser().parse_args(arguments[is_locate:])
            case [("anyread" | "python") as program, *arguments]:
                assert program == "anyread" or arguments[:2] in RUN_EXAMPLES, line
                if program == "anyread":
                    assert_parsed(arguments, line)
            case [("claude" | "codex" | "gemini"), "mcp", "add", *rest] if "--" in rest:
                server = rest[rest.index("--") + 1 :]
                assert_parsed(server[2:] if server[0] == "uvx" else server[1:], line)
            case ["npx", "--yes", "@modelcontextprotocol/inspector", "--cli", "anyread", *rest]:
                assert_parsed(rest[: rest.index("--method")], line)
            case _:
                pytest.fail(f"nothing checks this command: {line}")


RUN_EXAMPLES = [
    ["-m", ".".join(path.relative_to(ROOT).with_suffix("").parts)]
    for path in (ROOT / "examples").rglob("*.py")
]


def assert_parsed(arguments: list[str], line: str) -> None:
    """Fail unless the command line accepts the arguments."""
    from anyread.cli import main

    written = next((place for place, each in enumerate(arguments) if each in {">", "|"}), len(arguments))
    assert main([*arguments[:written], "--help"]) == 0, line


def servers(value: Any) -> Iterator[list[str]]:
    """Yield the commands of servers in a configuration."""
    if isinstance(value, dict):
        command = value.get("command")
        if isinstance(command, str):
            yield [command, *value.get("args", [])]
        elif isinstance(command, list):
            yield command
        else:
            for item in value.values():
                yield from servers(item)


@pytest.fixture(scope="module")
def started() -> set[tuple[str, ...]]:
    """Return the commands that have been started; one start of each is enough."""
    return set()


def configuration_of(block: Block) -> Any:
    """Return what a block configures; of YAML, only the program and its arguments are read."""
    match block.language:
        case "json":
            return json.loads(block.code)
        case "toml":
            return tomllib.loads(block.code)
        case _:
            found = re.findall(r"^ +(?:cmd|command): (\S+)\n +args: \[(.*)\]$", block.code, re.MULTILINE)
            return {program: {"command": program, "args": each.split(", ")} for program, each in found}


@pytest.mark.parametrize("block", list(blocks("json", "toml", "yaml")))
def test_server_of_a_configuration_starts(
    block: Block, directory: Path, started: set[tuple[str, ...]]
) -> None:
    commands = list(servers(configuration_of(block)))
    assert commands, "the configuration has no server"
    for program, *arguments in commands:
        if program in {"uvx", "npx"}:
            continue  # `make clients` runs these
        assert program.rpartition("/")[2] == "anyread"
        if tuple(arguments) in started:
            continue
        started.add(tuple(arguments))
        initialize = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "host", "version": "1"},
            },
        }
        there = [each.replace("/home/user/project", str(directory / "repository")) for each in arguments]
        run = subprocess.run(
            [sys.executable, "-m", "anyread", *there],
            input=json.dumps(initialize).encode() + b"\n",
            capture_output=True,
            check=True,
            timeout=60,
        )
        assert json.loads(run.stdout)["result"]["serverInfo"]["name"] == "anyread"
