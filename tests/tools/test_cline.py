"""Cline's `read_files`: what its recorded calls do not show."""

from __future__ import annotations

import json
from pathlib import Path

import anyread
from anyread.results import TextBlock
from anyread.results.blocks import ImageBlock
from helpers.media import drawing, encoded


def test_images_are_blocks_after_the_items(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encoded(drawing(30, 20), "PNG"))
    (tmp_path / "a.txt").write_text("one\n")
    tool = anyread.tool("cline", cwd=tmp_path)
    output = tool.call_sync({"files": [{"path": "a.png"}, {"path": "a.txt"}]})
    text, image = tool.blocks(output)
    assert isinstance(text, TextBlock)
    assert json.loads(text.text) == [
        {"query": "a.png", "result": "Image attached.", "success": True},
        {"query": "a.txt", "result": "1 | one", "success": True},
    ]
    assert isinstance(image, ImageBlock)


def test_call_fails_only_if_no_file_was_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    tool = anyread.tool("cline", cwd=tmp_path)
    calls: list[list[str]] = [["a.txt", "gone"], ["gone"], []]
    assert [tool.failed(tool.call_sync({"files": paths})) for paths in calls] == [False, True, False]


def test_range_in_an_object_of_its_own_belongs_to_the_file_before(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    tool = anyread.tool("cline", cwd=tmp_path)
    for files in ([{"path": "a.txt"}, {"start_line": 2}], ["a.txt", {"start_line": "2"}]):
        assert tool.call_sync({"files": files})["content"] == [
            {"query": "a.txt:2-EOF", "result": "2 | two", "success": True}
        ]


def test_sections_of_a_long_file_show_every_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{'x' * (number % 90)}\n" for number in range(1, 5_001)))
    tool, following, rows = anyread.tool("cline", cwd=tmp_path), 1, list[str]()
    while following <= 5_000:
        [item] = tool.call_sync({"files": [{"path": "a.txt", "start_line": following}]})["content"]
        text, _, said = item["result"].partition("\n\n[Showing lines ")
        rows += text.split("\n")
        assert len(text) <= 48_000
        assert bool(said) is (len(rows) < 5_000)
        following = len(rows) + 1
    assert [row.split(" | ")[0].strip() for row in rows] == [str(number) for number in range(1, 5_001)]
