"""`anyread.integrations.fetching`: files that only a framework can fetch, without any framework."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.integrations.fetching import FetchingTool
from anyread.integrations.reading import Reading
from helpers.media import drawing, encoded

pytestmark = pytest.mark.anyio

PNG = encoded(drawing(30, 20), "PNG")
FILES = {
    "poem.txt": b"Tyger Tyger, burning bright,\nIn the forests of the night;\n",
    "/w/a b.png": PNG,
    "src/~notes": b"one\n",
    "-": b"two\n",
    "data.bin": b"\x00\x01\x02" * 100,
}


async def fetch(path: str) -> bytes:
    """Return one of the files, or fail as the files of another machine may."""
    if path == "broken":
        raise ConnectionError("the machine is gone")
    if path not in FILES:
        raise FileNotFoundError(path)
    return FILES[path]


@pytest.fixture(autouse=True)
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make the copies in an empty directory, and check that none is left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    assert [*tmp_path.iterdir()] == []


async def answer(**arguments: Any) -> tuple[list[anyread.Block], bool]:
    """Return the blocks of an answer, and whether it is a failure."""
    tool = FetchingTool(fetch, model=anyread.Model.any())
    output = await tool.call(arguments)
    return tool.blocks(output), tool.failed(output)


async def text(**arguments: Any) -> tuple[str, bool]:
    """Return the text of an answer, and whether it is a failure."""
    [block], failed = await answer(**arguments)
    assert isinstance(block, anyread.TextBlock)
    return block.text, failed


async def test_window_of_a_fetched_text_is_read() -> None:
    assert await text(path="poem.txt", offset=2) == ("2\tIn the forests of the night;\n[line 2 of 2]", False)


async def test_fetched_image_has_the_bytes_of_the_file() -> None:
    blocks, failed = await answer(path="/w/a b.png")
    assert [block.data for block in blocks if isinstance(block, anyread.ImageBlock)] == [PNG]
    assert not failed


async def test_missing_file_is_a_failure() -> None:
    found, failed = await text(path="w/peom.txt")
    assert found.startswith("`w/peom.txt` does not exist\nhint: ")
    assert failed


async def test_failed_fetch_is_a_failure() -> None:
    found, failed = await text(path="broken")
    assert found.startswith("cannot read `broken`: ConnectionError: the machine is gone\nhint: ")
    assert failed


@pytest.mark.parametrize("arguments", [{}, {"path": 7}, {"path": "poem.txt", "offst": 1}])
async def test_bad_arguments_are_refused_before_anything_is_fetched(arguments: dict[str, Any]) -> None:
    async def forbidden(path: str) -> bytes:
        raise AssertionError(path)

    tool = FetchingTool(forbidden, model=anyread.Model.any())
    output = await tool.call(arguments)
    assert tool.failed(output)
    assert output["code"] == "bad_argument"


@pytest.mark.parametrize("wrong", ["/repo", anyread.Reader(), anyread.tool])
def test_anything_but_a_tool_is_a_type_error(wrong: Any) -> None:
    """The error of a reader was `AttributeError: 'Reader' object has no attribute 'definitions'`."""
    with pytest.raises(TypeError, match=r"pass a tool of anyread, such as anyread\.tool\("):
        Reading(wrong, anyread.Model.any())


async def test_places_are_fetched_and_shown_in_one_answer() -> None:
    """A call without `path` ended the run with a KeyError."""
    blocks, failed = await answer(
        places=["poem.txt:2-2", "broken:1", "/w/a b.png", "gone.txt", "src/~notes", "poem.txt:1-1"]
    )
    numbered = "1\tTyger Tyger, burning bright,\n2\tIn the forests of the night;"
    texts = [block.text for block in blocks if isinstance(block, anyread.TextBlock)]
    lines = [line for text in texts for line in text.split("\n") if line and not line.startswith("hint: ")]
    assert lines == [
        "==> poem.txt <==",
        *numbered.split("\n"),
        "==> broken <==",
        "cannot read `broken`: ConnectionError: the machine is gone",
        "==> w/a b.png · image: PNG 30×20 <==",
        "==> gone.txt <==",
        "`gone.txt` does not exist",
        "==> src/~notes <==",
        "1\tone",
    ]
    assert [block.data for block in blocks if isinstance(block, anyread.ImageBlock)] == [PNG]
    assert not failed
