"""What all tools share besides their contracts: names, directories, sessions, cancellation, stale writes."""

from __future__ import annotations

import errno
import json
import pickle
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import anyread
from anyread.running import loop, threads
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


async def test_call_under_an_unknown_name_is_refused_on_event_loops_too(directory: Path) -> None:
    with pytest.raises(ValueError, match="unknown tool name 'write'"):
        await anyread.tool("anyread", cwd=directory).call({"path": "a.txt"}, name="write")


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


def test_tools_may_share_a_session(directory: Path) -> None:
    session = anyread.Session()
    path = str(directory / "a.txt")
    anyread.tool("mycode", cwd=directory, session=session).call_sync({"file_path": path})
    anyread.tool("claude-code", session=session).assert_fresh(path)


def test_stale_write_error_has_only_the_contracts_wording(directory: Path) -> None:
    tool = anyread.tool("claude-code", cwd=directory)
    with pytest.raises(anyread.StaleReadError) as caught:
        tool.assert_fresh("a.txt")
    error = caught.value
    assert str(error) == error.message == error.wording
    assert (error.path, error.reason) == ("a.txt", "it was never read")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


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


def test_description_for_an_unknown_tool_is_refused(directory: Path) -> None:
    with pytest.raises(ValueError, match="names an unknown tool 'write'; the tools are 'read', 'read_image'"):
        anyread.tool("forge", cwd=directory, description={"write": "Write."})
    wrong: Any = 7
    with pytest.raises(TypeError, match="must be a text"):
        anyread.tool("forge", cwd=directory, description=wrong)


# ------------------------------------------------------------------------------------------------------------
# Steps


def run_sync(steps: Any) -> Any:
    return threads.run(steps)


async def test_proc_file_without_a_size_is_read(tmp_path: Path) -> None:
    def steps() -> Any:
        file = anyread.Reader().open_sync("/proc/self/status", repair=False)
        return file.read(10**6)

    assert b"VmRSS" in run_sync(steps)
    assert b"VmRSS" in await loop.run(steps)


async def test_error_is_raised_at_the_step_that_caused_it(tmp_path: Path) -> None:
    def steps() -> Any:
        try:
            anyread.Reader().open_sync(str(tmp_path / "nothing"), repair=False)
        except anyread.NotFoundError as error:
            return error.errno
        return None

    assert run_sync(steps) == errno.ENOENT
    assert await loop.run(steps) == errno.ENOENT


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
async def test_tokens_are_exact_and_counted_once(
    directory: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: Any
) -> None:
    from anyread import _native

    text = f"words and words {uuid4()} " * 2_000
    exact = _native.count_tokens(text, tokenizer)
    counted = []

    def count(text: Any, tokenizer: Any) -> Any:
        counted.append(1)
        return exact

    monkeypatch.setattr(_native, "count_tokens", count)

    def steps(maximum: Any) -> Any:
        file = anyread.Reader().open_sync(str(directory / "a.txt"), repair=False)
        tokens = file.count_tokens(text, tokenizer)
        over = file.tokens_over(text, tokenizer, maximum)
        return tokens, over

    assert run_sync(lambda: steps(exact)) == (exact, None)
    assert run_sync(lambda: steps(exact - 1)) == (exact, exact)
    assert await loop.run(lambda: steps(exact - 1)) == (exact, exact)
    assert counted == [1]
