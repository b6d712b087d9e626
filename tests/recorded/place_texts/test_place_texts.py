"""Every place in outputs of real tools is found, and nothing else is, except what the data lists as known.

A row of `outputs.jsonl` has the `tool`, its `command`, those `files` of the project that the text names, the
`text` that was printed, and the `places` in it: path, line, column, and the last line of a range.
The name of a test or of a cell of a notebook takes the place of the line.
The places do not come from anyread: they were taken by one small expression for each tool, from its report in
JSON of the same findings, or by searching the sources.
Texts of tools whose name begins with "by hand" were composed in the form of logs, not printed by a tool.
`known` has how the answer differs today. The root of each project is `/project`.
"""

from __future__ import annotations

import json
import posixpath
from pathlib import Path
from typing import Any

import pytest

import anyread

OUTPUTS = Path(__file__).with_name("outputs.jsonl")
ROWS: list[dict[str, Any]] = [json.loads(line) for line in OUTPUTS.read_text(encoding="utf-8").splitlines()]
TOOLS = sorted({row["tool"] for row in ROWS})


def in_project(path: str) -> str:
    """Return a path as it is named from the root of the project."""
    return posixpath.normpath(posixpath.join("/project", path)).removeprefix("/project/")


def found(row: dict[str, Any]) -> set[tuple[Any, ...]]:
    """Return the places of a text: of the paths that each may mean, the first that is in the project."""
    files = set(map(in_project, row["files"]))
    named = set()
    for place in anyread.places(row["text"]):
        path = next((path for path in place.candidates if in_project(path) in files), place.path)
        end = (place.end_line,) if place.end_line else ()
        named.add((in_project(path), place.name or place.line, place.column, *end))
    return named


def deviations(row: dict[str, Any]) -> dict[str, set[tuple[Any, ...]]]:
    expected = {(in_project(path), *rest) for path, *rest in row["places"]}
    answer = found(row)
    return {"missed": expected - answer, "wrong": answer - expected}


@pytest.mark.parametrize("tool", TOOLS)
def test_places_of_outputs_are_found_and_no_others(tool: str) -> None:
    """If a known deviation is repaired, remove it from the row."""
    for row in ROWS:
        if row["tool"] == tool:
            known = row.get("known", {"missed": [], "wrong": []})
            expected = {kind: set(map(tuple, places)) for kind, places in known.items()}
            assert deviations(row) == expected, row["command"]


def test_known_deviations_are_few() -> None:
    assert len(ROWS) == 468
    assert sum("known" in row for row in ROWS) == 34
