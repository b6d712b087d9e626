"""Daft on the cores of this machine: `ReadRows`, `read_text` of whole files, and decoded downloads."""

from __future__ import annotations

from typing import Any

import daft
import pyarrow as pa
from timing import files_and_rounds, race

from anyread.batch import ROW_TYPES, ReadRows

TYPES = {name: daft.DataType.infer_from_type(type_) for name, type_ in ROW_TYPES.items() if name != "content"}
READ = ReadRows()


@daft.func.batch(return_dtype=daft.DataType.struct(TYPES), unnest=True)
def read(path: daft.Series) -> Any:
    return pa.table(READ({"path": path})).drop_columns("path").to_struct_array()


def consumed(frame: daft.DataFrame) -> int:
    return sum(batch.num_rows for batch in frame.to_arrow_iter())


def main() -> None:
    paths, rounds = files_and_rounds()
    frame = daft.from_pydict({"path": paths})
    ways = {
        "anyread": lambda: consumed(frame.select("path", read(frame["path"]))),
        "read_text": lambda: consumed(daft.read_text(paths, whole_text=True, file_path_column="path")),
        "binary": lambda: consumed(frame.select("path", frame["path"].download().decode("utf-8"))),
    }
    race(ways, dict.fromkeys(ways, len(paths)), rounds)


if __name__ == "__main__":
    main()
