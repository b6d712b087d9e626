"""`anyread.batch` in data engines, against the engines' own ways to read text (P16)."""

from __future__ import annotations

import json
import statistics
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benches import inputs

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent
FILES = 100_000
RIVALS = {
    "ray": {"read_text": "read_text", "binary": "read_binary_files, decode"},
    "daft": {"read_text": "read_text", "binary": "download, decode"},
}


@pytest.mark.parametrize("engine", RIVALS)
def test_rows_of_small_files(engine: str, report: Callable[..., None], not_run: Callable[..., None]) -> None:
    keys = {"read_text": f"batch-{engine}", "binary": f"batch-{engine}-binary"}
    python = ROOT / ".venv-engines" / engine / "bin" / "python"
    if not python.exists():
        not_run(*keys.values(), reason="`make batch` installs the engine")
    program = ROOT / "benches" / "engines" / f"time_{engine}.py"
    command = [str(python), str(program), str(inputs.fleet(FILES))]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    rounds = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    print(*rounds, sep="\n")
    median_us = {
        way: statistics.median(taken[way] for taken in rounds if way in taken) / FILES * 1e6
        for way in rounds[0]
    }
    for way, key in keys.items():
        report(key, median_us["anyread"], "µs", RIVALS[engine][way], median_us[way])
