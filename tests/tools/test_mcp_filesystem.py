"""`head` and `tail` of the `mcp-filesystem` contract, compared with the lines of the reference."""

from __future__ import annotations

from pathlib import Path

import pytest

import anyread
from anyread.tools.mcp_filesystem import MAX_TEXT_BYTES

ENDS = ("", "\n", "\n\n", "\r\n", "\r", "a", "a\r\n\r\n", "\n\r\nb", "é\r")
LARGE = "a line of a large file\n" * 30_000


@pytest.mark.parametrize("begin", ["", "a\nb\n", LARGE], ids=["empty", "short", "large"])
@pytest.mark.parametrize("end", ENDS, ids=repr)
def test_tail_counts_the_empty_line_after_the_last_line_feed(tmp_path: Path, begin: str, end: str) -> None:
    """The reference splits the text at line feeds and takes the last of the parts."""
    path = tmp_path / "notes.txt"
    path.write_bytes((begin + end).encode())
    tool = anyread.tool("mcp-filesystem", cwd=tmp_path)
    parts = (begin + end).replace("\r\n", "\n").split("\n")
    for count in (1, 2, 3, 7):
        [part] = tool.call_sync({"path": "notes.txt", "tail": count})["content"]
        assert part["text"] == "\n".join(parts[-count:])


@pytest.mark.parametrize("argument", ["head", "tail"])
def test_end_of_a_large_file_does_not_count_its_lines(tmp_path: Path, argument: str) -> None:
    """Both took as long as counting all lines of the file, which the answer does not show."""
    path = tmp_path / "sparse.log"
    with path.open("wb") as file:
        file.write(b"first\n")
        file.truncate(2**40)
        file.seek(0, 2)
        file.write(b"\nbefore\nlast\n")
    tool = anyread.tool("mcp-filesystem", cwd=tmp_path, settings={"max_text_bytes": 100_000})
    [part] = tool.call_sync({"path": "sparse.log", argument: 1 if argument == "head" else 2})["content"]
    assert part["text"] == ("first" if argument == "head" else "last\n")


@pytest.mark.parametrize("arguments", [{}, {"head": 10**9}, {"tail": 10**9}])
def test_answer_has_a_limit(tmp_path: Path, arguments: dict[str, int]) -> None:
    """An answer could have 512 MB, and with `head` or `tail` any size."""
    text = "words of a line\n" * (MAX_TEXT_BYTES // 16)
    tool = anyread.tool("mcp-filesystem", cwd=tmp_path)
    (tmp_path / "a.txt").write_text(text)
    assert tool.call_sync({"path": "a.txt", **arguments})["content"][0]["text"].rstrip() == text.rstrip()
    (tmp_path / "a.txt").write_text(text + "more\n")
    answer = tool.call_sync({"path": "a.txt", **arguments})
    assert answer["isError"]
    assert "16,777,216" in answer["content"][0]["text"]
    larger = anyread.tool("mcp-filesystem", cwd=tmp_path, settings={"max_text_bytes": 2 * MAX_TEXT_BYTES})
    assert not larger.failed(larger.call_sync({"path": "a.txt", **arguments}))


def test_several_files_have_one_limit(tmp_path: Path) -> None:
    """Each of them could have as many bytes as a string of Node.js."""
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("é" * (10_000 if name == "c" else 35_000))
    tool = anyread.tool("mcp-filesystem", cwd=tmp_path, settings={"max_text_bytes": 100_000})
    [part] = tool.call_sync({"paths": ["a", "b", "c"]}, name="read_multiple_files")["content"]
    texts = part["text"].split("\n---\n")
    assert texts[0] == "a:\n" + "é" * 35_000 + "\n"
    assert texts[1].startswith("b: Error - ")
    assert texts[2] == "c:\n" + "é" * 10_000 + "\n"
