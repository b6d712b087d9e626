"""Notebooks against nbformat and Python's own JSON: samples, and real files where there are some."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest

from anyread.arguments import ReadArguments
from anyread.formats import notebook
from anyread.formats.fallback import NoNotebookError
from anyread.limits import Limits
from anyread.results.notebook import NotebookPage
from corpus import corpus_files
from notebook_samples import JSON, NOTEBOOKS
from notebooks import OpenedFile, read


def cases(samples: dict[str, bytes], folder: str, pattern: str) -> list[Any]:
    """Return the content of samples and of real files."""
    real = {
        path.relative_to(path.parents[1]).as_posix(): path for path in corpus_files(folder, pattern=pattern)
    }
    return [pytest.param(case, id=name) for name, case in (samples | real).items()]


NOTEBOOK_CASES = cases({name: text.encode() for name, text in NOTEBOOKS.items()}, "notebooks", "*.ipynb")
JSON_CASES = cases({f"sample {number}": data for number, data in enumerate(JSON)}, "json", "*.json")


@pytest.fixture
def path(case: bytes | Path, tmp_path: Path) -> Path:
    """Return the file of a case; a sample is written first."""
    if isinstance(case, Path):
        return case
    sample = tmp_path / "sample.ipynb"
    sample.write_bytes(case)
    return sample


@cache
def by_nbformat(path: Path) -> Any:
    """Read a notebook with nbformat, as version 4."""
    whole = json.loads(path.read_bytes())
    # It refuses a file that lacks these; we do not.
    whole.setdefault("metadata", {})
    if whole["nbformat"] < 4:
        for worksheet in whole.setdefault("worksheets", []):
            worksheet.setdefault("cells", [])
    with warnings.catch_warnings():
        # What it warns of (cells without ids) is what old files are like.
        warnings.simplefilter("ignore")
        return nbformat.reads(json.dumps(whole), as_version=4)  # type: ignore[no-untyped-call]


def parsed(path: Path) -> Any:
    with OpenedFile(path) as opened:
        return notebook.parse(opened.as_native(), Limits())


@pytest.mark.catalogue(row=125)
@pytest.mark.parametrize("case", NOTEBOOK_CASES)
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


@pytest.mark.parametrize("case", NOTEBOOK_CASES)
def test_pages_show_every_cell(path: Path) -> None:
    limits = Limits(max_tokens=2_000, max_images=3)
    expected = [cell.source for cell in parsed(path).cells(0, 1_000_000)]
    seen: list[str] = []
    arguments: ReadArguments = {}
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


@pytest.mark.parametrize("case", NOTEBOOK_CASES)
def test_truncated_notebook_is_reported_as_none(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes().rstrip()
    cut = tmp_path / "cut.ipynb"
    for part in range(1, 12):
        cut.write_bytes(whole[: len(whole) * part // 12])
        with pytest.raises(NoNotebookError):
            read(cut)


@pytest.mark.parametrize("case", JSON_CASES)
def test_broken_is_what_python_calls_broken(path: Path, tmp_path: Path) -> None:
    # In a field of a cell, so that a document that is no object is looked at as well.
    wrapped = tmp_path / "n.ipynb"
    wrapped.write_bytes(b'{"cells": [{"x": ' + path.read_bytes() + b"}]}")
    assert (parsed_or_broken(wrapped) is None) == is_broken(wrapped.read_bytes())


def parsed_or_broken(path: Path) -> Any:
    try:
        return parsed(path)
    except NoNotebookError:
        return None


def is_broken(data: bytes) -> bool:
    """Ask Python, which also accepts `NaN` and `Infinity`."""
    try:
        json.loads(data.decode("utf-8", "replace"))
    except ValueError:
        return True
    except RecursionError:
        # Deeper than Python goes; the files of the suite that are so deep are not closed.
        return True
    return False
