"""Qwen Code's `read_file`: what its recorded calls do not show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.results.blocks import ImageBlock
from helpers.media import drawing, encoded, text_pdf


def test_nothing_is_lost_at_the_line_that_is_cut(tmp_path: Path) -> None:
    """The tool names that line as shown, so the rest of it is never read."""
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{number} é{'🚀' * (number % 60)}\n" for number in range(1, 2_500)))
    tool, shown, offset = anyread.tool("qwen-code", cwd=tmp_path), list[str](), 0
    while True:
        content = tool.call_sync({"file_path": str(path), "offset": offset, "limit": 10_000})["content"]
        header, _, text = content.partition("\n\n---\n\n")
        first, last, total = map(int, re.findall(r"\d+", header))
        assert first == offset + 1
        shown += text.split("\n")[: last - offset]
        offset = last
        if last == total:
            break
        assert text.endswith("... [truncated]")
    assert "\n".join(shown) == path.read_text()


@pytest.mark.posix("versions")
def test_same_file_again_is_named_as_unchanged(tmp_path: Path, settled: Any) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    path = settled(str(tmp_path / "a.txt"))
    tool = anyread.tool("qwen-code", cwd=tmp_path)
    call = {"file_path": path, "offset": None}
    assert tool.call_sync({"file_path": path, "limit": 1})["content"].endswith("one")
    assert tool.call_sync(call)["content"] == "one\n"
    assert tool.call_sync(call)["content"].startswith("[File a.txt unchanged since last read in this session")
    assert tool.call_sync({"file_path": path, "offset": 0})["content"] == "one\n"
    tool.session.forget(path)
    assert tool.call_sync(call)["content"] == "one\n"


def test_image_is_a_block_after_its_size(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encoded(drawing(30, 20), "PNG"))
    tool = anyread.tool("qwen-code", cwd=tmp_path)
    output = tool.call_sync({"file_path": str(tmp_path / "a.png")})
    assert output["content"].startswith("Image overview: 30x20; oriented source: 30x20.")
    assert isinstance(tool.blocks(output)[1], ImageBlock)


@pytest.mark.parametrize(
    ("count", "pages", "said"),
    [
        (3, "2", "line 1 of page 2 tells"),
        (3, "1-21", "Pages range exceeds maximum of 20 pages per request."),
        (21, None, "[Pages 1-20 of 21: pass pages for the others.]"),
    ],
)
def test_pages_of_a_pdf(tmp_path: Path, count: int, pages: str | None, said: str) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf(count))
    call = {"file_path": str(tmp_path / "a.pdf"), "pages": pages}
    content = anyread.tool("qwen-code", cwd=tmp_path).call_sync(call)["content"]
    assert said in content
    assert "of page 21" not in content


def test_own_ignore_file_is_obeyed_and_that_of_git_is_not(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("a.txt\n")
    (tmp_path / ".qwenignore").write_text("b.txt\n")
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("one\n")
    tool = anyread.tool("qwen-code", cwd=tmp_path)
    answers = [tool.call_sync({"file_path": f"{tmp_path}/{name}"}) for name in ("a.txt", "b.txt")]
    assert [tool.failed(answer) for answer in answers] == [False, True]
