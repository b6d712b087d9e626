"""Dictionaries, pickles and copies of fresh results, whose attributes have not been used."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import anyread
from helpers import notebooks
from helpers.media import drawing, encoded, text_pdf
from helpers.waiting import until

LINES = "".join(f"line {n}\r\n" for n in range(1, 101))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("results")
    (directory / "a.txt").write_bytes(LINES.encode())
    (directory / "big.txt").write_bytes(LINES.encode() * 2_000)
    (directory / "p.png").write_bytes(encoded(drawing(40, 30), "PNG"))
    (directory / "s.pdf").write_bytes(text_pdf(2))
    notebooks.write(directory, notebooks.code("draw()", notebooks.display(image_png=notebooks.png())))
    # Results of a file that was just written differ in their version.
    until(lambda: all(anyread.info_sync(directory / name).version for name in NAMES))
    return directory


NAMES = ["a.txt", "big.txt", "p.png", "s.pdf", "n.ipynb"]


def fresh(path: Path) -> Any:
    return anyread.read_sync(path)


@pytest.mark.parametrize("name", NAMES)
def test_fresh_result_is_converted_to_a_dictionary(files: Path, name: str) -> None:
    """A text page raised TypeError: its undecoded content could not be copied."""
    found = dataclasses.asdict(fresh(files / name))
    page = fresh(files / name)
    assert (found["path"], found["text"]) == (page.path, page.text)
    assert dataclasses.astuple(fresh(files / name))[0] == page.path


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("twin_of", [lambda page: pickle.loads(pickle.dumps(page)), copy.copy, copy.deepcopy])
def test_fresh_result_survives_pickle_and_copy(files: Path, name: str, twin_of: Callable[[Any], Any]) -> None:
    twin = twin_of(fresh(files / name))
    page = fresh(files / name)
    assert type(twin) is type(page)
    assert twin == page
    assert twin.blocks == page.blocks
    assert getattr(twin, "content", None) == getattr(page, "content", None)
