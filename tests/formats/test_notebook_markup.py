"""Outputs whose plain text says nothing, data URLs, scripts, and what is not shown of a notebook."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

import anyread
from helpers.notebooks import code, display, markdown, png, read, write

NAME = "<IPython.core.display.Markdown object>"
RICH: list[tuple[str, Any]] = [
    ("text/markdown", "VALUE"),
    ("text/latex", "VALUE"),
    ("application/json", {"k": "VALUE"}),
    ("application/geo+json", {"k": "VALUE"}),
    ("image/svg+xml", "<svg><text>VALUE</text></svg>"),
    ("text/html", "<b>VALUE</b><script>1</script>"),
    ("text/x-other", "VALUE"),
]


def shown(tmp_path: Path, **data: Any) -> anyread.results.CellOutput:
    (output,) = read(write(tmp_path, code("x", display(**data)))).cells[0].outputs
    return output


@pytest.mark.parametrize("plain", [NAME, "<graphviz.graphs.Digraph at 0x7f01>", " ", ""])
@pytest.mark.parametrize(("media_type", "content"), RICH)
def test_name_of_an_object_gives_way_to_any_other_text(
    tmp_path: Path, plain: str, media_type: str, content: Any
) -> None:
    """Answers that a library displayed as Markdown were only `<IPython.core.display.Markdown object>`."""
    output = shown(tmp_path, **{media_type: content, "text/plain": plain})
    assert output.media_type == media_type
    assert "VALUE" in output.text
    assert "text/plain" not in output.others


def test_richest_text_is_shown_in_the_order_of_the_format(tmp_path: Path) -> None:
    data = dict(RICH)
    for media_type in ("text/markdown", "text/latex", "application/json"):
        assert shown(tmp_path, **{**data, "text/plain": NAME}).media_type == media_type
        del data[media_type]
    assert shown(tmp_path, **data, **{"text/plain": "informative"}).media_type == "text/plain"


@pytest.mark.parametrize(
    "html",
    [
        '<div id="plot"></div><script>Plotly.newPlot(1)</script>',
        '<style>a</style>\n<SCRIPT src="x"></SCRIPT>',
        '<iframe srcdoc="&lt;script&gt;map()&lt;/script&gt;"></iframe>',
    ],
)
def test_html_that_is_only_a_program_is_named(tmp_path: Path, html: str) -> None:
    path = write(tmp_path, code("x", display(text_html=html, text_plain="<folium.Map at 0x7f>")))
    page = read(path)
    assert page.cells[0].outputs[0].text == "<folium.Map at 0x7f>"
    assert "not shown: text/html" in page.text


STYLE = '<style type="text/css">\n#T_1 td {color: red}\n</style>\n'


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"{STYLE}<table><td>Paris</td></table>", "<table><td>Paris</td></table>"),
        ("<p>a<STYLE>b</STYLE  >c", "<p>ac"),
        ("a<style>b</style><style>c</style> d", "ad"),
        ("a<style>never ends", "a"),
        ("<p style='x'>a", "<p style='x'>a"),
    ],
)
def test_style_sheets_are_left_out(tmp_path: Path, html: str, expected: str) -> None:
    """HTML with a style sheet was treated as a program, so tables of pandas disappeared."""
    assert shown(tmp_path, text_html=html).text == expected


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_nan_and_infinity_are_accepted_in_a_notebook(tmp_path: Path, number: float) -> None:
    """One NaN in an output made the whole notebook text, although Jupyter reads and writes NaN."""
    output = display(**{"application/json": {"y": [1, number]}})
    page = read(write(tmp_path, code("NaN = [-Infinity, NaN]", output), metadata={"b": number}))
    assert (page.cells[0].source, page.notices) == ("NaN = [-Infinity, NaN]", ())
    assert json.loads(page.cells[0].outputs[0].text)["y"] == pytest.approx([1, number], nan_ok=True)


def calls(text: str) -> list[dict[str, Any]]:
    """Return the calls that a text names."""
    found = re.findall(r'kind="text", offset=(\d+)(?:, column=(\d+))?', text)
    return [{"kind": "text", "offset": int(line), "column": int(column or 1)} for line, column in found]


@pytest.mark.parametrize("indent", [None, 1])
def test_everything_that_is_not_shown_can_be_read_by_the_call_in_its_line(
    tmp_path: Path, indent: int | None
) -> None:
    outputs = [
        display(text_html="<table>SECRET</table>", text_plain="a table"),
        display(**{"application/vnd.vega.v5+json": {"SECRET": 1}, "text/plain": "a chart"}),
        display(text_html="<p>words</p><script>SECRET</script>"),
        display(text_html=f'<video src="data:video/mp4;base64,{"A" * 200}"></video>'),
        {"output_type": "telemetry", "payload": "SECRET"},
        {"output_type": "telemetry"},
    ]
    path = write(tmp_path, *(code("x", output) for output in outputs))
    path.write_text(json.dumps(json.loads(path.read_text()), indent=indent))
    for number in range(1, len(outputs) + 1):
        text = read(path, offset=number, limit=1).text
        (call,) = calls(text)
        expected = ("SECRET", "SECRET", "SECRET", "AAAAAA", "SECRET", "telemetry")[number - 1]
        assert expected not in text or expected == "telemetry"
        assert expected in anyread.read_sync(path, limit=3, **call).text


def test_output_of_an_unknown_type_shows_its_text(tmp_path: Path) -> None:
    (output,) = (
        read(write(tmp_path, code("x", {"output_type": "odd", "text": ["a\n", "b"]}))).cells[0].outputs
    )
    assert (output.type, output.text) == ("odd", "a\nb")


def test_fields_of_an_output_are_contents_only_if_they_are_media_types(tmp_path: Path) -> None:
    """Any field of an output without `data` was shown as a media type, such as `some key 26 bytes`."""
    outputs: list[dict[str, Any]] = [
        {"output_type": "odd", "html": "<p>words</p>", "transient": {}},
        {"output_type": "odd", "text/markdown": "words", "transient": {}},
        {"output_type": "display_data", "metadata": {}, "transient": {}},
        {"output_type": "odd", "some key": ["some data"]},
    ]
    page = read(write(tmp_path, *(code("x", output) for output in outputs)))
    assert [cell.outputs[0].text for cell in page.cells] == ["<p>words</p>", "words", "", ""]
    assert [cell.outputs[0].others for cell in page.cells] == [(), (), (), ("application/json",)]


@pytest.mark.parametrize(
    ("traceback", "expected"),
    [
        (["Traceback"], "Traceback\nE: the value"),
        (["Traceback", "E: \x1b[31mthe value\x1b[0m"], "Traceback\nE: the value"),
        ([], "E: the value"),
    ],
)
def test_error_shows_its_message_once(tmp_path: Path, traceback: list[str], expected: str) -> None:
    error = {"output_type": "error", "ename": "E", "evalue": "the value", "traceback": traceback}
    assert read(write(tmp_path, code("x", error))).cells[0].outputs[0].text == expected


def pieces(text: str, size: int = 76) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


PNG = base64.b64encode(base64.b64decode(png(90, 60))).decode()
URL = f"data:image/png;base64,{PNG}"


@pytest.mark.parametrize(
    "source",
    [
        f"# T\n![p]({URL} 'title')\nEND",
        [f'<img src="{URL}">\n', "END"],
        ['<img src="data:image/png;base64,\n', *(f"{piece}\n" for piece in pieces(PNG)), '">END'],
        pieces(f"é [p]: {URL}\nEND", 7),
    ],
)
@pytest.mark.parametrize("is_source", [True, False])
def test_data_url_becomes_the_picture(tmp_path: Path, source: str | list[str], *, is_source: bool) -> None:
    """Pictures in HTML were 1,400 tokens of base64, and what followed in the line was cut."""
    whole = "".join(source)
    cell = markdown("") if is_source else code("x", display(text_html=source))
    if is_source:
        cell["source"] = source
    page = read(write(tmp_path, cell))
    ((picture,),) = [page.cells[0].pictures] if is_source else [page.cells[0].outputs[0].pictures]
    assert (picture.width, picture.height, picture.media_type) == (90, 60, "image/png")
    assert picture.block is not None
    assert picture.block.data == base64.b64decode(PNG)
    assert PNG[:20] not in page.text
    assert "bytes]" in page.text
    assert "END" in page.text
    assert page.token_estimate < 300
    if is_source:
        assert page.cells[0].source == whole


def test_data_url_that_is_no_picture_is_a_mark_with_its_place(tmp_path: Path) -> None:
    for url in (f"data:font/woff2;base64,{'A' * 300}", f"data:image/svg+xml,{'%3Csvg' * 60}"):
        path = write(tmp_path, markdown(f"a ![x]({url}) END"))
        page = read(path)
        assert "END" in page.text
        assert page.truncated
        (call,) = calls(page.text)
        assert url[-50:] in anyread.read_sync(path, limit=1, **call).text


def test_damaged_picture_in_a_data_url_is_named(tmp_path: Path) -> None:
    page = read(write(tmp_path, markdown(f"![x](data:image/png;base64,{'A' * 300})")))
    assert "[image · image/png · 225 bytes · not shown: " in page.text


def test_markup_of_hostile_size_takes_linear_time(tmp_path: Path) -> None:
    for piece in ("<script>", "<style", "</script", "data:a/b;base64,", '"data:a/b,', "data:", "<", "<!--"):
        page = read(write(tmp_path, code("x", display(text_html=piece * 100_000)), markdown(piece * 100_000)))
        assert page.count == 2
