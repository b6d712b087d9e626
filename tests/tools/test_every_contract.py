"""What holds for every contract: roots, deny rules, the form of failures, schemas that fit their calls."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.registry import CONTRACTS, TEXT_EDITORS
from anyread.results import TextBlock

NAMES = [name for name in (*CONTRACTS, *TEXT_EDITORS) if name != "text-editor"]
FORMS = {
    # Errors of this library have fields of their own.
    "anyread": 9,
    # These return some failures and throw others, or print a line for some.
    **dict.fromkeys(("deepagents", "gemini-cli", "swe-agent"), 2),
}
"""How many forms the failures of a contract have, if more than one."""
SECRET = "the content of another directory"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Create a root with a file, links out of it and a denied file, next to a file with the secret."""
    root = tmp_path / "root"
    (root / "memories").mkdir(parents=True)
    (tmp_path / "out.txt").write_text(SECRET)
    (root / "memories" / "a.txt").write_text("one\n")
    (root / "memories" / "denied.txt").write_text(SECRET)
    (root / "memories" / "link.txt").symlink_to(tmp_path / "out.txt")
    (root / "memories" / "out").symlink_to(tmp_path)
    return root


def call_for(tool: anyread.tools.Tool, name: str, root: Path, path: str) -> dict[str, Any]:
    """Return the call that reads a path, absolute or below the root."""
    if name != "anthropic-memory":
        return tool.arguments_for(os.path.join(root, path))  # noqa: PTH118 - keeps `..`
    return tool.arguments_for(path if path.startswith("/") else f"/{path}")


def seen(tool: anyread.tools.Tool, output: Any) -> str:
    shown = [block.text for block in tool.blocks(output) if isinstance(block, TextBlock)]
    return json.dumps(output) + "".join(shown)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_outside_of_the_roots_or_denied_is_shown(name: str, root: Path) -> None:
    tool = anyread.tool(name, cwd=root, roots=[root], deny=["**/denied.txt"])
    allowed = tool.call_sync(call_for(tool, name, root, "memories/a.txt"))
    assert "one" in seen(tool, allowed)
    for path in (
        *(f"{root.parent}/out.txt", "../out.txt", "memories/../../out.txt"),
        *("memories/link.txt", "memories/out/out.txt", "memories/denied.txt"),
    ):
        output = tool.call_sync(call_for(tool, name, root, path))
        assert SECRET not in seen(tool, output), path
        assert tool.failed(output), path


@pytest.mark.parametrize("name", NAMES)
def test_every_failure_has_the_form_of_the_contract(name: str, root: Path) -> None:
    """Hosts look at these fields to tell a failure from a text."""
    (root / "memories" / "private.txt").write_text("x")
    (root / "memories" / "loop").symlink_to("loop")
    os.mkfifo(root / "memories" / "fifo")
    tool = anyread.tool(name, cwd=root, roots=[root], deny=["**/denied.txt"])
    names = ("gone.txt", "denied.txt", "link.txt", "loop", "fifo", "a.txt/x", "x" * 300)
    outputs = [tool.call_sync(call_for(tool, name, root, f"memories/{each}")) for each in names]
    forms = {_form(output) for output in outputs}
    assert len(forms) <= FORMS.get(name, 1), forms
    assert all(tool.failed(output) for output in outputs)
    for output in outputs:
        assert all(isinstance(block, TextBlock) and block.text.strip() for block in tool.blocks(output))


def _form(output: Any) -> str:
    """Return the names and types of an output, without the parts that say what failed."""
    if isinstance(output, str):
        try:
            return _form(json.loads(output))
        except ValueError:
            return "text"
    if isinstance(output, dict):
        return "{" + ", ".join(f"{key}: {_form(value)}" for key, value in sorted(output.items())) + "}"
    if isinstance(output, list):
        return f"[{', '.join(sorted({_form(item) for item in output}))}]"
    return type(output).__name__


@pytest.mark.parametrize("name", NAMES)
def test_schema_accepts_the_call_that_reads_a_file(name: str, root: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    tool = anyread.tool(name, cwd=root)
    for definition in tool.definitions():
        jsonschema.Draft202012Validator.check_schema(definition.input_schema)
    call = call_for(tool, name, root, "memories/a.txt")
    jsonschema.validate(call, tool.definitions()[0].input_schema)
    assert tool.validate(call) is None


HOSTILE: list[Any] = [
    *(
        None,
        True,
        0,
        -1,
        1.5,
        1e300,
        float("inf"),
        float("nan"),
        2**53,
        -(2**64),
        10**5_000,
        "",
        " ",
        "\0",
        "x" * 5_000,
    ),
    *(
        "../" * 50,
        "\ud800",
        "null",
        "1e1",
        "${HOME}",
        "%00",
        "\n" * 9,
        [],
        [[]],
        [None] * 3,
        [1, 2],
        ["a"] * 99,
        {},
    ),
    *({"path": {}}, {"a": [1, {"b": None}]}, [-1, 10**30], [2, 1], "[1, 2]", [float("nan"), 1]),
]
"""What a model, or somebody who writes its input, may pass as any argument."""


def hostile_arguments(tool: anyread.tools.Tool, path: Path) -> Iterator[object]:
    """Yield 200 arguments: a value in place of each argument, beside the others, and things that are none."""
    known = tool.arguments_for(path)
    names = list(tool.input_schema["properties"])
    deep: object = 0
    for _ in range(2_000):
        deep = [deep]
    yield from (
        None,
        5,
        "",
        "[]",
        "{",
        "[" * 9_000,
        json.dumps(known),
        [known],
        {},
        {"": deep},
        {names[0]: deep},
    )
    for number, (value, name) in enumerate(product(HOSTILE, (*names, "foo", "\ud800"))):
        # A list of files has the path and the lines in its items.
        inner = [{"path": str(path), **({} if number % 2 else {"start_line": value, "end_line": value})}]
        yield {**({"files": inner} if names == ["files"] else known), name: value}


@pytest.mark.parametrize("name", NAMES)
def test_hostile_arguments_get_an_answer(name: str, root: Path) -> None:
    tool, path = anyread.tool(name, cwd=root, roots=[root]), root / "memories" / "a.txt"
    for arguments, _ in zip(hostile_arguments(tool, path), range(200), strict=False):
        output = tool.call_sync(arguments)
        json.dumps(output).encode()
        refused = tool.validate(arguments)
        assert refused is None or json.dumps(refused) == json.dumps(output), arguments
        texts = [block.text for block in tool.blocks(output) if isinstance(block, TextBlock)]
        assert len(texts) == len(tool.blocks(output)), arguments
        assert not tool.failed(output) or "".join(texts).strip(), arguments
        "".join(texts).encode()


LINE = re.compile(r"line (\d+) of the file, .*?\.$", re.MULTILINE)
FOLLOWING = {
    "claude-code": ("offset", r"Call Read with offset=(\d+)"),
    "opencode": ("offset", r"Use offset=(\d+) to continue"),
    "opencode-2": ("offset", r"Continue reading with offset: (\d+)"),
    "deepagents": ("offset", r"next offset (\d+) @@"),
    "gemini-cli": ("start_line", r"use start_line: (\d+)"),
    "pi": ("offset", r"Use offset=(\d+) to continue"),
    "llm-gateway": ("offset", r'lines="\d+-(\d+)" total'),
    "copilot-cli": ("view_range", r"Use view_range=\[(\d+), ...\]"),
    "qwen-code": ("offset", r"^Showing lines \d+-(\d+) of"),
    "cline": ("start_line", r"\[Showing lines \d+-(\d+) of"),
    "kimi-code": ("line_offset", r'"line_offset":(\d+)'),
    "anyread": ("offset", r"next: offset=(\d+)"),
}
"""The argument that goes on, and where an answer has its value; in `cline` it is the line before."""


@pytest.mark.parametrize("name", FOLLOWING)
def test_following_calls_show_every_line_once(name: str, tmp_path: Path) -> None:
    lines = [f"line {number} of the file, {'x' * (number * 37 % 180)}." for number in range(1, 5_004)]
    (tmp_path / "a.txt").write_text("\n".join(lines))
    if name == "claude-code":
        # It refuses a whole file over 256 KiB, and does not say that a range goes on.
        lines = lines[:2_000]
        (tmp_path / "a.txt").write_text("\n".join(lines))
    tool = anyread.tool(name, cwd=tmp_path)
    argument, pattern = FOLLOWING[name]
    call, shown = tool.arguments_for(tmp_path / "a.txt"), list[int]()
    if name == "copilot-cli":
        call["view_range"] = [1, -1]
    while call:
        output = tool.call_sync(call)
        assert not tool.failed(output)
        text = "\n".join(block.text for block in tool.blocks(output) if isinstance(block, TextBlock))
        if name == "cline":
            text = json.loads(text)[0]["result"]
        shown += map(int, LINE.findall(text))
        if shown[-1] == len(lines):
            break
        found = re.search(pattern, text, re.MULTILINE)
        if name == "claude-code" and found is None:
            call["offset"] += call["limit"]
            continue
        assert found is not None
        value = int(found[1])
        if name == "claude-code":
            call["limit"] = value - 1
        if name == "cline":
            call["files"][0][argument] = value + 1
        else:
            call[argument] = [value, -1] if name == "copilot-cli" else value
    assert shown == list(range(1, len(lines) + 1))
