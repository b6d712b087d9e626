"""The tool `anyread`: its arguments, its answers, and the blocks that are made from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import _native
from anyread.tools import Tool
from anyread.tools.anyread_tool import NOTICE_PART
from helpers.media import drawing, encoded, text_pdf
from helpers.notebooks import code, stream, write


@pytest.fixture
def tool(tmp_path: Path) -> Any:
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 6)))
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    return anyread.tool("anyread", cwd=tmp_path)


def shown(output: Any) -> Any:
    return output["content"][0]["text"]


def test_answer_has_the_content_and_the_facts_of_a_page(tool: Tool, tmp_path: Path) -> None:
    output = tool.call_sync({"path": "a.txt", "offset": 2, "limit": 2})
    page = anyread.read_sync(tmp_path / "a.txt", offset=2, limit=2)
    assert shown(output) == page.text == "2\tline 2\n3\tline 3\n[lines 2-3 of 5 · next: offset=4]"
    assert (output["kind"], output["start_line"], output["end_line"], output["total_lines"]) == (
        "text",
        2,
        3,
        5,
    )
    assert (output["truncated"], output["resolved_path"]) == (True, str(tmp_path / "a.txt"))
    assert json.loads(json.dumps(output)) == output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "`path` is missing"),
        ({"path": None}, "`path` must be a string"),
        ({"path": ""}, "`path` must be a string"),
        ({"path": "a.txt", "ofset": 1}, "hint: pass `offset`"),
        ({"path": "a.txt", "xyz": 1}, "the arguments are path, places, offset"),
        ({"path": "a.txt", "offset": True}, "must be an integer"),
        ({"path": "a.txt", "offset": "one"}, "must be an integer"),
        ({"path": "a.txt", "limit": -1}, "must be an integer from 1"),
        ({"path": "a.txt", "limit": 1.5}, "must be an integer"),
        ({"path": "a.txt", "pages": "3-1"}, "rising order"),
        ({"path": "a.txt", "region": [1, 2, 3]}, "four integers"),
        ({"path": "a.txt", "kind": "video"}, '"text", "image"'),
    ],
)
def test_invalid_arguments_are_refused_before_the_file_is_opened(
    tool: Tool, arguments: Any, said: Any
) -> None:
    refused = tool.validate(arguments)
    assert refused == tool.call_sync(arguments)
    assert (refused["is_error"], refused["code"]) == (True, "bad_argument")
    assert said in shown(refused)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"path": "nothing"}, "not_found"),
        ({"path": "a.txt", "offset": 9}, "offset_past_end"),
        ({"path": "broken.png"}, "damaged"),
        ({"path": "a\0b"}, "bad_path"),
    ],
)
def test_failure_has_the_errors_code_message_and_hint(tool: Tool, arguments: Any, code: Any) -> None:
    refused = tool.call_sync(arguments)
    assert (refused["is_error"], refused["code"]) == (True, code)
    assert shown(refused) == f"{refused['message']}\nhint: {refused['hint']}"
    assert json.loads(json.dumps(refused)) == refused
    assert tool.blocks(refused) == [anyread.TextBlock(shown(refused))]


@pytest.mark.posix("versions")
def test_file_of_the_same_version_is_unchanged(tool: Tool, tmp_path: Path, settled: Any) -> None:
    settled(tmp_path / "a.txt")
    version = tool.call_sync({"path": "a.txt"})["version"]
    output = tool.call_sync({"path": "a.txt", "unless_version": version})
    assert (output["kind"], output["version"]) == ("unchanged", version)
    (block,) = tool.blocks(output)
    assert isinstance(block, anyread.TextBlock)
    assert "unchanged" in block.text


def test_gutter_is_a_setting(tmp_path: Path, tool: Tool) -> None:
    own = anyread.tool("anyread", cwd=tmp_path, settings={"gutter": anyread.Gutter.COLON})
    assert shown(own.call_sync({"path": "a.txt"})).startswith("1: line 1")


def test_blocks_of_every_kind_are_those_of_the_reader(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "b.png").write_bytes(encoded(drawing(30, 20), "PNG"))
    (tmp_path / "c.pdf").write_bytes(text_pdf(2))
    write(tmp_path, code("1", stream("1\n")), name="d.ipynb")
    for name in ("a.txt", "b.png", "c.pdf", "d.ipynb"):
        output = tool.call_sync({"path": name})
        assert json.loads(json.dumps(output)) == output
        assert tuple(tool.blocks(output)) == anyread.read_sync(tmp_path / name).blocks
        assert output["kind"] == anyread.read_sync(tmp_path / name).kind


def test_reads_are_recorded_and_stale_writes_refused(tool: Tool, tmp_path: Path) -> None:
    with pytest.raises(anyread.StaleReadError, match="never read"):
        tool.assert_fresh("a.txt")
    tool.call_sync({"path": "a.txt"})
    tool.assert_fresh("a.txt")
    (tmp_path / "a.txt").write_text("other\n")
    with pytest.raises(anyread.StaleReadError, match="modified"):
        tool.assert_fresh("a.txt")
    (tmp_path / "a.txt").unlink()
    with pytest.raises(anyread.StaleReadError, match="deleted"):
        tool.assert_fresh("a.txt")


def test_description_has_the_limits_of_the_reader(tmp_path: Path) -> None:
    reader = anyread.Reader(limits=anyread.Limits(max_lines=123, max_tokens=4_567))
    description = anyread.tool("anyread", reader=reader).description
    assert "123 lines" in description
    assert "4,567 tokens" in description


def test_notices_come_last_if_the_budget_allows(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\N{RIGHT-TO-LEFT OVERRIDE}turned\n")
    (tmp_path / "link.txt").symlink_to("a.txt")

    def notice_lines(max_tokens: int) -> list[str]:
        reader = anyread.Reader(roots=[tmp_path], limits=anyread.Limits(max_tokens=max_tokens))
        output = anyread.tool("anyread", reader=reader).call_sync({"path": "link.txt"})
        assert len(output["notices"]) == 2
        return [line for part in output["content"][1:] for line in part["text"].split("\n")]

    both = notice_lines(25_000)
    assert [line[:9] for line in both] == ["[notice: "] * 2
    first_tokens = _native.count_tokens(both[0], None)
    assert notice_lines(NOTICE_PART * first_tokens) == both[:1]
    assert notice_lines(NOTICE_PART * (first_tokens - 1)) == []
