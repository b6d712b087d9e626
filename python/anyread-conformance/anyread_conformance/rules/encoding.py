"""Rules about encodings: text, or a clear refusal, but never wrong characters without a word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anyread_conformance.judging import expect_message, is_message
from anyread_conformance.lines import difference, line_of, marker, text_of
from anyread_conformance.rule import rule
from anyread_conformance.stopping import RuleBrokenError

if TYPE_CHECKING:
    from anyread_conformance.reply import Reply
    from anyread_conformance.trial import Trial

_SAYS_LOSSY = re.compile(
    r"lossy|encod|decod|replac|invalid|utf-?8|not valid|binary|U\+FFFD|latin|windows-125|cp125", re.IGNORECASE
)


@rule("utf-8", "encoding", 80, 82, 120)
def utf_8(trial: Trial) -> None:
    """Characters of two to four bytes are shown unchanged, wherever a buffer ends.

    A character that is cut at a buffer's end becomes two wrong ones.
    """
    for shift in range(4):
        lines = [f"{marker(number)} {'é漢😀ß' * 55}" for number in range(1, 41)]
        text = "a" * shift + "\n" + "\n".join(lines) + "\n"
        reply = trial.whole(trial.file(text), 41)
        _expect_not_refused(reply)
        wrong = next((number for number, line in enumerate(lines, 1) if line not in reply.text), None)
        if wrong is not None:
            raise RuleBrokenError(f"the characters of line {wrong + 1} are not shown unchanged")


@rule("utf-8-bom", "encoding", 74)
def utf_8_bom(trial: Trial) -> None:
    """A byte order mark in UTF-8 does not become visible characters.

    `ï»¿` at the beginning of a file makes the model rewrite its first line.
    """
    reply = trial.whole(trial.file(b"\xef\xbb\xbf" + text_of(1, 3).encode()), 3)
    trial.expect(reply, 1, 3)
    if "ï»¿" in reply.text or "\ufffd" in reply.text:
        raise RuleBrokenError("the byte order mark is shown as other characters")


@rule("utf-16-le", "encoding", 83)
def utf_16_le(trial: Trial) -> None:
    """UTF-16 with a byte order mark, little-endian, is decoded or refused.

    Windows programs write it; read as UTF-8, every letter is followed by a NUL.
    """
    _expect_decoded_or_refused(trial, "\ufeff", "utf-16-le")


@rule("utf-16-be", "encoding", 83)
def utf_16_be(trial: Trial) -> None:
    """UTF-16 with a byte order mark, big-endian, is decoded or refused.

    It is rarer than little-endian, and some readers swap its bytes.
    """
    _expect_decoded_or_refused(trial, "\ufeff", "utf-16-be")


@rule("utf-16-without-bom", "encoding", 84)
def utf_16_without_bom(trial: Trial) -> None:
    """UTF-16 without a byte order mark is decoded or refused.

    Some programs leave the mark out, and half of the bytes are NULs then.
    """
    _expect_decoded_or_refused(trial, "", "utf-16-le")


@rule("latin-1", "encoding", 94, 95)
def latin_1(trial: Trial) -> None:
    """Latin-1 is decoded or refused, or the answer says that characters were replaced.

    A model that sees U+FFFD without a word writes it back, and the accents are gone.
    """
    lines = [f"{marker(number)} un café très élégant, à côté" for number in range(1, 9)]
    reply = trial.whole(trial.file("\n".join(lines).encode("latin-1") + b"\n"), 8)
    if reply.outcome == "refused" or is_message(reply):
        expect_message(reply, "Latin-1")
        return
    if all(line in reply.text for line in lines):
        return
    outside = re.sub(r"(?m)^.*zq\d{6,}x.*$", "", reply.text)
    if not _SAYS_LOSSY.search(outside):
        raise RuleBrokenError("accents are shown as other characters, and nothing says so")


@rule("broken-utf-8", "encoding", 96)
def broken_utf_8(trial: Trial) -> None:
    """A bad byte in UTF-8 is visible in the answer, or the file is refused; all other lines are shown.

    If the byte is dropped, the model's text differs from the file and no edit of that line matches.
    """
    # The other lines leave no doubt that the file is meant as UTF-8.
    lines = [f"{line_of(number)}: größer, 漢字, 😀\n".encode() for number in range(1, 7)]
    lines[2] = marker(3).encode() + b" ab\xffcd \xe2\x82\n"
    path = trial.file(b"".join(lines))
    reply = trial.whole(path, 6)
    if reply.outcome == "refused" or is_message(reply):
        expect_message(reply, "broken UTF-8")
        return
    wrong = difference(reply.text, range(1, 7))
    if wrong is not None:
        raise RuleBrokenError(wrong)
    if " abcd" in reply.text or "ÿ" in reply.text:
        raise RuleBrokenError("a bad byte was dropped, or shown as a character of another encoding")


@rule("lone-surrogate", "encoding", 121)
def lone_surrogate(trial: Trial) -> None:
    """A surrogate encoded as UTF-8 is replaced or refused, and the answer is valid UTF-8.

    A string with a lone surrogate cannot be sent to any model API: the whole conversation fails.
    """
    path = trial.file(
        text_of(1, 2).encode() + marker(3).encode() + b" a\xed\xa0\x80b\n" + text_of(4, 6).encode()
    )
    reply = trial.whole(path, 6)
    if reply.outcome == "refused" or is_message(reply):
        expect_message(reply, "a lone surrogate")
        return
    trial.expect(reply, 1, 6)


@rule("nul", "encoding", 91, 92)
def nul(trial: Trial) -> None:
    """A text with a NUL in it is shown completely, or refused with a message.

    A crash leaves NULs in logs; a reader that stops there hides the lines after it.
    """
    path = trial.file(text_of(1, 3) + marker(4) + " a\0b\n" + text_of(5, 8))
    reply = trial.whole(path, 8)
    if reply.outcome == "refused" or is_message(reply):
        expect_message(reply, "a text with a NUL")
        return
    trial.expect(reply, 1, 8)


@rule("binary", "encoding", 90)
def binary(trial: Trial) -> None:
    """A binary file is refused with a message, and its bytes are not shown as text.

    Such text costs thousands of tokens and says nothing.
    """
    noise = bytes((number * 197 + number // 7) % 256 for number in range(4096))
    for name, content in (("program", b"\x7fELF\x02\x01\x01" + bytes(9) + noise), ("data.bin", noise)):
        reply = trial.read(trial.file(content, name))
        expect_message(reply, f"a binary file named `{name}`")


def _expect_decoded_or_refused(trial: Trial, mark: str, encoding: str) -> None:
    reply = trial.whole(trial.file((mark + text_of(1, 8)).encode(encoding)), 8)
    if reply.outcome == "refused" or is_message(reply):
        expect_message(reply, "UTF-16")
        return
    if any(line_of(number) not in reply.text for number in range(1, 9)) or "\0" in reply.text:
        raise RuleBrokenError("UTF-16 is shown as other characters")


def _expect_not_refused(reply: Reply) -> None:
    if reply.outcome == "refused":
        raise RuleBrokenError("the reader refused UTF-8")
