"""Rules about windows: the lines that were requested, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyread_conformance.judging import is_message
from anyread_conformance.lines import difference, line_of, shown_lines, text_of, wrong_number
from anyread_conformance.rule import rule
from anyread_conformance.stopping import NotApplicableError, RuleBrokenError

if TYPE_CHECKING:
    from pathlib import Path

    from anyread_conformance.trial import Trial

_DEEP_LINES = 400_000


@rule("window", "range", 48)
def window(trial: Trial) -> None:
    """A window in the middle of a file has exactly the requested lines.

    The model chose them because it needs them, and pays for each further one.
    """
    trial.require_windows()
    path = trial.file(text_of(1, 60))
    for first, count in ((11, 5), (30, 1), (41, 13)):
        trial.expect(trial.read(path, first, count), first, first + count - 1)


@rule("first-and-last-line", "range", 59)
def first_and_last_line(trial: Trial) -> None:
    """A window can be the first line alone, or the last line alone.

    Off-by-one errors show at the ends of a file.
    """
    trial.require_windows()
    path = trial.file(text_of(1, 20).rstrip("\n"))
    trial.expect(trial.read(path, 1, 1), 1, 1)
    trial.expect(trial.read(path, 20, 1), 20, 20)


@rule("tiles", "range", 130)
def tiles(trial: Trial) -> None:
    """Windows that follow one another cover the file without gap and without overlap.

    A model reads large files this way, and nothing tells it about a line that is between two pages.
    """
    trial.require_windows()
    for ending in ("\n", "\r\n"):
        path = trial.file(text_of(1, 50, ending))
        for first in range(1, 51, 7):
            trial.expect(trial.read(path, first, 7), first, min(first + 6, 50))


@rule("limit-past-end", "range", 41)
def limit_past_end(trial: Trial) -> None:
    """A window that starts in the file and ends after it shows the lines that exist.

    Models do not know how long a file is, and choose round numbers of lines.
    """
    trial.require_windows()
    trial.expect(trial.read(trial.file(text_of(1, 20)), 18, 100), 18, 20)


@rule("offset-past-end", "range", 64)
def offset_past_end(trial: Trial) -> None:
    """An offset after the end of the file is an error or a clear message.

    An empty answer looks like an empty file.
    """
    trial.require_windows()
    reply = trial.read(trial.file(text_of(1, 20)), 31, 5)
    if shown_lines(reply.text):
        raise RuleBrokenError("lines are shown for an offset past the end")
    if not is_message(reply):
        raise RuleBrokenError("the answer for an offset past the end is empty or unclear")


@rule("deep-window", "range", 50)
def deep_window(trial: Trial) -> None:
    """A window deep inside a file of 400,000 lines has the right lines and numbers.

    Readers that estimate where a line begins show lines near it.
    """
    trial.require_windows()
    # Lines of different lengths mislead estimates.
    path = trial.path("deep.txt")
    with path.open("w", encoding="utf-8") as file:
        for start in range(1, _DEEP_LINES + 1, 1000):
            tail = " and more" * (9 if start < 100_000 else 0)
            file.write("".join(f"{line_of(number)}{tail}\n" for number in range(start, start + 1000)))
    reply = trial.read(path, 299_999, 3)
    trial.expect(reply, 299_999, 300_001)
    wrong = wrong_number(reply.text) if trial.has_numbers else None
    if wrong is not None:
        raise RuleBrokenError(wrong)


@rule("large-log", "range", 49)
def large_log(trial: Trial) -> None:
    """The last lines of a large log are shown without holding the log in memory.

    `--large-mb` sets its size. Agents read logs while the program that writes them still runs beside them.
    """
    trial.require_windows()
    path = trial.path("large.log")
    lines = _write_log(path, trial.allowed.large_mb * 1_000_000)
    reply = trial.read(path, lines - 4, 5)
    shows_other_lines = "x" * 50 in reply.text
    if not shows_other_lines and (reply.outcome == "refused" or is_message(reply)):
        raise NotApplicableError(f"the reader refuses files of {trial.allowed.large_mb} MB")
    wrong = difference(reply.text, range(lines - 4, lines + 1))
    if wrong is not None:
        raise RuleBrokenError(wrong)
    trial.expect_little_memory(reply, f"a log of {trial.allowed.large_mb} MB")


def _write_log(path: Path, size: int) -> int:
    """Write a log of about `size` bytes, mostly of the same line, and return how many lines it has."""
    block = (b"x" * 99 + b"\n") * 10_000
    blocks = max(1, size // len(block))
    with path.open("wb") as file:
        for _ in range(blocks):
            file.write(block)
        first = blocks * 10_000 + 1
        file.write(text_of(first, first + 4).encode())
    return first + 4
