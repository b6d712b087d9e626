"""Rules about names: unusual ones, missing ones, and links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyread_conformance.judging import expect_message
from anyread_conformance.lines import difference, text_of
from anyread_conformance.rule import rule
from anyread_conformance.stopping import RuleBrokenError

if TYPE_CHECKING:
    from anyread_conformance.trial import Trial

_NAMES = (
    "two  spaces.txt", " leading", "trailing ", "it's.txt", 'a "quoted" name', "a,b.txt", "[ab]*?.txt", "-n",
    "~x", "#1.txt", "100%41.txt", "$HOME", "a;b&c", "back\\slash", "{a}.txt",
)  # fmt: skip


@rule("names", "path", 116, 117)
def names(trial: Trial) -> None:
    """Files whose names have spaces, quotes, commas, wildcards and the like are read under these names.

    The name comes from a listing; a model cannot guess how a reader wants it escaped.
    """
    for name in _NAMES:
        reply = trial.whole(trial.file(text_of(1, 2), name), 2)
        wrong = difference(reply.text, (1, 2))
        if reply.outcome == "refused" or wrong is not None:
            raise RuleBrokenError(f"a file named {name!r} is not read")


@rule("newline-in-name", "path", 118)
def newline_in_name(trial: Trial) -> None:
    """A file with a newline in its name is read, or refused with a message.

    Such names are rare, and are used to inject text.
    """
    reply = trial.whole(trial.file(text_of(1, 2), "one\ntwo.txt"), 2)
    if difference(reply.text, (1, 2)) is not None:
        expect_message(reply, "a name with a newline")


@rule("unicode-names", "path", 114, 115)
def unicode_names(trial: Trial) -> None:
    """Names in composed and in decomposed Unicode are two files, and each is read under its own name.

    Linux distinguishes them; a reader that normalizes names reads the other file or none.
    """
    composed = trial.file(text_of(1, 2), "caf\u00e9.txt")
    decomposed = composed.with_name("cafe\u0301.txt")
    decomposed.write_text(text_of(11, 12), encoding="utf-8")
    if composed.read_bytes() == decomposed.read_bytes():
        return  # a file system that normalizes names itself
    for path, first in ((composed, 1), (decomposed, 11)):
        reply = trial.whole(path, 2)
        wrong = difference(reply.text, (first, first + 1))
        if wrong is not None:
            raise RuleBrokenError(f"{path.name!a} is not read under its own name")


@rule("missing-file", "path", 109)
def missing_file(trial: Trial) -> None:
    """A file that does not exist, and a link to nothing, are errors or clear messages.

    Silence would mean that the file is empty.
    """
    expect_message(trial.read(trial.path("missing.txt")), "a missing file")
    link = trial.path("link.txt")
    link.symlink_to("nothing.txt")
    expect_message(trial.read(link), "a link to nothing")


@rule("link-loop", "path", 109)
def link_loop(trial: Trial) -> None:
    """A loop of symbolic links is an error or a clear message.

    A reader that follows links itself may follow them forever.
    """
    link = trial.path("one")
    link.symlink_to("two")
    link.with_name("two").symlink_to("one")
    expect_message(trial.read(link, timeout_s=trial.allowed.hang_s + trial.plain_s), "a loop of links")
