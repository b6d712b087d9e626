"""Models that must fill in every argument: neutral values count as omitted, and hints help."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

import anyread
from helpers.media import drawing, encoded, text_pdf
from helpers.notebooks import code, stream, write

if TYPE_CHECKING:
    from pathlib import Path

    from anyread.tools import Tool

NEUTRAL: dict[str, list[Any]] = {
    "places": [[], [""], "", None],
    "offset": [1, 0, "1", "0", "", None, 1.0],
    "limit": [0, "0", "", None],
    "column": [1, 0, "", None],
    "pages": ["", " ", None],
    "encoding": ["", " ", None],
    "kind": ["", " ", None],
    "region": [[], [0, 0, 0, 0], [0], None],
    "at": ["", " ", None],
    "find": ["", " ", None],
    "values": ["", " ", None],
    "max_tokens": [0, "0", "", None],
    "max_bytes": [0, "0", "", None],
    "unless_version": ["", None],
    "since_version": ["", None],
}
OTHER: dict[str, list[Any]] = {
    "places": [["text.py:1-2", "dot.png"], ["text.py:9-1"], [5], {"text.py": 1}],
    "offset": [2, 5, 6, 999, -1, -100, 2**60, "x", 1.5, True],
    "limit": [1, 200, -1, 2**60, "x", 1.5],
    "column": [2, 2_001, -1, "x"],
    "pages": ["1", "1-5", "2-", "9", "5-1", "all", "1,2", "0", 3],
    "encoding": ["utf-8", "latin-1", "koi8-r", "koi9-r", "utf-9", "auto", "none"],
    "kind": ["text", "image", "pdf", "notebook", "text/plain", "image/png", "auto", "Text", "video"],
    "region": [[0, 0, 400, 300], [5, 5, 0, 0], [900, 900, 9, 9], [1, 2, 3], [0, 0, -1, -1], "0,0,9,9"],
    "at": ["1", 1, "/a", "1/a/0", "a", "#/%2", 1.5],
    "find": ["a", "zzz", "(a", "a*", "(?=a)", 5],
    "values": ["raw", "formulas", "Shown", 1],
    "max_tokens": [1, 500, -1, 2**60, "x", 1.5],
    "max_bytes": [1, 500, -1, 2**60, "x", 1.5],
    "unless_version": ["v"],
    "since_version": ["v"],
}
FILES = ("text.py", "empty.txt", "data.bin", "pump.ipynb", "dot.png", "five.pdf")
IN_HINT = re.compile(r"""\b([a-z_]+)=("[^"]*"|\[[^]]*\]|-?\d+)""")


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    (tmp_path / "text.py").write_text("".join(f"line {number}\n" for number in range(1, 6)))
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "data.bin").write_bytes(b"\0\1\2\xff" * 20)
    (tmp_path / "dot.png").write_bytes(encoded(drawing(4, 3), "PNG"))
    (tmp_path / "five.pdf").write_bytes(text_pdf(5))
    write(tmp_path, code("1", stream("1\n")), name="pump.ipynb")
    return anyread.tool("anyread", cwd=tmp_path, model=anyread.Model.text_only())


def test_every_argument_has_neutral_values(tool: Tool) -> None:
    every = anyread.tool("anyread", settings={"shows": "all"})
    names = set(every.input_schema["properties"]) - {"path"}
    assert set(NEUTRAL) == set(OTHER) == names
    rare = {"encoding", "region", "values", "max_tokens", "max_bytes"}
    usual = {"path", *names} - {"since_version", "unless_version"} - rare
    assert set(tool.input_schema["properties"]) == usual
    brief = anyread.tool("anyread", settings={"shows": "brief"})
    assert set(brief.input_schema["properties"]) == usual - {"column", "kind", "places"}


@pytest.mark.parametrize("file", FILES)
def test_neutral_values_count_as_omitted(tool: Tool, file: str) -> None:
    """`limit: 0`, `region: [0, 0, 0, 0]` and blank strings were refused for every kind of file."""
    rng = random.Random(file)
    alone = tool.call_sync({"path": file})
    assert tool.failed(alone) == (file == "data.bin")
    for _ in range(20 if file in {"dot.png", "five.pdf"} else 500):
        filled = {name: rng.choice(values) for name, values in NEUTRAL.items()}
        filled["since_version"] = None
        answer = tool.call_sync({"path": file, **filled})
        assert {**answer, "version": ""} == {**alone, "version": ""}, filled


@pytest.mark.parametrize("file", ["dot.png", "five.pdf", "pump.ipynb"])
def test_encoding_does_not_turn_other_kinds_into_text(tool: Tool, file: str) -> None:
    """`encoding="utf-8"`, which models fill in for every file, turned images and PDFs into text."""
    alone, answer = tool.call_sync({"path": file}), tool.call_sync({"path": file, "encoding": "utf-8"})
    assert answer["kind"] == alone["kind"] != "text"
    assert answer["notices"][0]["code"] == "ignored_argument"
    assert 'kind="text"' in answer["notices"][0]["message"]
    forced = tool.call_sync({"path": file, "encoding": "latin-1", "kind": "text"})
    assert (forced["kind"], forced["encoding"]) == ("text", "iso-8859-1")


@pytest.mark.slow
def test_random_calls_end_in_an_answer_or_a_useful_hint(tool: Tool) -> None:
    """A hint repeated what had just been refused, so a model that followed it made no progress."""
    rng = random.Random(3)
    # Text takes microseconds; only a few calls need a decoder.
    weights = (70, 12, 9, 8, 0.2, 0.2)
    odds = {name: 0.02 if name == "kind" else 0.3 for name in OTHER}
    followed = 0
    for _ in range(3_000):
        filled: dict[str, Any] = {
            name: rng.choice(OTHER[name] if rng.random() < odds[name] else values)
            for name, values in NEUTRAL.items()
        }
        filled = {"path": rng.choices(FILES, weights)[0], **filled}
        answer = tool.call_sync(filled)
        json.dumps(answer).encode()
        if not tool.failed(answer):
            continue
        for text in answer["hint"].split(" or "):
            fix = {name: read_value(value) for name, value in IN_HINT.findall(text)}
            if "leave" in text and "argument" in answer["data"]:
                fix[answer["data"]["argument"]] = None
            if not fix:
                continue
            assert any(repr(filled.get(name)) != repr(value) for name, value in fix.items()), (filled, answer)
            again = tool.call_sync({**filled, **fix})
            assert again.get("message") != answer["message"], (filled, fix)
            followed += 1
    # The other hints name a command, or say what to do with the file.
    assert followed > 600


def read_value(text: str) -> Any:
    """Return the JSON value that a hint writes."""
    if text.startswith('"'):
        return text[1:-1]
    return [int(part) for part in text[1:-1].split(",")] if text.startswith("[") else int(text)
