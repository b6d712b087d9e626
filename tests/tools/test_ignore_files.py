"""Which files ignore files name: git is the judge."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from anyread._native import IgnoreFile, is_ignored

DIRECTORIES = ("", "d/", "e/", "d/e/", "d/de/", "e/d.e/")
NAMES = ("a", "b", "ab", "a.b", ".b", "B", "a b", "é", "[a", "*", "#a", "!a")
PIECES = (
    *("a", "a", "b", "b", "d", "d", "e", "e", "é", ".", "*", "*", "*", "?"),
    *("[ab]", "[!a]", "[a-e]", "[", "]", "#", "!", " ", "\\a", "\\*", "\\?", "\\[", "\\ "),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository of git with the same names in each of its directories."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", root], check=True)
    subprocess.run(["git", "-C", root, "config", "core.ignorecase", "true"], check=True)
    for directory in DIRECTORIES:
        (root / directory).mkdir(exist_ok=True)
        for name in NAMES:
            (root / directory / name).touch()
    return root


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    command = ["git", "-C", str(root), "check-ignore", "--no-index", "--stdin", "-z"]
    ran = subprocess.run(command, input="\0".join(paths), capture_output=True, text=True, check=False)
    assert ran.returncode in {0, 1}, ran.stderr
    return set(ran.stdout.split("\0")) - {""}


def random_pattern(source: random.Random) -> str:
    count = source.choice((1, 1, 2))
    names = ["".join(source.choices(PIECES, k=source.randrange(1, 4))) for _ in range(count)]
    # What several stars in a name mean to git depends on the letters before them.
    joined = source.choice(("/", "/**/")).join(re.sub(r"\*+", "*", name) for name in names)
    pattern = source.choice(("", "", "!", "/", "!/", "**/")) + joined + source.choice(("", "", "/", "/**"))
    # Spaces at the beginning of a line have no meaning to gemini-cli.
    return pattern.lstrip()


@pytest.mark.parametrize("seed", range(10))
def test_git_ignores_the_same_files(repository: Path, seed: int) -> None:
    source = random.Random(seed)
    paths = [directory + name for directory in DIRECTORIES for name in NAMES]
    for _ in range(30):
        rules = {
            directory: "\n".join(random_pattern(source) for _ in range(source.randrange(1, 6)))
            for directory in ("", "d", "d/e")
        }
        for directory, text in rules.items():
            (repository / directory / ".gitignore").write_text(text)
        files = [IgnoreFile(text, directory) for directory, text in rules.items()]
        assert {path for path in paths if is_ignored(path, files)} == ignored_by_git(repository, paths), rules


def test_pattern_that_is_too_large_does_not_disable_the_others() -> None:
    large = "?" * 500_000
    for text in (f"secret\n{large}\n", f"{large}\nsecret\n"):
        assert is_ignored("a/secret", [IgnoreFile(text, "")])


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.key", "a/b.KEY", True),
        ("/top", "a/top", False),
        ("a/b", "x/a/b", False),
        ("a/**/b", "a/b", True),
        ("src/**", "src", False),
        ("src/**", "src/a/b", True),
        ("dir/", "dir", False),
        ("dir/", "x/dir/file", True),
        ("[!x].py", "a.py", True),
        ("[z-a]x", "ax", False),
        ("*\n!keep", "keep", False),
        # Neither pattern may take long.
        ("**/a/" * 30 + "x", "a/" * 60 + "y", False),
        ("a*" * 60 + "b", "a" * 250, False),
    ],
)
def test_patterns(pattern: str, path: str, *, expected: bool) -> None:
    assert is_ignored(path, [IgnoreFile(pattern, "")]) is expected
    assert is_ignored(f"sub/{path}", [IgnoreFile(pattern, "sub")]) is expected
