"""The examples in docs/adapters.md run one after another, and print the output shown below them."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from anyread import adapters

PAGE = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text("utf-8")
EXAMPLE = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n^```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)


def test_examples_print_the_output_shown_below_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    examples = list(EXAMPLE.finditer(PAGE))
    assert len(examples) == PAGE.count("```python")
    for example in examples:
        output = io.StringIO()
        line = PAGE.count("\n", 0, example.start()) + 1
        with redirect_stdout(output):
            exec(compile(example["code"], f"docs/adapters.md:{line}", "exec"), names)
        assert output.getvalue() == (example["output"] or "")


def test_table_lists_every_target_and_its_functions() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (`.*?) \|", PAGE, re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted(adapters.__all__)
    for name, functions in rows:
        for function in re.findall(r"`(\w+)\(", functions):
            assert callable(getattr(getattr(adapters, name), function))
