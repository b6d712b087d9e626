"""The line numbers of `read_file`, its token budget and its byte limit."""

from __future__ import annotations

import os
import tracemalloc
from typing import Any

import pytest

from anyread.tools.pilotdeck.answers import MAX_RESULT_BYTES, limited, text_item

CUT = "\n[Tool output truncated.]"


@pytest.mark.slow
def test_window_of_a_large_file_takes_no_memory_for_the_rest(deck: Any) -> None:
    """Each window of a file of 116 MB took 254 MB, because the whole file was kept in memory."""
    deck.write("a.log", b"a line of text\n" * 7_000_000)
    tracemalloc.start()
    try:
        text = deck.text("a.log", offset=6_000_000, limit=50)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert text.startswith("6000000|a line of text\n6000001|")
    assert peak_bytes < 2 * 1024 * 1024


def test_file_over_the_limit_is_refused_with_its_size_before_it_is_read(deck: Any) -> None:
    """512 MiB of any larger file were read before it was refused, and the error did not state the sizes."""
    path = deck.write("huge.log", "line\n")
    os.truncate(path, 600 * 1024 * 1024)
    tracemalloc.start()
    try:
        refusal = deck.refusal("huge.log")
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    message = "huge.log has 629,145,600 bytes, over the limit of 536,870,912 bytes for its kind."
    assert refusal == ("tool_execution_failed", message)
    assert peak_bytes < 8 * 1024 * 1024


@pytest.mark.parametrize(
    ("name", "wrapper"), [("a.txt", "{}"), ("a.ipynb", '{{"cells": [{{"source": "{}"}}]}}')]
)
def test_text_far_over_the_budget_is_refused(deck: Any, name: str, wrapper: str) -> None:
    deck.write(name, wrapper.format(" " * (25_000 * 128)))
    assert deck.refusal(name)[0] == "result_too_large"


def test_result_over_200000_bytes_is_cut(deck: Any) -> None:
    content = "\n".join(f"{number}{' ' * 100}" for number in range(2_500))
    deck.write("wide.txt", content)
    output = deck.read("wide.txt")
    whole = "\n".join(f"{number}|{line}" for number, line in enumerate(content.split("\n"), 1))
    text = output["content"][0]["text"]
    assert text == whole[: MAX_RESULT_BYTES - len(CUT)] + CUT
    assert output["metadata"] == {
        "truncated": True,
        "originalBytes": len(whole),
        "returnedBytes": MAX_RESULT_BYTES,
    }
    assert output["data"]["truncated"] is False


def test_result_of_200000_bytes_is_not_cut() -> None:
    item = text_item("x" * MAX_RESULT_BYTES)
    assert limited(item) == (item, {})


def test_cut_inside_a_character_drops_it() -> None:
    item, metadata = limited(text_item("ab" + "€" * 70_000))
    kept = item["text"].removesuffix(CUT)
    assert kept == "ab" + "€" * ((MAX_RESULT_BYTES - len(CUT) - 2) // 3)
    assert metadata["originalBytes"] == 210_002
    assert metadata["returnedBytes"] == len(item["text"].encode()) < MAX_RESULT_BYTES
