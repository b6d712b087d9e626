"""Names of arguments, options and functions that do not exist, and the ones that they mean."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import openpyxl
import pptx
import pytest

import anyread
from helpers import notebooks
from helpers.command_line import run

WINDOWS: list[tuple[dict[str, Any], str]] = [
    ({"start_line": 10}, "`offset=10`"),
    ({"start_line": 10, "end_line": 20}, "`offset=10, limit=11`"),
    ({"end": 20}, "`limit=20`"),
    ({"offset": 5, "end": 20}, "`offset=5, limit=16`"),
    ({"view_range": [10, 20]}, "`offset=10, limit=11`"),
    ({"view_range": [10, -1]}, "`offset=10`"),
    ({"lines": "10-20"}, "`offset=10, limit=11`"),
    ({"tail": 5}, "`offset=-5`"),
    ({"max_lines": 7}, "`limit=7`"),
    ({"max_lines": -7}, "`limit`"),
    ({"head": 0}, "`limit`"),
    ({"page": 3}, '`pages="3"`'),
    ({"sheet": "Big", "range": "A1:C5"}, '`at="Big!A1:C5"`'),
    ({"records": "3-5"}, '`kind="records", offset=3, limit=3`'),
    ({"query": "$.a[1]"}, '`at="$.a[1]"`'),
    ({"rows": (1, 5)}, "`offset=1, limit=5`"),
    ({"block": 7}, "`around=7`"),
    ({"formulas": True}, '`values="formulas"`'),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"line {number}\n" for number in range(1, 101)))
    return path


@pytest.mark.parametrize(("given", "meant"), WINDOWS)
def test_unknown_argument_is_translated_with_its_value(path: Path, given: dict[str, Any], meant: str) -> None:
    with pytest.raises(TypeError) as caught:
        anyread.read_sync(path, **given)
    assert str(caught.value).endswith(f": pass {meant}")
    with pytest.raises(TypeError) as also:
        asyncio.run(anyread.read(path, **given))
    assert str(also.value) == str(caught.value)


def test_other_unknown_arguments_name_a_similar_one_or_all(path: Path) -> None:
    with pytest.raises(TypeError, match="no argument 'ofset': pass `offset`"):
        anyread.read_sync(path, ofset=1)  # type: ignore[call-overload] # it does not exist
    with pytest.raises(TypeError, match="no argument 'xyz': pass one of offset, limit,"):
        anyread.read_sync(path, xyz=1)  # type: ignore[call-overload] # it does not exist
    for make in (anyread.Reader, anyread.tool):
        with pytest.raises(TypeError, match="no argument 'root': pass `roots=\"…\"` to `Reader`"):
            make(root="/repo")  # type: ignore[arg-type] # it does not exist


def test_tool_translates_for_a_model(path: Path) -> None:
    read = anyread.tool(roots=path.parent)
    for given, hint in (
        ({"path": "a.txt", "selections": 1}, "the arguments are path, places, offset,"),
        ({"path": "a.txt", "head": 0}, "pass `limit`"),
        ({"path": "a.txt", "pages": "1", "slide": 2}, "pass `pages`"),
        ({"paths": "a.txt"}, "pass `places=[…]`"),
        ({"path": "a.txt", "lines": "many"}, "pass `offset`, and the number of lines as `limit`"),
        ({"path": "a.txt", "pattern": 1}, "pass `find`"),
    ):
        assert read.call_sync(given)["hint"].startswith(hint)


UNDERSTOOD: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"file_path": "a.txt", "limit": 2}, {"path": "a.txt", "limit": 2}),
    ({"path": "a.txt", "start_line": 10, "end_line": 20}, {"path": "a.txt", "offset": 10, "limit": 11}),
    ({"path": "a.txt", "offset": 5, "end": 20}, {"path": "a.txt", "offset": 5, "limit": 16}),
    ({"path": "a.txt", "range": "5-7"}, {"path": "a.txt", "offset": 5, "limit": 3}),
    ({"path": "a.txt", "tail": 5}, {"path": "a.txt", "offset": -5}),
    ({"path": "a.xlsx", "sheet": "My notes"}, {"path": "a.xlsx", "at": "My notes"}),
    ({"path": "a.xlsx", "range": "B1:B2", "sheetName": "Big"}, {"path": "a.xlsx", "at": "Big!B1:B2"}),
    (
        {"path": "a.xlsx", "cells": "Big!A1", "values": "formula"},
        {"path": "a.xlsx", "at": "Big!A1", "values": "formulas"},
    ),
    ({"path": "a.jsonl", "record": 2}, {"path": "a.jsonl", "at": "2"}),
    ({"path": "a.jsonl", "kind": "jsonl"}, {"path": "a.jsonl", "kind": "records"}),
    ({"path": "a.json", "key": "a"}, {"path": "a.json", "at": "/a"}),
    ({"path": "a.json", "pointer": "/a/0"}, {"path": "a.json", "at": "/a/0"}),
    ({"path": "a.pptx", "slide": 2}, {"path": "a.pptx", "pages": "2"}),
    ({"path": "a.pptx", "pages": [1, 2]}, {"path": "a.pptx", "pages": "1-2"}),
    ({"path": "a.ipynb", "cell": 2}, {"path": "a.ipynb", "offset": 2, "limit": 1}),
    ({"path": "a.txt", "pattern": "1"}, {"path": "a.txt", "find": "1"}),
    ({"path": "a.txt", "from": 5, "to": 7}, {"path": "a.txt", "offset": 5, "limit": 3}),
    ({"path": "a.txt", "line_start": 5, "line_end": 7}, {"path": "a.txt", "offset": 5, "limit": 3}),
    ({"path": "a.txt", "center_line": 50}, {"path": "a.txt", "around": 50}),
    ({"path": "a.json", "query": "$.a[0]"}, {"path": "a.json", "at": "$.a[0]"}),
    ({"path": ["a.txt"]}, {"path": "a.txt"}),
    ({"path": "a.txt", "explanation": "to see it"}, {"path": "a.txt"}),
    ({"path": "a.jsonl", "records": "1-2"}, {"path": "a.jsonl", "kind": "records", "limit": 2}),
]


@pytest.mark.parametrize(("given", "meant"), UNDERSTOOD)
def test_tool_does_what_other_names_mean(path: Path, given: dict[str, Any], meant: dict[str, Any]) -> None:
    """Of 131 calls as models make them, 81 were errors."""
    book: Any = openpyxl.Workbook()
    book.active.title = "Big"
    book.active.append([1, "=A1"])
    book.create_sheet("My notes").append([2])
    book.save(path.with_name("a.xlsx"))
    deck: Any = pptx.Presentation()
    for title in ("one", "two"):
        deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = title
    deck.save(str(path.with_name("a.pptx")))
    path.with_name("a.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    path.with_name("a.json").write_text('{"a": [1]}')
    notebooks.write(path.parent, notebooks.code("1"), notebooks.code("2"), name="a.ipynb")
    read = anyread.tool(roots=path.parent)
    output, wanted = read.call_sync(given), read.call_sync(meant)
    assert not wanted.get("is_error"), wanted
    lines, wanted_lines = (
        "\n".join(part["text"] for part in each["content"]).split("\n") for each in (output, wanted)
    )
    (notice,) = [line for line in lines if line.startswith("[notice: `")]
    assert [line for line in lines if line != notice] == wanted_lines


def test_tool_takes_what_its_schema_does_not_show(path: Path) -> None:
    """Three of 131 calls as models make them passed `around` or `ranges`."""
    read = anyread.tool(roots=path.parent)
    assert not {"around", "ranges"} & read.input_schema["properties"].keys()
    for given, lines in (
        ({"around": 50, "limit": 3}, [49, 50, 51]),
        ({"ranges": "5-6, 10-10"}, [5, 6, 10]),
        ({"ranges": [[5, 6], [10, 10]]}, [5, 6, 10]),
        ({"ranges": [], "limit": 1}, [1]),
    ):
        text = read.call_sync({"path": "a.txt", **given})["content"][0]["text"]
        assert [int(line.split("\t")[0]) for line in text.split("\n") if "\t" in line] == lines
    several = {"paths": ["a.txt:2", "a.txt:90"]}
    wanted = read.call_sync({"places": several["paths"]})["content"]
    assert read.call_sync(several)["content"] == wanted


def test_path_with_backslashes_is_found(path: Path) -> None:
    (path.parent / "src").mkdir()
    (path.parent / "src" / "b.py").write_text("x = 1\n")
    read = anyread.tool(roots=path.parent)
    assert read.call_sync({"path": "src\\b.py"})["content"][0]["text"] == "1\tx = 1"
    assert read.call_sync({"path": "src\\c.py"})["code"] == "not_found"


@pytest.mark.parametrize("value", [None, True, 10**30, 1.5, float("nan"), "\ud800", [[1], {}], {"a": 1}])
def test_tool_refuses_any_value_and_any_key(path: Path, value: object) -> None:
    """A key of a dictionary that is no string was an error of Python."""
    read = anyread.tool(roots=path.parent)
    names: list[Any] = ["start_line", "lines", "tail", "\ud800", "", 1, None]
    for name in names:
        for more in ({}, {"path": "a.txt"}, {"end_line": value}, {"offset": value}):
            output = read.call_sync({name: value, **more})
            assert output["message"].startswith("unknown argument")
            json.dumps(output)


@pytest.mark.parametrize(
    ("name", "function"),
    [("tail", "read_sync(path, offset=-10)"), ("aread", "read(path)"), ("grep", "read(path, find=")],
)
def test_function_that_is_guessed_names_the_one_that_exists(name: str, function: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute {name!r}") as caught:
        getattr(anyread, name)
    assert f"did you mean `anyread.{function}" in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["-L", "10:20"], "--lines A-B"),
        (["--plain"], "--gutter none"),
        (["--no-line-numbers"], "--gutter none"),
        (["--start-line", "10"], "--offset"),
        (["--view_range", "10", "20"], "--lines A-B"),
        (["--max-lines", "5"], "--limit"),
        (["--info"], "anyread info FILE"),
        (["--no-color"], "--color never"),
        (["--last=5"], "--tail"),
        (["--sheet", "My notes"], "--at 'My notes'"),
        (["--slide=9"], "--pages 9"),
        (["--records"], "--kind records"),
        (["-N"], "--gutter none"),
        (["-C", "2"], "FILE:LINE, which shows what is around a line"),
    ],
)
def test_unknown_option_is_translated(path: Path, arguments: list[str], meant: str) -> None:
    result = run(str(path), *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"(did you mean {meant}?)" in result.stderr
