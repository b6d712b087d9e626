"""Text in llm-gateway's `read`: examples, and a comparison with a slow reference reader."""

from __future__ import annotations

from typing import Any

import pytest

import anyread
from anyread.tools.parts.javascript import spelled


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("llm-gateway", cwd=tmp_path)


@pytest.fixture
def read(tool: Any, tmp_path: Any) -> Any:
    """Write a file, read it, and return the context with the path replaced by `P`."""

    def call(data: bytes, *, name: str = "a.txt", **arguments: Any) -> str:
        path = tmp_path / name
        path.write_bytes(data)
        answer = tool.call_sync({"filePath": str(path), **arguments})
        assert list(answer) == ["context"]
        context: str = answer["context"]
        return context.replace(str(path), "P")

    return call


def frame(body: str, lines: str, total: int) -> str:
    return f'<file path="P" lines="{lines}" total="{total}">\n{body}\n</file>'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-1, "-1"),
        (10_001, "10001"),
        (2.5, "2.5"),
        (2.0, "2"),
        (-0.0, "0"),
        (2**53, "9007199254740992"),
        (2**53 + 1, "9007199254740992"),
        (1e20, "100000000000000000000"),
        (10**21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (-2.5e-8, "-2.5e-8"),
    ],
)
def test_number_is_written_as_in_javascript(value: Any, text: Any) -> None:
    assert spelled(value) == text


def test_large_file_keeps_its_exact_total(read: Any) -> None:
    data = b"some line of a log\n" * 200_000
    assert read(data, offset=150_000, limit=1) == frame(
        "150001 | some line of a log", "150001-150001", 200_000
    )
    assert read(data, offset=10**9) == frame("", "1000000001-1000000000", 200_000)
    # As in JavaScript: `slice(-1, 1999)` of a long list is empty.
    assert read(data, offset=-1) == frame("", "0--1", 200_000)
    assert read(data, offset=-1, limit=200_001) == frame("   0 | some line of a log", "0-0", 200_000)
