"""The comparison of the benchmarks detects wrong answers, refusals and exceeded limits."""

import sys
from pathlib import Path

import pytest
from benches import contest, inputs, questions, series
from benches.contest import Driver, Reply
from benches.rivals import RIVALS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: it limits and measures memory"),
]
BY_NAME = {rival.name: rival for rival in RIVALS}
USUAL = BY_NAME["Python: read, split, number"]
LINES = series.lines_of(1, 1_200)


@pytest.fixture
def log(tmp_path: Path) -> inputs.Log:
    path = tmp_path / "small.log"
    path.write_text("".join(line + "\n" for line in LINES), "utf-8")
    return inputs.Log(path, path.stat().st_size, len(LINES))


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("anyread", questions.DEEP),
        ("anyread", questions.COUNT),
        ("Python: read, split, number", questions.TAIL),
        ("Python: line by line", questions.DEEP),
        ("Python: mmap, by hand", questions.DEEP),
        ("Python: mmap, by hand", questions.TAIL),
        ("sed -n", questions.DEEP),
        ("wc -l", questions.COUNT),
    ],
)
def test_right_answer_is_timed(name: str, question: questions.Question, log: inputs.Log) -> None:
    rival = BY_NAME[name]
    case = questions.of_log(question, log, log.size_bytes)
    with Driver(rival) as driver:
        reply = driver.ask(question.request, case.arguments)
        assert case.judge(reply)[0] == "ok", case.judge(reply)
        assert len(driver.ask(question.request, case.arguments, rounds=3, seconds=5).ns) == 3


def reply_with(numbers: list[int | None], lines: list[str], total: int | None = None) -> Reply:
    return Reply("ok", lines=list(zip(numbers, lines, strict=True)), total=total)


@pytest.mark.parametrize(
    ("question", "reply", "remark"),
    [
        (questions.FIRST, reply_with([*range(1, 100)], LINES[:99]), "shows 99 lines instead of 100"),
        (questions.FIRST, reply_with([*range(1, 101)], LINES[1:101]), "line 1 of 100 is another"),
        (questions.FIRST, reply_with([*range(100)], LINES[:100]), "numbers the lines 0 to 99"),
        (questions.FIRST, reply_with([*range(-100, 0)], LINES[:100]), "numbers the lines -100 to -1"),
        (questions.COUNT, reply_with([], [], 1_201), "counts 1201 lines instead of 1,200"),
        (questions.COUNT, reply_with([*range(1, 101)], LINES[:100]), "counts None lines instead of 1,200"),
    ],
)
def test_wrong_answer_is_described(
    question: questions.Question, reply: Reply, remark: str, log: inputs.Log
) -> None:
    state, found = questions.of_log(question, log, log.size_bytes).judge(reply)
    assert state == "wrong"
    assert remark in found


def test_exceeded_memory_limit_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "MEMORY_BYTES", 100 * 2**20)
    path = tmp_path / "sparse.log"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    with Driver(USUAL) as driver:
        assert driver.ask("window", {"path": str(path), "first": 1, "count": 1}).state == "memory"
        # The next question starts a new process.
        arguments = {"path": str(inputs.source_file()), "first": 1, "count": 1}
        assert driver.ask("window", arguments).state == "ok"


def test_exceeded_time_limit_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "sparse.log"
    with path.open("wb") as file:
        file.truncate(2**30)
    with Driver(USUAL) as driver:
        reply = driver.ask("window", {"path": str(path), "first": 1, "count": 1}, limit_s=0.05)
        assert (reply.state, reply.ns) == ("timeout", [])


def test_refusal_has_the_rivals_message(tmp_path: Path) -> None:
    with Driver(USUAL) as driver:
        reply = driver.ask("window", {"path": str(tmp_path / "gone"), "first": 1, "count": 1})
        assert reply.state == "refused"
        assert "FileNotFoundError" in reply.detail


def test_memory_of_an_answer_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "sparse.log"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    with Driver(USUAL) as driver:
        reply = driver.ask("window", {"path": str(path), "first": 1, "count": 1})
        assert 150 * 2**20 < reply.anonymous_bytes < 400 * 2**20
