"""The JSON of notebooks, decoded cell by cell, gives the same values and errors as `json.loads`."""

from __future__ import annotations

import gc
import json
import random
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.tools.parts import notebook_json as module
from anyread.tools.parts.notebook_json import NoJsonError, notebook_json


def parsed(text: str) -> Any:
    return notebook_json(text.encode())


def refuse(name: str) -> Any:
    raise ValueError(name)


def outcome(parse: Callable[[], Any]) -> Any:
    try:
        return parse()
    except (NoJsonError, ValueError):
        return "refused"


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
        text = "".join(broken)
        expected = outcome(partial(json.loads, text, parse_constant=refuse))
        assert outcome(partial(parsed, text)) == expected


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(NoJsonError, match="nested too deep"):
        parsed(text)


def longest_hold_s(work: Callable[[], Any]) -> float:
    """Run work in a thread and return the longest CPU time for which it blocked this thread.

    CPU time excludes the time that both threads wait for other processes on a busy machine.
    """
    thread, longest = threading.Thread(target=work), 0.0
    started = time.process_time()
    thread.start()
    while thread.is_alive():
        longest = max(longest, time.process_time() - started)
        started = time.process_time()
        time.sleep(0.001)
    return max(longest, time.process_time() - started)


@pytest.mark.no_cover
@pytest.mark.slow
def test_other_threads_run_while_a_long_list_is_decoded() -> None:
    """A notebook of a million cells blocked the event loop for 3 s, because `json.loads` held the GIL."""
    cell = json.dumps({"cell_type": "raw", "metadata": {}, "source": "x\n" * 50})
    text = "[" + ",".join([cell] * 60_000) + "]"
    # The garbage collector visits the same values, however they were decoded.
    gc.disable()
    try:
        at_once = max(longest_hold_s(lambda: json.loads(text)) for _ in range(2))
        in_pieces = min(longest_hold_s(lambda: parsed(text)) for _ in range(2))
    finally:
        gc.enable()
    assert in_pieces < at_once / 2


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
    monkeypatch.setattr(module, "MAX_VALUES", 2_000)
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
