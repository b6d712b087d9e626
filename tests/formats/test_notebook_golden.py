"""The golden document of notebooks, read without a reader: its calls are given to the format itself."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import anyread
from anyread.formats.notebook import NoNotebookError, noted
from anyread.model import Model
from notebooks import read
from test_golden import GOLDEN, cases

if TYPE_CHECKING:
    from anyread.results import Page


class NotebookReader:
    """A reader of notebooks alone."""

    def __init__(self, *, limits: anyread.Limits | None = None, model: Model | None = None) -> None:
        self.limits = limits
        self.model = model

    def read_sync(self, path: str, **arguments: Any) -> Page:
        try:
            return read(path, limits=self.limits, model=self.model, **arguments)
        except NoNotebookError as broken:
            page: Any = anyread.read_sync(path, kind="text", **arguments)
            return noted(page, broken.notice)


NAMES = SimpleNamespace(
    Gutter=anyread.Gutter,
    Limits=anyread.Limits,
    Model=Model,
    Reader=NotebookReader,
    read_sync=NotebookReader().read_sync,
)


def shown(call: str) -> str:
    try:
        result = eval(call, {"anyread": NAMES})
    except anyread.ReadError as error:
        return f"{type(error).__name__}: {error}\n"
    return f"{getattr(result, 'text', result)}\n"


def test_golden_document_shows_what_a_model_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = GOLDEN / "notebooks.md"
    document = path.read_bytes().decode()
    monkeypatch.chdir(tmp_path)
    updated, end = "", 0
    for case in cases(document):
        for file, data in case.files:
            Path(file).write_bytes(data)
        now = shown(case.call)
        if not os.environ.get("ANYREAD_UPDATE_GOLDEN"):
            assert now == case.expected, case.title
        updated += document[end : case.start] + now
        end = case.start + len(case.expected)
    assert end
    if os.environ.get("ANYREAD_UPDATE_GOLDEN"):
        path.write_bytes((updated + document[end:]).encode())
