"""Whatever a model or a program passes, a call answers it or raises a `ReadError`, for this file alone."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.arguments.request import ARGUMENTS
from anyread.registry import CONTRACTS, TEXT_EDITORS
from helpers.odd_values import SINGLE, TEXTS, VALUES, as_json, as_object


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("odd")
    (directory / "a.txt").write_text("one\ntwo\n")
    return directory


def calls(tool: anyread.tools.Tool, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield calls with each odd value of each argument, and with several, next to valid ones and alone."""
    good = tool.arguments_for(path)
    draw = random.Random(36)
    for definition in tool.definitions():
        names = [*definition.input_schema["properties"], "\ud800"]
        for name in names:
            yield from ((definition.name, {**good, name: value}) for value in VALUES)
            yield from ((definition.name, {name: value}) for value in SINGLE)
        for _ in range(100):
            several = draw.sample(names, min(len(names), draw.randint(2, 4)))
            yield definition.name, {**good, **{name: draw.choice(VALUES) for name in several}}


@pytest.mark.no_cover
@pytest.mark.slow
@pytest.mark.parametrize("name", [*CONTRACTS, *TEXT_EDITORS])
def test_tool_answers_odd_arguments(directory: Path, name: str) -> None:
    """Depth, digits and lone surrogates ended in exceptions, or in answers that UTF-8 cannot encode."""
    reader = anyread.Reader(roots=[directory], limits=anyread.Limits(timeout_s=60))
    tool = anyread.tool(name, cwd=directory, reader=reader)
    failures = {}
    for number, (called, arguments) in enumerate(calls(tool, directory / "a.txt")):
        passed = as_json(arguments) if number % 8 < 2 else as_object(arguments)
        try:
            output = tool.call_sync(passed, name=called)
            shown = [block.text for block in tool.blocks(output) if isinstance(block, anyread.TextBlock)]
            invalid = tool.validate(passed, name=called)
            json.dumps((output, shown, invalid), ensure_ascii=False).encode()
        except Exception as error:  # noqa: BLE001 - every exception is a failure
            failures[f"{type(error).__name__}: {str(error)[:80]}"] = ascii((called, arguments))[:200]
    assert not failures, "\n".join(map(str, failures.items()))


@pytest.mark.slow
def test_reader_raises_only_read_errors(directory: Path) -> None:
    """A region, ranges, a path and a glob raised UnicodeEncodeError, ValueError or RecursionError."""
    reader = anyread.Reader(roots=[directory])

    def many(paths: list[Any], **arguments: Any) -> None:
        list(reader.read_many_sync(paths, **arguments))

    def first_page(path: Any, **arguments: Any) -> None:
        next(reader.pages_sync(path, **arguments))

    def followed(path: Any, **arguments: Any) -> None:
        reader.follow_sync(path, **arguments).poll_sync()

    by_path: list[Callable[[Any], object]] = [
        *(reader.read_sync, reader.info_sync, reader.open_sync, reader.files, first_page, followed),
        lambda path: many(["a.txt", path]),
    ]
    by_argument: list[tuple[Callable[..., object], list[str]]] = [
        *((call, [*ARGUMENTS]) for call in (reader.read_sync, first_page)),
        (
            lambda path, **given: many([path], **given),
            [*ARGUMENTS, "budget_tokens", "budget_bytes", "concurrency"],
        ),
        (reader.info_sync, ["encoding", "kind"]),
        (followed, ["offset", "encoding", "kind"]),
    ]
    attempts = [
        *((call, as_object(value), {}) for call in by_path for value in VALUES),
        *(
            (call, "a.txt", {name: as_object(value)})
            for call, names in by_argument
            for name in names
            for value in VALUES
        ),
        *((reader.files, ".", {"glob": text}) for text in TEXTS),
    ]
    failures = {}
    for call, path, arguments in attempts:
        try:
            call(path, **arguments)
        except anyread.ReadError as error:
            str(error).encode()
        except Exception as error:  # noqa: BLE001 - every exception is a failure
            failures[f"{type(error).__name__}: {str(error)[:80]}"] = call, str(arguments.keys())
    assert not failures, "\n".join(map(str, failures.items()))


def test_odd_path_costs_no_other_file(directory: Path) -> None:
    """All files of the call were lost."""
    reader = anyread.Reader(roots=[directory])
    paths: list[Any] = [*map(as_object, VALUES), object(), *TEXTS]
    results = reader.read_many_sync([*paths, "./a.txt"])
    # Its place is that of the first of its names.
    assert any(isinstance(result, anyread.TextPage) and "\ttwo" in result.text for result in results)
    tool = anyread.tool(reader=reader)
    for text in filter(None, TEXTS):
        assert "2\ttwo" in tool.call_sync({"places": [text, "./a.txt"]})["content"][0]["text"], ascii(text)
