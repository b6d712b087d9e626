"""`anyread.batch` in Daft: several workers, one of which is killed; one budget; equal schemas."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import daft
import pyarrow as pa
import pytest

from anyread.batch import ROW_TYPES, SURVEY_TYPES, Histogram, ReadRows, level
from checking import Checker, run_documented
from helpers import fleet

BATCH_ROWS = 500
PARTS = 4


def struct(types: dict[str, type]) -> daft.DataType:
    fields = {name: daft.DataType.infer_from_type(types[name]) for name in types}
    dtype: daft.DataType = daft.DataType.struct(fields)
    return dtype


COLUMNS = {name: type_ for name, type_ in ROW_TYPES.items() if name != "content"}


def surveyed(paths: list[str]) -> Histogram:
    """Count tokens on the workers; only numbers come back."""

    @daft.func.batch(return_dtype=daft.DataType.int64(), batch_size=BATCH_ROWS)
    def count(path: daft.Series) -> Any:
        found: list[int] = ReadRows().survey({"path": path})["tokens"]
        return found

    frame = daft.from_pydict({"path": paths}).select(count(daft.col("path")).alias("tokens"))
    batches = frame.to_arrow_iter()
    return sum((Histogram.of(batch.column("tokens")) for batch in batches), Histogram())


def repeated(query: Callable[[], daft.DataFrame], attempts: int) -> daft.DataFrame:
    """Run a query again if a worker was killed, which ends the whole query."""
    for _ in range(attempts - 1):
        try:
            return query().collect()
        except RuntimeError as error:
            assert "UDF process closed the connection" in str(error)  # noqa: PT017 - any other error is a failure
    return query().collect()


def test_fleet_is_read_once_within_its_budget_although_a_worker_is_killed(
    cases: list[fleet.Case], checker: Checker, mark: Path
) -> None:
    paths = [case.path for case in cases]
    histogram = surveyed(paths)
    assert histogram.files == len(cases)
    budget = histogram.tokens // 2
    limit = level(histogram, budget)

    @daft.cls(use_process=True, max_concurrency=2)
    class KilledOnce:
        def __init__(self) -> None:
            self.rows = ReadRows(max_tokens=limit, select=list(COLUMNS))

        @daft.method.batch(return_dtype=struct(COLUMNS), unnest=True, batch_size=BATCH_ROWS)
        def read(self, path: daft.Series) -> Any:
            result = pa.table(self.rows({"path": path})).drop_columns("path").to_struct_array()
            try:
                mark.touch(exist_ok=False)
            except FileExistsError:
                return result
            os.kill(os.getpid(), signal.SIGKILL)
            return result

    rows = KilledOnce()
    size = -(-len(paths) // PARTS)
    for start in range(0, len(paths), size):
        part = daft.from_pydict({"path": paths[start : start + size]})
        frame = repeated(lambda part=part: part.select("path", rows.read(part["path"])), attempts=3)  # type: ignore[misc]
        checker.add(frame.to_pydict())
    assert mark.exists()
    checker.finish(budget)


@pytest.mark.parametrize("use_process", [False, True])
def test_function_of_three_lines_reads_the_fleet(
    cases: list[fleet.Case], checker: Checker, use_process: bool
) -> None:
    rows = ReadRows()

    @daft.func.batch(
        return_dtype=struct(COLUMNS), unnest=True, batch_size=BATCH_ROWS, use_process=use_process
    )
    def read(path: daft.Series) -> Any:
        return pa.table(rows({"path": path})).drop_columns("path").to_struct_array()

    frame = daft.from_pydict({"path": [case.path for case in cases]})
    for batch in frame.select("path", read(frame["path"])).to_arrow_iter():
        checker.add(batch.to_pydict())
    checker.finish(10**12)


@pytest.mark.parametrize(
    ("function", "types"), [(ReadRows(), COLUMNS), (ReadRows().survey, SURVEY_TYPES)], ids=["rows", "survey"]
)
def test_schema_is_the_same_for_batches_of_texts_images_and_errors(
    cases: list[fleet.Case], tmp_path: Path, function: Any, types: dict[str, type]
) -> None:
    image = tmp_path / "a.png"
    image.write_bytes(fleet.PNG)
    text = next(case.path for case in cases if case.kind == "text" and not case.error)
    schemas = [pa.table(function({"path": [path] * 3})).schema for path in (text, str(image), "gone")]
    assert all(schema.equals(schemas[0]) for schema in schemas)
    expected = daft.from_pydict({"row": [None]}).with_column("row", daft.lit(None).cast(struct(types)))
    fields = {
        field.name: field.dtype for field in daft.from_arrow(pa.table(function({"path": [text]}))).schema()
    }
    del fields["path"]
    assert daft.DataType.struct(fields) == expected.schema()["row"].dtype


def test_example_of_the_documentation_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_documented("daft", tmp_path, capsys).endswith("['', '', 'not_found']\n")
