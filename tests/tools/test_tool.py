"""What all tools share besides their contracts: names, directories, sessions, cancellation, stale writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.tools import CONTRACTS


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    return tmp_path


def test_call_is_accepted_under_each_name_and_no_other(directory: Path) -> None:
    tool = anyread.tool("anyread", cwd=directory)
    expected = tool.call_sync({"path": "a.txt"})
    for name in (tool.name, *tool.aliases):
        # A file that was just written has no version yet.
        answer = tool.call_sync({"path": "a.txt"}, name=name)
        assert {**answer, "version": ""} == {**expected, "version": ""}
        assert tool.validate({"path": "a.txt"}, name=name) is None
    with pytest.raises(ValueError, match="the names are 'read'"):
        tool.call_sync({"path": "a.txt"}, name="write")


@pytest.mark.parametrize("name", CONTRACTS)
def test_arguments_may_be_the_json_that_a_model_wrote(name: str, directory: Path) -> None:
    """The answer was that the path is missing."""
    tool = anyread.tool(name, cwd=directory)
    arguments = tool.arguments_for("a.txt")
    assert tool.failed(tool.call_sync(json.dumps(arguments))) is False
    assert tool.validate(json.dumps(arguments)) is None
    for other in ("", "[1]", "{", "1", "a.txt"):
        assert tool.call_sync(other) == tool.call_sync({})


def test_relative_paths_start_from_cwd_then_the_first_root_then_the_working_directory(
    directory: Path, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "a.txt").write_text("other\n")
    rooted = anyread.Reader(roots=[other])
    monkeypatch.chdir(directory)
    for name, argument in (("anyread", "path"), ("mycode", "file_path")):
        assert "other" in str(anyread.tool(name, cwd=other).call_sync({argument: "a.txt"}))
        assert "other" in str(anyread.tool(name, reader=rooted).call_sync({argument: "a.txt"}))
        assert "two" in str(anyread.tool(name).call_sync({argument: "a.txt"}))


@pytest.mark.parametrize("name", CONTRACTS)
def test_tool_with_roots_reads_nothing_outside_them(name: str, tmp_path: Path) -> None:
    """The agents in the README could read every file on the machine."""
    (tmp_path / "in").mkdir()
    for file in ("in/a.txt", "in/.env", "out.txt"):
        (tmp_path / file).write_text("held\n")
    (tmp_path / "in/link.txt").symlink_to("../out.txt")
    tool = anyread.tool(name, roots=[tmp_path / "in"], deny=["**/.env"])
    for file in ("in/a.txt", "in/.env", "out.txt", "in/link.txt"):
        output = tool.call_sync(tool.arguments_for(tmp_path / file))
        assert tool.failed(output) == (file != "in/a.txt"), file
        assert ("held" in str(output)) == (file == "in/a.txt"), file


def test_reader_together_with_roots_is_refused(directory: Path) -> None:
    conflicting: list[dict[str, Any]] = [{"roots": [directory]}, {"deny": ["**/.env"]}]
    for rules in conflicting:
        with pytest.raises(ValueError, match="has its own roots and deny rules"):
            anyread.tool("anyread", reader=anyread.Reader(), **rules)


def test_session_is_that_of_the_host_or_the_reader_or_a_new_one(directory: Path) -> None:
    hosts, readers = anyread.Session(), anyread.Session()
    reader = anyread.Reader(session=readers)
    assert anyread.tool("mycode", session=hosts, reader=reader).session is hosts
    assert anyread.tool("mycode", reader=reader).session is readers
    assert anyread.tool("mycode").session is not anyread.tool("mycode").session


@pytest.mark.parametrize("name", [name for name in CONTRACTS if name != "llm-gateway"])
def test_file_that_does_not_exist_yet_may_be_created(directory: Path, name: str) -> None:
    """A new file had to be read before it was written, which is impossible."""
    tool = anyread.tool(name, cwd=directory)
    tool.assert_fresh("new.txt")
    tool.assert_fresh(str(directory / "sub" / "new.txt"))


@pytest.mark.parametrize("name", CONTRACTS)
def test_host_may_replace_the_description(directory: Path, name: str) -> None:
    own = anyread.tool(name, cwd=directory, description="Read.")
    plain = anyread.tool(name, cwd=directory)
    assert own.description == own.definitions()[0].description == "Read."
    assert own.definitions()[1:] == plain.definitions()[1:]
    assert own.input_schema == plain.input_schema
    named = {definition.name: f"{definition.name}!" for definition in plain.definitions()}
    every = anyread.tool(name, cwd=directory, description=named)
    assert {one.name: one.description for one in every.definitions()} == named


# ------------------------------------------------------------------------------------------------------------
# Steps
