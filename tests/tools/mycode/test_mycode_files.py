"""Which files mycode's `Read` accepts, and how it refuses the others."""

from __future__ import annotations

import os
from typing import Any

import pytest

import anyread


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("mycode", cwd=tmp_path)


def read(tool: Any, path: Any, **more: Any) -> Any:
    return tool.call_sync({"file_path": str(path), **more})


def test_file_over_50_mib_is_refused(tool: Any, tmp_path: Any) -> None:
    path = tmp_path / "large.log"
    path.touch()
    os.truncate(path, 50 * 1024 * 1024 + 1)
    assert read(tool, path, limit=1) == {
        "success": False,
        "error": "File is too large: 52,428,801 bytes (limit: 52,428,800 bytes)",
    }
