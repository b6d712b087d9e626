"""Rules about things that are not files: an answer within two seconds, and a message."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from anyread_conformance.judging import expect_message
from anyread_conformance.rule import rule
from anyread_conformance.stopping import NotApplicableError, RuleBrokenError

if TYPE_CHECKING:
    from anyread_conformance.reply import Reply
    from anyread_conformance.trial import Trial


@rule("fifo", "hang", 100)
def fifo(trial: Trial) -> None:
    """A FIFO that nobody writes to is answered at once.

    Opening it waits forever, and with it the agent.
    """
    path = trial.path("fifo")
    os.mkfifo(path)
    expect_message(_soon(trial, path), "a FIFO")


@rule("fifo-link", "hang", 102)
def fifo_link(trial: Trial) -> None:
    """A link to a FIFO is answered at once.

    A check of the link itself does not see where it leads.
    """
    path = trial.path("fifo")
    os.mkfifo(path)
    link = path.with_name("link.txt")
    link.symlink_to(path)
    expect_message(_soon(trial, link), "a link to a FIFO")


@rule("socket", "hang", 101)
def socket_file(trial: Trial) -> None:
    """A socket is an error or a clear message.

    It has no content that a model could read.
    """
    path = trial.path("s")
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.bind(os.fspath(path))
        except OSError as failure:  # the path is too long
            raise NotApplicableError(f"no socket can be made here: {failure}") from failure
        expect_message(_soon(trial, path), "a socket")


@rule("endless-device", "hang", 101)
def endless_device(trial: Trial) -> None:
    """`/dev/zero`, which never ends, is answered at once and not read into memory.

    A reader that reads to the end fills the memory of the machine.
    """
    if not Path("/dev/zero").is_char_device():
        raise NotApplicableError("this system has no /dev/zero")
    reply = _soon(trial, "/dev/zero")
    expect_message(reply, "/dev/zero")
    trial.expect_little_memory(reply, "/dev/zero")


@rule("directory", "hang", 108)
def directory(trial: Trial) -> None:
    """A directory is an error, a clear message or a listing.

    Models confuse files and directories; the answer has to tell them.
    """
    path = trial.path("directory")
    path.mkdir()
    (path / "member.txt").write_text("x\n", encoding="utf-8")
    expect_message(_soon(trial, path), "a directory")


@rule("proc-file", "hang", 103)
def proc_file(trial: Trial) -> None:
    """A file of /proc, whose size is 0, is shown or refused with a message.

    A reader that trusts the size shows an empty file.
    """
    path = Path("/proc/cpuinfo")
    if not sys.platform.startswith("linux") or not path.exists():
        raise NotApplicableError("this system has no /proc")
    reply = _soon(trial, path)
    if "processor" in reply.text or "model name" in reply.text:
        return
    if reply.outcome != "refused":
        raise RuleBrokenError("/proc/cpuinfo is shown as an empty file")
    expect_message(reply, "/proc/cpuinfo")


@rule("no-permission", "hang", 110)
def no_permission(trial: Trial) -> None:
    """A file that may not be read is an error or a clear message.

    The model has to know that the file exists and why it is not shown.
    """
    path = trial.file("secret\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        raise NotApplicableError("this user may read every file")
    expect_message(_soon(trial, path), "a file without permission")


def _soon(trial: Trial, path: Path | str) -> Reply:
    return trial.read(path, timeout_s=trial.allowed.hang_s + trial.plain_s)
