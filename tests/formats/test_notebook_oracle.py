"""Notebooks against nbformat and Python's own JSON, on real files; skipped where there are none.

`ANYREAD_CORPUS` names a folder that holds `notebooks` (real ones) and `json` (JSONTestSuite).
"""

from __future__ import annotations

import json
import os
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from anyread.formats import notebook
from anyread.limits import Limits
from anyread.results.notebook import NotebookPage
from notebooks import OpenedFile, read

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "files"
CORPUS = Path(os.environ.get("ANYREAD_CORPUS", BESIDE))


def files(folder: str, pattern: str) -> list[Any]:
    found = sorted((CORPUS / folder).rglob(pattern))
    if not found:
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"no {folder} in ANYREAD_CORPUS"))]
    return [pytest.param(path, id=str(path.relative_to(CORPUS / folder))) for path in found]


@cache
def by_nbformat(path: Path) -> Any:
    """Read a notebook with nbformat, as version 4."""
    nbformat = pytest.importorskip("nbformat")
    whole = json.loads(path.read_bytes())
    # It refuses a file that lacks these; we do not.
    whole.setdefault("metadata", {})
    if whole["nbformat"] < 4:
        for worksheet in whole.setdefault("worksheets", []):
            worksheet.setdefault("cells", [])
    with warnings.catch_warnings():
        # What it warns of (cells without ids) is what old files are like.
        warnings.simplefilter("ignore")
        return nbformat.reads(json.dumps(whole), as_version=4)


def parsed(path: Path) -> Any:
    with OpenedFile(path) as opened:
        return notebook.parse(opened, Limits())


@pytest.mark.catalogue(row=125)
@pytest.mark.parametrize("path", files("notebooks", "*.ipynb"))
def test_cells_are_those_of_nbformat(path: Path) -> None:
    ours = parsed(path)
    oracle = by_nbformat(path)
    raw = json.loads(path.read_bytes())
    assert (ours.nbformat, ours.nbformat_minor) == (raw["nbformat"], raw.get("nbformat_minor"))
    expected = oracle.get("cells", [])
    cells = ours.cells(0, ours.cell_count)
    assert [cell.kind for cell in cells] == [cell["cell_type"] for cell in expected]
    assert [cell.source for cell in cells] == [cell.get("source", "") for cell in expected]
    if "worksheets" not in raw:
        assert [cell.id for cell in cells] == [cell.get("id") for cell in raw.get("cells", [])]
    for cell, wanted in zip(cells, expected, strict=True):
        assert cell.execution_count == wanted.get("execution_count")
        assert [output.kind for output in cell.outputs] == [
            output["output_type"] for output in wanted.get("outputs", [])
        ]
        for output, described in zip(cell.outputs, wanted.get("outputs", []), strict=True):
            check_output(output, described)


def check_output(output: Any, wanted: Any) -> None:
    if wanted["output_type"] == "stream":
        assert (output.name, output.text) == (wanted["name"], wanted["text"])
    if wanted["output_type"] == "error":
        assert (output.ename, output.evalue) == (wanted["ename"], wanted["evalue"])
        assert output.traceback == wanted["traceback"]
    if wanted["output_type"] == "execute_result":
        assert output.execution_count == wanted["execution_count"]
    data = {media_type: text for media_type, text, _ in output.data}
    assert data.keys() == wanted.get("data", {}).keys()
    for media_type, text in data.items():
        content = wanted["data"][media_type]
        if text is None:
            assert media_type.startswith("image/")
        elif isinstance(content, str):
            assert text == content
        else:
            assert json.loads(text) == content


@pytest.mark.parametrize("path", files("notebooks", "*.ipynb"))
def test_pages_show_every_cell_of_a_real_notebook(path: Path) -> None:
    limits = Limits(max_tokens=2_000, max_images=3)
    expected = [cell.source for cell in parsed(path).cells(0, 1_000_000)]
    seen: list[str] = []
    arguments: dict[str, Any] = {}
    while True:
        page = read(path, limits=limits, **arguments)
        assert isinstance(page, NotebookPage)
        assert page.token_estimate <= 2_000
        seen += [cell.source for cell in page.cells]
        if page.next is None:
            break
        arguments = page.next.arguments
    assert len(seen) == len(expected)
    assert all(shown == source or "more bytes" in shown for shown, source in zip(seen, expected, strict=True))


@pytest.mark.parametrize("path", files("notebooks", "*.ipynb"))
def test_truncated_real_notebook_is_said_and_not_raised(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes().rstrip()
    cut = tmp_path / "cut.ipynb"
    for part in range(1, 12):
        cut.write_bytes(whole[: len(whole) * part // 12])
        with pytest.raises(notebook.NoNotebookError):
            read(cut)


@pytest.mark.parametrize("path", files("json", "*.json"))
def test_broken_is_what_python_calls_broken(path: Path, tmp_path: Path) -> None:
    # In a field of a cell, so that a document that is no object is looked at as well.
    wrapped = tmp_path / "n.ipynb"
    wrapped.write_bytes(b'{"cells": [{"x": ' + path.read_bytes() + b"}]}")
    assert (parsed_or_broken(wrapped) is None) == is_broken(wrapped.read_bytes())


def parsed_or_broken(path: Path) -> Any:
    try:
        return parsed(path)
    except notebook.NoNotebookError:
        return None


def is_broken(data: bytes) -> bool:
    """Ask Python, which also takes `NaN` and `Infinity`, but no bytes that are no UTF-8."""
    try:
        json.loads(data.decode("utf-8", "replace"))
    except ValueError:
        return True
    except RecursionError:
        # Deeper than Python goes; the files of the suite that are so deep are not closed.
        return True
    return False
