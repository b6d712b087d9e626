"""Text in codelet's `read`: examples, and a comparison with a slow reference reader."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import anyread


@pytest.fixture
def tool() -> Any:
    return anyread.tool("codelet")


@pytest.fixture
def read(tool: Any, tmp_path: Any) -> Any:
    """Write a file, read it, and return its content, or the error with its path replaced by `P`."""

    def call(data: bytes, *, name: str = "a.txt", by: Any = tool, **arguments: Any) -> str:
        path = tmp_path / name
        path.write_bytes(data)
        answer = by.call_sync({"file_path": str(path), **arguments})
        if isinstance(answer, dict):
            assert list(answer) == ["error"]
            error: str = answer["error"]
            return "error: " + error.replace(str(path), "P")
        found = json.loads(answer)
        assert list(found) == ["type", "content"]
        assert found["type"] == "text"
        content: str = found["content"]
        return content

    return call


# ------------------------------------------------------------------------------------------------------------
# Tokens


def test_token_limit_applies_to_the_shown_window(read: Any) -> None:
    data = b"word word word word word word\n" * 10_000
    assert read(data).startswith("error: Token limit exceeded: P has ~")
    assert read(data, limit=100).startswith("1: word")
    assert read(data, offset=1, limit=2000).startswith("1: word")
    dense = "日本語の文章です。".encode() * 70 + b"\n"
    assert "(limit: 25000)" in read(dense * 2000, offset=1)


def test_token_limit_comes_from_settings_or_the_environment(read: Any, monkeypatch: Any) -> None:
    data = b"one two three four five six seven eight nine ten\n"
    limited = anyread.tool("codelet", settings={"max_file_tokens": 5})
    assert read(data, by=limited) == "error: Token limit exceeded: P has ~11 tokens (limit: 5)"
    monkeypatch.setenv("CODELET_MAX_FILE_TOKENS", "7")
    configured = anyread.tool("codelet")
    assert read(data, by=configured).endswith("(limit: 7)")
    assert read(data, by=anyread.tool("codelet", settings={"max_file_tokens": 100})).startswith("1: one")
    assert "7 tokens" in configured.description
    for nonsense in ("", "many", "-3"):
        monkeypatch.setenv("CODELET_MAX_FILE_TOKENS", nonsense)
        assert read(data, by=configured).startswith("1: one")


# ------------------------------------------------------------------------------------------------------------
# Errors and arguments


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "Failed to read file: missing field `file_path`"),
        (None, "Failed to read file: missing field `file_path`"),
        ({"file_path": 3}, "Failed to read file: field `file_path` must be a string"),
        ({"file_path": None}, "Failed to read file: field `file_path` must be a string"),
        ({"file_path": "a.txt"}, "Error: file_path must be absolute"),
        ({"file_path": ""}, "Error: file_path must be absolute"),
    ],
)
def test_invalid_path_is_an_error_answer(tool: Any, arguments: Any, error: Any) -> None:
    assert tool.validate(arguments) == {"error": error}
    assert tool.call_sync(arguments) == {"error": error}


@pytest.mark.parametrize("arguments", [{}, {"offset": 2}, {"limit": 5}])
@pytest.mark.parametrize("bytes_in_file", [60_000, 4_000_000])
def test_type_of_a_binary_is_reported_before_its_tokens_are_counted(
    read: Any, arguments: Any, bytes_in_file: Any
) -> None:
    """An archive of 60 kB was answered with `Token limit exceeded`, which suggests a range of lines."""
    archive = b"PK\x03\x04" + random.Random(1).randbytes(bytes_in_file)
    assert read(archive, **arguments) == "error: Unsupported file type: application/zip"
