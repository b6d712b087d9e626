"""Notebooks compared with nbformat and Python's own JSON: samples, and real files if there are any."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import nbformat
import pytest

import anyread
from anyread.arguments.limits import Limits
from anyread.arguments.request import ReadArguments
from anyread.formats import notebook
from anyread.formats.fallback import NoNotebookError
from anyread.results.notebook import NotebookPage
from helpers.corpus import corpus_files
from helpers.notebook_samples import JSON, NOTEBOOKS
from helpers.notebooks import read

REAL = {
    path.relative_to(path.parents[1]).as_posix(): path
    for path in corpus_files("notebooks", pattern="*.ipynb")
}
CASES: dict[str, bytes | Path] = {name: text.encode() for name, text in NOTEBOOKS.items()} | REAL
NOTEBOOK_CASES = [pytest.param(case, id=name) for name, case in CASES.items()]


@pytest.fixture
def path(case: bytes | Path, tmp_path: Path) -> Path:
    """Return the file of a case; a sample is written first."""
    if isinstance(case, Path):
        return case
    sample = tmp_path / "sample.ipynb"
    sample.write_bytes(case)
    return sample


def by_nbformat(path: Path) -> Any:
    """Read a notebook with nbformat, as version 4."""
    whole = json.loads(path.read_bytes())
    # nbformat refuses a file without these; anyread does not.
    whole.setdefault("metadata", {})
    if whole["nbformat"] < 4:
        for worksheet in whole.setdefault("worksheets", []):
            worksheet.setdefault("cells", [])
    with warnings.catch_warnings():
        # nbformat warns about cells without ids, which are normal in old files.
        warnings.simplefilter("ignore")
        return nbformat.reads(json.dumps(whole), as_version=4)  # type: ignore[no-untyped-call]


def parsed(path: Path) -> Any:
    with anyread.Reader().open_sync(path) as file:
        return notebook.parse(file.opened, Limits())


@pytest.mark.parametrize("case", NOTEBOOK_CASES)
def test_notebook_is_read_as_by_nbformat(path: Path, tmp_path: Path) -> None:
    check_cells(path)
    check_pages(path)
    check_truncated(path, tmp_path)


def check_cells(path: Path) -> None:
    """Compare the cells and their outputs with those of nbformat."""
    actual = parsed(path)
    oracle = by_nbformat(path)
    raw = json.loads(path.read_bytes())
    assert (actual.nbformat, actual.nbformat_minor) == (raw["nbformat"], raw.get("nbformat_minor"))
    expected = oracle.get("cells", [])
    cells = actual.cells(0, actual.cell_count)
    assert [cell.kind for cell in cells] == [cell["cell_type"] for cell in expected]
    assert [cell.source for cell in cells] == [cell.get("source", "") for cell in expected]
    if "worksheets" not in raw:
        assert [cell.id for cell in cells] == [cell.get("id") for cell in raw.get("cells", [])]
    for cell, reference in zip(cells, expected, strict=True):
        assert cell.execution_count == reference.get("execution_count")
        assert [output.kind for output in cell.outputs] == [
            output["output_type"] for output in reference.get("outputs", [])
        ]
        for output, reference_output in zip(cell.outputs, reference.get("outputs", []), strict=True):
            check_output(output, reference_output)


def check_output(output: Any, reference: Any) -> None:
    if reference["output_type"] == "stream":
        assert (output.name, output.text) == (reference["name"], reference["text"])
    if reference["output_type"] == "error":
        assert (output.ename, output.evalue) == (reference["ename"], reference["evalue"])
        assert output.traceback == reference["traceback"]
    if reference["output_type"] == "execute_result":
        assert output.execution_count == reference["execution_count"]
    data = {media_type: text for media_type, text, _ in output.data}
    assert data.keys() == reference.get("data", {}).keys()
    for media_type, text in data.items():
        content = reference["data"][media_type]
        if text is None:
            assert media_type.startswith("image/")
        elif isinstance(content, str):
            assert text == content
        else:
            assert json.loads(text) == content


def check_pages(path: Path) -> None:
    """Check that the pages show every cell."""
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


def check_truncated(path: Path, tmp_path: Path) -> None:
    """Check that no beginning of the file is a notebook."""
    whole = path.read_bytes().rstrip()
    cut = tmp_path / "cut.ipynb"
    for part in range(1, 12):
        cut.write_bytes(whole[: len(whole) * part // 12])
        with pytest.raises(NoNotebookError):
            read(cut)


def test_json_is_broken_if_python_refuses_it(tmp_path: Path) -> None:
    # The JSON becomes a field of a cell, so that values other than objects are tested too.
    wrapped = tmp_path / "n.ipynb"
    for data in (*JSON, *(path.read_bytes() for path in corpus_files("json", pattern="*.json"))):
        wrapped.write_bytes(b'{"cells": [{"x": ' + data + b"}]}")
        assert (parsed_or_broken(wrapped) is None) == is_broken(wrapped.read_bytes()), data[:200]


def parsed_or_broken(path: Path) -> Any:
    try:
        return parsed(path)
    except NoNotebookError:
        return None


def is_broken(data: bytes) -> bool:
    """Return whether Python refuses the data; it also accepts `NaN` and `Infinity`."""
    try:
        json.loads(data.decode("utf-8", "replace"))
    except ValueError:
        return True
    except RecursionError:
        # The nesting is too deep for Python; such files of the suite lack their closing brackets.
        return True
    return False
