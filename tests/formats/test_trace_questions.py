"""Questions about a trace of 20 MB, each answered by at most three calls of the tool."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import anyread

if TYPE_CHECKING:
    from pathlib import Path

    from anyread.tools import Tool

STEPS = 1_200


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a trace: the task, then calls and their results in turn, and the answer."""
    rng = random.Random(20)
    path = tmp_path_factory.mktemp("trace") / "trace.jsonl"
    records: list[dict[str, Any]] = [
        {
            "type": "task",
            "text": "Make the tests pass.",
            "model": {"name": "m-7", "limits": {"tokens": 200_000}},
        }
    ]
    for number in range(1, STEPS + 1):
        command = f"pytest tests/test_{number % 70}.py -k {number}"
        usage = {"in": rng.randrange(90_000), "out": rng.randrange(900)}
        content = [
            {
                "type": "text",
                "text": f"Step {number}: I look at the failure. " + "It may be the cache. " * 40,
            },
            {
                "type": "call",
                "id": f"c{number}",
                "name": "bash",
                "input": {"command": command, "timeout": 60},
            },
        ]
        records.append({"type": "assistant", "content": content, "usage": usage})
        lines = [f"{line:05} {rng.getrandbits(400):0100x}" for line in range(rng.randrange(100, 200))]
        result: dict[str, Any] = {"type": "result", "id": f"c{number}", "output": "\n".join(lines), "code": 0}
        if number == 777:
            result |= {"code": 137, "error": "killed: out of memory", "output": "\n".join([*lines, "Killed"])}
        records.append(result)
    records.append({"type": "answer", "text": "The cache was stale.\nI cleared it.", "cost": 1.25})
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    assert path.stat().st_size > 18 << 20
    return path


@pytest.fixture
def tool(trace: Path) -> Tool:
    return anyread.tool("anyread", cwd=trace.parent)


LAST = 2 * STEPS + 2
QUESTIONS: list[tuple[str, list[dict[str, Any]], str]] = [
    ("What was the task?", [{"at": "1/text"}], "Make the tests pass."),
    ("What was the answer?", [{"offset": -1, "kind": "records"}, {"at": f"{LAST}/text"}], "I cleared it."),
    ("What did it cost?", [{"at": f"{LAST}/cost"}], "1.25"),
    ("What was the third command?", [{"at": "6"}, {"at": "6/content/1/input"}], "pytest tests/test_3"),
    ("How long might it run?", [{"at": "6/content/1/input/timeout"}], "60"),
    ("What failed in step 777?", [{"at": "1555"}, {"at": "1555/error"}], "killed: out of memory"),
    ("What did that command print last?", [{"at": "1555/output", "offset": -1}], "Killed"),
    ("What was thought before it?", [{"at": "1554/content/0/text"}], "Step 777: I look at the failure."),
    ("How many tokens did step 500 take?", [{"at": "1000/usage"}], "/in\t"),
    ("How many records are there?", [{"offset": -1, "limit": 1, "kind": "records"}], f"{LAST}\t"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "calls", "answer"), QUESTIONS, ids=[row[0] for row in QUESTIONS])
def test_question_takes_at_most_three_calls(
    tool: Tool, question: str, calls: list[dict[str, Any]], answer: str
) -> None:
    assert len(calls) <= 3, question
    texts = []
    for call in calls:
        output = tool.call_sync({"path": "trace.jsonl", **call})
        assert not tool.failed(output)
        texts.append("".join(block["text"] for block in output["content"]))
    assert answer in texts[-1]
    assert len(texts[-1]) < 40_000
