"""The registry of contracts, and what a new contract requires."""

from __future__ import annotations

import json
import pickle
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.registry import TEXT_EDITORS
from anyread.tools import CONTRACTS, Tool
from helpers import pages
from helpers.media import drawing, encoded

NAMES = list(CONTRACTS)
ROOT = Path(__file__).parents[2]

ADDED = pages.blocks_of(pages.DOCS / "contracts" / "your-own.md")[0].code
"""The example of the documentation: a contract that tells the size of a file."""


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Add a contract as its author would: one new file, and one line in the registry."""
    (tmp_path / "my_contract.py").write_text(ADDED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(CONTRACTS, "size", "my_contract:SizeContract")
    monkeypatch.delitem(sys.modules, "my_contract", raising=False)
    return "size"


def test_every_contract_is_in_the_lists_that_are_checked() -> None:
    """The linter has a list of its own, so a new contract could import another one."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    [rule] = [each for each in settings["contracts"] if each["name"].startswith("Contracts of tools")]
    listed, declared = set(rule["modules"]), {target.partition(":")[0] for target in CONTRACTS.values()}
    title = "pyproject.toml, under `Contracts of tools import no other contract`"
    wrong = [f'{title}: add the line "{module}",' for module in sorted(declared - listed)]
    wrong += [f"{title}: remove {module}, which registry.py does not have" for module in listed - declared]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", NAMES)
def test_each_contract_describes_its_tools(name: Any) -> None:
    tool = anyread.tool(name)
    assert isinstance(tool, Tool)
    definitions = tool.definitions()
    assert definitions[0].name == tool.name
    assert definitions[0].description == tool.description
    assert definitions[0].input_schema == tool.input_schema
    for definition in definitions:
        assert definition.description.strip()
        assert definition.input_schema["type"] == "object"
        assert set(definition.input_schema["required"]) <= set(definition.input_schema["properties"])
        json.dumps(definition.input_schema)
    assert tool.kind in {"read", "filesystem"}
    assert tool.read_only
    assert tool.name not in tool.aliases


@pytest.mark.parametrize("name", NAMES)
def test_invalid_arguments_are_refused_without_raising(name: Any) -> None:
    tool = anyread.tool(name)
    invalid: list[Any] = [None, [], "path", {}, {"no": 1}, {1: 2}]
    for arguments in invalid:
        refused = tool.call_sync(arguments)
        assert refused == tool.validate(arguments)
        json.dumps(refused)
        assert tool.blocks(refused)
        assert tool.failed(refused)
    assert tool.session.records == ()


@pytest.mark.parametrize("name", NAMES)
def test_failure_is_distinguished_from_text_that_looks_like_one(name: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text('{"error": "File not found: x", "is_error": true, "success": false}\n')
    (tmp_path / "a.png").write_bytes(encoded(drawing(30, 20), "PNG"))
    tool = anyread.tool(name, cwd=tmp_path)
    failed = {
        file: tool.failed(tool.call_sync(tool.arguments_for(tmp_path / file)))
        for file in ("a.txt", "a.png", "gone.txt")
    }
    # One tool reads only text, and says so.
    assert failed == {"a.txt": False, "a.png": name == "kimi-code", "gone.txt": True}


@pytest.mark.parametrize("name", NAMES)
def test_unknown_setting_is_a_type_error_that_lists_the_known_ones(name: Any) -> None:
    known = type(anyread.tool(name).settings).__dataclass_fields__
    with pytest.raises(TypeError, match="no setting 'nonsense'") as caught:
        anyread.tool(name, settings={"nonsense": 1})
    assert all(repr(field) in str(caught.value) for field in known)
    with pytest.raises(TypeError, match="mapping"):
        anyread.tool(name, settings=3)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("claude", "claude-code"),
        ("gemini_cli_", "gemini-cli"),
        ("open-hands", "openhands"),
        ("", None),
        (None, None),
    ],
)
def test_unknown_contract_error_has_the_nearest_and_the_known_ones(name: Any, nearest: str | None) -> None:
    with pytest.raises(ValueError, match="unknown contract") as caught:
        anyread.tool(name)
    assert all(repr(known) in str(caught.value) for known in (*NAMES, *TEXT_EDITORS))
    assert ("did you mean" in str(caught.value)) is (nearest is not None)
    assert nearest is None or f"(did you mean {nearest!r}?)" in str(caught.value)


@pytest.mark.parametrize("name", ["claude_code", "Claude-Code", "swe_agent"])
def test_contract_name_may_have_underscores_and_capitals(name: str) -> None:
    assert anyread.tool(name).description == anyread.tool(name.lower().replace("_", "-")).description


@pytest.mark.parametrize("name", TEXT_EDITORS)
def test_each_text_editor_is_a_contract(name: str, tmp_path: Path) -> None:
    (tmp_path / "memories").mkdir()
    (tmp_path / "memories" / "a.txt").write_text("one\n")
    path = "/memories/a.txt" if name == "anthropic-memory" else str(tmp_path / "memories" / "a.txt")
    call = {"command": "view", "path": path}
    tool = anyread.tool(name, cwd=tmp_path)
    earlier = anyread.tool("text-editor", cwd=tmp_path, settings={"dialect": name})
    assert tool.call_sync(call) == earlier.call_sync(call)
    assert not tool.failed(tool.call_sync(call))
    assert tool.definitions() == earlier.definitions()
    assert pickle.loads(pickle.dumps(earlier)).call_sync(call) == tool.call_sync(call)


def test_new_contract_needs_one_file_and_one_line(added: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("12345")
    tool = anyread.tool(added, cwd=tmp_path, settings={"unit": "B"})
    assert tool.call_sync({"path": "a.txt"}) == {"size": 5, "unit": "B"}
    assert tool.call_sync({"path": "a.txt"}, name="Size") == {"size": 5, "unit": "B"}
    assert tool.call_sync({"path": "nothing"}) == {"is_error": True, "error": "not_found"}
    assert tool.call_sync({}) == {"is_error": True, "error": "no path"}
    assert tool.session.has_read(tmp_path / "a.txt")
    tool.assert_fresh("a.txt")
    (tmp_path / "b.txt").write_text("6")
    with pytest.raises(anyread.StaleReadError, match=r"^b\.txt: read its size first$"):
        tool.assert_fresh("b.txt")
