"""Files that are too large for every contract are refused before they are read."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

import anyread
from anyread.tools import CONTRACTS

# Files that these contracts show as text; they keep only a window of it in memory.
SHOWN_AS_TEXT = {
    "codelet": {"a.ipynb"},
    "deepagents": {"a.ipynb"},
    "pi": {"a.png", "a.pdf", "a.ipynb"},
    "cline": {"a.pdf", "a.ipynb"},
}


@pytest.mark.parametrize("validate_media", [True, False])
@pytest.mark.parametrize("name", ["a.png", "a.pdf", "a.ipynb"])
@pytest.mark.parametrize("contract", CONTRACTS)
def test_media_file_over_every_limit_is_refused_before_it_is_read(
    tmp_path: Path, contract: str, name: str, validate_media: bool
) -> None:
    """Without validation, claude-code read an image or PDF of any size into memory."""
    is_text = name in SHOWN_AS_TEXT.get(contract, ())
    if is_text and not validate_media:
        pytest.skip("validation makes no difference to a text")
    path = tmp_path / name
    signatures = {"a.png": b"\x89PNG\r\n\x1a\n", "a.pdf": b"%PDF-1.7\n", "a.ipynb": b'{"cells": []}'}
    path.write_bytes(signatures[name])
    # A text has no limit; what is shown of it needs no more memory.
    os.truncate(path, (64 if is_text else 600) * 1024 * 1024)
    tool = anyread.tool(
        contract, cwd=tmp_path, model=anyread.Model.anthropic(), validate_media=validate_media
    )
    tracemalloc.start()
    try:
        output = tool.call_sync(tool.arguments_for(path))
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert tool.failed(output) or is_text
    assert peak_bytes < 16 * 1024 * 1024
