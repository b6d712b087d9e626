"""The questions for all rivals, and their correct answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benches import inputs, series
from benches.drivers.protocol import digest, texts

if TYPE_CHECKING:
    from benches.contest import Reply
    from benches.inputs import Log

LINES = 100
"""How many lines of a log are requested."""
READS = 1_024
"""How many small files are read, independent of the number of tasks."""


@dataclass(frozen=True, slots=True)
class Question:
    """One comparison."""

    name: str
    """Its name in records."""
    title: str
    """Its name in plots and tables."""
    request: str
    """Its name in requests to drivers."""


FIRST = Question("first", f"first {LINES} lines of a log", "window")
DEEP = Question("deep", f"{LINES} lines at 90 % of a log", "window")
TAIL = Question("tail", f"last {LINES} lines of a log", "tail")
COUNT = Question("count", f"line count and first {LINES} lines of a log", "count")
WHOLE = Question("whole", "one file of 8 KiB, whole", "whole")
MANY = Question("many", f"{READS:,} files of 4 KiB, whole", "many")
OF_LOG = (FIRST, DEEP, TAIL, COUNT)
ALL = (*OF_LOG, WHOLE, MANY)


@dataclass(frozen=True, slots=True)
class Case:
    """A question about one input, and its answer."""

    question: Question
    arguments: dict[str, Any]
    """The arguments of the request."""
    lines: list[str]
    """The texts of the correct answer."""
    first_number: int | None = None
    """The number of its first line, or `None` if lines are not numbered."""
    total: int | None = None
    """How many lines the file has, if the question asks for it."""
    size_bytes: int | None = None
    """Nominal size of the log."""
    tasks: int | None = None
    """How many tasks read at once."""

    def judge(self, reply: Reply) -> tuple[str, str]:
        """Return `ok` or `wrong`, and a remark."""
        shown = [text for _, text in reply.lines]
        may_only_count = self.total is not None and not shown
        if shown != self.lines and not may_only_count:
            return "wrong", self._difference(shown)
        if self.total is not None and reply.total != self.total:
            return "wrong", f"counts {reply.total} lines instead of {self.total:,}"
        if may_only_count:
            return "ok", "counts only"
        return self._judge_numbers([number for number, _ in reply.lines])

    def _judge_numbers(self, numbers: list[int | None]) -> tuple[str, str]:
        if self.first_number is None:
            return "ok", ""
        if set(numbers) == {None}:
            return "ok", "no line numbers"
        from_end = list(range(-len(numbers), 0))
        if numbers == list(range(self.first_number, self.first_number + len(numbers))):
            return "ok", ""
        if self.question is TAIL and numbers == from_end:
            return "ok", "numbered from the end"
        return "wrong", f"numbers the lines {numbers[0]} to {numbers[-1]}"

    def _difference(self, shown: list[str]) -> str:
        if len(shown) != len(self.lines):
            return f"shows {len(shown)} lines instead of {len(self.lines)}"
        index = next(index for index, line in enumerate(shown) if line != self.lines[index])
        return f"line {index + 1} of {len(shown)} is another: {shown[index][:60]!r}"


def of_log(question: Question, log: Log, size_bytes: int) -> Case:
    """Return a question about a log with its answer."""
    path = str(log.path)
    first = {DEEP: log.lines * 9 // 10, TAIL: log.lines - LINES + 1}.get(question, 1)
    arguments = {"path": path, "count": LINES} | ({"first": first} if question.request == "window" else {})
    total = log.lines if question is COUNT else None
    return Case(question, arguments, series.lines_of(first, LINES), first, total, size_bytes)


def of_small_file() -> Case:
    """Return the question for one whole file with its answer."""
    path = inputs.source_file()
    lines = [text for _, text in texts(path.read_text(encoding="utf-8"))]
    return Case(WHOLE, {"path": str(path)}, lines, 1, size_bytes=8 * 1024, tasks=1)


def of_many_files(tasks: int, *, reads: int = READS) -> Case:
    """Return the question for many files, read by `tasks` tasks; the answer has a digest of each file."""
    paths = inputs.small_files()[:reads]
    lines = [f"{path} {digest(texts(path.read_text(encoding='utf-8')))}" for path in paths]
    arguments = {"paths": [str(path) for path in paths], "tasks": tasks}
    return Case(MANY, arguments, lines, size_bytes=4 * 1024, tasks=tasks)
