"""The examples in docs/batch.md run one after another, and its tables are complete."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from anyread import batch

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "batch.md").read_text("utf-8")
EXAMPLE = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n^```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)


def test_examples_print_the_output_shown_below_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    examples = list(EXAMPLE.finditer(PAGE))
    # Those of engines run in `make batch`.
    assert len(examples) == PAGE.count("```python\n") == PAGE.count("```python") - 2
    for example in examples:
        output = io.StringIO()
        line = PAGE.count("\n", 0, example.start()) + 1
        with redirect_stdout(output):
            exec(compile(example["code"], f"docs/batch.md:{line}", "exec"), names)
        assert output.getvalue() == (example["output"] or "")


def test_table_of_columns_is_complete_and_has_the_defaults() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| [^|]+ \| `(.*?)` \|$", PAGE, re.MULTILINE)
    documented = {name: eval(default) for names, default in rows for name in re.findall(r"\w+", names)}
    failed = batch.read_rows({"path": ["gone"]}, select=list(batch.ROW_TYPES))
    shown = {name: values[0] for name, values in failed.items() if name != "path"}
    assert documented | {name: shown[name] for name in ("error", "error_message")} == shown
    assert list(documented) == list(batch.ROW_TYPES)


def test_table_of_names_is_complete() -> None:
    named = re.findall(r"^\| `(\w+)[(.]", PAGE, re.MULTILINE)
    assert {*named, "ROW_TYPES", "SURVEY_TYPES"} == set(batch.__all__)


def test_examples_of_the_page_exist() -> None:
    named = set(re.findall(r"`(examples/\w+\.py)`", PAGE))
    assert named == {f"examples/{path.name}" for path in (ROOT / "examples").glob("*.py")}
