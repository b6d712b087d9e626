"""`anyread.follow`: text that is appended to a file, across rotation, truncation and rewriting."""

from __future__ import annotations

import os
import random
import threading
from typing import TYPE_CHECKING, Any

import anyio
import pytest

import anyread
from anyread import errors
from anyread.results import Appended

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio
POLL_S = 0.005


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "app.log"
    path.write_bytes(b"one\ntwo\n")
    return path


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


async def test_only_appended_lines_are_returned(log: Path) -> None:
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        append(log, b"three\nfour\n")
        appended = await anext(tail)
        assert appended == Appended(str(log), "three\nfour\n", 3, None)


@pytest.mark.parametrize(
    ("offset", "text", "line"),
    [(1, "one\ntwo\n", 1), (2, "two\n", 2), (-1, "two\n", 2), (-9, "one\ntwo\n", 1)],
)
async def test_follow_can_start_at_any_line(log: Path, offset: int, text: str, line: int) -> None:
    async with anyread.follow(log, offset=offset, poll_s=POLL_S) as tail:
        assert await anext(tail) == Appended(str(log), text, line, None)


async def test_line_numbers_are_unknown_after_an_uncounted_start(tmp_path: Path) -> None:
    """The number -2 was counted up with each line, so the lines that followed were 0, 1 and so on."""
    path = tmp_path / "app.log"
    path.write_bytes(b"line\n" * 10_000)
    reader = anyread.Reader(limits=anyread.Limits(count_bytes=4_096, max_bytes=2_048))
    async with reader.follow(path, offset=-2, poll_s=POLL_S) as tail:
        assert await anext(tail) == Appended(str(path), "line\nline\n", None, None)
        append(path, b"more\n")
        assert await anext(tail) == Appended(str(path), "more\n", None, None)


async def test_follow_sync_is_a_plain_iterator(log: Path) -> None:
    texts = []
    with anyread.follow_sync(log, offset=2, poll_s=POLL_S, quiet_s=60) as tail:
        for appended in tail:
            texts.append(appended.text)
            if len(texts) == 1:
                append(log, b"three\nfo")
                # A loop that waits for text gets it when it comes.
                threading.Timer(0.05, append, (log, b"ur\n")).start()
            if appended.text.endswith("four\n"):
                tail.close()
    assert "".join(texts) == "two\nthree\nfour\n"
    with pytest.raises(errors.OffsetPastEndError):
        next(anyread.follow_sync(log, offset=9))


async def test_offset_past_the_end_is_an_error(log: Path) -> None:
    with pytest.raises(errors.OffsetPastEndError):
        await anext(anyread.follow(log, offset=9, poll_s=POLL_S))


async def test_partial_line_arrives_when_it_is_complete(log: Path) -> None:
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        append(log, b"thr")
        assert await tail.poll() is None
        append(log, b"ee\nfo")
        appended = await anext(tail)
        assert (appended.text, appended.start_line) == ("three\n", 3)
        append(log, b"ur\n")
        appended = await anext(tail)
        assert (appended.text, appended.start_line) == ("four\n", 4)


async def test_partial_line_arrives_when_the_file_is_quiet(log: Path) -> None:
    async with anyread.follow(log, poll_s=POLL_S, quiet_s=0.02) as tail:
        append(log, b"Password: ")
        assert (await anext(tail)).text == "Password: "
        append(log, b"ok\n")
        appended = await anext(tail)
        assert (appended.text, appended.start_line) == ("ok\n", 3)


async def test_rotation_loses_nothing(log: Path) -> None:
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        assert await tail.poll() is None
        append(log, b"last of the old\n")
        log.rename(log.with_suffix(".1"))
        append(log.with_suffix(".1"), b"written after the rename")
        log.write_bytes(b"first of the new\n")
        assert (await anext(tail)).text == "last of the old\n"
        assert (await anext(tail)).text == "written after the rename"
        assert await anext(tail) == Appended(str(log), "first of the new\n", 1, "rotated")


async def test_path_may_be_missing_during_a_rotation(log: Path) -> None:
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        log.unlink()
        assert await tail.poll() is None
        log.write_bytes(b"again\n")
        assert await anext(tail) == Appended(str(log), "again\n", 1, "rotated")


async def test_truncated_file_restarts_at_its_first_line(log: Path) -> None:
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        assert await tail.poll() is None
        os.truncate(log, 0)
        append(log, b"x\n")
        assert await anext(tail) == Appended(str(log), "x\n", 1, "truncated")


async def test_file_rewritten_to_a_larger_size_restarts_at_its_first_line(log: Path) -> None:
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        assert await tail.poll() is None
        log.write_bytes(b"quite another text\nof more bytes\n")
        appended = await anext(tail)
        assert (appended.text, appended.after) == ("quite another text\nof more bytes\n", "truncated")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "shift_jis", "koi8-r"])
async def test_characters_are_not_split(tmp_path: Path, encoding: str) -> None:
    text = {"shift_jis": "日本語\n" * 50, "koi8-r": "буря мглою\n" * 50}.get(encoding, "日本語 é 🦀\n" * 50)
    data, path = text.encode(encoding), tmp_path / "a.txt"
    path.write_bytes(b"")
    rng = random.Random(encoding)
    got = ""
    async with anyread.follow(path, encoding=encoding, poll_s=POLL_S) as tail:
        while data:
            size = rng.randrange(1, 30)
            append(path, data[:size])
            data = data[size:]
            appended = await tail.poll()
            got += "" if appended is None else appended.text
        while len(got) < len(text):
            got += (await anext(tail)).text
    assert got == text


async def test_burst_arrives_in_parts(log: Path) -> None:
    burst = b"".join(b"%d\n" % number for number in range(300_000))
    got = b""
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        append(log, burst)
        while len(got) < len(burst):
            part = await anext(tail)
            assert len(part.text) <= 1_000_000
            got += part.text.encode()
    assert got == burst


async def test_file_that_is_read_in_parts_is_not_taken_for_rewritten(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system that returned fewer bytes than requested made the whole file arrive a second time."""
    pread = os.pread
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        with monkeypatch.context() as parts:
            parts.setattr(os, "pread", lambda descriptor, size, start: pread(descriptor, min(size, 1), start))
            append(log, b"three\n")
            assert await anext(tail) == Appended(str(log), "three\n", 3, None)
            append(log, b"four\n")
            assert await anext(tail) == Appended(str(log), "four\n", 4, None)


async def test_missing_file_is_an_error_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(errors.NotFoundError):
        await anext(anyread.follow(tmp_path / "none.log"))


async def test_deny_rules_of_the_reader_apply(log: Path, tmp_path: Path) -> None:
    async with anyread.Reader(roots=[tmp_path], deny=["**/*.log"]) as reader:
        with pytest.raises(errors.DeniedError):
            await anext(reader.follow(log))


async def test_binary_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\x7fELF\0\0\0\1" * 100)
    with pytest.raises(errors.BinaryFileError):
        await anext(anyread.follow(tmp_path / "a.bin"))


async def test_cancelled_wait_loses_nothing(log: Path) -> None:
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        for number in range(20):
            with anyio.move_on_after(0.004):
                await anext(tail)
                pytest.fail("nothing was appended")
            append(log, b"%d\n" % number)
            assert (await anext(tail)).text == f"{number}\n"


async def test_closing_ends_the_iteration(log: Path) -> None:
    tail = anyread.follow(log, poll_s=POLL_S)
    assert await tail.poll() is None
    await tail.aclose()
    with pytest.raises(StopAsyncIteration):
        await anext(tail)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"poll_s": 0}, "poll_s"),
        ({"poll_s": -1.0}, "poll_s"),
        ({"quiet_s": 0.0}, "quiet_s"),
        ({"offset": "1"}, "offset"),
    ],
)
async def test_arguments_are_checked_at_once(log: Path, arguments: Any, name: str) -> None:
    with pytest.raises((ValueError, errors.BadArgumentError), match=name):
        anyread.follow(log, **arguments)


async def test_repaired_path_is_followed_across_a_rotation(tmp_path: Path) -> None:
    """Only the first open repaired the path, and a later rotation went unnoticed."""
    log = tmp_path / "caf\u00e9.log"
    log.write_bytes(b"one\n")
    async with anyread.follow(tmp_path / "cafe\u0301.log", poll_s=POLL_S) as tail:
        assert await tail.poll() is None
        log.rename(log.with_suffix(".1"))
        log.write_bytes(b"two\n")
        with anyio.fail_after(10):
            appended = await anext(tail)
        assert (appended.text, appended.after) == ("two\n", "rotated")
