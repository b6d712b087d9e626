"""What every tool does around its contract: names, folders, sessions, cancelling, refusing stale writes."""

from __future__ import annotations

import errno
import os
import pickle
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import pytest

import anyread
from anyread.running import loop, threads
from anyread.tools import PROFILES, files
from anyread.tools.files import open_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    return tmp_path


def test_a_call_may_come_under_each_name_and_no_other(folder: Path) -> None:
    tool = anyread.tool("anyread", cwd=folder)
    expected = tool.call_sync({"path": "a.txt"})
    for name in (tool.name, *tool.aliases):
        assert tool.call_sync({"path": "a.txt"}, name=name) == expected
        assert tool.validate({"path": "a.txt"}, name=name) is None
    with pytest.raises(ValueError, match="the names are 'read'"):
        tool.call_sync({"path": "a.txt"}, name="write")


async def test_a_call_under_a_wrong_name_is_refused_on_loops_too(folder: Path) -> None:
    with pytest.raises(ValueError, match="unknown tool name 'write'"):
        await anyread.tool("anyread", cwd=folder).call({"path": "a.txt"}, name="write")


def test_relative_paths_start_from_cwd_then_the_first_root_then_the_working_folder(
    folder: Path, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "a.txt").write_text("other\n")
    rooted = anyread.Reader(roots=[other])
    monkeypatch.chdir(folder)
    for name, argument in (("anyread", "path"), ("mycode", "file_path")):
        assert "other" in str(anyread.tool(name, cwd=other).call_sync({argument: "a.txt"}))
        assert "other" in str(anyread.tool(name, reader=rooted).call_sync({argument: "a.txt"}))
        assert "two" in str(anyread.tool(name).call_sync({argument: "a.txt"}))


@pytest.mark.parametrize("name", PROFILES)
def test_a_tool_with_roots_reads_nothing_outside_of_them(name: str, tmp_path: Path) -> None:
    """The agents of the README could read every file of the machine."""
    (tmp_path / "in").mkdir()
    for file in ("in/a.txt", "in/.env", "out.txt"):
        (tmp_path / file).write_text("held\n")
    (tmp_path / "in/link.txt").symlink_to("../out.txt")
    tool = anyread.tool(name, roots=[tmp_path / "in"], deny=["**/.env"])
    argument = tool.input_schema["required"][0]
    for file in ("in/a.txt", "in/.env", "out.txt", "in/link.txt"):
        output = tool.call_sync({argument: str(tmp_path / file)})
        assert tool.failed(output) == (file != "in/a.txt"), file
        assert ("held" in str(output)) == (file == "in/a.txt"), file


def test_a_reader_and_roots_beside_it_are_refused(folder: Path) -> None:
    beside: list[dict[str, Any]] = [{"roots": [folder]}, {"deny": ["**/.env"]}]
    for rules in beside:
        with pytest.raises(ValueError, match="has its own roots and deny rules"):
            anyread.tool("anyread", reader=anyread.Reader(), **rules)


def test_a_session_is_the_hosts_or_the_readers_or_its_own(folder: Path) -> None:
    mine, readers = anyread.Session(), anyread.Session()
    reader = anyread.Reader(session=readers)
    assert anyread.tool("mycode", session=mine, reader=reader).session is mine
    assert anyread.tool("mycode", reader=reader).session is readers
    assert anyread.tool("mycode").session is not anyread.tool("mycode").session


def test_tools_share_a_session(folder: Path) -> None:
    session = anyread.Session()
    path = str(folder / "a.txt")
    anyread.tool("mycode", cwd=folder, session=session).call_sync({"file_path": path})
    anyread.tool("claude-code", session=session).assert_fresh(path)


def test_a_stale_write_has_the_contracts_words_alone(folder: Path) -> None:
    tool = anyread.tool("claude-code", cwd=folder)
    with pytest.raises(anyread.StaleReadError) as caught:
        tool.assert_fresh("a.txt")
    error = caught.value
    assert str(error) == error.message == error.wording
    assert (error.path, error.reason) == ("a.txt", "it was never read")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("name", [name for name in PROFILES if name != "llm-gateway"])
def test_file_that_does_not_exist_yet_may_be_created(folder: Path, name: str) -> None:
    """A new file had to be read before it was written, which no call can do."""
    tool = anyread.tool(name, cwd=folder)
    tool.assert_fresh("new.txt")
    tool.assert_fresh(str(folder / "sub" / "new.txt"))


@pytest.mark.parametrize("name", PROFILES)
def test_host_may_keep_its_own_description(folder: Path, name: str) -> None:
    own = anyread.tool(name, cwd=folder, description="Read.")
    plain = anyread.tool(name, cwd=folder)
    assert own.description == own.definitions()[0].description == "Read."
    assert own.definitions()[1:] == plain.definitions()[1:]
    assert own.input_schema == plain.input_schema
    named = {definition.name: f"{definition.name}!" for definition in plain.definitions()}
    every = anyread.tool(name, cwd=folder, description=named)
    assert {one.name: one.description for one in every.definitions()} == named


def test_description_of_no_tool_of_the_contract_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="names an unknown tool 'write'; the tools are 'read', 'read_image'"):
        anyread.tool("forge", cwd=folder, description={"write": "Write."})
    wrong: Any = 7
    with pytest.raises(TypeError, match="must be a text"):
        anyread.tool("forge", cwd=folder, description=wrong)


def test_a_link_and_its_target_are_one_file(folder: Path) -> None:
    (folder / "link").symlink_to("a.txt")
    tool = anyread.tool("claude-code", cwd=folder)
    tool.call_sync({"file_path": "link"})
    tool.assert_fresh("a.txt")


def test_repr_names_tool_and_contract() -> None:
    assert repr(anyread.tool("mycode")) == "<Tool 'Read' of Mycode>"


# ------------------------------------------------------------------------------------------------------------
# Steps


def driven(steps: Any) -> Any:
    return threads.run(steps)


def test_a_file_is_opened_once_and_read_in_parts(folder: Path) -> None:
    def steps() -> Any:
        file = yield from open_file(anyread.Reader(), str(folder / "a.txt"))
        data = yield from file.read(3)
        whole = yield from file.read(100)
        return file, data, whole

    file, data, whole = driven(steps())
    assert (data, whole, file.head(2), file.size_bytes) == (b"one", b"one\ntwo\n", b"on", 8)
    assert file.resolved_path == str(folder / "a.txt")


@pytest.mark.parametrize("size", [0, 1, 8_191, 8_192, 8_193, 65_535, 65_536, 65_537, 300_000])
@pytest.mark.parametrize("maximum", [1, 8_192, 65_536, 10**9])
async def test_every_size_is_read_the_same_both_ways(tmp_path: Path, size: Any, maximum: Any) -> None:
    path = tmp_path / "a.bin"
    data = os.urandom(size)
    path.write_bytes(data)

    def steps() -> Any:
        file = yield from open_file(anyread.Reader(), str(path))
        part = yield from file.read(maximum)
        digest = yield from file.sha256()
        return part, digest

    import hashlib

    expected = (data[:maximum], hashlib.sha256(data).hexdigest())
    assert driven(steps()) == expected
    assert await loop.run(steps()) == expected


async def test_a_file_of_proc_has_no_size_and_is_read(tmp_path: Path) -> None:
    def steps() -> Any:
        file = yield from open_file(anyread.Reader(), "/proc/self/status")
        return (yield from file.read(10**6))

    assert b"VmRSS" in driven(steps())
    assert b"VmRSS" in await loop.run(steps())


async def test_what_goes_wrong_is_thrown_at_the_step(tmp_path: Path) -> None:
    def steps() -> Any:
        try:
            yield from open_file(anyread.Reader(), str(tmp_path / "nothing"))
        except anyread.NotFoundError as error:
            return error.errno
        return None

    assert driven(steps()) == errno.ENOENT
    assert await loop.run(steps()) == errno.ENOENT


async def test_what_a_profile_does_not_catch_is_raised(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.touch()

    def steps() -> Any:
        file = yield from open_file(anyread.Reader(), str(path))
        yield from file.work(lambda: 1 // 0)

    with pytest.raises(ZeroDivisionError):
        driven(steps())
    with pytest.raises(ZeroDivisionError):
        await loop.run(steps())


async def test_work_runs_in_a_thread_if_there_is_much_of_it(folder: Path) -> None:
    import threading

    def steps(size: Any) -> Any:
        file = yield from open_file(anyread.Reader(), str(folder / "a.txt"))
        return (yield from file.work(threading.get_ident, size))

    here = threading.get_ident()
    assert await loop.run(steps(files.INLINE_BYTES)) == here
    assert await loop.run(steps(files.INLINE_BYTES + 1)) != here
    assert driven(steps(10**9)) == here


async def test_a_cancelled_call_closes_its_profile(folder: Path) -> None:
    closed = []
    import threading

    release = threading.Event()

    def steps() -> Any:
        file = yield from open_file(anyread.Reader(), str(folder / "a.txt"))
        try:
            yield from file.work(lambda: release.wait(30))
        finally:
            closed.append(True)

    with anyio.move_on_after(0.05) as scope:
        await loop.run(steps())
    release.set()
    assert scope.cancelled_caught
    assert closed == [True]


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
async def test_tokens_are_exact_and_counted_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: Any
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
        file = yield from open_file(anyread.Reader(), str(folder / "a.txt"))
        tokens = yield from file.count_tokens(text, tokenizer)
        over = yield from file.tokens_over(text, tokenizer, maximum)
        return tokens, over

    assert driven(steps(exact)) == (exact, None)
    assert driven(steps(exact - 1)) == (exact, exact)
    assert await loop.run(steps(exact - 1)) == (exact, exact)
    assert counted == [1]


def test_a_text_that_cannot_be_over_is_not_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from anyread import _native

    monkeypatch.setattr(_native, "count_tokens", None)

    def steps(text: Any) -> Any:
        file = yield from open_file(anyread.Reader(), str(folder / "a.txt"))
        return (yield from file.tokens_over(text, "o200k_base", 100))

    assert driven(steps("x" * 100)) is None
    assert driven(steps("é" * 50)) is None
    with pytest.raises(TypeError):
        driven(steps("é" * 51))
