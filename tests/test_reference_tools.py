"""The comparison with reference tools reports answers, hangs and too much memory, and computes its ratios."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import pytest
from benches.reference_tools import process, run, tables
from benches.reference_tools.process import Process, Reply
from benches.reference_tools.tasks import TASKS, verdict
from benches.reference_tools.tools import TOOLS, Call

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: it limits and measures memory")
TASK = {task.name: task for task in TASKS}
TOOL = {tool.name: tool for tool in TOOLS}
DRIVER = """
import time
from benches.reference_tools.drivers.answers import serve

def call(arguments):
    match arguments["do"]:
        case "hang": time.sleep(60)
        case "fill": kept = [b"x" * 2**20 for _ in range(200)]; time.sleep(60)
        case "raise": raise ValueError("no such file")
    return {"text": "half \\ud83d", "lines": [1, 2]}

serve("1.2", call)
"""


@pytest.fixture
def driver() -> Any:
    with Process([sys.executable, "-c", DRIVER], {"do": "answer"}, measures_children=False) as started:
        yield started


@pytest.mark.slow
def test_answer_is_described_and_timed(driver: Process) -> None:
    reply = driver.call({"do": "answer"}, 20)
    assert (reply.state, driver.version, len(reply.ns)) == ("ok", "1.2", 1)
    assert reply.answer == {"text": "half \ud83d", "lines": [1, 2]}
    assert set(reply.leaves) == {".text", ".lines[0]", ".lines[1]"}
    assert verdict(TASK["emoji"], reply, is_refused=False) == "half a character"
    assert len(driver.times({"do": "answer"}, 3, 20, 20)) == 3
    assert driver.call({"do": "raise"}, 20).detail == "ValueError('no such file')"


@pytest.mark.slow
def test_hang_and_memory_are_results_and_the_driver_starts_again(
    driver: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert driver.call({"do": "hang"}, 0.2).state == "timeout"
    monkeypatch.setattr(process, "MEMORY_BYTES", 100 * 2**20)
    filled = driver.call({"do": "fill"}, 20)
    assert verdict(TASK["fifo"], filled, is_refused=False) == "over 4 GiB of memory"
    assert driver.call({"do": "answer"}, 20).state == "ok"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("opencode", {"offset": 5, "limit": 3}),
        ("deepagents", {"file_path": "/a.log", "offset": 4, "limit": 3}),
        ("strands", {"command": "view", "view_range": [5, 7]}),
        ("anthropic-memory", {"path": "/memories/a.log", "view_range": [5, 7]}),
        ("gemini-cli", {"start_line": 5, "end_line": 7}),
        ("mcp-filesystem", {"tail": 3}),
        ("anthropic-toolset", {"file_path": "a.log", "view_range": [5, 7]}),
    ],
)
def test_call_is_written_in_the_arguments_of_the_contract(tool: str, arguments: dict[str, Any]) -> None:
    given = TOOL[tool].arguments(Call("a.log", 5, 7))
    assert arguments.items() <= given.items()


def test_half_sent_image_and_refusal_are_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"\x89PNG")
    monkeypatch.setattr("benches.reference_tools.files.DIRECTORY", tmp_path)
    sent = Reply("ok", answer={"data": "iVBORw=="})
    assert verdict(TASK["image"], sent, is_refused=False) == "sent, does not decode"
    assert verdict(TASK["image"], sent, is_refused=True) == "refused"


def test_ratio_is_that_of_the_least_times(tmp_path: Path) -> None:
    """Check the table without the code that measures."""
    path = tmp_path / "record.csv"
    rows = [
        ("opencode", "reference", "small", "2000000000"),
        ("opencode", "anyread", "small", "50000"),
        ("opencode", "reference", "page-100MiB", "3000000000"),
        ("opencode", "anyread", "page-100MiB", "10000000"),
        ("pi", "reference", "page-100MiB", "200000000"),
        ("pi", "anyread", "page-100MiB", "8000000"),
    ]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, run.COLUMNS, restval="")
        writer.writeheader()
        for tool, side, task, least in rows:
            line = {"tool": tool, "side": side, "task": task, "state": "ok", "verdict": "answered"}
            writer.writerow({**line, "least_ns": least, "median_ns": least, "rounds": "3"})
    shown = tables.ratios(tables.ReferenceRecord(path)).splitlines()
    [opencode] = [line for line in shown if line.startswith("| opencode ")]
    [pi] = [line for line in shown if line.startswith("| pi ")]
    assert "| 40,000× | – | 300× |" in opencode
    assert "| 25× |" in pi
