"""Places in real outputs of tools, and an agent that reads what the traceback of a failing test names."""

from __future__ import annotations

import json
import posixpath
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Reader
from helpers.failing_projects import lay_out, outputs, project

RECORDED = Path(__file__).parents[1] / "recorded/places/outputs.jsonl"
MOST_PLACES = 64
"""What one call accepts."""

LIBRARIES = {
    "AbstractList.java",
    "AbstractPipeline.java",
    "Files.java",
    "ReduceOps.java",
    "ReferencePipeline.java",
    "Thread.java",
    "UnixException.java",
    "UnixFileSystemProvider.java",
    "_io.pyi",
    "_testmain.go",
    "abort.c",
    "erl_eval.erl",
    "libc-start.c",
    "libc_start_call_main.h",
    "pthread_kill.c",
    "shell.erl",
    "stdlib.ml",
    "testing.go",
}
"""Files of libraries that tools name without their whole path."""


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


def in_project(path: str) -> str:
    """Return a path as it is named from the root of the project."""
    return posixpath.normpath(posixpath.join("/project", path)).removeprefix("/project/")


def named(row: dict[str, Any]) -> list[tuple[str, int, int | None]]:
    """Return the places of an output: of the paths that each may mean, the first that is in the project."""
    files = set(map(in_project, row["files"]))
    found = []
    for place in anyread.places(row["text"]):
        path = next((path for path in place.candidates if in_project(path) in files), place.path)
        found.append((in_project(path), place.line, place.column))
    return found


def test_every_place_of_five_hundred_outputs_is_found(rows: list[dict[str, Any]]) -> None:
    """The places were judged by the JSON that the tool prints of the same, or by marks in the sources."""
    missing = []
    for row in rows:
        found = named(row)
        lines = {place[:2] for place in found}
        missing += [
            (row["tool"], row["command"], place)
            for place in ((in_project(path), *rest) for path, *rest in row["places"])
            if place not in (lines if len(place) == 2 else found)
        ]
    assert missing == []
    assert len(rows) >= 537


def test_other_places_of_outputs_are_real_ones(rows: list[dict[str, Any]]) -> None:
    """Beside the judged places, tools name further lines of the same files, and files of their libraries."""
    false = set()
    for row in rows:
        known = LIBRARIES | {posixpath.basename(path) for path in row["files"]}
        for path, line, _ in named(row):
            if not path.startswith(("/", "node_modules/")) and posixpath.basename(path) not in known:
                false.add((row["tool"], path, line))
    # What the program itself said of another file.
    assert false == {("go run", "a.toml", 3)}


@pytest.mark.posix("paths that do not depend on slashes")
def test_agent_reaches_every_frame_of_fifty_failing_runs(tmp_path: Path) -> None:
    """One call reads up to 64 places: it is enough after a traceback of up to 64 frames, else two are."""
    for number, output in enumerate(outputs()):
        made = project(number)
        root = tmp_path / str(number)
        lay_out(root, made.files)
        named = anyread.places(output.replace("/project", str(root)))
        below = [str(place) for place in named if (root / place.path).resolve().is_relative_to(root)]
        calls = [below[first : first + MOST_PLACES] for first in range(0, len(below), MOST_PLACES)]
        assert len(calls) == (1 if len(made.frames) <= MOST_PLACES else 2), (number, made.command)
        reader = Reader(roots=[root], model=anyread.Model.text_only())
        reached = set()
        for call in calls:
            for page in reader.read_many_sync(call):
                assert isinstance(page, anyread.TextPage), page
                path = Path(root / page.path).resolve().relative_to(root).as_posix()
                reached |= {(path, line) for first, last in page.ranges for line in range(first, last + 1)}
        assert made.frames <= reached, (number, made.command, made.frames - reached)
    assert number == 49
