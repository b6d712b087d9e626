"""`anyread.batch` in Ray Data: several workers, one of which is killed; one budget; equal schemas."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import ray

from anyread.batch import Histogram, ReadRows, level
from checking import Checker, run_documented
from helpers import fleet

BATCH_ROWS = 500


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=10**9)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def dataset(paths: list[str]) -> Any:
    return ray.data.from_items([{"path": path} for path in paths])


def surveyed(paths: list[str]) -> Histogram:
    """Count tokens on the workers; only numbers come back."""
    facts = dataset(paths).map_batches(ReadRows().survey, batch_size=BATCH_ROWS)
    batches = facts.select_columns(["tokens"]).iter_batches(batch_size=None)
    return sum((Histogram.of(batch["tokens"]) for batch in batches), Histogram())


@pytest.mark.parametrize("way", ["actors", "tasks"])
def test_fleet_is_read_once_within_its_budget_although_a_worker_is_killed(
    cases: list[fleet.Case], checker: Checker, mark: Path, way: str
) -> None:
    paths = [case.path for case in cases]
    histogram = surveyed(paths)
    assert histogram.files == len(cases)
    budget = histogram.tokens // 2
    limit = level(histogram, budget)

    # A local class is pickled with its code, because workers cannot import tests.
    class KilledOnce:
        def __init__(self) -> None:
            self.rows = ReadRows(max_tokens=limit)

        def __call__(self, columns: dict[str, Any]) -> dict[str, Any]:
            result = self.rows(columns)
            try:
                mark.touch(exist_ok=False)
            except FileExistsError:
                return result
            os.kill(os.getpid(), signal.SIGKILL)
            return result

    if way == "actors":
        pool = ray.data.ActorPoolStrategy(size=2)
        read = dataset(paths).map_batches(KilledOnce, compute=pool, batch_size=BATCH_ROWS)
    else:
        read = dataset(paths).map_batches(KilledOnce().__call__, batch_size=BATCH_ROWS)
    for batch in read.iter_batches(batch_size=None):
        checker.add(batch)
    assert mark.exists()
    checker.finish(budget)


def test_schema_is_the_same_for_batches_of_texts_images_and_errors(
    cases: list[fleet.Case], tmp_path: Path
) -> None:
    image = tmp_path / "a.png"
    image.write_bytes(fleet.PNG)
    text = next(case.path for case in cases if case.kind == "text" and not case.error)
    paths = [*[text] * 4, *[str(image)] * 4, *["gone"] * 4]
    for function in (ReadRows(), ReadRows().survey):
        batches = (
            dataset(paths)
            .map_batches(function, batch_size=4)
            .iter_batches(batch_size=4, batch_format="pyarrow")
        )
        schemas = [batch.schema for batch in batches]
        assert len(schemas) == 3
        assert all(schema.equals(schemas[0]) for schema in schemas)
        assert {str(type_) for type_ in schemas[0].types} <= {"string", "int64", "bool"}


def test_arguments_are_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\nthree\n")
    items = [{"path": str(path), "offset": number} for number in (1, 2, 3)]
    found = ray.data.from_items(items).map_batches(ReadRows(limit=1)).to_pandas()
    assert sorted(found["start_line"]) == [1, 2, 3]


def test_columns_of_pyarrow_and_pandas_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n")
    read = ReadRows(select=["start_line", "error"])
    table = pa.table({"path": [str(path), None], "offset": [2, None]})
    expected = {"start_line": [2, 0], "error": ["", "bad_path"]}
    for columns in (
        {name: table[name] for name in table.column_names},
        {name: table[name].combine_chunks() for name in table.column_names},
        {name: values.to_numpy() for name, values in table.to_pandas().items()},
        table.to_pandas(),
    ):
        found = read(columns)
        assert {name: found[name] for name in expected} == expected


def test_example_of_the_documentation_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_documented("ray", tmp_path, capsys).endswith("['', '', 'not_found']\n")
