"""Files behind a shell: names, sizes, what goes wrong on the way, and how many commands a read takes."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.arguments.limits import Limits
from anyread.sources import BLOCK, Commands
from helpers.stores import Shell, aged

NAMES = [
    "plain", "-n", "--help", "two words", "quo'te", 'dou"ble', "new\nline", "$(touch PWNED)", "`touch PWNED`",
    ";touch PWNED;", "*", "a\\b", "%s%n", "tab\there", "é😀", "=x", "~root", "#c", "|x", "&", "-",
    "M0 data 0",
]  # fmt: skip
SHELLS = [
    pytest.param(shell, marks=pytest.mark.skipif(not shutil.which(shell[0]), reason=f"needs {shell[0]}"))
    for shell in (("dash",), ("bash",), ("busybox", "sh"))
]
ANSWER = tuple[int, bytes]


def reader(run: Callable[[list[str]], Any], **limits: Any) -> anyread.Reader:
    return anyread.Reader(mounts={"/": Commands(run)}, limits=Limits(**limits))


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    if request.param[0] != "busybox":
        return Shell(*request.param)
    busybox, applets = shutil.which("busybox") or "", tmp_path / "applets"
    applets.mkdir()
    for name in ("stat", "dd", "base64", "wc", "readlink", "date", "tr"):
        (applets / name).symlink_to(busybox)
    return Shell(busybox, "sh", path=str(applets))


def test_every_name_and_size(shell: Shell, tmp_path: Path) -> None:
    draw, far = random.Random(3), reader(shell)
    for name in NAMES:
        for size in (0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 50 * BLOCK + 17):
            data = bytes(draw.choices(b"abc\n\0\xff", k=size))
            path = tmp_path / name
            path.write_bytes(data)
            with far.open_sync(str(aged(path)), repair=False) as file:
                assert file.read(size + 1) == data, name
                assert file.resolved_path.replace("\\x0a", "\n") == str(path)
    assert not [*Path().glob("PWNED*"), *tmp_path.glob("PWNED*")]


def test_what_is_no_file(shell: Shell, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    expected: dict[str, type[anyread.ReadError]] = {
        "pipe": anyread.errors.NotRegularFileError,
        "link": anyread.errors.NotRegularFileError,
        "none": anyread.errors.NotFoundError,
        "": anyread.errors.DirectoryError,
        "/dev/zero": anyread.errors.NotRegularFileError,
    }
    for name, error in expected.items():
        with pytest.raises(error) as raised:
            reader(shell).read_sync(str(tmp_path / name))
        assert raised.value.path == str(tmp_path / name)


def test_files_without_a_size(shell: Shell) -> None:
    """Those of `/proc` have no size, and those of `/sys` one of 4096 bytes."""
    for path in ("/proc/self/status", "/sys/kernel/mm/transparent_hugepage/enabled"):
        if Path(path).exists():
            page = reader(shell).read_sync(path)
            assert page.text.strip()
            assert not page.version


def text(folder: Path) -> Path:
    path = folder / "text"
    path.write_bytes(b"".join(b"line %d\n" % number for number in range(50_000)))
    return aged(path)


def outcomes(run: Callable[[list[str]], Any], path: Path, times: int = 1) -> set[str]:
    expected = anyread.read_sync(path, offset=40_000, limit=20)
    found = set()
    for _ in range(times):
        try:
            page = reader(run).read_sync(str(path), offset=40_000, limit=20)
            found.add("same" if page.text == expected.text else "other")
        except anyread.errors.StoreError:
            found.add("refused")
    return found


def test_output_that_is_cut_mixed_or_endless(shell: Shell, tmp_path: Path) -> None:
    path, draw = text(tmp_path), random.Random(4)

    def noisy(argv: list[str]) -> ANSWER:
        code, output = shell(argv)
        lines = output.split(b"\n")
        lines.insert(draw.randrange(len(lines)), b"sh: warning: something")
        return code, b"\n".join(lines)

    def cut(most: int) -> Callable[[list[str]], ANSWER]:
        return lambda argv: (0, shell(argv)[1][:most])

    assert outcomes(lambda argv: (0, shell(argv)[1].replace(b"\n", b"\r\n")), path) == {"same"}
    assert outcomes(lambda argv: (0, shell(argv)[1].decode("latin-1")), path) == {"same"}
    assert outcomes(cut(100_000), path) == {"same"}
    assert outcomes(cut(1_000), path) == {"refused"}
    assert outcomes(lambda _: (1, b""), path) == {"refused"}
    assert outcomes(lambda _: (0, b"A" * 50_000_000), path) == {"refused"}
    assert outcomes(noisy, path, 20) <= {"same", "refused"}
    assert "refused" in outcomes(lambda _: (127, b"sh: not found"), path)


def test_lost_lines_of_small_files_are_found(shell: Shell, tmp_path: Path) -> None:
    """A file of at most a block, of which nothing came back, was shown as an empty one."""
    path, draw = tmp_path / "small.txt", random.Random(6)
    path.write_text("".join(f"line {number}\n" for number in range(30)))
    expected = anyread.read_sync(aged(path)).text

    def losing(argv: list[str]) -> ANSWER:
        code, output = shell(argv)
        lines = output.split(b"\n")
        del lines[draw.randrange(len(lines))]
        return code, b"\n".join(lines)

    def without_data(argv: list[str]) -> ANSWER:
        return 0, re.sub(rb"( data 0\n)[A-Za-z0-9+/=\n]*\n", rb"\1", shell(argv)[1])

    for run in [losing] * 30 + [without_data]:
        try:
            assert reader(run).read_sync(str(path)).text == expected
        except anyread.errors.StoreError:
            assert run in {losing, without_data}


def test_a_file_that_grows(shell: Shell, tmp_path: Path) -> None:
    """A log that was written meanwhile could not be read."""
    path = text(tmp_path)
    known = path.read_bytes().decode().splitlines()

    def growing(argv: list[str]) -> ANSWER:
        answer = shell(argv)
        with path.open("ab") as file:
            file.write(b"more\n" * 100)
        return answer

    windows: list[dict[str, Any]] = [{"limit": 5}, {"offset": 40_000, "limit": 5}, {"offset": -5}]
    for arguments in windows:
        text(tmp_path)
        page = reader(growing).read_sync(str(path), kind="text", **arguments)
        assert page.content.splitlines() == known[page.start_line - 1 : page.end_line]
        assert page.total_lines is not None
        assert not page.version


def test_links_and_old_times(shell: Shell, tmp_path: Path) -> None:
    """A root that is a link, and times before 1970 and after 2262."""
    (tmp_path / "real" / "secret").mkdir(parents=True)
    (tmp_path / "real" / "secret" / "key").write_text("KEY\n")
    (tmp_path / "real" / "a").symlink_to("secret/key")
    (tmp_path / "real" / "b").write_text("b\n")
    (tmp_path / "box").symlink_to("real")
    far = anyread.Reader(
        mounts={"/mnt": Commands(shell, root=str(tmp_path / "box"))}, deny=["/mnt/secret/**"]
    )
    assert far.read_sync("b").text == "1\tb"
    for path in ("a", "secret/key"):
        with pytest.raises(anyread.errors.DeniedError):
            far.read_sync(path)
    blind = anyread.Reader(
        mounts={
            "/mnt": Commands(
                lambda argv: (0, re.sub(rb" real \S*", b" real ", shell(argv)[1])), root=str(tmp_path)
            )
        },
        deny=["**/key"],
    )
    with pytest.raises(anyread.errors.StoreError, match="real path"):
        blind.read_sync("real/b")
    for seconds in (-1, 10**10):
        os.utime(tmp_path / "real" / "b", (seconds, seconds))
        assert far.read_sync("b").text == "1\tb"


def test_lies_about_lines_are_errors(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.writelines(b"line %d\n" % number for number in range(500_000))
    aged(path)
    draw = random.Random(5)

    def one_more(found: re.Match[bytes]) -> bytes:
        return b"%s%d" % (found[1], int(found[2]) + 1)

    def lying(argv: list[str]) -> ANSWER:
        code, output = shell(argv)
        return code, re.sub(rb"(counts.* )(\d+)", one_more, output)

    far = reader(lying)
    for _ in range(5):
        with pytest.raises((anyread.errors.StoreError, anyread.errors.FileChangedError)):
            far.read_sync(str(path), offset=draw.randint(300_000, 400_000), limit=5)


def test_a_file_that_changes_between_commands(shell: Shell, tmp_path: Path) -> None:
    path, writes = text(tmp_path), [b"changed once\n" * 60_000, b"changed twice\n" * 60_000]

    def changing(argv: list[str]) -> ANSWER:
        answer = shell(argv)
        if writes and shell.commands > 1:
            path.write_bytes(writes.pop())
        return answer

    page = reader(changing).read_sync(str(path), offset=30_000, limit=1, kind="text")
    assert page.content in {"changed once\n", "changed twice\n"}
    # It changed less than three seconds ago.
    assert not page.version

    def always(argv: list[str]) -> ANSWER:
        path.write_bytes(b"%d\n" % shell.commands * 100_000)
        return shell(argv)

    far = reader(always)
    with pytest.raises(anyread.errors.FileChangedError):
        far.read_sync(str(path), offset=90_000, limit=1, encoding="utf-8")


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_command_that_hangs_is_left(tmp_path: Path) -> None:
    path = text(tmp_path)

    async def hanging(_: list[str]) -> ANSWER:
        await asyncio.sleep(60)
        raise AssertionError

    for run in (hanging, lambda _: time.sleep(2)):
        task = asyncio.create_task(reader(run).read(str(path)))
        await asyncio.sleep(0.1)
        started = time.perf_counter()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert time.perf_counter() - started < 1.5
        with pytest.raises(anyread.errors.ReadTimeoutError):
            await reader(run, timeout_s=0.2).read(str(path))


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_one_file_that_hangs_does_not_stop_the_others(tmp_path: Path) -> None:
    path, shell = text(tmp_path), Shell("sh")
    (tmp_path / "other").write_text("here\n")
    ends = threading.Event()

    def run(argv: list[str]) -> ANSWER:
        if str(path) in argv:
            ends.wait(60)
        return shell(argv)

    far = reader(run, timeout_s=0.3)
    try:
        for _ in range(40):
            with pytest.raises(anyread.errors.ReadTimeoutError):
                await far.read(str(path))
        page = (
            await reader(run).read(str(tmp_path / "other")),
            await anyread.Reader(mounts=far.mounts, limits=Limits(timeout_s=20)).read(
                str(tmp_path / "other")
            ),
        )
        assert [each.text for each in page] == ["1\there"] * 2
    finally:
        ends.set()


def test_a_size_that_no_file_can_have(tmp_path: Path) -> None:
    class Huge:
        def get(self, *_: Any) -> Any:
            return anyread.sources.Fetched(2**62, "1")

    far = anyread.Reader(mounts={"/far": Huge()})
    with pytest.raises(anyread.errors.ReadError):
        far.read_sync("/far/a")


@pytest.mark.slow
def test_commands_and_bytes_of_a_gigabyte(tmp_path: Path) -> None:
    """A first page, the next one, the end, a line in the middle with the exact total, and that again."""
    path = tmp_path / "big.log"
    line = b"2026-11-29T12:00:00Z INFO request 0123456789abcdef done in 12 ms, and some more words here\n"
    with path.open("wb") as file:
        for _ in range(100):
            file.write(line * (10_000_000 // len(line)))
    aged(path)
    run = Shell("sh", later_s=60)
    far = anyread.Reader(mounts={"/": Commands(run)}, limits=Limits(exact_total=True))
    first = anyread.Reader(mounts={"/": Commands(run)})

    def cost(far: anyread.Reader, **arguments: Any) -> tuple[int, int]:
        before = run.commands, run.received
        page = far.read_sync(str(path), kind="text", **arguments)
        local = anyread.read_sync(path, kind="text", **arguments)
        assert (page.start_line, page.content) == (local.start_line, local.content)
        return run.commands - before[0], run.received - before[1]

    commands, received = cost(first, limit=200)
    assert (commands, received <= 300_000) == (1, True)
    assert cost(first, offset=201, limit=200)[0] == 1
    assert cost(first, offset=-100)[0] <= 2
    commands, received = cost(far, offset=5_000_000, limit=50)
    assert commands <= 5
    assert received <= 400_000
    assert cost(far, offset=5_000_000, limit=50)[0] == 1
