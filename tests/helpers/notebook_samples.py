"""Notebooks in every format that anyread reads, and valid and invalid JSON."""

from __future__ import annotations

import json
from typing import Any

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
TRACEBACK = ["\x1b[0;31mValueError\x1b[0m", "Traceback (most recent call last)", "ValueError: no"]


def oldest() -> dict[str, Any]:
    """Return a notebook of format 2: its lines have no line endings, and its cells are in worksheets."""
    outputs = [
        {"output_type": "stream", "stream": "stdout", "text": ["one", "two"]},
        {"output_type": "pyout", "prompt_number": 3, "text": ["4"], "html": ["<b>4</b>"]},
        {"output_type": "display_data", "png": PIXEL, "text": "<Figure>"},
    ]
    code = {"cell_type": "code", "language": "python", "collapsed": False, "input": ["a = 2", "a + a"]}
    cells = [
        {"cell_type": "markdown", "source": ["# Title", "", "text"]},
        {"cell_type": "html", "source": "<i>text</i>"},
        {**code, "prompt_number": 3, "outputs": outputs},
        {**code, "outputs": []},
    ]
    return {
        "nbformat": 2,
        "metadata": {"name": "old"},
        "worksheets": [{"cells": cells}, {"cells": cells[:2]}],
    }


def older() -> dict[str, Any]:
    """Return a notebook of format 3."""
    outputs = [
        {"output_type": "stream", "stream": "stderr", "text": "warning\n"},
        {"output_type": "pyout", "prompt_number": 1, "text": "2", "latex": ["$", "2", "$"], "metadata": {}},
        {"output_type": "display_data", "jpeg": PIXEL, "svg": "<svg/>", "json": '{"a": 1}', "metadata": {}},
        {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": TRACEBACK},
    ]
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Part", "metadata": {}},
        {"cell_type": "raw", "source": ["raw ", "text"], "metadata": {}},
        {
            "cell_type": "code",
            "language": "python",
            "collapsed": True,
            "input": "1 + 1",
            "prompt_number": 1,
            "metadata": {},
            "outputs": outputs,
        },
    ]
    return {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {},
        "worksheets": [{"cells": cells, "metadata": {}}],
    }


def current(minor: int) -> dict[str, Any]:
    """Return a notebook of format 4."""
    data = {
        "text/plain": ["a ", "b"],
        "text/html": "<b>a</b>",
        "application/json": {"a": [1, None, "é"]},
        "image/png": PIXEL,
    }
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["  1%\r", "100%\n"]},
        {"output_type": "execute_result", "execution_count": 7, "data": data, "metadata": {}},
        {"output_type": "display_data", "data": {"image/png": [PIXEL[:40], PIXEL[40:]]}, "metadata": {}},
        {"output_type": "error", "ename": "E", "evalue": "", "traceback": TRACEBACK},
    ]
    empty: dict[str, Any] = {
        "cell_type": "code",
        "source": [],
        "execution_count": None,
        "outputs": [],
        "metadata": {},
    }
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "source": ["# é 漢字 😀\n", "text"], "metadata": {"tags": ["x"]}},
        {**empty, "source": "run()\n", "execution_count": 7, "outputs": outputs},
        {"cell_type": "raw", "source": "", "metadata": {"format": "text/latex"}},
        empty,
    ]
    if minor >= 5:
        cells = [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells)]
    language = {
        "language_info": {"name": "python"},
        "kernelspec": {"name": "python3", "display_name": "Python"},
    }
    return {"nbformat": 4, "nbformat_minor": minor, "metadata": language, "cells": cells}


def many_cells() -> dict[str, Any]:
    """Return a notebook with too many cells for one page."""
    notebook = current(5)
    notebook["cells"] = [
        {**notebook["cells"][number % 4], "id": f"c{number}", "source": f"line {number}\n" * (number % 40)}
        for number in range(120)
    ]
    return notebook


NOTEBOOKS = {
    "format 2": json.dumps(oldest()),
    "format 3": json.dumps(older(), indent=1),
    "format 4.0": json.dumps(current(0), ensure_ascii=False),
    "format 4.5": json.dumps(current(5), indent=1, ensure_ascii=False),
    "no cells": '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}',
    "many cells": json.dumps(many_cells()),
}

JSON = [
    *(b"null", b"true", b"false", b"nul", b"True", b"undefined", b"NaN", b"-Infinity", b"Infinit"),
    *(b"0", b"-0", b"-", b"+1", b"01", b"-01", b"1.", b".5", b"1.5", b"1e5", b"1E+5", b"1e", b"1e+", b"0x1"),
    *(b"1e999", b"-1e-999", b"1" * 400, b"1_000", b"1 2", b"1,", "\uff11".encode()),
    *(
        b'""',
        b'"a',
        b"'a'",
        b"a",
        b'"\\n"',
        b'"\\x"',
        b'"\\u00e9"',
        b'"\\u00g9"',
        b'"\\u00"',
        b'"\\"',
        b'"\\\\"',
    ),
    *(
        b'"\\ud83d\\ude00"',
        b'"\\ud83d"',
        b'"\\ude00\\ud83d"',
        b'"\n"',
        b'"\t"',
        b'"\0"',
        b'"\x7f"',
        b'"\x1f"',
    ),
    *(b'"\xc3\xa9"', b'"\xe9"', b'"\xed\xa0\x80"', b'"\xf0\x9f\x98"', b'"\xc0\x80"', b'"\xe2\x80\xa8"'),
    *(b"[]", b"[1]", b"[1,]", b"[,1]", b"[1,,2]", b"[1 2]", b"[1", b"1]", b"[1]]", b"[[]", b"[,]", b"[:]"),
    *(
        b"{}",
        b'{"a":1}',
        b'{"a":1,}',
        b'{"a"}',
        b'{"a":}',
        b"{a:1}",
        b"{1:1}",
        b'{"a" "b"}',
        b'{"a":1 "b":2}',
    ),
    *(
        b'{"a":1,"a":2}',
        b'{"":0}',
        b'{"a":{"a":{"a":[]}}}',
        b'{"a":1',
        b'{"a":1]',
        b"[}",
        b'{"a":1}}',
        b"{,}",
    ),
    *(
        b" [ 1 , 2 ] ",
        b"\n1\r\n",
        b"\x0c1",
        b"\xc2\xa01",
        b"\xef\xbb\xbf1",
        b"1//x",
        b"1/**/",
        b"# x",
        b"",
        b" ",
    ),
    *(b"[" * 100 + b"]" * 100, b"[" * 5_000, b'{"a":' * 5_000, b"\xff", b"\0", b"[1]\0", b"*", b"[*]"),
]
