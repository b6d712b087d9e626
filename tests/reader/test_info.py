"""`anyread.info`: the facts about files of every kind."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Info, Reader, errors
from anyread.engine import ReaderEngine
from helpers.media import drawing, encoded, text_pdf


def facts(info: Info, *names: str) -> tuple[Any, ...]:
    return tuple(getattr(info, name) for name in names)


def test_info_of_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffone\r\ntwo".encode())
    info = anyread.info_sync(path)
    assert facts(info, "kind", "encoding", "bom", "line_ending", "final_newline", "lines") == (
        "text",
        "utf-8",
        True,
        "crlf",
        False,
        2,
    )
    assert (info.size_bytes, info.modified_ns) == (11, path.stat().st_mtime_ns)
    assert facts(info, "width", "pages", "cells", "problem") == (None, None, None, None)


def test_all_lines_are_counted_whatever_the_limits(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"x\n" * 10_000_000)
    reader = Reader(limits=anyread.Limits(count_bytes=1))
    assert reader.read_sync(path, kind="text").total_lines is None
    assert reader.info_sync(path).lines == 10_000_000


def test_lines_and_version_are_those_of_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines of a large file are counted by a second open, and the version was that of the first one."""
    path, new = tmp_path / "a.log", tmp_path / "new.log"
    path.write_bytes(b"x\n" * 10_000_000)
    new.write_bytes(b"longer\n" * 1_000_000 + b"last")
    time.sleep(0.05)
    expected = facts(anyread.info_sync(new), "lines", "final_newline", "size_bytes", "modified_ns", "version")
    open_file = ReaderEngine.open

    def replace_and_open(engine: ReaderEngine, *arguments: Any, **options: Any) -> Any:
        new.replace(path)
        return open_file(engine, *arguments, **options)

    monkeypatch.setattr(ReaderEngine, "open", replace_and_open)
    info = Reader(limits=anyread.Limits(count_bytes=1)).info_sync(path)
    assert facts(info, "lines", "final_newline", "size_bytes", "modified_ns", "version")[:4] == expected[:4]
    assert info.version in ("", Reader().info_sync(path).version)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF"])
def test_info_of_an_image(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "image"
    path.write_bytes(encoded(drawing(64, 48), kind))
    info = anyread.info_sync(path)
    assert facts(info, "kind", "format", "width", "height", "frames", "pages") == (
        "image",
        kind,
        64,
        48,
        1,
        1,
    )


def test_info_of_a_notebook(tmp_path: Path) -> None:
    cell = {"cell_type": "markdown", "metadata": {}, "source": "text"}
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 4,
        "metadata": {"language_info": {"name": "julia"}},
        "cells": [cell] * 5,
    }
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook))
    assert facts(anyread.info_sync(path), "kind", "cells", "language") == ("notebook", 5, "julia")
    path.write_text("{broken")
    info = anyread.info_sync(path)
    assert facts(info, "kind", "lines", "cells") == ("text", 1, None)
    assert [notice.code for notice in info.notices] == ["broken_json"]


@pytest.mark.skipif(not Path("/proc/self/auxv").exists(), reason="Linux")
@pytest.mark.parametrize("name", ["cmdline", "auxv", "pagemap"])
async def test_binary_file_of_proc_is_described(name: str) -> None:
    """It has no size, so that the second open took it for text, for which there is no module of a format."""
    for info in (await anyread.info(f"/proc/self/{name}"), anyread.info_sync(f"/proc/self/{name}")):
        assert facts(info, "kind", "problem", "lines") == ("binary", None, None)


async def test_info_of_every_kind_on_an_event_loop(tmp_path: Path, png: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf(1))
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "big.txt").write_text("one\n" * 400_000)
    for path in (png, tmp_path / "a.pdf", tmp_path / "a.txt", tmp_path / "big.txt"):
        info, info_sync = await anyread.info(path), anyread.info_sync(path)
        # A file that was just written has no version for a moment.
        assert replace(info, version="") == replace(info_sync, version="")


@pytest.fixture
def png(tmp_path: Path) -> Path:
    path = tmp_path / "image.png"
    path.write_bytes(encoded(drawing(64, 48), "PNG"))
    return path


def kind_or_refusal(call: Callable[..., anyread.Page | Info], path: Path, kind: str) -> str:
    try:
        return call(path, kind=kind).kind
    except errors.WrongKindError as refused:
        return str(refused)


KINDS = [
    "text",
    "image",
    "pdf",
    "notebook",
    "sheet",
    "document",
    "slides",
    "records",
    "directory",
    "text/plain",
]


@pytest.mark.parametrize("kind", KINDS)
def test_kind_is_obeyed_or_refused_as_in_a_read(tmp_path: Path, png: Path, kind: str) -> None:
    """It was ignored, and of a text it raised `ModuleNotFoundError`."""
    notebook = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    files = {"a.ipynb": notebook, "a.pdf": text_pdf(2), "a.png": png.read_bytes(), "a.txt": b"one\n"}
    for name, data in files.items():
        path = tmp_path / name
        path.write_bytes(data)
        found = kind_or_refusal(anyread.info_sync, path, kind)
        assert found == kind_or_refusal(anyread.read_sync, path, kind)


def test_records_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    info = anyread.info_sync(path, kind="records")
    assert (info.kind, info.facts) == ("records", {"records_form": "lines", "records": 2})
