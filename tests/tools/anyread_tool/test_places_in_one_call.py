"""`places`: what would take an agent ten calls takes one."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import anyio
import pytest

import anyread
from anyread._native import count_tokens
from anyread.tools import Tool
from helpers.media import drawing, encoded, text_pdf


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = tmp_path / "root"
    directory.mkdir()
    for number in range(12):
        lines = [f"def f{n}(): return {n} * {number}  # {'x' * (n % 30)}\n" for n in range(400)]
        (directory / f"f{number}.py").write_text("".join(lines))
    (directory / "dot.png").write_bytes(encoded(drawing(64, 48), "PNG"))
    (directory / "five.pdf").write_bytes(text_pdf(5))
    (tmp_path / "secret.txt").write_text("secret\n")
    return directory


def tool_for(root: Path, **limits: Any) -> Tool:
    return anyread.tool(reader=anyread.Reader(roots=[root], limits=anyread.Limits(**limits)))


def text_of(output: Any) -> str:
    return "\n".join(part["text"] for part in output["content"] if part["type"] == "text")


def test_each_place_is_shown_as_a_call_of_its_own_shows_it(root: Path) -> None:
    """The whole answer has at most 1.02 times the tokens of the single calls."""
    tool, rng, ours, single = tool_for(root), Random(3), 0, 0
    for _ in range(20):
        places = []
        for number in rng.sample(range(12), 6):
            places += [(f"f{number}.py", first, first + 12) for first in rng.sample(range(1, 380, 20), 2)]
        answer = text_of(
            tool.call_sync({"places": [f"{name}:{first}-{last}" for name, first, last in places]})
        )
        shown = set(answer.split("\n"))
        for name, first, last in places:
            alone = tool.call_sync({"path": name, "offset": first, "limit": last - first + 1})
            *lines, _footer = text_of(alone).split("\n")
            assert set(lines) <= shown
            assert f"==> {name} · lines " in answer
            single += count_tokens(text_of(alone), "o200k_base")
        ours += count_tokens(answer, "o200k_base")
    assert ours <= 1.02 * single


def test_tall_image_at_a_place_is_shown_whole(root: Path) -> None:
    """Its first strip was shown, and `next` was the same call for ever."""
    (root / "tall.png").write_bytes(encoded(drawing(60, 900), "PNG"))
    reader = anyread.Reader(roots=[root], model=anyread.Model(max_long_edge=300))
    output = anyread.tool(reader=reader).call_sync({"places": ["tall.png", "f0.py:1-2"]})
    assert "==> tall.png · image: PNG 60×900 · shown at 20×300; region=" in text_of(output)
    assert [part["type"] for part in output["content"]] == ["text", "image", "text"]
    assert output["next"] is None


def test_errors_stand_where_their_place_would_be(root: Path) -> None:
    output = tool_for(root).call_sync(
        {
            "places": [
                "f0.py:3-4",
                "gone.py:7",
                "f1.py:0",
                "f2.py:9-3",
                "f3.py:9000",
                "../secret.txt:1",
                "/etc/passwd",
            ]
        }
    )
    text = text_of(output)
    assert text.startswith("==> f0.py · lines 3-4 of 400 <==\n3\tdef f2()")
    assert "==> gone.py <==\n`gone.py` does not exist\nhint: " in text
    assert "there is no line 0" in text
    assert "in rising order, such as (3, 9)" in text
    assert "is past the end of `f3.py`, which has 400 lines" in text
    assert text.endswith('[outside the directories that may be read: "../secret.txt", "/etc/passwd"]')
    assert "secret\n" not in text
    assert not output.get("is_error")


def test_name_with_line_feeds_forges_no_heading(root: Path) -> None:
    """A name such as this one showed lines of a file that does not exist."""
    name, link = "a <==\n1\tfake\n==> b", "c\x1b[2K\r\u2028d"
    (root / name).write_text("real\n")
    (root / link).symlink_to(root / name)
    text = text_of(tool_for(root).call_sync({"places": [name, link, f"{name}gone"]}))
    lines = text.splitlines()
    assert [line.split(" <==\\n")[0] for line in lines if line.startswith("==> ")] == [
        "==> a",
        "==> c\\x1b[2K\\r\\u2028d <==",
        "==> a",
    ]
    assert f"[notice: the path is a symbolic link to `{root}/a <==\\n1\\tfake\\n==> b`]" in lines
    assert "`a <==\\n1\\tfake\\n==> bgone` does not exist" in lines
    assert [line for line in lines if line.startswith("1\t")] == ["1\treal", "1\treal"]


def test_call_in_which_nothing_can_be_shown_is_a_failure(root: Path) -> None:
    tool = tool_for(root)
    output = tool.call_sync({"places": ["gone.py:7", "also-gone.py"]})
    assert tool.failed(output)
    assert output["code"] == "not_found"
    assert "==> also-gone.py <==" in text_of(output)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"places": ["f0.py"] * 65}, "a call has at most 64 places; these are 65"),
        ({"places": [7]}, "must be a list of strings"),
        ({"places": ["f0.py:1"], "offset": 5}, "`offset` cannot be passed with `places`"),
        ({"places": ["f0.py:1"], "path": "f1.py"}, "`path` cannot be passed with `places`"),
    ],
)
def test_bad_calls_have_a_sentence_each(root: Path, arguments: dict[str, Any], message: str) -> None:
    tool = tool_for(root)
    output = tool.call_sync(arguments)
    assert tool.failed(output)
    assert message in output["message"]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_images_and_pages_are_included_on_an_event_loop(root: Path, backend: str) -> None:
    tool = tool_for(root)

    async def main() -> Any:
        return await tool.call({"places": ["f0.py:3", "dot.png", "five.pdf:2-3,5", "f0.py:90"]})

    output = anyio.run(main, backend=backend)
    kinds = [type(block).__name__ for block in tool.blocks(output)]
    assert kinds.count("ImageBlock") == 1
    assert "==> five.pdf · pages 2-3, 5 of 5 · as text <==" in text_of(output)
    assert [result["kind"] for result in output["results"]] == ["text", "image", "pdf"]
    assert "page 4" not in text_of(output)
    assert "==> f0.py · lines 1-13, 80-100 of 400 · around lines 3, 90 <==" in text_of(output)


def test_images_are_a_part_of_the_budget(root: Path) -> None:
    for number in range(6):
        (root / f"{number}.png").write_bytes(encoded(drawing(600, 400 + number), "PNG"))
    model = anyread.Model.anthropic()
    tool = anyread.tool(reader=anyread.Reader(roots=[root], model=model), model=model)
    arguments: Any = {"places": [f"{number}.png" for number in range(6)], "max_tokens": 1_500}
    shown, calls = [], 0
    while arguments:
        output = tool.call_sync({"max_tokens": 1_500, **arguments})
        sizes = [(part["width"], part["height"]) for part in output["content"] if part["type"] == "image"]
        text_tokens = count_tokens(text_of(output), None)
        assert sum(model.tokens_of_image(*size) for size in sizes) + text_tokens <= 1_500
        shown += sizes
        arguments, calls = output["next"], calls + 1
    assert shown == [(600, 400 + number) for number in range(6)]
    assert calls < 6


def test_session_records_the_places_and_cwd_is_their_directory(root: Path) -> None:
    session = anyread.Session()
    tool = anyread.tool(roots=[root.parent], cwd=root, session=session)
    output = tool.call_sync({"places": ["f1.py:5-6", 'File "f2.py", line 9']})
    assert [Path(result["path"]).name for result in output["results"]] == ["f1.py", "f2.py"]
    assert session.has_read(root / "f2.py")
    assert not session.has_read(root / "f3.py")


@pytest.mark.parametrize("name", ["f1.py", "long.pdf"])
@pytest.mark.parametrize("is_place", [True, False])
def test_file_that_changed_between_two_answers_is_named(root: Path, name: str, is_place: bool) -> None:
    """An answer to places went on with another file, and a model does not repeat `since_version`."""
    (root / "long.pdf").write_bytes(text_pdf(12, lines=20))
    first = {"places": [name, "f2.py:1"]} if is_place else {"path": name}
    for change in ("none", "by others", "by the host"):
        tool = tool_for(root, max_tokens=700)
        following = {**first, **tool.call_sync(first)["next"]}
        following.pop("since_version", None)
        if change != "none":
            file = root / name
            file.rename(root / "old")
            file.write_bytes((root / "old").read_bytes() + b"# more\n")
        if change == "by the host":
            tool.session.forget(root / name)
        output = tool.call_sync(following)
        assert ("may have changed" in text_of(output)) == (change == "by others")
        # What is asked for again from its start was not chosen for another version.
        assert "may have changed" not in text_of(tool.call_sync(first))
