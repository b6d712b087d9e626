"""What a contract can read of a file: its bytes, windows of its lines, and facts about the whole file."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

import anyread
from anyread._native import Layout, count_tokens
from anyread.running import loop, threads

if TYPE_CHECKING:
    from pathlib import Path


LAYOUT = Layout(separator="|", width="last")
SIZES = [100, 9_000, 70_000, 2_000_000]
"""Sizes of files that are processed on the event loop, and of files that need a thread."""


def facts(path: Path) -> tuple[Any, ...]:
    file = anyread.Reader().open_sync(str(path), repair=False)
    window = file.window(9, 2, LAYOUT, first_number=99)
    tokens = file.all_tokens_over("cl100k_base", 20)
    within = file.all_tokens_over("cl100k_base", file.size_bytes)
    digest = file.sha256()
    found = file.utf8_fault(), file.find_nul()
    assert file.content_hash == digest
    return window.text, window.total_lines, tokens, within, digest, *found


@pytest.mark.parametrize("size", SIZES)
async def test_window_and_facts_match_the_bytes(tmp_path: Path, size: int) -> None:
    data = b"caf\xc3\xa9\r\n" * (size // 7) + b"a\0b"
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    tokens = count_tokens(data.decode(), "cl100k_base")
    lines, digest = data.count(b"\n") + 1, hashlib.sha256(data).hexdigest()
    expected = (" 99|café\n100|café", lines, tokens, None, digest, None, len(data) - 2)
    assert threads.run(lambda: facts(path)) == expected
    assert await loop.run(lambda: facts(path)) == expected


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (b"\xff\xfe", "invalid utf-8 sequence of 1 bytes"),
        (b"\xe2\x82 ", "invalid utf-8 sequence of 2 bytes"),
        (b"\xe2\x82", "incomplete utf-8 byte sequence"),
    ],
)
async def test_invalid_utf8_is_worded_as_in_rust(tmp_path: Path, size: int, wrong: bytes, fault: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"fine\n" * (size // 5) + wrong)
    expected = f"{fault} from index {size // 5 * 5}"
    assert threads.run(lambda: facts(path))[5] == expected
    assert (await loop.run(lambda: facts(path)))[5] == expected
