"""`anyread.files`: the files of a directory, as git would list them, within the rules of a reader."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anyread
from anyread import Reader
from anyread.listing.ignore_rules import MAX_BYTES


def write(directory: Path, *names: str) -> None:
    for name in names:
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(name)


def git(directory: Path, *arguments: str) -> bytes:
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(directory)}
    command = ["git", "-c", "core.excludesFile=", *arguments]
    return subprocess.run(
        command, cwd=directory, env={**os.environ, **settings}, check=True, capture_output=True, timeout=60
    ).stdout


def listed_by_git(directory: Path) -> list[str]:
    found = git(directory, "ls-files", "-co", "--exclude-standard", "-z").split(b"\0")
    return [os.fsdecode(path) for path in sorted(set(found)) if path]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("repository")
    git(directory, "init", "-q")
    names = ("a.py", "B.PY", "a-b.txt", " x", "x ", "a", "é.md", ".env", "build.log", "[a].py", "#a", "!a")
    for parent in ("s", "s/d", "s/build", "build", "docs/a/b", "A"):
        write(directory, *names, *(f"{parent}/{name}" for name in names if name != "a" or parent != "docs"))
    return directory


PATTERNS = st.one_of(
    st.sampled_from(
        [
            "*.py",
            "!a.py",
            "/build",
            "build/",
            "s/*",
            "!s/a",
            "**/b",
            "docs/**",
            "a/",
            "/a",
            "# note",
            "[a].py",
        ]
    ),
    st.text(alphabet="abs/*?![]\\. #-", max_size=7),
)


@settings(max_examples=60, deadline=None)
@given(
    top=st.lists(PATTERNS, max_size=4),
    below=st.lists(PATTERNS, max_size=3),
    exclude=st.lists(PATTERNS, max_size=2),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_files_are_those_that_git_lists(
    repository: Path, top: list[str], below: list[str], exclude: list[str], ending: str
) -> None:
    for name, lines in ((".gitignore", top), ("s/.gitignore", below), (".git/info/exclude", exclude)):
        (repository / name).write_bytes(ending.join([*lines, ""]).encode())
    expected = listed_by_git(repository)
    reader = Reader(roots=repository)
    assert reader.files() == expected
    # The rules of the directories above apply to a part of the repository.
    in_src = [path for path in expected if path.startswith("s/")]
    assert reader.files("s") == in_src


def test_glob_selects_files_at_any_depth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.py", "s/b.py", "s/b_pb2.py", "s/c.md", "s/deep/d.py")
    monkeypatch.chdir(tmp_path)
    assert anyread.files(".", "*.py") == ["a.py", "s/b.py", "s/b_pb2.py", "s/deep/d.py"]
    assert anyread.files("s", "/*.py") == ["s/b.py", "s/b_pb2.py"]
    assert anyread.files(glob=["*.py", "!*_pb2.py"]) == ["a.py", "s/b.py", "s/deep/d.py"]
    assert anyread.files(glob="s/**/d.*") == ["s/deep/d.py"]
    assert anyread.files(glob="*.PY") == []
    assert [str(page) for page in anyread.read_many_sync(anyread.files("s", "*.md"))] == ["1\ts/c.md"]


def test_without_a_repository_the_rules_in_the_directory_apply(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "s/b.txt", "s/c.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    assert Reader(roots=tmp_path).files() == [".gitignore", "a.txt", "s/b.txt"]
    # A root is the top of the project.
    assert Reader(roots=tmp_path).files("s") == ["s/b.txt"]
    assert Reader(roots=tmp_path).files("s", gitignore=False) == ["s/b.txt", "s/c.log"]
    assert anyread.files(tmp_path / "s") == [str(tmp_path / "s/b.txt"), str(tmp_path / "s/c.log")]


def test_rules_above_the_roots_are_not_read(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, "s/b.txt", "s/c.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    assert anyread.files(tmp_path / "s") == [str(tmp_path / "s/b.txt")]
    assert Reader(roots=tmp_path / "s").files() == ["b.txt", "c.log"]


def test_repository_in_another_one_has_only_its_own_rules(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, "a.log", "inner/b.log", "inner/c.txt")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "inner/.gitignore").write_text("*.txt\n")
    git(tmp_path / "inner", "init", "-q")
    assert Reader(roots=tmp_path).files() == [".gitignore", "inner/.gitignore", "inner/b.log"]


def test_links_lead_neither_in_circles_nor_outside(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(tmp_path, "root/d/a.txt", "outside/secret.txt")
    (root / "d/circle").symlink_to("..")
    (root / "file").symlink_to("d/a.txt")
    (root / "out").symlink_to("../outside")
    (root / "out.txt").symlink_to("../outside/secret.txt")
    (root / "dangling").symlink_to("nothing")
    os.mkfifo(root / "fifo")
    assert Reader(roots=root).files() == ["d/a.txt", "file"]
    with pytest.raises(anyread.OutsideRootError):
        Reader(roots=root).files("..")
    with pytest.raises(anyread.OutsideRootError):
        Reader(roots=root).files("out")


def test_deep_directories_and_names_that_are_no_text_are_listed(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 900)
    (tmp_path / deep).mkdir(parents=True)
    (tmp_path / deep / "a.txt").write_text("deep")
    name = os.fsdecode(b"caf\xe9")
    (tmp_path / name).write_text("x")
    reader = Reader(roots=tmp_path)
    assert reader.files() == [name, f"{deep}/a.txt"]
    assert [str(page) for page in reader.read_many_sync(reader.files())] == ["1\tx", "1\tdeep"]


@pytest.mark.parametrize("pattern", ["*a?b[cd]*{}x", "x?"])
def test_ignore_files_are_bounded(tmp_path: Path, pattern: str, caplog: pytest.LogCaptureFixture) -> None:
    """Rules of 0.9 MB, linked into each directory of a project, took 200 MB and 3 s for each."""
    git(tmp_path, "init", "-q")
    names = ["d", "d/d", "d/d/d", "e", "f"]
    rules = tmp_path / "rules"
    lines = "".join(f"{pattern.format(number)}\n" for number in range(MAX_BYTES // 4))
    # More than half of what files may have, since each pattern counts 32 bytes more.
    most = MAX_BYTES * 5 // 8 * (len(pattern) + 1) // (len(pattern) + 33)
    rules.write_text(lines[: lines.index("\n", most)] + "\nignored\n")
    for name in names:
        write(tmp_path, f"{name}/a.txt", f"{name}/ignored")
        (tmp_path / name / ".gitignore").symlink_to(rules)
    # Files in one directory after another do not add up, those above one another do.
    assert Reader(roots=tmp_path).files("e", "*.txt") == ["e/a.txt"]
    assert Reader(roots=tmp_path).files("f", "/*") == ["f/.gitignore", "f/a.txt"]
    with caplog.at_level("WARNING", "anyread"):
        assert Reader(roots=tmp_path).files(glob="*.txt") == sorted(f"{name}/a.txt" for name in names)
    assert [f"{tmp_path}/d/d/.gitignore" in each.message for each in caplog.records] == [True, False]
    page = Reader(roots=tmp_path, directories="list").read_sync("d/d")
    assert [notice.data for notice in page.notices] == [{"paths": [f"{tmp_path}/d/d/.gitignore"]}]


def test_rules_of_an_ignore_file_that_is_too_large_do_not_apply(tmp_path: Path) -> None:
    """One such file made an error of every listing, and of every read of `gemini-cli` below it."""
    git(tmp_path, "init", "-q")
    write(tmp_path, "e/a.txt", "e/b.txt", "a.log")
    (tmp_path / ".gitignore").write_text("*.log\n")
    reader = Reader(roots=tmp_path)
    # Only a pattern that is too long is left out.
    (tmp_path / "e/.gitignore").write_text("?" * 5_000 + "\nb.txt\n")
    assert reader.files("e") == ["e/.gitignore", "e/a.txt"]
    page = Reader(roots=tmp_path, directories="list").read_sync("e")
    assert [notice.code for notice in page.notices] == ["rules_left_out"]
    (tmp_path / "e/.gitignore").write_text("a.txt\n" * MAX_BYTES)
    assert reader.files() == [".gitignore", "e/.gitignore", "e/a.txt", "e/b.txt"]
    page = Reader(roots=tmp_path, directories="list").read_sync("e")
    assert [notice.code for notice in page.notices] == ["rules_left_out"]
    tool = anyread.tool("gemini-cli", cwd=tmp_path, reader=reader)
    assert tool.call_sync({"file_path": "e/a.txt"})["llmContent"] == "e/a.txt"
    assert "ignored" in tool.call_sync({"file_path": "a.log"})["error"]
