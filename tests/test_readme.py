"""README.md and ARCHITECTURE.md are correct; `readme.py` explains how the README's examples are run."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import redirect_stdout
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest

import anyread
from readme import (
    README,
    ROOT,
    Example,
    check,
    command_of_host,
    commands,
    fake_apis,
    files_example,
    matches,
    python_examples,
    unseen_blocks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")


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


def test_readme_has_python_and_console_examples() -> None:
    assert len(python_examples()) >= 8
    assert len(commands()) >= 5
    assert unseen_blocks() == 0


def test_wildcard_matches_within_a_line_only() -> None:
    assert matches("version: 8.1-2f\n", "version: ...\n")
    assert not matches("version: 8.1\nand more\n", "version: ...\n")
    assert not matches("lines 1-2 … of 3\n", "lines 1-2 … of 4\n")


# ------------------------------------------------------------------------------------------------------------
# Tables and links


def names_in_table(title: str) -> list[str]:
    """Return the names in the first column of the first table below a heading."""
    section = README.split(f"\n## {title}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`(\w+)`", row)]


def test_table_of_results_names_every_field_once() -> None:
    public = {field.name for field in fields(anyread.TextPage) if not field.name.startswith("_")}
    properties = {name for name in ("content", "blocks", "token_estimate") if hasattr(anyread.TextPage, name)}
    assert sorted(names_in_table("Results")) == sorted(public | properties)


def test_table_of_limits_has_the_defaults() -> None:
    limits = anyread.Limits()
    section = README.split("\n## Limits\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \|", section, re.MULTILINE)
    assert rows
    for name, shown in rows:
        value: Any = getattr(limits, name)
        assert shown == (f"`{value}`" if value is None else f"{value:,}"), name


def test_make_commands_of_the_readme_are_targets() -> None:
    verbs = re.findall(r"^make (\w+)", README, re.MULTILINE)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert {"run", "test"} <= set(verbs) <= set(targets)


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


def test_readme_names_only_files_that_exist() -> None:
    named = re.findall(r"`((?:docs/)?[\w./-]*(?:\.md|/))`", README)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_links_of_architecture_lead_to_files() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", ARCHITECTURE)
    assert links
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


def test_dependencies_are_listed_with_their_minimum_versions() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    minimums = {
        (name, requirement["version"] if isinstance(requirement, dict) else requirement)
        for name, requirement in cargo["workspace"]["dependencies"].items()
        if isinstance(requirement, str) or "version" in requirement
    }
    groups = [
        project["project"]["dependencies"],
        *project["project"]["optional-dependencies"].values(),
        *project["dependency-groups"].values(),
    ]
    for requirement in [each for group in groups for each in group if isinstance(each, str)]:
        name, _, version = re.split("[;,]", requirement)[0].partition(">=")
        minimums.add((name, version))
    lines = (ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()
    for name, version in sorted(minimums):
        rows = [line for line in lines if line.startswith("|") and f"`{name}`" in line]
        assert any(version in line for line in rows), f"{name} {version}"
