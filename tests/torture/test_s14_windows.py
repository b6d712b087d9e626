"""S14: the text of any window equals what Python decodes from the whole file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.texts import read_text
from torture.encoded_files import names
from torture.processes import start

PROCESSES = 2


@pytest.mark.timeout(900)
def test_text_of_any_window_equals_pythons_codecs(
    tmp_path: Path, scale: Callable[..., int], score: Any
) -> None:
    count = scale(2_000, 1_000_000)
    running = [start("window_splits", seed, count // PROCESSES, tmp_path) for seed in range(1, PROCESSES + 1)]
    tallies = [json.loads(process.communicate()[0]) for process in running]
    compared = sum(tally["compared"] for tally in tallies)
    files = sum(tally["files"] for tally in tallies)
    differences = [line for tally in tallies for line in tally["differences"]]
    encodings = set().union(*(tally["encodings"] for tally in tallies))
    print("\n".join(differences))
    if not differences:
        assert compared == count
    if count >= 1_000_000:
        assert encodings >= {*names()}
    score(
        "S14",
        "windows",
        failures=len(differences),
        of=compared,
        unit="window splits",
        detail=f"{files:,} files in {len(encodings)} encodings, against Python's errors='replace'",
    )


def test_column_after_a_shift_continues_a_line_of_iso_2022_jp(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    line = "日本語 abc 漢字\n"
    path.write_bytes(line.encode("iso2022_jp"))
    for column in range(1, len(line)):
        assert read_text(path, encoding="iso2022_jp", column=column).content == line[column - 1 :]
