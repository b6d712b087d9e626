"""Rows with a path become rows with a text and the facts about it; errors are values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any, Literal, TypedDict, Unpack, cast, get_type_hints

from anyread.arguments.gutter import Gutter
from anyread.arguments.limits import Limits
from anyread.arguments.paths import AnyPath, displayed
from anyread.arguments.request import ARGUMENTS, LARGEST, WINDOW, ReadArguments, Request, checked
from anyread.arguments.settings import require_count
from anyread.errors import BadArgumentError, ReadError
from anyread.formats.budget import Cost
from anyread.models.model import Model
from anyread.reader import Reader
from anyread.reading.many import FileBatch, FileRequest, FileResult, unread
from anyread.results import BasePage, Failed
from anyread.running import threads as in_thread
from anyread.running.deadline import call_deadline
from anyread.values import dumped, plain

from .columns import BatchColumns, as_list, checked_columns, names_of, transposed
from .row import FileRow, row_of
from .surveying import SURVEY_TYPES, SurveyRow, fact_of

ROW_TYPES: dict[str, type] = get_type_hints(FileRow)
"""The columns that `read_rows` can return, each with the type of its values, which are never `None`."""
FILES_PER_HOP = 64
"""Files that are read at once: few enough that their descriptors, if none is text, are no burden."""
_ARGUMENTS = tuple(name for name in ReadArguments.__annotations__ if name not in {"max_tokens", "max_bytes"})
"""Arguments of a read that may be columns. The maxima hold for all rows: a column may be named like them."""
_OF_FILE = tuple(name for name in _ARGUMENTS if name not in {*WINDOW, "ranges", "since_version"})
"""Arguments that apply to a whole file."""


class Settings(TypedDict, total=False):
    """How the files of a batch are read, besides the arguments of `anyread.read`."""

    roots: Iterable[AnyPath]
    deny: Literal["secrets"] | Iterable[str]
    limits: Limits | None
    notebook: Literal["cells", "raw"]
    mmap: Literal["auto", "never"]
    pdf_passwords: Iterable[str]
    directories: Literal["error", "list"] | None


class RowArguments(Settings, ReadArguments, total=False):
    """What applies to each read."""


class RowSettings(RowArguments, total=False):
    """All keyword arguments of `ReadRows`."""

    select: Iterable[str] | None
    threads: int


class ReadRows:
    """Read the file of each row of a batch; keeps a reader, which each worker creates on first use.

    Instances can be pickled and called from several threads, so that engines can send them to workers.

    Args:
        select: The columns to add; `None`: all of `ROW_TYPES` except `content`.
        threads: The files that are read at a time. Engines run several workers, so the default is 1.
        settings: The arguments of `anyread.Reader` except `model`, `gutter` and `session`, because rows
            contain only text; and the arguments of `anyread.read` for all rows, for example `offset=-100`.
            `level` computes `max_tokens`. Here it may be 0: a text of which not even the beginning fits is
            empty.

    Raises:
        BadArgumentError: An argument is invalid for every file.
        ValueError: A setting has an invalid value.
        TypeError: A setting is unknown or has the wrong type.

    Example:
        >>> rows = anyread.batch.ReadRows(limit=100, deny="secrets")
        >>> dataset.map_batches(rows)  # of Ray Data
    """

    def __init__(
        self,
        *,
        select: Iterable[str] | None = None,
        threads: int = 1,
        **settings: Unpack[RowArguments],
    ) -> None:
        require_count("ReadRows(threads=…)", threads)
        self._threads = threads
        self._select = _selected(select)
        for name in settings:
            if name not in RowArguments.__annotations__:
                accepted = ", ".join(RowSettings.__annotations__)
                raise TypeError(f"ReadRows has no argument {name!r}; it has {accepted}")
        given: dict[str, Any] = {name: _kept(value) for name, value in settings.items()}
        self._max_tokens: int | None = given.pop("max_tokens", None)
        if self._max_tokens is not None:
            require_count("ReadRows(max_tokens=…)", self._max_tokens, least=0, most=LARGEST)
        self._arguments = {name: given.pop(name) for name in (*_ARGUMENTS, "max_bytes") if name in given}
        checked(".", **self._arguments)
        self._settings = given
        self._reader: Reader | None = None
        # Reports an invalid setting here instead of in a worker; the roots may exist only there.
        self._new_reader({**given, "roots": ()})

    def __call__(self, columns: BatchColumns) -> dict[str, Any]:
        """Read the files of a batch.

        Args:
            columns: The column `path`, and optionally arguments of `anyread.read`, such as `offset` and
                `limit`. Missing values mean the default: `None`, NaN, and an empty string. Any other
                columns are returned unchanged.

        Returns:
            The columns of the batch, and those of `ROW_TYPES` as lists with one value per row.

        Raises:
            TypeError: It is not a dictionary of columns.
            ValueError: There is no `path`, or the columns have different lengths.
        """
        found = checked_columns(columns)
        paths = as_list(found["path"])
        with_content = "content" in self._select
        rows = [FileRow()] * len(paths)
        for request, indexes in _groups(found, paths, self._arguments):
            for index, result in zip(indexes, self._results(request, paths, indexes), strict=True):
                rows[index] = self._row(result, request, with_content=with_content)
        return found | transposed(rows, self._select, FileRow._fields)

    def survey(self, paths: BatchColumns | Sequence[AnyPath]) -> dict[str, Any]:
        """Describe whole files, without their text, with the settings of this object; see `survey`."""
        found = checked_columns({"path": paths} if names_of(paths) is None else paths)
        names = as_list(found["path"])
        arguments = {name: value for name, value in self._arguments.items() if name in _OF_FILE}
        facts = [SurveyRow()] * len(names)
        for request, indexes in _groups({"path": names}, names, arguments):
            for index, result in zip(indexes, self._results(request, names, indexes), strict=True):
                facts[index] = fact_of(result, names[index], request, self._own_reader())
        return found | transposed(facts, tuple(SURVEY_TYPES), SurveyRow._fields)

    def _results(
        self, request: Request | ReadError, paths: Sequence[AnyPath], indexes: Sequence[int]
    ) -> Iterator[FileResult]:
        """Yield the results of the files at some indexes."""
        if isinstance(request, ReadError):
            for index in indexes:
                yield Failed(_shown_path(paths[index]), request)
            return
        reader = self._own_reader()
        # The reader's own parts, one layer below its pages.
        batch = FileBatch(
            reader.engine,
            most=Cost(LARGEST, LARGEST),
            threads=self._threads,
            shown=reader._shown,  # noqa: SLF001 - what shows an image or a PDF
        )
        # A batch finishes as a whole, so a deadline for each file requires a batch for each file.
        size = FILES_PER_HOP if reader.limits.timeout_s is None else 1
        for start in range(0, len(indexes), size):
            files = [FileRequest(paths[index], request) for index in indexes[start : start + size]]
            with call_deadline(_shown_path(files[0].path), reader.limits.timeout_s):
                results = in_thread.run(partial(batch.read, files))
            yield from (cast("FileResult", result) for *_, result in results)

    def _row(self, result: FileResult, request: Request | ReadError, *, with_content: bool) -> FileRow:
        if (
            isinstance(result, BasePage)
            and not isinstance(request, ReadError)
            and self._max_tokens is not None
            and result.token_estimate > self._max_tokens
        ):
            following = dumped(plain(unread(request).arguments))
            shown = row_of(result, with_content=False)
            return shown._replace(
                text="", tokens=0, end_line=shown.start_line - 1, truncated=True, next=following, notices=""
            )
        return row_of(result, with_content=with_content)

    def _own_reader(self) -> Reader:
        if self._reader is None:
            self._reader = self._new_reader(self._settings)
        return self._reader

    def _new_reader(self, settings: dict[str, Any]) -> Reader:
        limits = settings.get("limits") or Limits()
        if self._max_tokens is not None:
            limits = replace(limits, max_tokens=max(1, min(self._max_tokens, limits.max_tokens)))
        return Reader(**{**settings, "limits": limits, "model": Model.text_only()})

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_reader": None}


def read_rows(columns: BatchColumns, **settings: Unpack[RowSettings]) -> dict[str, Any]:
    """Read the file of each row of a batch; each call creates a reader, which `ReadRows` keeps.

    Args:
        columns: The column `path`, and optionally arguments of `anyread.read`, as for a call of `ReadRows`.
        settings: The arguments of `ReadRows`.

    Returns:
        The columns of the batch, and those of `ROW_TYPES` as lists with one value per row.

    Raises:
        BadArgumentError: An argument is invalid for every file.
        ValueError: There is no `path`, the columns have different lengths, or a setting is invalid.
        TypeError: `columns` is not a dictionary of columns, or a setting has the wrong type.

    Example:
        >>> anyread.batch.read_rows({"path": ["poem.txt"], "offset": [2]})["start_line"]
        [2]
    """
    return ReadRows(**settings)(columns)


def survey(paths: BatchColumns | Sequence[AnyPath], **settings: Unpack[RowSettings]) -> dict[str, Any]:
    """Describe whole files without their text: size, kind, encoding, lines and tokens.

    Args:
        paths: A column of paths, or a batch with the column `path`.
        settings: The arguments of `ReadRows`; with the same ones, `read_rows` uses the counted tokens.

    Returns:
        `path` and the other columns of the batch, and those of `SURVEY_TYPES` as lists. `tokens` are those
        of the `text` of the whole file. If it does not fit a page, they are extrapolated from that page;
        with a named `Limits.tokenizer` they are counted, without line numbers.

    Raises:
        ValueError: There is no `path`, the columns have different lengths, or a setting is invalid.
        TypeError: `paths` are not columns, or a setting has the wrong type.

    Example:
        >>> anyread.batch.survey(["poem.txt"])["lines"]
        [2]
    """
    return ReadRows(**settings).survey(paths)


def _selected(select: Iterable[str] | None) -> tuple[str, ...]:
    if select is None:
        return tuple(name for name in ROW_TYPES if name != "content")
    if isinstance(select, str):
        raise TypeError(f"ReadRows(select=…) must be a list of columns: {select!r}")
    names = tuple(select)
    for name in names:
        if name not in ROW_TYPES:
            raise ValueError(f"ReadRows(select=…) must be of {', '.join(ROW_TYPES)}: {name!r}")
    return names


def _groups(
    columns: dict[str, Any], paths: Sequence[Any], arguments: dict[str, Any]
) -> Iterator[tuple[Request | ReadError, Sequence[int]]]:
    """Yield each request of a batch, or what is wrong with it, and the indexes of its rows."""
    names = [name for name in _ARGUMENTS if name in columns]
    groups: dict[tuple[Any, ...], list[int]] = {}
    if names:
        values = [[_value(name, value) for value in as_list(columns[name])] for name in names]
        for index, row in enumerate(zip(*values, strict=True)):
            groups.setdefault(row, []).append(index)
    elif paths:
        groups[()] = list(range(len(paths)))
    for row, indexes in groups.items():
        own = {name: value for name, value in zip(names, row, strict=True) if value is not None}
        try:
            yield checked(".", **{**arguments, **own}), indexes
        except BadArgumentError:
            for index in indexes:
                yield _refusal(paths[index], {**arguments, **own}), [index]


def _refusal(path: Any, arguments: dict[str, Any]) -> ReadError:
    """Return what is wrong with the arguments of one row."""
    shown = _shown_path(path)
    try:
        checked(shown, **arguments)
    except BadArgumentError as error:
        return error
    raise AssertionError(f"the arguments for {shown!r} are valid")


def _kept(value: Any) -> Any:
    """Return a setting as a value that can be pickled and used again, unlike an iterator."""
    return tuple(value) if isinstance(value, Iterator | list | set | frozenset) else value


def _value(name: str, value: Any) -> Any:
    """Return the value of an argument in one row, which can be a key; `None` if it is missing."""
    if value is None or value == "" or (isinstance(value, float) and isnan(value)):
        return None
    # `survey` and `read_rows` report it, but it cannot be requested.
    if name == "kind" and value == "binary":
        return None
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, float):
        # Some engines store integers with missing values as floats.
        return ARGUMENTS[name].lenient(value)
    return value if isinstance(value, int | str | tuple | Gutter) else str(value)


def _shown_path(path: Any) -> str:
    try:
        return displayed(path)
    except ReadError as error:
        return error.path
