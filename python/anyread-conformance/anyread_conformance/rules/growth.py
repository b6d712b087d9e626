"""Rules about files that change between two reads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from anyread_conformance.judging import is_message
from anyread_conformance.lines import line_of, shown_lines, text_of
from anyread_conformance.rule import rule
from anyread_conformance.stopping import RuleBrokenError

if TYPE_CHECKING:
    from anyread_conformance.trial import Trial


@rule("appended", "growth", 53)
def appended(trial: Trial) -> None:
    """Lines that were appended after the first page are on the next one.

    A model that follows a log sees only what the file held at the first read, if the reader keeps it.
    """
    path = trial.file(text_of(1, 20))
    trial.expect(trial.whole(path, 20), 1, 20)
    with path.open("a") as file:
        file.write(text_of(21, 30))
    if trial.has_windows:
        trial.expect(trial.read(path, 21, 10), 21, 30)
    trial.expect(trial.whole(path, 30), 1, 30)


@rule("completed-line", "growth", 53)
def completed_line(trial: Trial) -> None:
    """A last line that was incomplete at the first read is complete at the second.

    A writer often stops in the middle of a line for a moment.
    """
    path = trial.file(text_of(1, 4) + line_of(5)[:14])
    trial.expect(trial.whole(path, 5), 1, 5)
    with path.open("a") as file:
        file.write(line_of(5)[14:] + "\n" + text_of(6, 6))
    reply = trial.whole(path, 6)
    trial.expect(reply, 1, 6)
    if line_of(5) not in reply.text:
        raise RuleBrokenError("line 5 is still shown as it was before the second half was written")


@rule("cut-between-reads", "growth", 128)
def cut_between_reads(trial: Trial) -> None:
    """A window that a truncated file no longer has is an error or a clear message.

    Lines from memory would be edited, although they are no longer in the file.
    """
    trial.require_windows()
    path = trial.file(text_of(1, 40))
    trial.expect(trial.read(path, 21, 10), 21, 30)
    os.truncate(path, len(text_of(1, 5)))
    reply = trial.read(path, 21, 10)
    if shown_lines(reply.text):
        raise RuleBrokenError("lines are shown that the file no longer has")
    if not is_message(reply):
        raise RuleBrokenError("nothing says that the file became shorter")


@rule("replaced-between-reads", "growth", 129)
def replaced_between_reads(trial: Trial) -> None:
    """A file that was replaced by one of the same size and time is shown as it is now.

    Build tools and editors replace files, and some restore the times.
    """
    path = trial.file(text_of(1, 9))
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    trial.expect(trial.whole(path, 9), 1, 9)
    other = path.with_suffix(".new")
    other.write_text(text_of(101, 109), encoding="utf-8")
    os.utime(other, ns=times)
    other.replace(path)
    trial.expect(trial.whole(path, 9), 101, 109)
