"""A path that does not exist is read as the only file that it can mean; otherwise the hint works."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import NotFoundError, Reader
from helpers.command_line import run


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in ("Main.py", "src/tool.py", "a/two", "b/two", "x.txt", "X.TXT", "src/hidden", "Secret.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"in {name}\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/only").write_text("outside\n")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "Linked").symlink_to(root / "src/tool.py")
    return root


MEANT = [
    ("main.py", "Main.py"),
    ('"MAIN.PY"', "Main.py"),
    ("SRC/Tool.py", "src/tool.py"),
    ("tool.py", "src/tool.py"),
    ("linked", "src/tool.py"),
]
NOT_MEANT = [
    ("two", {"a/two", "b/two"}),
    ("x.TXT", {"x.txt", "X.TXT"}),
    ("secret.md", set[str]()),
    ("hidden", set[str]()),
    ("only", set[str]()),
    ("SRC", {"src"}),
    ("src/none/x.py", {"src"}),
]


def make_reader(directory: Path) -> Reader:
    return Reader(roots=[directory], deny=["src/hidden", "Secret.md"])


def notice_of(page: Any) -> list[str]:
    return [notice.code for notice in page.notices if notice.code == "path_repaired"]


@pytest.mark.parametrize(("path", "meant"), MEANT)
def test_only_file_that_fits_is_read(directory: Path, path: str, meant: str) -> None:
    reader = make_reader(directory)
    [of_many] = reader.read_many_sync([path])
    assert not isinstance(of_many, anyread.Failed | anyread.NotShown)
    for page in (reader.read_sync(path), of_many):
        assert page.resolved_path == os.fspath(directory / meant)
        assert f"in {meant}" in str(page)
        assert notice_of(page) == ["path_repaired"]
    output = anyread.tool(cwd=directory, reader=reader).call_sync({"path": path})
    assert output["resolved_path"] == os.fspath(directory / meant)
    assert "no file has exactly that name" in output["content"][-1]["text"]
    places = anyread.tool(cwd=directory, reader=reader).call_sync({"places": [f"{path}:1-2"]})
    assert f"in {meant}" in places["content"][0]["text"]
    assert "no file has exactly that name" in places["content"][0]["text"]


@pytest.mark.parametrize(("path", "near"), NOT_MEANT)
def test_hint_names_what_can_be_read_if_nothing_or_several_files_fit(
    directory: Path, path: str, near: set[str]
) -> None:
    with pytest.raises(NotFoundError) as raised:
        make_reader(directory).read_sync(path)
    assert set(raised.value.near) & {"Secret.md", "src/hidden", "out/only"} == set()
    assert near <= set(raised.value.near)
    tool = anyread.tool(cwd=directory, reader=make_reader(directory))
    for name in raised.value.near:
        assert "is_error" not in tool.call_sync({"path": name})


def test_hint_of_a_path_without_its_directory_works(directory: Path) -> None:
    tool = anyread.tool(cwd=directory, reader=make_reader(directory))
    output = tool.call_sync({"path": "nothing/below/x.py"})
    assert output["data"]["near"] == ["."]
    assert "Main.py" in tool.call_sync({"path": output["data"]["near"][0]})["content"][0]["text"]


def test_command_line_reads_it(directory: Path) -> None:
    result = run("main.py", "tool.py:1", cwd=directory)
    assert result.returncode == 0
    assert "in Main.py" in result.stdout
    assert "in src/tool.py" in result.stdout
    assert result.stderr.count("no file has exactly that name") == 2
