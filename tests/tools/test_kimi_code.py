"""Kimi Code's `Read`: what its recorded calls do not show."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import anyread


def status(content: str) -> str:
    return content.rpartition("<system>")[2]


@pytest.mark.parametrize("arguments", [{"line_offset": 1}, {"line_offset": 3, "n_lines": 70}])
@pytest.mark.parametrize("most", [450, 1_000, 4_000])
def test_next_read_shows_everything_once(tmp_path: Path, most: int, arguments: dict[str, Any]) -> None:
    lines = [f"{'é🚀x' * (number * 37 % 211)}{number}" for number in range(1, 100)]
    (tmp_path / "a.txt").write_text("\n".join(lines))
    tool = anyread.tool("kimi-code", cwd=tmp_path)
    call, shown = {"path": "a.txt", "max_chars": most, **arguments}, ""
    while call:
        content = tool.call_sync(call)["content"]
        assert len(content.encode("utf-16-le")) // 2 <= most
        found = re.search(r"Next Read: (\{.*?\})", content)
        text = content[: content.rindex("<system>")]
        is_cut = "Line continues." in status(content)
        rows = text.removesuffix("\n").split("\n")
        shown += "\n".join(row.partition("\t")[2] for row in rows) + ("" if is_cut else "\n")
        call = json.loads(found[1]) if found else {}
    first, limit = arguments["line_offset"], arguments.get("n_lines", 1_000)
    assert shown == "".join(line + "\n" for line in lines[first - 1 :][:limit])


def test_newest_lines_are_shown_first_from_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 101)))
    tool, numbers = anyread.tool("kimi-code", cwd=tmp_path), []
    call = {"path": "a.txt", "line_offset": -100, "max_chars": 400}
    while call:
        content = tool.call_sync(call)["content"]
        numbers += [int(number) for number in re.findall(r"^(\d+)\t", content, re.MULTILINE)]
        found = re.search(r"Next Read: (\{.*?\})", content)
        call = json.loads(found[1]) if found else {}
    assert sorted(numbers) == list(range(1, 101))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"line_offset": 0}, "/line_offset must be >= 1; /line_offset must be < 0; /line_offset must match"),
        ({"column_offset": 9}, "column_offset=9 is past the end of the starting line 1."),
        ({"max_chars": 1}, "max_chars=1 is too small for file text and the Read status."),
        ({"line_offset": 9, "max_chars": 1}, "max_chars=1 is too small for the Read status."),
        ({"line_offset": -1, "max_chars": 1}, "max_chars=1 is too small for file text and the Read status."),
    ],
)
def test_refused_arguments(tmp_path: Path, arguments: dict[str, Any], said: str) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    answer = anyread.tool("kimi-code", cwd=tmp_path).call_sync({"path": "a.txt", **arguments})
    assert answer["is_error"]
    assert said in answer["content"]


@pytest.mark.parametrize(
    ("name", "is_refused"),
    [
        (".env", True),
        (".ENV.local", True),
        (".env.sample", False),
        ("env", False),
        ("id_rsa-old", True),
        ("id_rsa-old.pub", False),
        ("credentials.bak", True),
        ("credentials.txt", False),
        (".aws/credentials/x", True),
    ],
)
def test_files_of_credentials_are_refused_by_name(tmp_path: Path, name: str, is_refused: bool) -> None:
    answer = anyread.tool("kimi-code", cwd=tmp_path).call_sync({"path": name})
    assert ("sensitive-file pattern" in answer["content"]) is is_refused


def test_link_to_a_sensitive_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("K=1\n")
    (tmp_path / "link").symlink_to(".env")
    answer = anyread.tool("kimi-code", cwd=tmp_path).call_sync({"path": "link"})
    assert f'"{tmp_path}/link" resolves to "{tmp_path}/.env" through a symbolic link' in answer["content"]


def test_capped_request_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    answer = anyread.tool("kimi-code", cwd=tmp_path).call_sync({"path": "a.txt", "max_chars": 600_000})
    assert "Requested max_chars=600000 was capped at the configured maximum 500000." in answer["content"]
