"""What a session remembers, and when it says that a file is no longer what was read."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import anyread
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
        stamp=Stamp(1, 2, 3, 4, 5),
        key=key,
        **more,
    )


# ------------------------------------------------------------------------------------------------------------
# Records


def test_a_read_is_remembered_with_what_was_asked(path: Path) -> None:
    session = Session()
    page = read(session, path, offset=2, limit=5)
    (found,) = session.records
    assert (found.path, found.kind, found.media_type, found.form) == (str(path), "text", "text/plain", "text")
    assert (found.offset, found.limit, found.pages) == (2, 5, None)
    assert found.version == page.version
    assert found.read_at == pytest.approx(path.stat().st_mtime, abs=10**9)
    assert found.stamp == Stamp.of(path.stat())


def test_a_whole_small_text_is_hashed_and_a_part_is_not(path: Path) -> None:
    session = Session()
    read(session, path, limit=1)
    assert session.records[0].content_hash is None
    read(session, path)
    assert session.records[-1].content_hash == hashlib.sha256(b"one\ntwo\n").hexdigest()


def test_a_part_has_the_hash_that_is_known_of_the_same_version(path: Path) -> None:
    session = Session()
    read(session, path)
    read(session, path, limit=1)
    assert session.records[-1].content_hash == session.records[0].content_hash is not None


@pytest.mark.parametrize("data", ["\ufeffone\n".encode(), "one\n".encode("utf-16"), b"caf\xe9\n", b"a\r\nb"])
def test_a_hash_is_of_the_bytes_or_not_there(tmp_path: Path, data: Any) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    session = Session()
    read(session, path)
    assert session.records[0].content_hash in {None, hashlib.sha256(data).hexdigest()}


def test_pictures_are_visual(tmp_path: Path) -> None:
    from media import encoded, picture

    path = tmp_path / "a.png"
    path.write_bytes(encoded(picture(20, 10), "PNG"))
    session = Session()
    read(session, path)
    (found,) = session.records
    assert (found.kind, found.media_type, found.form) == ("image", "image/png", "visual")


def test_the_same_view_is_remembered_once_and_the_last_read_file_last(tmp_path: Path) -> None:
    session = Session()
    for name in ("a", "b", "a"):
        (tmp_path / name).write_text(name)
        read(session, tmp_path / name)
    assert [Path(found.path).name for found in session.records] == ["b", "a"]


def test_a_read_that_fails_or_is_unchanged_is_not_remembered(path: Path) -> None:
    session = Session()
    with pytest.raises(anyread.NotFoundError):
        read(session, path.with_name("nothing"))
    version = anyread.read_sync(path).version
    assert isinstance(read(session, path, unless_version=version), anyread.Unchanged)
    assert session.records == ()


async def test_reads_on_event_loops_are_remembered(path: Path, tmp_path: Path) -> None:
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


def test_a_session_is_bounded(tmp_path: Path) -> None:
    session = Session(max_records=3)
    for number in range(5):
        session.note(record(f"/{number}"))
    assert [found.path for found in session.records] == ["/2", "/3", "/4"]
    for key in range(5):
        session.note(record("/4", key))
    assert [(found.path, found.key) for found in session.records] == [("/4", 2), ("/4", 3), ("/4", 4)]


@pytest.mark.parametrize("maximum", [0, -1, 1.5, True, None])
def test_a_bound_below_one_is_refused(maximum: Any) -> None:
    with pytest.raises(ValueError if type(maximum) is int else TypeError, match="max_records"):
        Session(max_records=maximum)


def test_on_read_is_called_with_each_record_outside_of_the_lock() -> None:
    seen = []
    session = Session(on_read=lambda found: seen.append((found, session.records)))
    session.note(record())
    ((found, records),) = seen
    assert records == (found,)


def test_many_threads_may_note_and_look(tmp_path: Path) -> None:
    session = Session(max_records=50)
    failures = []

    def work(number: Any) -> Any:
        try:
            for turn in range(300):
                session.note(record(f"/{number}/{turn % 7}", turn % 5))
                session.has_read(f"/{number}/1")
                session.forget(f"/{number}/2")
                assert len(session.records) <= 50
        except Exception as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    session.forget()
    assert session.records == ()


# ------------------------------------------------------------------------------------------------------------
# State


def test_a_file_that_was_never_read_is_unread(path: Path) -> None:
    assert Session().check(path) == "unread"
    assert not Session().has_read(path)
    assert Session().snapshot(path) is None


def test_an_untouched_file_is_fresh_and_not_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    read(session, path)
    monkeypatch.setattr("anyread.session.hash_file", None)
    assert session.check(path) == "fresh"
    assert session.changed() == {}


def test_a_touched_file_with_the_same_bytes_is_fresh_by_its_hash(
    path: Path, settled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session()
    read(session, path)
    os.utime(path)
    assert session.check(path) == "fresh"


def test_a_rewritten_file_is_modified_even_with_its_size_and_time_kept(path: Path) -> None:
    session = Session()
    read(session, path)
    before = path.stat()
    path.write_text("six\nten\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert session.check(path) == "modified"
    assert session.changed() == {str(path): "modified"}


def test_a_file_that_was_young_when_it_was_read_is_judged_by_its_hash(
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


def test_a_large_file_without_a_hash_is_judged_by_its_stat(tmp_path: Path, settled: Any) -> None:
    path = tmp_path / "a.log"
    path.write_text("line\n" * 50_000)
    settled(path)
    session = Session()
    read(session, path, limit=1)
    assert session.records[0].content_hash is None
    assert session.check(path) == "fresh"
    with path.open("a") as file:
        file.write("more\n")
    assert session.check(path) == "modified"


def test_a_deleted_file_is_deleted_and_one_behind_a_file_too(path: Path) -> None:
    session = Session()
    read(session, path)
    path.unlink()
    assert session.check(path) == "deleted"
    assert session.changed() == {str(path): "deleted"}
    path.mkdir()
    assert session.check(path) == "modified"


def test_a_fifo_in_the_place_of_a_file_does_not_hang(path: Path) -> None:
    session = Session()
    read(session, path)
    path.unlink()
    os.mkfifo(path)
    assert session.check(path) == "modified"


def test_reading_again_makes_a_modified_file_fresh(path: Path) -> None:
    session = Session()
    read(session, path)
    path.write_text("three\n")
    assert session.check(path) == "modified"
    read(session, path)
    assert session.check(path) == "fresh"


def test_forgetting_is_of_one_file_or_of_all(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.txt"
    other.write_text("b")
    session = Session()
    read(session, path)
    read(session, path, limit=1)
    read(session, other)
    session.forget(path)
    assert [found.path for found in session.records] == [str(other)]
    session.forget("never read")
    session.forget()
    assert session.records == ()


def test_a_view_is_found_by_its_key(path: Path) -> None:
    session = Session()
    session.note(record(str(path), "first"))
    session.note(record(str(path), "second"))
    first = session.view(path, "first")
    assert first is not None
    assert first.key == "first"
    assert session.view(path, "third") is None
    last = session.snapshot(path)
    assert last is not None
    assert last.key == "second"


def test_a_link_a_relative_path_and_bytes_are_the_same_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path.parent / "link").symlink_to(path.name)
    monkeypatch.chdir(path.parent)
    session = Session()
    read(session, "link")
    for name in ("a.txt", "./a.txt", "link", path, os.fsencode(path), str(path)):
        assert session.has_read(name)
        assert session.check(name) == "fresh"


def test_a_name_that_is_not_utf8_is_remembered(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(name)).write_text("one\n")
    session = Session()
    read(session, name)
    assert session.has_read(name)
    assert session.check(name) == "fresh"


def test_hash_is_sha256_whatever_the_size(tmp_path: Path) -> None:
    path = tmp_path / "a"
    data = os.urandom(2_500_000)
    path.write_bytes(data)
    assert hash_file(str(path)) == hashlib.sha256(data).hexdigest()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_fork_while_a_thread_notes_leaves_no_lock_locked() -> None:
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
