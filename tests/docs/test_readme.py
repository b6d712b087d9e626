"""README.md is correct; `readme.py` explains how its examples are run."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import pytest
from benches import picture

import anyread
from helpers.readme import (
    README,
    ROOT,
    Example,
    check,
    commands,
    create_files,
    fake_apis,
    python_examples,
)
from helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_coverage_of_processes")]


def printed(example: Example) -> str:
    """Run an example as a program and return what it prints."""
    output = io.StringIO()
    with redirect_stdout(output):
        exec(compile(example.code, f"README.md:{example.line}", "exec"), {"anyread": anyread})
    return output.getvalue()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Create the example files."""
    directory = tmp_path_factory.mktemp("readme")
    create_files(directory)
    # New files have no version until the clock has ticked.
    until(lambda: all(anyread.read_sync(path, limit=1, kind="text").version for path in directory.iterdir()))
    yield directory
    for path in directory.iterdir():
        path.unlink()


@pytest.fixture(scope="module")
def apis() -> Iterator[None]:
    """Direct the SDK to a fake model."""
    with fake_apis() as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield


@pytest.mark.usefixtures("apis", "patient_decoders")
@pytest.mark.parametrize("example", python_examples(), ids=str)
def test_python_example_prints_the_block_below_it(
    directory: Path, monkeypatch: pytest.MonkeyPatch, example: Example
) -> None:
    monkeypatch.chdir(directory)
    check(printed(example), example.output)


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_command_to_type_exists(directory: Path, command: list[str]) -> None:
    match command:
        case ["make", target, *_]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        case ["pip", "install", ".[mcp]" | "WHEEL[mcp]" | "anyread[mcp]"]:
            pass  # `test_wheel.py` runs them with a wheel
        case ["claude", "mcp", "add", "anyread", "--", "$(which anyread)", "mcp", "--root", "."]:
            run = subprocess.run(
                [sys.executable, "-m", "anyread", "mcp", "--root", "."],
                cwd=directory,
                input=INITIALIZE,
                capture_output=True,
                check=True,
                timeout=60,
            )
            assert b'"serverInfo":{"name":"anyread"' in run.stdout.replace(b" ", b"")
        case _:
            pytest.fail("nothing checks this command")


INITIALIZE = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",'
    b' "capabilities": {}, "clientInfo": {"name": "editor", "version": "1"}}}\n'
)


def test_console_shows_what_the_commands_print(directory: Path, tmp_path: Path) -> None:
    (tmp_path / "price.py").write_text(PRICE)
    (tmp_path / "test_price.py").write_text(TEST_OF_PRICE)
    (tmp_path / "server.log").symlink_to(directory / "server.log")
    (console,) = re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", console, re.MULTILINE):
        python = f"{sys.executable} -m "
        line = re.sub(r"(^|\| )(pytest|anyread)", rf"\1{python}\2", command)
        line = line.replace("-m pytest", "-m pytest -p no:cacheprovider")
        shown = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert shown.stdout == output.replace("/home/user/shop", str(tmp_path)), shown.stderr


PRICE = """\
def total(items):
    \"""Return the sum of the prices.

    An item without a price is an error.
    \"""
    result = 0
    for item in items:
        result += item["price"]
    return result
"""
TEST_OF_PRICE = """\
from price import total


def test_total_without_price():
    assert total([{"cost": 2}]) == 0
"""

# ------------------------------------------------------------------------------------------------------------
# Its length, links and picture


def test_readme_is_short_and_its_code_narrow() -> None:
    assert README.count("\n") <= 150
    blocks = re.findall(r"^```(\w+)[^\n]*\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert [
        line for kind, code in blocks if kind != "text" for line in code.splitlines() if len(line) > 88
    ] == []
    agents = README.partition("## In your agent")[2].partition("\n## ")[0]
    code = re.findall(r"^```(?:python|sh).*?\n(.*?)^```$", agents, re.MULTILINE | re.DOTALL)
    assert len(code) == 3
    assert max(block.count("\n") for block in code) <= 8


def test_links_of_the_readme_lead_to_files_of_the_repository() -> None:
    """A package index shows the README without the repository, where relative links lead nowhere."""
    links = re.findall(r"\]\(([^)]+)\)|(?:src|srcset)=\"([^\"]+)\"", README)
    targets = [target or image for target, image in links]
    assert [target for target in targets if not target.startswith("https://")] == []
    repository = re.compile(r"https://github.com/anyread/anyread/(?:blob|raw)/main/([^#]*)")
    files = [found[1] for target in targets if (found := repository.match(target))]
    assert len(files) > 15
    assert [name for name in files if not (ROOT / name).is_file()] == []


def test_picture_shows_what_both_sides_return(tmp_path: Path) -> None:
    rows = picture.observe(tmp_path, log_bytes=300 * 2**20, memory_bytes=200 * 2**20, sheet_rows=1_000)
    (tmp_path / "server.log").unlink()

    def texts(drawing: str) -> list[str]:
        # The numbers depend on the size of the log, and the bytes of the plot on the version of Pillow.
        found = re.findall(r"<text[^>]*>([^<]*)</text>", drawing)
        plain = [text for text in found if not re.fullmatch(r"[\w+/={\";]{50,}", text)]
        return [re.sub(r"\s+", " ", re.sub(r"[\d,.]+(\s[GM]B)?", "0", text)) for text in plain]

    for theme, path in picture.PICTURES.items():
        assert texts(path.read_text("utf-8")) == texts(picture.draw(rows, theme))
