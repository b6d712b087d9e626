"""Outputs of notebooks: NaN and infinity, tables with style sheets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anyread
from helpers.notebooks import code, display, read, write

STYLER = (
    '<style type="text/css">\n#T_1 td {color: red}\n</style>\n<table id="T_1"><tr><th>city</th></tr>'
    "<tr><td>Paris</td></tr></table>"
)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("indent", [None, 1])
def test_nan_and_infinity_are_accepted_in_a_notebook(
    tmp_path: Path, number: float, indent: int | None
) -> None:
    """One NaN in an output made the whole notebook text, although Jupyter reads and writes NaN."""
    data = {"application/json": {"y": [1, number]}, "text/plain": "NaN, Infinity"}
    cells = [code("NaN = [-Infinity, NaN]", display(**{"text/plain": "x"}))]
    cells[0]["outputs"][0]["data"] = data
    cells.append(code("1", {"output_type": "display_data", "metadata": {"a": number}, "data": {}}))
    path = tmp_path / "n.ipynb"
    whole = {"cells": cells, "metadata": {"b": number}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(whole, indent=indent), "utf-8")
    page = anyread.read_sync(path)
    assert isinstance(page, anyread.NotebookPage)
    assert not page.notices
    assert page.cells[0].source == "NaN = [-Infinity, NaN]"
    assert page.cells[0].outputs[0].text == "NaN, Infinity"
    del data["text/plain"]
    path.write_text(json.dumps(whole, indent=indent), "utf-8")
    (output,) = read(path).cells[0].outputs
    assert json.loads(output.text)["y"] == pytest.approx([1, number], nan_ok=True)


@pytest.mark.parametrize("number", ["nan", "-NaN", "NaN1", "+Infinity", "Inf"])
def test_number_that_python_refuses_too_is_broken_json(tmp_path: Path, number: str) -> None:
    path = write(tmp_path, code("1"))
    path.write_text(path.read_text("utf-8").replace('"metadata": {}', f'"metadata": {number}', 1), "utf-8")
    with pytest.raises(ValueError, match=r"Expecting|Extra|Invalid"):
        json.loads(path.read_text("utf-8"))
    page = anyread.read_sync(path)
    assert page.kind == "text"
    assert [notice.code for notice in page.notices] == ["broken_json"]


@pytest.mark.parametrize(
    "plain", [None, "<pandas.io.formats.style.Styler at 0x7f>", "<IPython.core.display.HTML object>"]
)
def test_table_with_a_style_sheet_is_shown(tmp_path: Path, plain: str | None) -> None:
    """HTML with a style sheet was treated as a program, so tables of pandas disappeared."""
    data = {"text_html": STYLER} | ({} if plain is None else {"text_plain": plain})
    (output,) = read(write(tmp_path, code("df.style", display(**data)))).cells[0].outputs
    assert output.media_type == "text/html"
    assert output.text.startswith('<table id="T_1">')
    assert "Paris" in output.text
    assert "color" not in output.text


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<p>a<STYLE>b</STYLE  >c", "<p>ac"),
        ("a<style>b</style><style>c</style> d", "ad"),
        ("a<style>never ends", "a"),
        ("<p style='x'>a", "<p style='x'>a"),
    ],
)
def test_style_sheets_are_left_out(tmp_path: Path, html: str, shown: str) -> None:
    assert read(write(tmp_path, code("x", display(text_html=html)))).cells[0].outputs[0].text == shown


@pytest.mark.parametrize("plain", ["   city\n0  Paris", "<Axes: >", "a < b at 0x1 >"])
def test_informative_plain_text_comes_first(tmp_path: Path, plain: str) -> None:
    data = display(text_html=STYLER, text_plain=plain)
    (output,) = read(write(tmp_path, code("df", data))).cells[0].outputs
    assert (output.media_type, output.text) == ("text/plain", plain)
