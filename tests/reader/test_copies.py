"""Readers and tools can be copied, and pickled for other processes."""

from __future__ import annotations

import copy
import inspect
import pickle
import time
from typing import TYPE_CHECKING, Any

import pytest

import anyread
from anyread.tools.parts.files import like

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def reader(tmp_path: Path) -> anyread.Reader:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / ".env").write_text("KEY=1\n")
    # A file that was just written has no version yet, which pages that are compared would differ in.
    time.sleep(0.05)
    limits = anyread.Limits(max_lines=1)
    return anyread.Reader(roots=[tmp_path], deny="secrets", limits=limits, session=anyread.Session())


def test_pickled_reader_has_the_same_settings_and_no_session(reader: anyread.Reader) -> None:
    again = pickle.loads(pickle.dumps(reader))
    assert again.read_sync("a.txt") == reader.read_sync("a.txt")
    assert again.session is None
    for refused in (".env", "/etc/hostname"):
        with pytest.raises(anyread.ReadError):
            again.read_sync(refused)


class Empty:
    """A store without files."""

    @staticmethod
    def get(path: str, *_: object) -> Any:
        raise anyread.errors.NotFoundError(path)


SETTINGS: dict[str, Any] = {
    "roots": ["."],
    "deny": ["*.bak"],
    "limits": anyread.Limits(max_lines=7),
    "model": anyread.Model.text_only(),
    "gutter": anyread.Gutter.PIPE,
    "notebook": "raw",
    "mmap": "never",
    "pdf_passwords": ["secret"],
    "directories": "list",
    "context": "lines",
    "values": "raw",
    "mounts": {"/far": Empty},
    "decompress": True,
}


@pytest.mark.parametrize(
    "name", sorted({*inspect.signature(anyread.Reader).parameters} - {"session", "others"})
)
def test_copy_of_a_reader_keeps_each_setting(name: str) -> None:
    """Those of a pickled reader and of a tool are made from lists, which may miss one."""
    reader = anyread.Reader(**{name: SETTINGS[name]})
    own = getattr(reader, name)
    assert own != getattr(anyread.Reader(), name)
    for again in (pickle.loads(pickle.dumps(reader)), like(reader, session=anyread.Session())):
        assert getattr(again, name) == own


def test_pickled_reader_denies_files_of_the_same_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process with another home directory read what `~/…` denies."""
    home = tmp_path / "[h]ome {a}"
    home.mkdir()
    (home / "a.txt").write_text("private")
    monkeypatch.setenv("HOME", str(home))
    pickled = pickle.dumps(anyread.Reader(deny=["~/a.*"]))
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(anyread.DeniedError):
        pickle.loads(pickled).read_sync(home / "a.txt")


def test_copies_are_the_same_object(reader: anyread.Reader) -> None:
    tool = anyread.tool("anyread", reader=reader)
    for shared in (reader, tool):
        assert copy.copy(shared) is copy.deepcopy(shared) is shared


@pytest.mark.parametrize("name", anyread.tools.CONTRACTS)
def test_pickled_tool_answers_as_before(reader: anyread.Reader, tmp_path: Path, name: str) -> None:
    tool = anyread.tool(name, cwd=tmp_path, reader=reader, description="Read.")
    again = pickle.loads(pickle.dumps(tool))
    for path in ("a.txt", ".env"):
        arguments = tool.arguments_for(tmp_path / path)
        assert again.call_sync(arguments) == tool.call_sync(arguments)
    assert again.description == "Read."
    assert again.session is not tool.session
