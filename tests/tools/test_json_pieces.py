"""The JSON of notebooks, decoded cell by cell, gives the same values and errors as `json.loads`."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread._native import count_values
from anyread.tools import json_pieces
from anyread.tools.json_pieces import JsonText


def parsed(text: str) -> Any:
    cursor = JsonText(text)
    first = cursor.next_char()
    value: Any
    if first == "{":
        value = {name: cursor.value() for name in cursor.members()}
    else:
        value = list(cursor.items()) if first == "[" else cursor.value()
    cursor.end()
    return value


def outcome(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except ValueError:
        return "refused"


def strict(text: str) -> Any:
    return json.loads(text, parse_constant=json_pieces._refuse_constant)


def random_value(rng: random.Random, depth: int) -> Any:
    kind = rng.randrange(9 if depth else 5)
    if kind < 2:
        return rng.choice([None, True, False, 1, -2.5, 10**20, 1e300, "", [], {}])
    if kind < 5:
        pieces = ["a", "\n", '"', "\\", "é", "\U0001f600", "\x01", "x" * 50, "\ufffd"]
        return "".join(rng.choices(pieces, k=rng.randrange(60)))
    if kind < 7:
        return [random_value(rng, depth - 1) for _ in range(rng.randrange(12))]
    return {str(random_value(rng, 0)): random_value(rng, depth - 1) for _ in range(rng.randrange(9))}


def test_values_and_errors_match_json_loads() -> None:
    rng = random.Random(16)
    for _ in range(1_000):
        value = random_value(rng, 3)
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1]))
        assert parsed(text) == value
        broken = list(text)
        for _ in range(rng.randrange(1, 3)):
            position = rng.randrange(len(broken) + 1)
            broken[position : position + rng.randrange(2)] = rng.choice('",}x') + rng.choice(["", "NaN"])
        assert outcome(parsed, "".join(broken)) == outcome(strict, "".join(broken))


@pytest.mark.parametrize(
    "text", ['"a', '"' + "a" * 70_000, '"' + "a\\n" * 70_000 + '\\x"', "[1 2]", "", "1 2"]
)
def test_invalid_json_error_has_its_position(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as expected:
        json.loads(text)
    with pytest.raises(json.JSONDecodeError) as found:
        parsed(text)
    assert found.value.pos == expected.value.pos


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(RecursionError):
        parsed(text)


def longest_hold_s(work: Callable[[], Any]) -> float:
    """Run work in a thread and return the longest CPU time for which it blocked this thread.

    CPU time excludes the time that both threads wait for other processes on a busy machine.
    """
    thread, longest = threading.Thread(target=work), 0.0
    thread.start()
    while thread.is_alive():
        started = time.process_time()
        time.sleep(0.001)
        longest = max(longest, time.process_time() - started)
    return longest


@pytest.mark.slow
def test_other_threads_run_while_a_long_list_is_decoded() -> None:
    """A notebook of a million cells blocked the event loop for 3 s, because `json.loads` held the GIL."""
    text = "[" + ",".join(['{"cell_type":"raw","metadata":{},"source":"x"}'] * 300_000) + "]"
    at_once = longest_hold_s(lambda: json.loads(text))
    in_pieces = min(longest_hold_s(lambda: sum(1 for _ in JsonText(text).items())) for _ in range(3))
    assert in_pieces < at_once / 2


def values(value: Any) -> int:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(values, items))


def test_values_are_counted_outside_of_strings() -> None:
    rng = random.Random(3)
    for _ in range(300):
        value = random_value(rng, 3)
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
        assert values(value) - 1 <= count_values(text.encode()) <= 2 * values(value)
    assert count_values(rb'["a,[{\",", "b"]') == 2
    assert [count_values(text) for text in (b"", b'"', b'"\\', b'[",[')] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    "bomb",
    [
        pytest.param({"cells": [{}] * 2_000}, id="cells"),
        pytest.param({"cells": [{"cell_type": "code", "outputs": [{}] * 2_000}]}, id="outputs"),
        pytest.param({"metadata": [[]] * 2_000, "cells": []}, id="metadata"),
    ],
)
@pytest.mark.parametrize("name", ["mycode", "pilotdeck"])
def test_notebook_with_many_values_is_refused(
    name: str, bomb: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A notebook of 15 MB with 5,000,000 empty cells took 7 seconds and 611 MB."""
    monkeypatch.setattr(json_pieces, "MAX_VALUES", 2_000)
    (tmp_path / "a.ipynb").write_text(json.dumps(bomb))
    tool = anyread.tool(name, cwd=tmp_path)
    answer = tool.call_sync({"file_path": "a.ipynb"})
    assert tool.failed(answer)
    assert "it has over 2,000 values" in json.dumps(answer)


def test_long_notebook_is_cut_in_mycode(tmp_path: Path) -> None:
    """A notebook of 40 MB was answered with as much text."""
    cells = [{"cell_type": "raw", "source": f"text {number}"} for number in range(500)]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    whole = anyread.tool("mycode", cwd=tmp_path).call_sync({"file_path": "a.ipynb"})
    assert not whole["truncated"]
    tool = anyread.tool("mycode", cwd=tmp_path, settings={"max_lines": 100, "max_line_units": 50})
    cut = tool.call_sync({"file_path": "a.ipynb"})
    assert cut["content"] == whole["content"][:5_000] + "... (truncated)"
    assert cut["truncated"]
    assert cut["lineCount"] == cut["content"].count("\n") + 1
    assert cut["metadata"]["cellCount"] == 500
