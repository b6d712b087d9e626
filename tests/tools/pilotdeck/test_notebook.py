"""Notebooks as `read_file` renders them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from anyread.tools.pilotdeck.answers import notebook_text


def text_of(notebook: Any) -> str:
    text, _ = notebook_text(json.dumps(notebook).encode())
    return text.decode()


def cell_of(**cell: Any) -> str:
    return text_of({"cells": [cell]})


def output_of(output: Any) -> str:
    return cell_of(cell_type="code", outputs=[output]).removeprefix("# Cell 0 (code)")


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ({"text": ["a", "b"], "ename": "E"}, "ab"),
        ({"traceback": ["\x1b[31mone\x1b[0m", "two"], "ename": "E"}, "\x1b[31mone\x1b[0m\ntwo"),
        ({"traceback": [], "ename": "KeyError", "evalue": "'k'"}, "KeyError: 'k'"),
        ({"evalue": "only"}, "Error: only"),
        ({"ename": "E"}, "E:"),
        ({"data": {"text/html": "<b>", "text/plain": ["p", "q"]}}, "pq"),
    ],
)
def test_output_is_the_first_of_text_traceback_error_and_plain(output: dict[str, Any], text: str) -> None:
    assert output_of(output) == f"\n## Outputs\n{text}"
