"""`read_rows` and `ReadRows`: columns in, columns out, and errors as values."""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.batch import ROW_TYPES, ReadRows, read_rows, survey
from anyread.batch.reading import FILES_PER_HOP
from helpers import fleet
from helpers.media import text_pdf
from helpers.notebooks import code, write
from helpers.waiting import until

POEM = "Tyger Tyger, burning bright,\nIn the forests of the night;\n"


@pytest.fixture
def poem(tmp_path: Path) -> str:
    path = tmp_path / "poem.txt"
    path.write_text(POEM)
    # A new file has no version until the clock has ticked.
    until(lambda: bool(anyread.read_sync(path, kind="text").version))
    return str(path)


def row(columns: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return {name: column[index] for name, column in columns.items()}


def test_row_has_the_page_and_its_facts(poem: str) -> None:
    page = anyread.read_sync(poem, kind="text", limit=1)
    found = row(read_rows({"path": [poem]}, limit=1))
    version = found.pop("version")
    assert found == {
        "path": poem,
        "text": page.text,
        "start_line": 1,
        "end_line": 1,
        "total_lines": 2,
        "truncated": True,
        "next": json.dumps({"offset": 2, "limit": 1, "since_version": version}),
        "encoding": "utf-8",
        "kind": "text",
        "media_type": "text/plain",
        "size_bytes": len(POEM),
        "tokens": page.token_estimate,
        "lossy": False,
        "notices": "",
        "error": "",
        "error_message": "",
    }


def test_next_continues_the_read(poem: str) -> None:
    first = read_rows({"path": [poem]}, limit=1)
    arguments = {name: [value] for name, value in json.loads(first["next"][0]).items()}
    second = read_rows({"path": [poem], **arguments})
    assert (second["start_line"], second["end_line"], second["next"]) == ([2], [2], [""])


def test_arguments_differ_per_row_and_missing_values_mean_the_default(poem: str) -> None:
    columns = {
        "path": [poem] * 6,
        "offset": [2, None, math.nan, -1.0, 1, 2],
        "limit": [1, 1, "", None, math.nan, 1],
    }
    found = read_rows(columns)
    assert found["error"] == [""] * 6
    assert found["start_line"] == [2, 1, 1, 2, 1, 2]
    assert found["end_line"] == [2, 1, 2, 2, 2, 2]


def test_columns_of_other_names_are_returned_unchanged(poem: str) -> None:
    label = (7,)
    found = read_rows({"path": (poem,), "label": label, "error": ["of an earlier pass"]})
    assert found["label"] is label
    assert found["error"] == [""]


def test_result_of_a_pass_is_input_of_the_next(tmp_path: Path, poem: str) -> None:
    cases = fleet.write(tmp_path / "fleet", 40)
    columns = {"path": [poem, *(case.path for case in cases)]}
    surveyed = anyread.batch.survey(columns)
    again = read_rows(read_rows(surveyed))
    direct = read_rows(columns)
    for name in ("path", "text", "error", "kind", "encoding", "total_lines"):
        assert again[name] == direct[name], name


@pytest.mark.parametrize(
    ("path", "error"),
    [(None, "bad_path"), (3, "bad_path"), ("a\0b", "bad_path"), ("\ud800", "bad_path"), ("", "bad_path")],
)
def test_path_of_a_wrong_type_is_an_error_of_its_row(poem: str, path: Any, error: str) -> None:
    found = read_rows({"path": [poem, path, poem]})
    assert found["error"] == ["", error, ""]


@pytest.mark.parametrize(
    "argument", [{"offset": ["x"]}, {"limit": [0.5]}, {"pages": [{}]}, {"region": [[1]]}]
)
def test_wrong_argument_is_an_error_of_its_row(poem: str, argument: dict[str, list[Any]]) -> None:
    (name, values), *_ = argument.items()
    found = read_rows({"path": [poem, "gone", poem], name: [None, *values, *values]})
    assert found["error"] == ["", "bad_argument", "bad_argument"]
    assert "`gone`" in found["error_message"][1] or name in found["error_message"][1]
    assert "gone" not in found["error_message"][2]


def types_of(columns: dict[str, Any]) -> dict[str, set[type]]:
    return {name: {type(value) for value in columns[name]} for name in columns if name != "path"}


def test_types_are_the_same_for_texts_images_and_errors(tmp_path: Path, poem: str) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf(2))
    (tmp_path / "a.png").write_bytes(fleet.PNG)
    write(tmp_path, code("1 + 1"))
    select = list(ROW_TYPES)
    kinds = {"": "gone", "text": poem, "image": "a.png", "pdf": "a.pdf", "notebook": "n.ipynb"}
    for kind, name in kinds.items():
        found = read_rows({"path": [str(tmp_path / name)]}, select=select)
        assert found["kind"] == [kind]
        assert types_of(found) == {column: {type_} for column, type_ in ROW_TYPES.items()}


def test_kinds_without_lines_have_text(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf(2))
    (tmp_path / "a.png").write_bytes(fleet.PNG)
    write(tmp_path, code("1 + 1"))
    paths = [str(tmp_path / name) for name in ("a.pdf", "a.png", "n.ipynb")]
    found = read_rows({"path": paths}, select=["text", "content", "total_lines", "tokens"])
    assert found["content"] == found["text"]
    assert "page 1 of 2" in found["text"][0]
    assert "this model accepts no images" in found["text"][1]
    assert "1 + 1" in found["text"][2]
    assert found["total_lines"] == [-1, -1, -1]
    assert min(found["tokens"]) > 5


@pytest.mark.parametrize("max_tokens", [0, 1, 20, 250, 1_000_000])
def test_texts_never_have_more_than_max_tokens(tmp_path: Path, max_tokens: int) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf(3))
    write(tmp_path, code("1 + 1\n" * 200))
    cases = fleet.write(tmp_path / "fleet", 40)
    paths = [*(case.path for case in cases), str(tmp_path / "a.pdf"), str(tmp_path / "n.ipynb")]
    found = read_rows({"path": paths}, max_tokens=max_tokens)
    assert max(found["tokens"]) <= max_tokens
    for index, tokens in enumerate(found["tokens"]):
        # Those of a PDF are the sum of its pages' tokens.
        assert 0 <= tokens - anyread._native.count_tokens(found["text"][index], None) <= 3
        if not tokens and not found["error"][index] and found["size_bytes"][index]:
            assert found["truncated"][index]
            assert json.loads(found["next"][index])


def test_settings_of_the_reader_apply(tmp_path: Path, poem: str) -> None:
    (tmp_path / ".env").write_text("KEY=1\n")
    found = ReadRows(roots=iter([tmp_path]), deny="secrets", gutter=anyread.Gutter.NONE)(
        {"path": ["poem.txt", ".env", "/etc/hostname"]}
    )
    assert found["error"] == ["", "denied", "outside_root"]
    assert found["text"][0] == POEM.rstrip("\n")


def test_timeout_applies_to_each_file(tmp_path: Path, poem: str) -> None:
    found = read_rows({"path": [poem, "gone", poem]}, limits=anyread.Limits(timeout_s=20))
    assert found["error"] == ["", "not_found", ""]


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"paths": ["a"]}, ValueError, "must have the column `path`: ['paths']"),
        ({}, ValueError, "must have the column `path`: []"),
        ({"path": ["a"], "offset": [1, 2]}, ValueError, "`offset` has 2 rows, but `path` has 1"),
        (["a"], TypeError, "a batch must be a dictionary of columns: list"),
        ({"path": "poem.txt"}, TypeError, "a column must be a list or an array: 'poem.txt'"),
    ],
)
def test_wrong_batch_raises(columns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        read_rows(columns)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"offset": "x"}, anyread.BadArgumentError),
        ({"select": "text"}, TypeError),
        ({"select": ["texts"]}, ValueError),
        ({"threads": 0}, ValueError),
        ({"max_tokens": -1}, ValueError),
        ({"deny": "secret"}, TypeError),
        ({"limit_lines": 3}, TypeError),
        ({"limits": 3}, TypeError),
        ({"session": None}, TypeError),
        ({"model": None}, TypeError),
    ],
)
def test_wrong_setting_raises_before_the_first_batch(settings: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        ReadRows(**settings)


class Column:
    """A column as engines have them: only its length, and a conversion to Python objects."""

    def __init__(self, name: str, values: list[Any]) -> None:
        self.values = values
        setattr(self, name, lambda: values)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("read value by value")


@pytest.mark.parametrize("name", ["to_pylist", "tolist"])
def test_arrays_are_converted_at_once(poem: str, name: str) -> None:
    columns = {"path": Column(name, [poem]), "offset": Column(name, [2])}
    assert read_rows(columns)["start_line"] == [2]


@pytest.mark.slow
@pytest.mark.parametrize("names", ["column_names", "columns"])
def test_frames_and_tables_are_batches(poem: str, names: str) -> None:
    """A frame of polars had to be converted first; `survey` took its columns for paths."""

    class Frame:
        def __getitem__(self, name: str) -> list[Any]:
            return [poem] if name == "path" else [2]

    setattr(Frame, names, ["path", "offset"])
    assert read_rows(Frame())["start_line"] == [2]  # type: ignore[arg-type] # a frame is no mapping
    assert survey(Frame())["kind"] == ["text"]  # type: ignore[arg-type] # a frame is no mapping


def test_images_of_a_batch_do_not_use_up_the_descriptors(tmp_path: Path) -> None:
    """All files of a batch that were no text stayed open until the batch was complete."""
    paths = [tmp_path / f"{number}.png" for number in range(FILES_PER_HOP + 90)]
    for path in paths:
        path.write_bytes(fleet.PNG[:40])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + FILES_PER_HOP + 60, hard))
    try:
        found = read_rows({"path": paths})
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert set(found["error"]) == {"damaged"}


def test_batch_loads_no_engine_and_anyread_does_not_load_batch() -> None:
    program = (
        "import sys, anyread; assert 'anyread.batch' not in sys.modules;"
        "anyread.batch.read_rows({'path': ['gone']}); anyread.batch.survey(['gone']);"
        "loaded = {'daft', 'ray', 'pyarrow', 'numpy', 'pandas'} & set(sys.modules); assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
