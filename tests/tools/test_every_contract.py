"""What holds for every contract: roots, deny rules, the form of failures, schemas that fit their calls."""

from __future__ import annotations

import json
import os
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
