"""The recorded calls of five reference tools, where they lie beside this tree."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

GOLDEN = Path(__file__).parents[3] / "shared" / "golden"

LEFT_OUT = {"path:directory": {"dirs": ["sub"]}}
"""What a row needs and does not say: this one expects the answer for a folder that it does not make."""


def rows() -> list[Any]:
    if not (GOLDEN / "replay.py").exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="no recorded calls beside this tree"))]
    lines = [line for path in sorted(GOLDEN.glob("*.jsonl")) for line in path.read_text("utf-8").split("\n")]
    found = [{**json.loads(line), **LEFT_OUT.get(json.loads(line)["id"], {})} for line in lines if line]
    return [pytest.param(row, id=f"{row['profile']}/{row['id']}") for row in found]


@pytest.fixture(scope="module")
def replay() -> ModuleType:
    spec = importlib.util.spec_from_file_location("replay", GOLDEN / "replay.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


UNREAD = {"fake.png", "fake.pdf", "max.png"}
"""Rows of llm-gateway whose media do not decode: they are refused where media are checked, and not read."""


@pytest.mark.parametrize("validated", [False, True], ids=["as recorded", "validated"])
@pytest.mark.parametrize("row", rows())
def test_recorded_call_is_answered_the_same(replay: Any, row: Any, validated: Any) -> None:
    if validated and row["profile"] == "llm-gateway" and row["id"] in UNREAD:
        row = {**row, "recorded": False}
    assert replay.run(row, validated) == []
