"""What a session records, and when it reports that a file has changed since it was read."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.arguments.request import checked
from anyread.session import Record, Session, Stamp, hash_file


@pytest.fixture
def path(tmp_path: Path, settled: Any) -> Any:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\n")
    settled(file)
    return file


def read(session: Any, path: Any, **arguments: Any) -> Any:
    return anyread.Reader(session=session).read_sync(path, **arguments)


def record(path: Any = "/a", key: Any = None, **more: Any) -> Any:
    return Record(
        path=path,
        kind="text",
        media_type="text/plain",
        form="text",
        stat=Stamp(1, 2, 3, 4, 5),
        key=key,
        **more,
    )


# ------------------------------------------------------------------------------------------------------------
# Records


def test_read_is_recorded_with_its_arguments(path: Path) -> None:
    session = Session()
    page = read(session, path, offset=2, limit=5)
    (found,) = session.records
    assert (found.path, found.kind, found.media_type, found.form) == (str(path), "text", "text/plain", "text")
    assert (found.offset, found.limit, found.pages) == (2, 5, None)
    assert found.version == page.version
    assert found.read_at == pytest.approx(path.stat().st_mtime, abs=10**9)
    assert found.stamp == Stamp.of(path.stat())


def test_whole_small_text_is_hashed_and_a_window_is_not(path: Path) -> None:
    session = Session()
    read(session, path, limit=1)
    assert session.records[0].content_hash is None
    read(session, path)
    assert session.records[-1].content_hash == hashlib.sha256(b"one\ntwo\n").hexdigest()


@pytest.mark.parametrize(
    "data",
    [
        "\ufeffone\n".encode(),
        "one\n".encode("utf-16"),
        b"caf\xe9\n",
        "这是一个中文文件，内容很简单。\n".encode("gb18030"),
        b"a\r\nb",
        "café\n".encode() * 9 + b"\xff\n",
    ],
)
def test_touched_file_is_fresh_unless_its_text_has_losses(tmp_path: Path, settled: Any, data: Any) -> None:
    """A file in another encoding than UTF-8, or with a mark, was called modified."""
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    settled(path)
    session = Session()
    page = read(session, path)
    os.utime(path)
    assert session.check(path) == ("modified" if page.lossy else "fresh")
    assert session.records[0].content_hash in {None, hashlib.sha256(data).hexdigest()}


@pytest.mark.posix("versions")
def test_failed_or_unchanged_read_is_not_recorded(path: Path) -> None:
    session = Session()
    with pytest.raises(anyread.NotFoundError):
        read(session, path.with_name("nothing"))
    version = anyread.read_sync(path).version
    assert isinstance(read(session, path, unless_version=version), anyread.Unchanged)
    assert session.records == ()


async def test_reads_on_event_loops_are_recorded(path: Path, tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    large.write_text("line\n" * 50_000)
    session = Session()
    reader = anyread.Reader(session=session)
    await reader.read(path)
    await reader.read(large, limit=1)
    assert [found.path for found in session.records] == [str(path), str(large)]
    async for _ in reader.read_many([path, "nothing"], limit=1):
        pass
    assert [found.limit for found in session.records] == [1, None, 1]


def test_session_keeps_at_most_max_records(tmp_path: Path) -> None:
    session = Session(max_records=3)
    for number in range(5):
        session.note(record(f"/{number}"))
    assert [found.path for found in session.records] == ["/2", "/3", "/4"]
    for key in range(5):
        session.note(record("/4", key))
    assert [(found.path, found.key) for found in session.records] == [("/4", 2), ("/4", 3), ("/4", 4)]


# ------------------------------------------------------------------------------------------------------------
# State


def test_rewritten_file_with_the_same_size_and_time_is_modified(path: Path) -> None:
    session = Session()
    read(session, path)
    before = path.stat()
    path.write_text("six\nten\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert session.check(path) == "modified"
    assert session.changed() == {str(path): "modified"}


def test_file_read_just_after_a_write_is_compared_by_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    session = Session()
    read(session, path)
    hashed = []

    def hashing(name: Any) -> str:
        hashed.append(name)
        return hash_file(name)

    monkeypatch.setattr("anyread.session.hash_file", hashing)
    assert session.check(path) == "fresh"
    assert bool(hashed) == (session.records[0].version == "")


def test_large_file_is_hashed_again_while_one_write_of_it_may_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stat was trusted after 2 s, although one `write` of 200 MB may take longer."""
    path = tmp_path / "a.bin"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    session, hashed, now_ns = Session(), [], path.stat().st_ctime_ns

    def hashing(name: Any) -> str:
        hashed.append(name)
        return "hash"

    monkeypatch.setattr("anyread.session.hash_file", hashing)
    monkeypatch.setattr("anyread.session.time.time_ns", lambda: now_ns)
    session.note(record(str(path), content_hash="hash")._replace(stat=Stamp.of(path.stat())))
    for age_ns, times in ((3 * 10**9, 1), (5 * 10**9, 2), (7 * 10**9, 3), (7 * 10**9, 3)):
        now_ns = path.stat().st_ctime_ns + age_ns
        assert session.check(path) == "fresh"
        assert len(hashed) == times


@pytest.mark.posix("the time of a change")
@pytest.mark.parametrize("is_replaced", [False, True])
def test_file_that_changed_before_its_read_was_recorded_is_modified(
    path: Path, settled: Any, *, is_replaced: bool
) -> None:
    """The record had the stat of the changed file, if its size and modification time were the same."""
    settled(path)
    page = read(Session(), path, limit=1)
    before = path.stat()
    if is_replaced:
        path.rename(path.with_name("old"))
    path.write_text("six\nten\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    session = Session()
    session.note(session.record_of(page, checked(str(path), limit=1)))
    assert session.check(path) == "modified"


def test_deleted_file_is_deleted_and_a_directory_in_its_place_is_modified(path: Path) -> None:
    session = Session()
    read(session, path)
    path.unlink()
    assert session.check(path) == "deleted"
    assert session.changed() == {str(path): "deleted"}
    path.mkdir()
    assert session.check(path) == "modified"


def test_fifo_in_place_of_a_file_does_not_block(path: Path) -> None:
    session = Session()
    read(session, path)
    path.unlink()
    os.mkfifo(path)
    assert session.check(path) == "modified"


def test_every_spelling_of_a_path_is_the_same_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path.parent / "link").symlink_to(path.name)
    monkeypatch.chdir(path.parent)
    session = Session()
    read(session, "link")
    for name in ("a.txt", "./a.txt", "link", path, os.fsencode(path), str(path)):
        assert session.has_read(name)
        assert session.check(name) == "fresh"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_fork_while_the_lock_is_held_does_not_block_the_child() -> None:
    code = (
        "import os, signal\n"
        "from anyread import Session\n"
        "session = Session()\n"
        "session._lock.acquire()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    signal.alarm(5)\n"
        "    os._exit(len(session.records))\n"
        "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=30).returncode == 0


@pytest.mark.parametrize("way", ["relative", "file URL", "link", "quoted"])
def test_file_is_known_by_the_path_as_it_was_read(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """A path relative to the reader's root was relative to the working directory, and so never known."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "link").symlink_to(path)
    given = {"relative": path.name, "file URL": path.as_uri(), "link": "link", "quoted": f'"{path.name}"'}[
        way
    ]
    session = Session()
    anyread.Reader(roots=[tmp_path], session=session).read_sync(given)
    assert session.has_read(given)
    assert session.check(given) == session.check(path)
    assert session.forget(given)
    assert not session.forget(given)
    assert session.check(given) == session.check(path) == "unread"


def test_link_that_leads_elsewhere_is_unread(path: Path, tmp_path: Path) -> None:
    link, other = tmp_path / "link", tmp_path / "other"
    other.write_text("x\n")
    link.symlink_to(path)
    session = Session()
    anyread.Reader(roots=[tmp_path], session=session).read_sync("link")
    link.unlink()
    link.symlink_to(other)
    assert session.check("link") == "unread"
