"""`anyread read --tool` and `--for` print what the model of a host would receive."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import pytest

import anyread
from anyread import adapters
from anyread.models.model import PRESETS
from anyread.registry import ADAPTERS
from anyread.tools import CONTRACTS
from helpers import command_line
from helpers.media import drawing, encoded, text_pdf

if TYPE_CHECKING:
    from pathlib import Path


run = partial(command_line.run, "read")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "poem.txt").write_text("Tyger Tyger,\nburning bright,\n")
    (tmp_path / "hill.png").write_bytes(encoded(drawing(40, 30), "PNG"))
    (tmp_path / "sea.pdf").write_bytes(text_pdf(2))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("target", ADAPTERS)
def test_for_prints_the_content_of_a_message(directory: Path, target: str) -> None:
    result = run("poem.txt", "hill.png", "sea.pdf", "--for", target, cwd=directory)
    assert (result.returncode, result.stderr) == (0, "")
    reader = anyread.Reader(roots=[directory], model=PRESETS[ADAPTERS[target]]())
    pages = [reader.read_sync(name) for name in ("poem.txt", "hill.png", "sea.pdf")]
    options = {"base64": True} if target == "bedrock" else {}
    expected = getattr(adapters, target.replace("-", "_")).content(pages, **options)
    assert json.loads(result.stdout) == expected
    on_one_line = run("poem.txt", "hill.png", "sea.pdf", "--for", target, "--json", cwd=directory).stdout
    assert on_one_line.count("\n") == 1
    assert json.loads(on_one_line) == expected


@pytest.mark.slow
def test_failure_is_in_the_message_too(directory: Path) -> None:
    result = run("poem.txt", "gone.txt", "--for", "anthropic", cwd=directory)
    assert result.returncode == 1
    assert "not_found" in result.stderr
    texts = [block["text"] for block in json.loads(result.stdout)]
    assert texts[1] == "1\tTyger Tyger,\n2\tburning bright,"
    assert texts[2].startswith("error: `gone.txt` does not exist")


def test_named_model_decides_what_is_shown(directory: Path) -> None:
    shown = json.loads(run("hill.png", "--json", "--model", "claude-sonnet-5", cwd=directory).stdout)["shown"]
    assert (
        shown == anyread.Reader(model="claude-sonnet-5").read_sync(directory / "hill.png").to_dict()["shown"]
    )
    (block,) = json.loads(run("hill.png", "--for", "mcp", "--model", "text-only", cwd=directory).stdout)
    assert block["type"] == "text"


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTRACTS)
def test_tool_prints_what_the_tool_answers(directory: Path, name: str) -> None:
    tool = anyread.tool(name, cwd=directory)
    for file, status in (("poem.txt", 0), ("gone.txt", 1)):
        result = run(file, "--tool", name, cwd=directory)
        expected = tool.call_sync(tool.arguments_for(directory / file))
        assert (result.returncode, result.stderr) == (status, "")
        if isinstance(expected, str):
            assert result.stdout == expected + "\n"
        else:
            found = json.loads(result.stdout)
            assert {**found, "version": ""} == {**expected, "version": ""}


@pytest.mark.slow
def test_options_and_arguments_are_passed_to_the_tool(directory: Path) -> None:
    shown = "<![CDATA[2:burning bright,]]>"
    result = run("poem.txt", "--tool", "forge", "--arguments", '{"start_line": 2}', cwd=directory)
    assert shown in json.loads(result.stdout)["values"][0]["text"]
    result = run("poem.txt", "--root", directory, "--tool", "codelet", "--offset", "2")
    assert json.loads(result.stdout)["content"] == "2: burning bright,"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--tool", "nope"), "unknown contract 'nope'; the contracts are 'anyread', 'claude-code'"),
        (("--tool", "forge", "--offset", "3"), "'forge' has no argument 'offset'; pass path, start_line"),
        (("--tool", "forge", "--gutter", "tab"), "--gutter cannot be used with --tool"),
        (("--tool", "forge", "--exact-total"), "--exact-total cannot be used with --tool"),
        (("--tool", "forge", "--arguments", '{"start_lin": 2}'), "did you mean 'start_line'?"),
        (("--tool", "forge", "--arguments", "{"), "--arguments is not valid JSON: "),
        (("--tool", "forge", "--arguments", "[]"), "--arguments must be a JSON object"),
        (("--arguments", "{}"), "--arguments requires --tool NAME"),
    ],
)
def test_conflicting_options_are_reported(directory: Path, options: tuple[str, ...], reason: str) -> None:
    result = run("poem.txt", *options, cwd=directory)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("anyread: ")
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
