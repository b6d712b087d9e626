"""README.md and ARCHITECTURE.md are correct; `readme.py` explains how the README's examples are run."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import pytest

import anyread
from readme import (
    README,
    Example,
    check,
    command_of_host,
    commands,
    fake_apis,
    files_example,
    python_examples,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow


def printed(example: Example) -> str:
    """Run an example as a program and return what it prints."""
    output = io.StringIO()
    with redirect_stdout(output):
        exec(compile(example.code, f"README.md:{example.line}", "exec"), {"anyread": anyread})
    return output.getvalue()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Create the example files with the README's own code."""
    directory = tmp_path_factory.mktemp("readme")
    subprocess.run([sys.executable, "-c", files_example().code], cwd=directory, check=True)
    # New files have no version until the clock has ticked.
    while not all(anyread.read_sync(path, limit=1, kind="text").version for path in directory.iterdir()):
        pass
    yield directory
    for path in directory.iterdir():
        path.unlink()


@pytest.fixture(scope="module")
def apis() -> Iterator[None]:
    """Direct the providers' SDKs to fake models."""
    with fake_apis() as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield


@pytest.mark.usefixtures("apis")
@pytest.mark.parametrize("example", python_examples(), ids=str)
def test_python_example_prints_the_block_below_it(
    directory: Path, monkeypatch: pytest.MonkeyPatch, example: Example
) -> None:
    monkeypatch.chdir(directory)
    check(printed(example), example.output)


@pytest.mark.parametrize("example", commands(), ids=str)
def test_command_prints_the_lines_below_it(directory: Path, example: Example) -> None:
    program, *arguments = shlex.split(example.code)
    assert program == "anyread"
    run = subprocess.run(
        [sys.executable, "-m", "anyread", *arguments],
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    check(run.stdout.decode(), example.output)


def test_configured_server_starts_and_exits_when_its_input_ends(directory: Path) -> None:
    program, *arguments = shlex.split(command_of_host())
    assert program == "anyread"
    initialize = (
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",'
        b' "capabilities": {}, "clientInfo": {"name": "editor", "version": "1"}}}\n'
    )
    run = subprocess.run(
        [sys.executable, "-m", "anyread", *arguments],
        cwd=directory,
        input=initialize,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert b'"serverInfo":{"name":"anyread"' in run.stdout.replace(b" ", b"")


# ------------------------------------------------------------------------------------------------------------
# Tables and links


def test_readme_links_only_to_its_own_headings() -> None:
    """A package index shows the README without the repository, where relative links lead nowhere."""
    links = re.findall(r"\]\(([^)]+)\)", README)
    headings = re.findall(r"^##+ (.+)$", README, re.MULTILINE)
    anchors = {"#" + re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    assert links
    assert [link for link in links if not link.startswith("https://") and link not in anchors] == []


def test_table_of_contents_lists_every_section_in_order() -> None:
    listed = re.findall(r"^\[(.+)\]\(#", README, re.MULTILINE)
    assert listed == re.findall(r"^## (.+)$", README, re.MULTILINE)
