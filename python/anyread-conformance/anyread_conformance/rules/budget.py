"""Rules about the size of an answer: bounded, marked where it is cut, and with a way to go on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anyread_conformance.judging import is_message
from anyread_conformance.lines import MARKER, difference, line_of, marker, shown_lines, text_of
from anyread_conformance.rule import rule
from anyread_conformance.stopping import NotApplicableError, RuleBrokenError

if TYPE_CHECKING:
    from anyread_conformance.reply import Reply
    from anyread_conformance.trial import Trial

_LINES = 60_000
_CUT = re.compile(
    r"truncat|clipp|\bcut\b|omitted|more (?:lines|characters|content)|remaining|continu|not shown|too long"
    r"|\bnext\b|showing|partial|to read (?:more|further)|exceed|\boffset\b|\blines? \d+\s*(?:-|–|to)\s*\d+",
    re.IGNORECASE,
)


@rule("endless-line", "budget", 52, 55)
def endless_line(trial: Trial) -> None:
    """One line of 8 MB does not become an answer of 8 MB, and the answer says that it was cut.

    Minified code and JSON dumps are such files; one of them fills the context of every model.
    """
    reply = trial.read(trial.file(marker(1) + "y" * 8_000_000))
    _expect_bounded(trial, reply)
    outside = re.sub(r"y{20,}", "\n", reply.text)
    if reply.outcome != "refused" and not is_message(reply) and not _CUT.search(outside):
        raise RuleBrokenError("the line is cut, and nothing says so")


@rule("many-lines", "budget", 45, 47)
def many_lines(trial: Trial) -> None:
    """A file of 60,000 lines, read without a range, is not shown completely.

    A model that reads a log by its name alone loses the rest of its context.
    """
    _expect_bounded(trial, trial.read(trial.file(text_of(1, _LINES))))


@rule("says-truncated", "budget", 45)
def says_truncated(trial: Trial) -> None:
    """An answer that leaves out lines of the file says so.

    Otherwise the model believes that it has seen the whole file.
    """
    reply = _first_page(trial)
    # Lines of the file, and what is clipped from them, say nothing.
    outside = re.sub(r"(?m)^.*zq\d{6,}x some words of this line", "", reply.text)
    if not _CUT.search(outside):
        raise RuleBrokenError("lines are left out, and nothing says so")


@rule("says-how-to-go-on", "budget", 45, 46)
def says_how_to_go_on(trial: Trial) -> None:
    """An answer that leaves out the end of the file names the last line shown, or the next one.

    A model that has to count lines itself makes mistakes.
    """
    trial.require_windows()
    reply = _first_page(trial)
    last = max(line.line_number for line in shown_lines(reply.text))
    outside = re.sub(r"(?m)^.*zq\d{6,}x.*$", "", reply.text).replace(",", "")
    if not {last, last + 1} & {int(number) for number in re.findall(r"\d+", outside)}:
        raise RuleBrokenError(f"nothing names line {last} or {last + 1}, where to go on")


@rule("after-long-line", "budget", 56, 58)
def after_long_line(trial: Trial) -> None:
    """The lines after a very long one can be read, with their numbers.

    Readers that cut the text before they count lines lose them.
    """
    trial.require_windows()
    text = text_of(1, 2) + marker(3) + "y" * 1_000_000 + "\n" + text_of(4, 8)
    path = trial.file(text)
    reply = trial.read(path, 4, 3)
    trial.expect(reply, 4, 6)
    for line in shown_lines(reply.text):
        if trial.has_numbers and line.shown_number != line.line_number:
            raise RuleBrokenError(f"line {line.line_number} has the number {line.shown_number}")


def _expect_bounded(trial: Trial, reply: Reply) -> None:
    if len(reply.text) > trial.allowed.characters:
        raise RuleBrokenError(f"an answer of {len(reply.text):,} characters")


def _first_page(trial: Trial) -> Reply:
    reply = trial.read(trial.file(text_of(1, _LINES)))
    if difference(reply.text, range(1, _LINES + 1)) is None:
        raise NotApplicableError("the reader shows every file completely")
    if reply.outcome == "refused" or not MARKER.search(reply.text) or line_of(1) not in reply.text:
        raise NotApplicableError("the reader refuses large files")
    return reply
