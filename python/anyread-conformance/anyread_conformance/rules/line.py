"""Rules about lines: what ends one, which number it has, and that nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyread_conformance.judging import is_message
from anyread_conformance.lines import difference, line_of, marker, shown_lines, text_of, wrong_number
from anyread_conformance.rule import rule
from anyread_conformance.stopping import NotApplicableError, RuleBrokenError

if TYPE_CHECKING:
    from pathlib import Path

    from anyread_conformance.trial import Trial

_SEPARATORS = {
    "form feed": "\f",
    "vertical tab": "\v",
    "U+001C": "\x1c",
    "U+0085": "\x85",
    "U+2028": "\u2028",
    "U+2029": "\u2029",
}


@rule("lf", "line", 60)
def lf(trial: Trial) -> None:
    """Each line of a file with LF is shown once, in order.

    A model that misses a line, or sees one twice, makes wrong edits.
    """
    trial.expect(trial.whole(trial.file(text_of(1, 12)), 12), 1, 12)


@rule("crlf", "line", 72, 73)
def crlf(trial: Trial) -> None:
    """Each line of a file with CRLF is shown once, and CRLF counts as one line ending.

    If CR and LF both count, the numbers of all lines after the first are wrong.
    """
    reply = trial.whole(trial.file(text_of(1, 12, "\r\n")), 12)
    trial.expect(reply, 1, 12)
    _expect_numbers(trial, reply.text)


@rule("mixed-endings", "line", 72)
def mixed_endings(trial: Trial) -> None:
    """Each line of a file with both LF and CRLF is shown once, with its number.

    Files that several systems have edited mix both.
    """
    text = "".join(line_of(number) + ("\r\n" if number % 3 == 0 else "\n") for number in range(1, 13))
    reply = trial.whole(trial.file(text), 12)
    trial.expect(reply, 1, 12)
    _expect_numbers(trial, reply.text)


@rule("lone-cr", "line", 70)
def lone_cr(trial: Trial) -> None:
    """Nothing is lost from a line that contains lone CRs, as progress bars write them.

    Whether a lone CR ends a line is the reader's choice; that all content is shown is not.
    """
    parts = "\r".join(line_of(number) for number in range(2, 6))
    reply = trial.whole(trial.file(f"{line_of(1)}\n{parts}\n{line_of(6)}\n"), 6)
    trial.expect(reply, 1, 6)


@rule("no-final-newline", "line", 59)
def no_final_newline(trial: Trial) -> None:
    """The last line is shown even if no newline follows it.

    The last line of a configuration file is often the one that was just added.
    """
    trial.expect(trial.whole(trial.file(text_of(1, 5).rstrip("\n")), 5), 1, 5)


@rule("final-newline", "line", 60)
def final_newline(trial: Trial) -> None:
    """A newline at the end of a file adds no line.

    A model that sees an empty line 6 in a file of 5 lines appends to a line that does not exist.
    """
    trial.require_numbers()
    blank = trial.blank_line_numbers(trial.read(trial.file(text_of(1, 5))))
    if blank:
        raise RuleBrokenError(f"an empty line {blank[0]} is shown in a file of 5 lines")


@rule("empty-file", "line", 61)
def empty_file(trial: Trial) -> None:
    """The answer about an empty file says something.

    An empty answer looks like a tool that failed, and the model reads the file again.
    """
    reply = trial.read(trial.file(""))
    if not any(character.isalnum() for character in reply.text):
        raise RuleBrokenError("the answer about an empty file is empty")


@rule("blank-lines", "line", 62, 63)
def blank_lines(trial: Trial) -> None:
    """Blank lines are kept, and counted.

    If they are dropped, every line after them has a wrong number, and edits that quote them do not match.
    """
    reply = trial.whole(trial.file(f"{line_of(1)}\n\n\n{line_of(4)}\n"), 4)
    shown = [line.line_number for line in shown_lines(reply.text)]
    if shown != [1, 4]:
        raise RuleBrokenError("the lines around blank lines are not shown")
    _expect_numbers(trial, reply.text)
    between = reply.text[reply.text.index(marker(1)) : reply.text.index(marker(4))]
    if between.count("\n") != 3:
        raise RuleBrokenError(f"{between.count(chr(10)) - 1} blank lines are shown instead of 2")


@rule("blank-lines-at-end", "line", 62)
def blank_lines_at_end(trial: Trial) -> None:
    """Blank lines at the end of a file have numbers like all others.

    A model that cannot see them cannot remove them.
    """
    trial.require_numbers()
    blank = trial.blank_line_numbers(trial.whole(trial.file(text_of(1, 3) + "\n\n\n"), 6))
    if not {4, 5, 6} <= set(blank):
        raise RuleBrokenError(f"blank lines 4 to 6 are not numbered (shown: {blank or 'none'})")


@rule("separators", "line", 68, 69)
def separators(trial: Trial) -> None:
    """Form feed, vertical tab, U+001C, U+0085, U+2028 and U+2029 end no line, as in `grep -n`.

    Compilers, editors and grep do not count them, so the model's line numbers would differ from theirs.
    """
    if not (trial.has_numbers or trial.has_windows):
        raise NotApplicableError("the reader has no line numbers and no windows")
    for name, separator in _SEPARATORS.items():
        path = trial.file(f"{line_of(1)}{separator}and more\n{text_of(2, 8)}", "separators.txt")
        _expect_grep_numbers(trial, path, name)


@rule("line-numbers", "line", 48)
def line_numbers(trial: Trial) -> None:
    """The number shown next to a line is its number in `grep -n ''`, in every window.

    A model passes these numbers to other tools and quotes them to people.
    """
    trial.require_numbers()
    path = trial.file(text_of(1, 60))
    _expect_numbers(trial, trial.read(path).text)
    if trial.has_windows:
        for first in (2, 37, 56):
            _expect_numbers(trial, trial.read(path, first, 5).text)


@rule("exact-text", "line", 77, 79)
def exact_text(trial: Trial) -> None:
    """Tabs, spaces, U+00A0, curly quotes and combining accents are shown unchanged.

    Tools that replace text look for exactly what the model saw.
    """
    lines = [
        "\t\t  " + marker(1) + " tabs",
        marker(2) + " a\u00a0b “quoted” e\u0301 \u200bz",
        marker(3) + " a  \t  b",
    ]
    reply = trial.whole(trial.file("\n".join(lines) + "\n"), 3)
    if reply.outcome == "refused" or is_message(reply):
        raise RuleBrokenError("the reader refused a plain text")
    # An escape is as good as the tab itself if it is unambiguous, but nobody can tell that from outside.
    for number, line in enumerate(lines, 1):
        if line not in reply.text:
            raise RuleBrokenError(f"line {number} is not shown exactly")


def _expect_numbers(trial: Trial, text: str) -> None:
    wrong = wrong_number(text) if trial.has_numbers else None
    if wrong is not None:
        raise RuleBrokenError(wrong)


def _expect_grep_numbers(trial: Trial, path: Path, name: str) -> None:
    reply = trial.whole(path, 8)
    wrong = difference(reply.text, range(1, 9))
    if wrong is None and trial.has_numbers:
        wrong = wrong_number(reply.text)
    if wrong is None and trial.has_windows:
        wrong = difference(trial.read(path, 4, 2).text, (4, 5))
    if wrong is not None:
        raise RuleBrokenError(f"after a {name}, {wrong}")
