"""Notebooks as `read_file` renders them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from anyread.tools.pilotdeck.notebook import notebook_text


def text_of(notebook: Any) -> str:
    text, _ = notebook_text(json.dumps(notebook).encode())
    return text.decode()


def cell_of(**cell: Any) -> str:
    return text_of({"cells": [cell]})


def output_of(output: Any) -> str:
    return cell_of(cell_type="code", outputs=[output]).removeprefix("# Cell 0 (code)")


@pytest.mark.parametrize("notebook", [{}, {"cells": None}, {"cells": []}, [], 7, "cells"])
def test_notebook_without_cells_is_one_empty_line(deck: Any, notebook: Any) -> None:
    deck.write("a.ipynb", json.dumps(notebook))
    output = deck.read("a.ipynb")
    assert (output["content"][0]["text"], output["data"]["cellCount"]) == ("1|", 0)


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


@pytest.mark.parametrize("data", [b"", b"{", b"\xef\xbb\xbf{}", b'{"cells": NaN}', b"[" * 200_000])
def test_invalid_json_is_refused(deck: Any, data: bytes) -> None:
    path = deck.write("a.ipynb", data)
    output = deck.read("a.ipynb")
    assert output["error"]["code"] == "invalid_tool_input"
    assert output["error"]["message"] == f"Notebook {path} is not valid JSON."
    assert output["error"]["details"]["cause"]


@pytest.mark.parametrize(
    "notebook", [None, {"cells": 7}, {"cells": [{"outputs": [None]}]}, {"cells": [{"outputs": 1}]}]
)
def test_malformed_notebook_is_an_error(deck: Any, notebook: Any) -> None:
    deck.write("a.ipynb", json.dumps(notebook))
    assert deck.refusal("a.ipynb")[0] == "tool_execution_failed"


@pytest.mark.parametrize(
    "arguments", [{}, {"limit": 4}, {"offset": 2}, {"offset": 3, "limit": 2}, {"offset": 99}]
)
def test_window_matches_the_lines_of_the_whole_text(deck: Any, arguments: dict[str, int]) -> None:
    source = "\n" * 9 + "word " * 9
    cells = [
        {"cell_type": "raw", "source": "a\r\nb\r"},
        {
            "cell_type": "code",
            "source": source,
            "outputs": [{"text": "x\r"}, {"text": "y\r"}],
        },
    ]
    deck.write("a.ipynb", json.dumps({"cells": cells}))
    text = "# Cell 0 (raw)\na\r\nb\r\n\n# Cell 1 (code)\n" + source + "\n## Outputs\nx\r\ny\r"
    lines = re.split(r"\r?\n", text)
    offset = arguments.get("offset", 1)
    shown = lines[offset - 1 :][: arguments.get("limit", len(lines))]
    output = deck.read("a.ipynb", **arguments)
    expected = "\n".join(f"{number}|{line}" for number, line in enumerate(shown, offset))
    assert output["content"] == [{"type": "text", "text": expected}]
    assert output["data"]["totalLines"] == len(lines)


def test_last_of_duplicate_cells_keys_is_used(deck: Any) -> None:
    deck.write("a.ipynb", '{"cells": [{"outputs": [null]}], "cells": [{"source": "b"}]}')
    assert deck.text("a.ipynb") == "1|# Cell 0 (unknown)\n2|b"


def test_notebook_over_the_budget_is_refused(deck: Any) -> None:
    deck.write("a.ipynb", json.dumps({"cells": [{"source": "alpha beta gamma\n" * 9_000}]}))
    assert deck.refusal("a.ipynb")[0] == "result_too_large"
