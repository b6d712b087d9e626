"""The registry of profiles, and what a new profile requires."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import tools
from anyread.tools import PROFILES, Tool
from media import drawing, encoded

NAMES = list(PROFILES)

ADDED = '''
"""A profile that shows how many bytes a file has."""

from dataclasses import dataclass

from anyread.errors import ReadError
from anyread.results import TextBlock
from anyread.tools.files import open_file
from anyread.tools.profile import Definition, Profile


@dataclass(frozen=True)
class Settings:
    unit: str = "bytes"


class SizeProfile(Profile[Settings]):
    name = "size"
    aliases = ("Size",)
    Settings = Settings

    def definitions(self):
        return [Definition(self.name, "Tell the size of a file.", {"type": "object"})]

    def validate(self, arguments, *, name):
        return None if "path" in arguments else {"error": "no path"}

    def steps(self, arguments, *, name):
        try:
            file = open_file(self.context.reader, self.context.resolve(arguments["path"]))
            file.sha256()
        except ReadError as error:
            return {"error": error.code}
        self.context.note(file, kind="text")
        return {"size": file.size_bytes, "unit": self.context.settings.unit}

    def blocks(self, output):
        return [TextBlock(str(output))]

    def failed(self, output):
        return "error" in output

    def freshness(self, state, path):
        return None if state == "fresh" else f"{path}: {state}"
'''


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Add a profile as its author would: one new file, and one line in the registry."""
    (tmp_path / "size_profile.py").write_text(ADDED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(PROFILES, "size", "size_profile:SizeProfile")
    monkeypatch.delitem(sys.modules, "size_profile", raising=False)
    return "size"


@pytest.mark.parametrize("name", NAMES)
def test_each_profile_describes_its_tools(name: Any) -> None:
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
    assert failed == {"a.txt": False, "a.png": False, "gone.txt": True}


@pytest.mark.parametrize("name", NAMES)
def test_unknown_setting_is_a_type_error_that_lists_the_known_ones(name: Any) -> None:
    known = type(anyread.tool(name).settings).__dataclass_fields__
    with pytest.raises(TypeError, match="no setting 'nonsense'") as caught:
        anyread.tool(name, settings={"nonsense": 1})
    assert all(repr(field) in str(caught.value) for field in known)
    with pytest.raises(TypeError, match="mapping"):
        anyread.tool(name, settings=3)


def test_misspelled_setting_raises_with_a_suggestion() -> None:
    with pytest.raises(TypeError, match="did you mean 'max_tokens'"):
        anyread.tool("claude-code", settings={"max_token": 1})


def test_settings_may_be_a_mapping_or_an_instance() -> None:
    settings = anyread.tool("claude-code", settings={"max_tokens": 7}).settings
    assert settings.max_tokens == 7
    assert anyread.tool("claude-code", settings=settings).settings is settings


@pytest.mark.parametrize("name", ["Anyread", "claude_code", "", None])
def test_unknown_profile_error_lists_the_known_ones(name: Any) -> None:
    with pytest.raises(ValueError, match="unknown profile") as caught:
        anyread.tool(name)
    assert all(repr(known) in str(caught.value) for known in NAMES)


def test_new_profile_needs_one_file_and_one_line(added: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("12345")
    tool = anyread.tool(added, cwd=tmp_path, settings={"unit": "B"})
    assert tool.call_sync({"path": "a.txt"}) == {"size": 5, "unit": "B"}
    assert tool.call_sync({"path": "a.txt"}, name="Size") == {"size": 5, "unit": "B"}
    assert tool.call_sync({"path": "nothing"}) == {"error": "not_found"}
    assert tool.call_sync({}) == {"error": "no path"}
    assert tool.session.has_read(tmp_path / "a.txt")
    tool.assert_fresh("a.txt")
    (tmp_path / "b.txt").write_text("6")
    with pytest.raises(anyread.StaleReadError, match=r"^b\.txt: unread$"):
        tool.assert_fresh("b.txt")


async def test_new_profile_also_answers_on_event_loops(added: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("12345")
    tool = anyread.tool(added, cwd=tmp_path)
    assert await tool.call({"path": "a.txt"}) == {"size": 5, "unit": "bytes"}
    assert await tool.call({"path": "nothing"}) == {"error": "not_found"}
    assert await tool.call({}) == {"error": "no path"}


def test_registry_values_name_a_module_and_a_class() -> None:
    assert tools.PROFILES is PROFILES
    assert all(target.partition(":")[2] for target in PROFILES.values())
