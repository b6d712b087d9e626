"""Where a search looks: sections, functions and places; and what it shows if there is little room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import docx
import pytest

import anyread
from anyread import Limits, Reader, Session

CODE = "def f():\n    x = 1\n    needle = 2\n\n\ndef g():\n    needle = 3\n"


def test_sections_and_functions_are_searched_to_their_end(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "a.md").write_text("# A\n" + "x\n" * 300 + "needle\n# B\nneedle\n")
    document = docx.Document()
    for name in ("A", "B"):
        document.add_heading(name, 1)
        for number in range(200):
            document.add_paragraph(f"needle {number}" if number % 20 == 7 else "hay")
    document.save(str(tmp_path / "a.docx"))
    assert anyread.read_sync(tmp_path / "a.py", at="f", find="needle").hits == (3,)
    assert anyread.read_sync(tmp_path / "a.md", at="A", find="needle").hits == (302,)
    page = anyread.read_sync(tmp_path / "a.docx", at="A", find="needle", limit=4)
    hits = [*page.hits]
    while page.next is not None:
        page = anyread.read_sync(tmp_path / "a.docx", **page.next)
        hits += page.hits
    assert len(hits) == 10


@pytest.mark.parametrize("call", [{"path": "a.py:1-2"}, {"path": "a.py", "lines": "1-2"}])
def test_place_says_where_to_look(tmp_path: Path, call: dict[str, Any]) -> None:
    (tmp_path / "a.py").write_text(CODE)
    tool = anyread.tool(cwd=tmp_path)
    assert tool.call_sync({**call, "find": "needle"})["content"][0]["text"] == "[no hits in lines 1-2]"
    assert anyread.read_sync(f"{tmp_path}/a.py:2-5", find="needle").hits == (3,)


def test_hit_is_shown_before_what_is_around_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(("c" * 1_900 + "\n") * 2 + "needle\n")
    (tmp_path / "b.txt").write_text("a" * 1_690 + "needle\n")
    reader = Reader(limits=Limits(max_bytes=3_500))
    assert "needle" in reader.read_sync(tmp_path / "a.txt", find="needle").text
    assert "needle" in reader.read_sync(tmp_path / "b.txt", find="needle", max_bytes=1_200).text
    text = reader.read_sync(tmp_path, find="needle").text
    assert text.count("a.txt]") == 1
    assert len(reader.read_sync(tmp_path, find="needle", max_bytes=400).text.encode()) <= 400


def test_pattern_that_is_no_expression_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE)
    for pattern in (r"needle = \d\Z", "(needle|x", "||"):
        page = anyread.read_sync(tmp_path / "a.py", find=pattern)
        assert [notice.code for notice in page.notices] == ["literal_pattern"], pattern


def test_search_without_a_hit_is_no_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE)
    session = Session()
    Reader(session=session).read_sync(tmp_path / "a.py", find="straw")
    assert not session.has_read(tmp_path / "a.py")
    Reader(session=session).read_sync(tmp_path / "a.py", find="needle")
    assert session.has_read(tmp_path / "a.py")
