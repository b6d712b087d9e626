"""Which files forge's `read` accepts, its limits, its errors, and what it records."""

from __future__ import annotations

import os
from typing import Any

import pytest

import anyread
from helpers.media import drawing, encoded, text_pdf

PNG = encoded(drawing(64, 64), "PNG")
IMAGE_EXCEEDS = "Image exceeds size limit. Compress the image or increase FORGE_MAX_IMAGE_SIZE."


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("forge", cwd=tmp_path)


def read(tool: Any, path: Any, **more: Any) -> Any:
    return tool.call_sync({"path": str(path), **more})


def written(directory: Any, name: Any, data: Any) -> Any:
    (directory / name).write_bytes(data)
    return directory / name


def exceeds(size: Any, maximum: Any) -> Any:
    return f"File size ({size} bytes) exceeds the maximum allowed size of {maximum} bytes"


def test_error_unknown_to_the_reference_keeps_its_message(tmp_path: Any) -> None:
    (tmp_path / "in").mkdir()
    written(tmp_path, "a.txt", b"one")
    tool = anyread.tool("forge", reader=anyread.Reader(roots=[tmp_path / "in"]))
    text = read(tool, "../a.txt")["text"]
    path = os.path.join(os.path.normpath(tmp_path / "in"), "../a.txt")  # noqa: PTH118 - keeps `..`
    assert text.startswith(f"Failed to read file from {path}\n\nCaused by:\n    ")
    assert "outside" in text
    assert "hint: " not in text


# ---------------------------------------------------------------------------------------------------------
# Limits


def test_environment_sets_the_byte_limit_of_images(tmp_path: Any, monkeypatch: Any) -> None:
    path = written(tmp_path, "a.png", PNG)
    monkeypatch.setenv("FORGE_MAX_IMAGE_SIZE", str(len(PNG)))
    assert "values" in read(anyread.tool("forge"), path)
    monkeypatch.setenv("FORGE_MAX_IMAGE_SIZE", "100")
    expected = f"{IMAGE_EXCEEDS}\n\nCaused by:\n    {exceeds(len(PNG), 100)}"
    small = anyread.tool("forge")
    assert read(small, path)["text"] == expected
    assert small.call_sync({"path": str(path)}, name="read_image")["text"] == expected
    # The limit applies to images under any name, and not to text.
    assert "values" in read(small, written(tmp_path, "a.txt", b"x" * 101))
    assert read(small, written(tmp_path, "b.bin", PNG))["text"] == expected


def test_environment_sets_the_byte_limit_of_pdfs(tmp_path: Any, monkeypatch: Any) -> None:
    data = text_pdf(1)
    path = written(tmp_path, "a.pdf", data)
    monkeypatch.setenv("FORGE_MAX_IMAGE_SIZE", "100")
    # Without a variable of its own, the limit is that of images.
    assert read(anyread.tool("forge"), path)["text"] == (
        "PDF exceeds size limit. Use a smaller PDF or increase FORGE_MAX_IMAGE_SIZE.\n\n"
        f"Caused by:\n    {exceeds(len(data), 100)}"
    )
    monkeypatch.setenv("FORGE_MAX_PDF_SIZE", str(len(data) - 1))
    assert read(anyread.tool("forge"), path)["text"] == (
        "PDF exceeds size limit. Use a smaller PDF or increase FORGE_MAX_PDF_SIZE.\n\n"
        f"Caused by:\n    {exceeds(len(data), len(data) - 1)}"
    )
    monkeypatch.setenv("FORGE_MAX_PDF_SIZE", str(len(data)))
    assert "values" in read(anyread.tool("forge"), path)


@pytest.mark.parametrize(
    ("name", "maximum"),
    [("a.png", 262_144), ("a.pdf", 262_144), ("a.txt", 104_857_600), ("a.ipynb", 104_857_600)],
)
def test_default_byte_limits(tool: Any, tmp_path: Any, monkeypatch: Any, name: Any, maximum: Any) -> None:
    for variable in ("IMAGE", "PDF", "FILE"):
        monkeypatch.delenv(f"FORGE_MAX_{variable}_SIZE", raising=False)
    path = written(tmp_path, name, b"")
    os.truncate(path, maximum + 1)
    assert exceeds(maximum + 1, maximum) in read(anyread.tool("forge", cwd=tmp_path), path)["text"]


def test_settings_override_the_environment(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("FORGE_MAX_FILE_SIZE", "1")
    tool = anyread.tool("forge", settings={"max_file_bytes": 3})
    assert "values" in read(tool, written(tmp_path, "a.txt", b"one"))
    assert read(tool, written(tmp_path, "a.txt", b"four"))["text"] == exceeds(4, 3)


def test_variable_that_is_not_a_number_raises_value_error(monkeypatch: Any) -> None:
    monkeypatch.setenv("FORGE_MAX_FILE_SIZE", "1MB")
    with pytest.raises(ValueError, match="FORGE_MAX_FILE_SIZE must be a number of bytes: '1MB'"):
        anyread.tool("forge")


def test_file_without_a_size_is_limited_by_the_bytes_read() -> None:
    tool = anyread.tool("forge", settings={"max_file_bytes": 4})
    assert read(tool, "/proc/self/status")["text"] == exceeds(5, 4)


# ---------------------------------------------------------------------------------------------------------
# What the session records
