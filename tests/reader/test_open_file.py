"""Opened files: facts, windows, bytes and hashes from one descriptor, in and outside of a running call."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import anyread
from anyread._native import Cancel
from anyread.errors import BadArgumentError, NotFoundError
from anyread.reading.open_file import Layout
from anyread.running import loop
from helpers.media import drawing, encoded
from helpers.waiting import descriptors_of, until

POEM = "Roses are red\nViolets are blue\n"


def test_facts_are_those_of_info(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(POEM)
    (tmp_path / "b.png").write_bytes(encoded(drawing(30, 20), "PNG"))
    (tmp_path / "c.bin").write_bytes(bytes(range(256)))
    reader = anyread.Reader(roots=[tmp_path])
    for name in ("a.txt", "b.png", "c.bin"):
        file, info = reader.open_sync(name), reader.info_sync(name)
        for fact in ("path", "resolved_path", "kind", "media_type", "size_bytes", "modified_ns"):
            assert getattr(file, fact) == getattr(info, fact)
        data = (tmp_path / name).read_bytes()
        assert file.read(10_000) == data
        assert file.head(5) == data[:5]
        assert file.read_range(3, 4) == data[3:7]
        assert file.sha256() == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("lines", [20, 200_000])
def test_windows_continue_to_the_end(tmp_path: Path, lines: int) -> None:
    text = "".join(f"line {number} äöü\n" for number in range(lines))
    (tmp_path / "a.txt").write_text(text, "utf-16")
    layout = Layout(budget=1_000_000, bom="drop")
    with anyread.Reader().open_sync(tmp_path / "a.txt") as file:
        shown = ""
        following: tuple[int, int] | None = (1, 1)
        while following is not None:
            line, column = following
            window = file.window(line, lines, layout, column=column)
            shown += f"{window.text}\n"
            following = window.next
    assert shown == text


async def test_open_does_not_block_the_loop(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(POEM)
    reader = anyread.Reader()
    file = await reader.open(tmp_path / "a.txt")
    assert file.window(2, 1).text == "Violets are blue"
    with pytest.raises(NotFoundError):
        await reader.open(tmp_path / "nothing.txt")


def test_closed_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(POEM)
    with anyread.Reader().open_sync(tmp_path / "a.txt") as file:
        assert file.is_unchanged()
    with pytest.raises(ValueError, match="this file is closed"):
        file.window(1, 1)
    assert repr(file) == "<OpenFile closed: 31 bytes>"


@pytest.mark.parametrize("size", [31, 3_100_000])
@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("maximum", lambda file: file.read(-1)),
        ("size", lambda file: file.head(-1)),
        ("size", lambda file: file.read_range(0, -5)),
        ("start", lambda file: file.read_range(2**63, 5)),
        ("end", lambda file: list(file.decoded(5, 2, "strict"))),
        ("start", lambda file: list(file.decoded(-1, 2, "strict"))),
        ("limit", lambda file: file.window(1, -1)),
        ("offset", lambda file: file.window(2**63, 1)),
        ("offset", lambda file: file.window(-(10**5_000), 1)),
        ("column", lambda file: file.window(1, 1, column=-1)),
        ("first_number", lambda file: file.window(1, 1, first_number=2**64)),
    ],
)
def test_numbers_out_of_range_are_refused(
    tmp_path: Path, size: int, argument: str, call: Callable[[anyread.OpenFile], object]
) -> None:
    """A negative size dropped bytes at the end of a small file; other numbers were overflows."""
    (tmp_path / "a.txt").write_text(POEM * (size // len(POEM)))
    with anyread.Reader().open_sync(tmp_path / "a.txt") as file, pytest.raises(BadArgumentError) as caught:
        call(file)
    assert (caught.value.argument, caught.value.path) == (argument, str(tmp_path / "a.txt"))


@pytest.mark.parametrize("name", ["a.txt", "large.log"])
def test_close_closes_the_file_at_once(tmp_path: Path, name: str) -> None:
    """A reference in the frame of an error kept it open."""
    path = tmp_path / name
    path.write_text(POEM * (1 if name == "a.txt" else 10_000))
    file = anyread.Reader().open_sync(path)
    core = file.opened
    assert descriptors_of(path) == 1
    file.close()
    file.close()
    assert not descriptors_of(path)
    for use in (lambda: core.path, core.fileno, core.recheck, core.sha256, lambda: core.read_at(0, 1)):
        with pytest.raises(ValueError, match="this file is closed: open it again"):
            use()


def test_close_waits_for_no_method_and_interrupts_none(tmp_path: Path) -> None:
    """A method that another thread runs reads the same file to its end, and closes it then."""
    path = tmp_path / "large.log"
    with path.open("wb") as file:
        file.truncate(64 << 20)
    expected = hashlib.sha256(path.read_bytes()).hexdigest()
    core = anyread.Reader().open_sync(path).opened
    cancel, found = Cancel(), []
    thread = threading.Thread(target=lambda: found.append(core.sha256(cancel, may_wait=True)))
    thread.start()
    until(lambda: cancel.scanned_bytes > 0 or bool(found))
    core.close()
    thread.join()
    assert found == [expected]
    assert not descriptors_of(path)


async def test_synchronous_methods_are_a_part_of_the_running_call(tmp_path: Path) -> None:
    """A contract on an event loop would otherwise block it: the call moves to a thread and starts again."""
    text = "x\n" * 1_000_000
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "b.png").write_bytes(encoded(drawing(30, 20), "PNG"))
    reader, threads = anyread.Reader(), []

    def reply() -> tuple[str, int | None, str]:
        threads.append(threading.current_thread())
        digest = reader.open_sync(tmp_path / "a.txt").sha256()
        return digest, reader.info_sync(tmp_path / "a.txt").lines, reader.read_sync(tmp_path / "b.png").kind

    assert await loop.run(reply) == (hashlib.sha256(text.encode()).hexdigest(), 1_000_000, "image")
    assert len(threads) > 1
    assert threads[-1] is not threading.current_thread()
