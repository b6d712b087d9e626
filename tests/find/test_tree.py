"""Searches of directories: the files are those that ripgrep finds, and the documents that it cannot read."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import anyread
from anyread import Reader

WORDS = ("needle", "Needle", "hay", "straw", "a(b", "x1")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    chance = random.Random(7)
    for number in range(60):
        path = (
            tmp_path / chance.choice(["", "src", "src/lib", "docs", "build", ".hidden"]) / f"{number:02}.txt"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{chance.choice(WORDS)} {line}\n" for line in range(chance.randint(0, 8))))
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("build/\n*7.txt\n")
    return tmp_path


def pages_of(reader: Reader, path: Path, **arguments: Any) -> list[Any]:
    found = [reader.read_sync(path, **arguments)]
    while found[-1].next is not None:
        found.append(reader.read_sync(path, **found[-1].next))
        assert len(found) < 100
    return found


def files_in(pages: list[Any], directory: Path) -> list[str]:
    headings = [re.findall(r"^\[((?:[A-Z]:)?/.*)\]$", page.text, re.MULTILINE) for page in pages]
    return [name.removeprefix(f"{directory}/") for found in headings for name in found]


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep judges, and is not installed")
@pytest.mark.parametrize("pattern", ["needle", "Needle", "a\\(b", "straw|x1", "zzz"])
@pytest.mark.parametrize("limits", [{"limit": 1}, {"max_tokens": 600}, {}])
def test_files_are_those_of_ripgrep(tree: Path, pattern: str, limits: dict[str, int]) -> None:
    command = [
        "rg",
        "--files-with-matches",
        "--smart-case",
        "--hidden",
        "--no-config",
        "--glob=!.git",
        pattern,
    ]
    judged = subprocess.run([*command, "."], cwd=tree, capture_output=True, text=True, check=False).stdout
    expected = sorted(line.removeprefix("./") for line in judged.splitlines())
    pages = pages_of(Reader(), tree, find=pattern, **limits)
    assert files_in(pages, tree) == expected
    if not expected:
        assert re.fullmatch(r"\[no hits in \d+ files\]", pages[0].text)


def test_documents_are_searched_and_binary_files_named(tree: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["only in a workbook"])
    book.save(tree / "src" / "book.xlsx")
    (tree / "src" / "data.bin").write_bytes(b"\0\1\2only in a workbook\0" * 9)
    page = anyread.read_sync(tree, find="only in")
    assert files_in([page], tree) == ["src/book.xlsx"]
    [notice] = page.notices
    assert (notice.code, notice.data["paths"]) == ("not_searched", (str(tree / "src" / "data.bin"),))


def test_next_page_begins_at_a_path(tree: Path) -> None:
    for number in range(9):
        (tree / f"s{number}.txt").write_text("hook\n")
    first = anyread.read_sync(tree, find="hook", limit=4)
    assert first.next is not None
    assert first.next["at"] == str(tree / "s4.txt")
    # It does not depend on files that others write meanwhile.
    (tree / "a.txt").write_text("hook\n")
    (tree / "s4.txt").unlink()
    assert files_in([anyread.read_sync(tree, **first.next)], tree) == [f"s{n}.txt" for n in (5, 6, 8)]


def test_next_page_begins_at_names_that_are_not_utf_8(tmp_path: Path) -> None:
    """Their order by bytes is another one than by characters."""
    names = [b"a", b"b\x80", "b\u00e9".encode(), "b\uffee".encode(), b"b\xff", "c\U0001f600".encode()]
    for name in names:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("hook\n")
    pages = pages_of(Reader(), tmp_path, find="hook", limit=1)
    assert len(pages) == len(names)
    assert len({page.text.split("\n")[0] for page in pages}) == len(names)


def test_what_is_shown_of_a_file_is_read(tree: Path) -> None:
    (tree / "hook.txt").write_text("hook\n")
    reader = Reader(session=anyread.Session())
    reader.read_sync(tree, find="hook")
    assert reader.session is not None
    read = [path.name for path in tree.rglob("*.txt") if reader.session.has_read(path)]
    assert read == ["hook.txt"]


def test_denied_files_are_not_searched(tree: Path) -> None:
    (tree / ".env").write_text("needle=1\n")
    page = Reader(roots=[tree], deny="secrets").read_sync(".", find="needle=")
    assert page.text.startswith("[no hits in ")


def test_search_of_a_directory_leaves_the_event_loop_free(tree: Path) -> None:
    async def search() -> tuple[str, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0)
                ticks += 1

        ticking = asyncio.create_task(tick())
        page = await anyread.read(tree, find="needle", limit=100)
        ticking.cancel()
        return page.text, ticks

    text, ticks = asyncio.run(search())
    assert text == anyread.read_sync(tree, find="needle", limit=100).text
    assert ticks > 0


@pytest.mark.posix("needs sparse files")
def test_a_search_that_is_out_of_time_goes_on_with_the_next_call(tmp_path: Path) -> None:
    """A file that was not searched in time was passed over, without a word."""
    for number in (1, 3):
        (tmp_path / f"{number}.txt").write_text("a needle\n")
    with (tmp_path / "2.txt").open("wb") as file:
        file.write(b"hay\n" * 20_000)
        file.truncate(1 << 36)
    reader = Reader(limits=anyread.Limits(timeout_s=2))
    page = reader.read_sync(tmp_path, find="needle")
    assert files_in([page], tmp_path) == ["1.txt"]
    assert page.next is not None
    assert page.next["at"] == str(tmp_path / "2.txt")
    with pytest.raises(anyread.errors.ReadTimeoutError) as late:
        reader.read_sync(tmp_path, **page.next)
    assert late.value.path == str(tmp_path / "2.txt")
    assert files_in([reader.read_sync(tmp_path, find="needle", at="3.txt")], tmp_path) == ["3.txt"]
