"""Many files in one call: order, errors as values, shared budgets."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import errors
from anyread._native import count_tokens
from anyread.running import workers

Reader = anyread.Reader
read = anyread.read
read_many = anyread.read_many

pytestmark = pytest.mark.anyio


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Twelve files of 50 lines each."""
    paths = []
    for number in range(12):
        path = tmp_path / f"file-{number:02}.txt"
        path.write_text("".join(f"file {number} line {n}\n" for n in range(1, 51)))
        paths.append(path)
    return paths


async def collect(paths: Any, **arguments: Any) -> list[Any]:
    """Read many files into a list."""
    return [result async for result in read_many(paths, **arguments)]


async def test_error_is_a_value_at_the_position_of_its_path(files: list[Path], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    paths = [files[0], tmp_path / "absent", files[1], tmp_path / "pipe", tmp_path, files[2]]
    results = await collect(paths)
    assert [result.path for result in results] == [str(path) for path in paths]
    failed = [result for result in results if isinstance(result, anyread.Failed)]
    assert [type(result.error) for result in failed] == [
        errors.NotFoundError,
        errors.NotRegularFileError,
        errors.DirectoryError,
    ]
    assert [results[index].total_lines for index in (0, 2, 5)] == [50, 50, 50]


def test_results_that_are_left_are_counted(files: list[Path]) -> None:
    results = anyread.read_many_sync(files)
    assert (len(results), repr(results)) == (12, "<ManySync: 12 results to iterate over>")
    next(results)
    assert len(results) == 11
    results.close()
    assert len(results) == 0


@pytest.mark.parametrize("unit", ["budget_tokens", "budget_bytes"])
@pytest.mark.parametrize("budget", [1, 20, 39, 160, 200, 640, 1_000, 5_000])
async def test_budget_includes_the_lines_of_files_that_are_not_shown(
    files: list[Path], unit: str, budget: int
) -> None:
    """Such a line has 20 tokens: with 4,000 files the results had five times the budget."""
    results = await collect(files * 40, **{unit: budget})
    texts = [result.text for result in results]
    if unit == "budget_bytes":
        assert sum(len(text.encode()) for text in texts) <= budget
    else:
        assert sum(count_tokens(text, None) for text in texts) <= budget
    unshown = [result for result in results if isinstance(result, anyread.NotShown)]
    assert {(result.size_bytes, result.truncated) for result in unshown} <= {
        (path.stat().st_size, True) for path in files
    }
    if budget >= 640:
        counted = [text for text in texts if "not shown either" in text]
        assert len(counted) == 1
        assert f"the next {len(texts) - texts.index(counted[0]) - 1} files" in counted[0]


async def test_files_after_the_end_of_a_budget_are_not_read(files: list[Path], tmp_path: Path) -> None:
    reader = anyread.Reader()
    paths = [*files * 100, tmp_path / "absent"]
    results = [result async for result in reader.read_many(paths, budget_tokens=1_000)]
    assert len(results) == len(paths)
    assert isinstance(results[-1], anyread.Failed)
    assert reader.stats()["reads"] <= 64
    reader.close()


def test_name_means_the_same_file_after_the_end_of_a_budget(files: list[Path], tmp_path: Path) -> None:
    """Files that were not read were looked up by other rules: other files were named, or no file at all."""
    (tmp_path / "my dir" / "sub").mkdir(parents=True)
    for name in ("z.txt", "z.txt:3-4", "only:5", "y3.txt", "my dir/a.py", "my dir/sub/deep.py", ".env", "q"):
        (tmp_path / name).write_text("text\n" * 9)
    (tmp_path / "d.json").write_text('{"a": 1}')
    (tmp_path / "link").symlink_to("z.txt")
    (tmp_path / "away").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    names: list[Any] = [
        *("z.txt", "z.txt:3-4", "z.txt:5", "z.txt:5@2-7,1-2", "./z.txt:3-4", "'z.txt':3", "z.txt:1-2,x"),
        *("only:5", "only:5-6", "Y3.txt", "Y3.txt:2", "my dir", "my dir:3", "my dir/a.py:3", "sub/deep.py"),
        *("absent", "absent:3", "link", "link:2-3", "away/passwd", "../x", ".env", "pipe", "pipe:3", "\0"),
        *(f"file://{tmp_path}/my%20dir/a.py:3", str(tmp_path / "z.txt:3-4"), tmp_path / "q", b"q", "\udcff"),
        *("q:3-2", "q:0", "a" * 5_000, "q:" + "1," * 300 + "1", "d.json#/a", "z.txt (lines 3-4)", ""),
        *anyread.places("my dir/a.py:3: error: bad\nsee gone dir/a.py:4\nz.txt:3: x\nonly:5: x"),
    ]
    for directories in ("list", "error"):
        reader = Reader(roots=[tmp_path], directories=directories, deny="secrets")
        for name in names:
            found = []
            for before in (1, 100):
                *_, last = reader.read_many_sync([*files[:1] * before, name], budget_tokens=1)
                what = last.error if isinstance(last, anyread.Failed) else dict(last.next or {})
                found.append((type(last), last.path, getattr(last, "size_bytes", 0), str(what), type(what)))
            assert found[0] == found[1], name


async def test_failure_to_start_a_thread_is_a_value_for_each_file(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When no thread could be started, the iteration ended with an exception that named one of the files."""
    pool = type("Pool", (), {"submit": refuse_thread})()
    with monkeypatch.context() as limited:
        limited.setattr(workers, "_pools", {None: pool})
        results = [result async for result in anyread.read_many(files)]
    assert [result.path for result in results] == [str(path) for path in files]
    failed: list[Any] = [getattr(result, "error", None) for result in results]
    assert {type(error) for error in failed} == {errors.FileSystemError}
    assert {error.operation for error in failed} == {"start_thread"}


def refuse_thread(*_: object) -> None:
    raise RuntimeError("can't start new thread")


@pytest.mark.posix("needs sparse files")
def test_file_that_takes_too_long_is_an_error_of_its_own(tmp_path: Path) -> None:
    long, short = tmp_path / "long.log", tmp_path / "short.log"
    with long.open("wb") as file:
        file.truncate(1 << 36)
    short.write_text("one\n")
    reader = anyread.Reader(limits=anyread.Limits(timeout_s=0.5))
    results = list(reader.read_many_sync([long, short], kind="text", find="one"))
    assert [getattr(result, "hits", ()) for result in results] == [(), (1,)]
    assert isinstance(results[0], anyread.Failed)
    assert isinstance(results[0].error, errors.ReadTimeoutError)
    assert results[0].error.path == str(long)
