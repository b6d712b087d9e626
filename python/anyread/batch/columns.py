"""Columns as engines pass them, and the rows of results as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

BatchColumns: TypeAlias = Mapping[str, Any]
"""Columns of equal length by name: lists, or arrays of NumPy, PyArrow, pandas or Daft; or a frame."""
NamedRow: TypeAlias = tuple[Any, ...]
"""An instance of a `NamedTuple`, whose fields are the columns."""


def as_list(column: Any) -> list[Any]:
    """Return the values of a column as Python objects.

    Raises:
        TypeError: It is not a column.
    """
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        raise TypeError(f"a column must be a list or an array: {column!r}")
    for name in ("to_pylist", "tolist"):
        convert = getattr(column, name, None)
        if convert is not None:
            values: list[Any] = convert()
            return values
    return list(column)


def names_of(columns: Any) -> Iterable[str] | None:
    """Return the names of columns; `None` if it has none."""
    if hasattr(columns, "keys"):
        keys: Iterable[str] = columns.keys()
        return keys
    # Of a table of PyArrow, and of a frame of polars.
    return getattr(columns, "column_names", None) or getattr(columns, "columns", None)


def checked_columns(columns: object) -> dict[str, Any]:
    """Return the columns of a batch, which must have equal lengths and contain `path`.

    Raises:
        TypeError: It is not a mapping of names to columns.
        ValueError: There is no `path`, or a column has another length.
    """
    names = names_of(columns)
    if names is None:
        raise TypeError(f"a batch must be a dictionary of columns: {type(columns).__name__}")
    found: dict[str, Any] = {name: columns[name] for name in names}  # type: ignore[index] # it has names
    if "path" not in found:
        raise ValueError(f"a batch must have the column `path`: {list(found)}")
    lengths = {name: len(column) for name, column in found.items()}
    for name, length in lengths.items():
        if length != lengths["path"]:
            raise ValueError(f"`{name}` has {length:,} rows, but `path` has {lengths['path']:,}")
    return found


def transposed(rows: Sequence[NamedRow], names: Sequence[str], fields: Sequence[str]) -> dict[str, list[Any]]:
    """Return the columns `names` of rows whose fields are `fields`."""
    values = dict(zip(fields, map(list, zip(*rows, strict=True)), strict=False))
    return {name: values.get(name, []) for name in names}
