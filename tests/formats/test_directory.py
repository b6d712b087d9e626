"""Directories as pages of entries: compared with `os.scandir` and git, and within the rules of a reader."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Reader
from anyread._native import Cancel, display_path
from anyread.errors import DeniedError, DirectoryError, OutsideRootError, TooLargeError, WrongKindError
from anyread.formats import directory as directories
from anyread.results import DirectoryPage
from anyread.results.directory import Entry

NAMES = (
    "a.py",
    "A.md",
    "b c",
    "é.txt",
    "日本",
    "😀.log",
    "-x",
    ".env",
    "z.log",
    "a\nb",
    "(a)",
    "\udcff\udcfe",
)


def listing(root: Path, **settings: Any) -> Reader:
    return Reader(roots=root, directories="list", **settings)


def page_of(reader: Reader, path: str | Path = ".", **arguments: Any) -> DirectoryPage:
    page = reader.read_sync(path, **arguments)
    assert isinstance(page, DirectoryPage)
    return page


def rows(page: DirectoryPage) -> list[str]:
    """Return the lines of a page, without its footer and without sizes."""
    text = page.text.removesuffix(page.footer).removesuffix("\n")
    return [row.partition("\t")[0] for row in text.split("\n")] if text else []


def git(root: Path, *arguments: str, given: bytes | None = None) -> bytes:
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(root)}
    command = ["git", "-c", "core.excludesFile=", *arguments]
    run = subprocess.run(
        command,
        check=False,
        cwd=root,
        env={**os.environ, **settings},
        input=given,
        capture_output=True,
        timeout=60,
    )
    assert run.returncode in {0, 1}, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "-q")
    for parent in ("", "src", "src/build", "build", "docs/a/b"):
        (root / parent).mkdir(parents=True, exist_ok=True)
        for number, name in enumerate(NAMES):
            (root / parent / name).write_bytes(b"x" * number * 150)
        (root / parent / "to dir").symlink_to(root / "docs")
        (root / parent / "to file").symlink_to("a.py")
        (root / parent / "to nothing").symlink_to("missing")
        os.mkfifo(root / parent / "pipe")
    return root


PATTERNS = (
    "*.log",
    "!z.log",
    "build",
    "build/",
    "to*",
    "to dir/",
    "*",
    "!*/",
    "!*.md",
    "/src/a*",
    "**/b",
    "é*",
)


def fields(entry: Entry) -> tuple[object, ...]:
    return entry.name, entry.type, entry.is_link, entry.size_bytes


def expected(root: Path, below: str) -> list[tuple[object, ...]]:
    """Return the entries that git does not ignore; all of them if it ignores the directory itself."""
    entries = sorted(os.scandir(root / below), key=lambda entry: os.fsencode(entry.name))
    paths = [os.fsencode(os.path.normpath(f"{below}/{entry.name}")) for entry in entries]
    ignored: set[bytes] = set()
    is_ignored = below != "." and git(root, "check-ignore", "--no-index", below)
    if not is_ignored:
        given = b"\0".join(path for path in paths if path != b".git")
        found = git(root, "check-ignore", "--no-index", "-z", "--stdin", given=given)
        ignored = {*found.split(b"\0"), b".git"}
    kinds: list[tuple[object, ...]] = []
    for entry, path in zip(entries, paths, strict=True):
        if path not in ignored:
            kind = "directory" if entry.is_dir() else "file" if entry.is_file() else "other"
            kind = "link" if entry.is_symlink() and kind == "other" else kind
            size = entry.stat().st_size if kind == "file" else 0
            kinds.append((display_path(os.fsencode(entry.name)), kind, entry.is_symlink(), size))
    return kinds


@pytest.mark.parametrize("seed", range(12))
def test_entries_are_those_that_git_does_not_ignore(repository: Path, seed: int) -> None:
    chance = random.Random(seed)
    for name in (".gitignore", "src/.gitignore", ".git/info/exclude"):
        (repository / name).write_text("\n".join(chance.sample(PATTERNS, chance.randrange(4))))
    reader = listing(repository)
    for below in (".", "src", "src/build", "build", "docs/a"):
        page = page_of(reader, below)
        assert [*map(fields, page.entries)] == expected(repository, below)
        assert page.count == len(page.entries)
        assert page.ignored == len([*(repository / below).iterdir()]) - len(page.entries)


def test_line_says_what_an_entry_is(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "big.bin").write_bytes(bytes(12_345))
    (root / "a\n\x1b[2J").write_text("x")
    for name, target in {
        "current": "src/",
        "file": "big.bin",
        "absolute": str(root / "big.bin"),
        "out": "../secret",
        "gone": "missing",
    }.items():
        (root / name).symlink_to(target)
    (tmp_path / "secret").write_text("s")
    os.mkfifo(root / "pipe")
    page = page_of(listing(root))
    assert page.text.split("\n") == [
        "a\\n\\x1b[2J\t1 byte",
        f"absolute -> {root}/big.bin\t12.3 kB",
        "big.bin\t12.3 kB",
        "current -> src/",
        "file -> big.bin\t12.3 kB",
        "gone (link)",
        "out (link)",
        "pipe (special file)",
        "src/",
    ]
    assert page.summary() == "directory `.`: entries 1-9 of 9"
    assert "secret" not in str(page.to_dict())
    assert (page.resolved_path, page.media_type, page.version) == (str(root), "inode/directory", "")


def test_names_that_deny_rules_match_are_counted_and_never_shown(tmp_path: Path) -> None:
    for name in ("a.txt", ".env", "private/key", "vault.pem"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "to-vault").symlink_to("vault.pem")
    (tmp_path / "by-private").symlink_to("private/../a.txt")
    page = page_of(listing(tmp_path, deny=["secrets", "private"]))
    assert (
        page.text
        == "a.txt\t1 byte\nby-private\t1 byte\nto-vault (link)\n[entries 1-3 of 3 · 3 entries are denied]"
    )
    assert (page.denied, page.ignored) == (3, 0)
    (tmp_path / "way").symlink_to("private")
    for path, error in (("private", DeniedError), ("way", DeniedError), ("..", OutsideRootError)):
        with pytest.raises(error):
            listing(tmp_path, deny=["private"]).read_sync(path)


def test_directory_without_entries_says_why(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "all").mkdir()
    (tmp_path / "all/.gitignore").write_text("*")
    reader = listing(tmp_path)
    notices = [page_of(reader, name).notices[0].message for name in ("empty", "all")]
    assert notices == ["the directory is empty", "no entry is shown: 1 entry is ignored"]


def test_change_of_a_directory_is_noticed_on_the_next_page(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("")
    reader = listing(tmp_path)
    page = page_of(reader, limit=1)
    os.utime(tmp_path, ns=(0, 0))
    assert page.next is not None
    (notice,) = page_of(reader, **page.next).notices
    assert notice.code == "changed_since"


def test_kind_must_be_that_of_the_path(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "empty").write_text("")
    reader = listing(tmp_path)
    assert rows(page_of(reader, kind="directory")) == ["a.txt", "empty"]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("a.txt", {"kind": "directory"}),
        ("empty", {"kind": "directory"}),
        (".", {"kind": "text"}),
        (".", {"kind": "image/png"}),
        (".", {"pages": "1"}),
    ]
    for path, arguments in calls:
        with pytest.raises(WrongKindError):
            reader.read_sync(path, **arguments)
        output = anyread.tool(reader=reader).call_sync({"path": path, **arguments})
        assert output["code"] == "wrong_kind"


def test_directories_are_refused_unless_the_reader_lists_them(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    for reader in (Reader(roots=tmp_path), Reader(roots=tmp_path, directories="error")):
        with pytest.raises(DirectoryError):
            reader.read_sync(".")
        with pytest.raises(DirectoryError):
            reader.info_sync(".")
    own = [
        anyread.tool(reader=Reader(roots=tmp_path, directories=value)) for value in (None, "list", "error")
    ]
    assert [tool.call_sync({"path": "."}).get("code") for tool in own] == [None, None, "is_a_directory"]
    # What other tools answer does not depend on it.
    for name in ("claude-code", "gemini-cli", "pi"):
        answers = [
            anyread.tool(name, reader=Reader(roots=tmp_path, directories=value))
            for value in ("list", "error")
        ]
        path = next(iter(answers[0].definitions()[0].input_schema["properties"]))
        call = {path: str(tmp_path)}
        assert answers[0].call_sync(call) == answers[1].call_sync(call)
    with pytest.raises(ValueError, match="directories"):
        Reader(directories="yes")  # type: ignore[arg-type]


def test_info_and_several_files(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text("pass\n")
    reader = listing(tmp_path)
    info = reader.info_sync("src")
    assert (info.kind, info.entries, info.summary()) == ("directory", 1, "`src`: directory, 1 entry")
    results = reader.read_many_sync(["src", "src/a.py", "gone"])
    assert [result.summary() for result in results] == [
        "directory `src`: entry 1 of 1",
        "text `src/a.py`: line 1 of 1",
        "`gone` does not exist",
    ]
    (refused,) = Reader(roots=tmp_path).read_many_sync(["src"])
    assert isinstance(refused, anyread.Failed)
    output = anyread.tool(reader=reader).call_sync({"places": ["src:1-1", "src/a.py:1-1"]})
    assert (
        output["content"][0]["text"]
        == "==> src · entry 1 of 1 <==\na.py\t5 bytes\n\n==> src/a.py <==\n1\tpass"
    )


def test_listing_of_very_many_entries_is_refused_or_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        (tmp_path / str(number)).write_text("")
    cancel = Cancel()
    cancel.cancel()
    with pytest.raises(InterruptedError):
        directories.opened(listing(tmp_path).engine, b".", cancel)
    monkeypatch.setattr(directories, "MAX_ENTRIES", 3)
    with pytest.raises(TooLargeError, match="exceeds the limit of 3 entries: 4 entries") as refused:
        listing(tmp_path).read_sync(".")
    assert refused.value.hint == "choose a directory or a file below it, as `./NAME`"
