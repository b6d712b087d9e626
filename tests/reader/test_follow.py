"""`anyread.follow`: text that is appended to a file, across rotation, truncation and rewriting."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

import anyread
from anyread import errors
from anyread.reading.following import _Progress
from anyread.results import Appended

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


@pytest.mark.parametrize(
    ("offset", "text", "line"),
    [(1, "one\ntwo\n", 1), (2, "two\n", 2), (-1, "two\n", 2), (-9, "one\ntwo\n", 1)],
)
async def test_follow_can_start_at_any_line(log: Path, offset: int, text: str, line: int) -> None:
    async with anyread.follow(log, offset=offset, poll_s=POLL_S) as tail:
        assert await anext(tail) == Appended(str(log), text, line, None)


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


@pytest.mark.parametrize("is_moved", [True, False])
@pytest.mark.posix("a directory that replaces a file")
async def test_directory_in_the_way_is_waited_out(log: Path, *, is_moved: bool) -> None:
    """It ended the iteration, where `tail -F` waits for a file."""
    old = log.with_suffix(".1")
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        if is_moved:
            log.rename(old)
        else:
            # Its last path is now that of a directory.
            os.link(log, old)
            log.unlink()
        log.mkdir()
        append(old, b"last\n")
        assert (await anext(tail)).text == "last\n"
        assert await tail.poll() is None
        log.rmdir()
        log.write_bytes(b"again\n")
        assert await anext(tail) == Appended(str(log), "again\n", 1, "rotated")
    log.unlink()
    log.mkdir()
    with pytest.raises(errors.DirectoryError):
        await anext(anyread.follow(log))


@pytest.mark.posix("the number of a new file")
async def test_file_that_becomes_binary_is_refused(log: Path) -> None:
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        for is_new in (False, True):
            assert await tail.poll() is None
            if is_new:
                log.unlink()
            log.write_bytes(b"\x7fELF\0\0\0\1" * 100)
            with pytest.raises(errors.BinaryFileError):
                await anext(tail)
            log.write_bytes(b"text again\n")
            assert (await anext(tail)).text == "text again\n"


def test_truncation_during_a_poll_does_not_end_the_iteration(log: Path) -> None:
    """The file may shrink between two system calls of a read, which was an error of that poll."""

    def rewrite() -> None:
        for _ in range(200):
            os.truncate(log, 0)
            log.write_bytes(b"x\n" * 75)

    writer = threading.Thread(target=rewrite)
    tail = anyread.follow_sync(log, poll_s=POLL_S)
    writer.start()
    try:
        while writer.is_alive():
            tail.poll_sync()
    finally:
        writer.join()
    append(log, b"last\n")
    assert next(tail).text.endswith("last\n")


def test_text_after_a_truncation_during_a_poll_does_not_continue_the_old_text(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that had gone on at its old position after the check was shown as the next line."""
    tail, is_rewritten, writes = anyread.follow_sync(log, poll_s=POLL_S), _Progress.is_rewritten, [b"more\n"]
    assert tail.poll_sync() is None

    def cut_after_it(progress: _Progress) -> bool:
        found = is_rewritten(progress)
        while writes:
            os.truncate(log, 0)
            with log.open("r+b") as writer:
                writer.seek(progress.position)
                writer.write(writes.pop())
        return found

    monkeypatch.setattr(_Progress, "is_rewritten", cut_after_it)
    assert tail.poll_sync() is None
    assert next(tail) == Appended(str(log), "more\n", 1, "truncated", skipped_bytes=len("one\ntwo\n"))


def opened_by_tail(tail: subprocess.Popen[bytes], path: Path) -> bool:
    for link in Path(f"/proc/{tail.pid}/fd").iterdir():
        # `tail` may close it meanwhile.
        with suppress(FileNotFoundError):
            if link.readlink() == path:
                return True
    return False


@pytest.mark.skipif(shutil.which("tail") is None or not Path("/proc/self/fd").exists(), reason="Linux")
@pytest.mark.parametrize("is_hole", [True, False])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-be", "cp1251"])
async def test_writer_goes_on_at_its_old_position_after_copytruncate(
    tmp_path: Path, encoding: str, *, is_hole: bool
) -> None:
    """The file begins with NULs then, and was refused as binary; `tail -F` shows it with the NULs."""
    log = tmp_path / "app.log"
    log.write_bytes("журнал\n".encode(encoding) * 60_000)
    command = ["tail", "-n", "0", "-F", "-s", "0.01", str(log)]
    with (
        log.open("r+b", buffering=0) as writer,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as judge,
    ):
        while not opened_by_tail(judge, log):
            assert judge.poll() is None
            await anyio.sleep(POLL_S)
        writer.seek(0, os.SEEK_END)
        got = []
        async with anyread.follow(log, kind="text", poll_s=POLL_S) as tail:
            assert await tail.poll() is None
            os.truncate(log, 0)
            assert await tail.poll() is None
            assert judge.stderr is not None
            assert b"truncated" in await anyio.to_thread.run_sync(judge.stderr.readline)
            hole = writer.tell()
            if not is_hole:
                log.write_bytes(bytes(hole))
            expected = "".join(f"после {number}\n" for number in range(9))
            for line in expected.splitlines(keepends=True):
                writer.write(line.encode(encoding))
                with anyio.fail_after(60):
                    got.append(await anext(tail))
        assert "".join(appended.text for appended in got) == expected
        name = anyread.read_sync(log, kind="text", encoding=encoding).encoding
        assert {appended.encoding for appended in got} == {name}
        first = got[0]
        assert (first.start_line, first.after, first.skipped_bytes) == (1, "truncated", hole)
        assert {(appended.after, appended.skipped_bytes) for appended in got[1:]} == {(None, 0)}
        assert judge.stdout is not None
        size = hole + len(expected.encode(encoding))
        seen = await anyio.to_thread.run_sync(judge.stdout.read, size)
        assert seen == bytes(hole) + expected.encode(encoding)
        judge.kill()


async def test_file_rewritten_to_a_larger_size_restarts_at_its_first_line(log: Path) -> None:
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        assert await tail.poll() is None
        log.write_bytes(b"quite another text\nof more bytes\n")
        appended = await anext(tail)
        assert (appended.text, appended.after) == ("quite another text\nof more bytes\n", "truncated")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "shift_jis", "iso2022_jp", "koi8-r"])
async def test_characters_are_not_split(tmp_path: Path, encoding: str) -> None:
    """Text in ISO-2022-JP that begins with ASCII crashed the interpreter."""
    japanese = "begins with ASCII 日本語\n" * 50
    texts = {"shift_jis": japanese, "iso2022_jp": japanese, "koi8-r": "буря мглою\n" * 50}
    text = texts.get(encoding, "日本語 é 🦀\n" * 50)
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


LATER = {
    "cp1251": "Заказ принят, спасибо\n",
    "gbk": "订单已接受，谢谢\n",
    "latin-1": "größe naïve\n",
    "utf-8": "größe 漢字 🦀\n",
    "iso2022_jp": "日本語の文章\n",
}


@pytest.mark.parametrize("encoding", LATER)
@pytest.mark.parametrize("is_new", [False, True])
async def test_ascii_decides_no_encoding(log: Path, encoding: str, *, is_new: bool) -> None:
    """UTF-8 was final once ASCII had been seen, so that other encodings were shown as U+FFFD forever."""
    log.write_bytes(b"INFO started\n" * 100)
    text, found = LATER[encoding] * 5, ("", True)
    data = text.encode(encoding)
    got = ""
    async with anyread.follow(log, poll_s=POLL_S, quiet_s=60) as tail:
        if is_new:
            log.rename(log.with_suffix(".1"))
            log.write_bytes(b"INFO started\n")
            assert (await anext(tail)).after == "rotated"
        # The first part of each line ends inside a character.
        for line in data.splitlines(keepends=True):
            for part in (line[: len(line) // 2], line[len(line) // 2 :]):
                append(log, part)
                if appended := await tail.poll():
                    got += appended.text
                    found = appended.encoding, appended.lossy
    expected = anyread.read_sync(log, kind="text")
    assert got == text == expected.content.removeprefix("INFO started\n" * (1 if is_new else 100))
    assert found == (expected.encoding, False)


async def test_line_that_is_cut_decides_no_encoding(log: Path) -> None:
    """A logger that cuts a line after so many bytes leaves a part of a character."""
    async with anyread.follow(log, poll_s=POLL_S) as tail:
        append(log, "cut: größ".encode()[:-1] + b"\n")
        await anext(tail)
        for text in ("größe\n", "日本語\n"):
            append(log, text.encode())
            appended = await anext(tail)
            assert (appended.text, appended.encoding) == (text, "utf-8")


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
async def test_lines_end_after_a_quiet_half_of_a_character(log: Path, order: str) -> None:
    log.write_bytes("one\n".encode(order))
    async with anyread.follow(log, encoding=order, kind="text", poll_s=POLL_S, quiet_s=0.02) as tail:
        data = "größe\nਊ".encode(order)
        append(log, data[:5])
        assert (await anext(tail)).text == "gr"
        append(log, data[5:])
        assert await anext(tail) == Appended(str(log), "öße\n", 2, None, order)
        assert (await anext(tail)).text == "ਊ"


async def test_cr_ends_lines_only_until_an_lf_does(log: Path) -> None:
    """A new log that began with a progress bar had no other lines from then on."""
    async with anyread.follow(log, poll_s=POLL_S, quiet_s=60) as tail:
        assert await tail.poll() is None
        log.rename(log.with_suffix(".1"))
        log.write_bytes(b"10 %\r20 %\r")
        assert (await anext(tail)).text == "10 %\r20 %\r"
        append(log, b"done\nnext\nunfinished")
        assert await anext(tail) == Appended(str(log), "done\nnext\n", 1)
        append(log, b"\n")
        assert await anext(tail) == Appended(str(log), "unfinished\n", 3)


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
