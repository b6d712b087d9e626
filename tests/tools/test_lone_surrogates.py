"""Lone surrogates in arguments, file names and notebooks: every answer can be encoded as UTF-8."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.tools import CONTRACTS

LONE = "\ud800"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\n")
    notebook = {
        "cells": [{"cell_type": "raw", "source": f"{LONE} \U0001f600"}],
        "nbformat": 4,
        "metadata": {},
    }
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook))
    return tmp_path


def calls(directory: Path) -> list[tuple[str, dict[str, Any]]]:
    names = ("offset", "pages", "encoding", "kind", "unless_version", "since_version", "file_type", LONE)
    return [
        (LONE, {}),
        (f"{directory}/{LONE}", {}),
        (f"{directory}/a.ipynb", {}),
        *((f"{directory}/a.txt", {name: LONE}) for name in names),
        (f"{directory}/a.txt", {"region": [LONE]}),
    ]


@pytest.mark.parametrize("name", CONTRACTS)
async def test_answer_to_a_lone_surrogate_is_utf8(directory: Path, name: str) -> None:
    """Four contracts echoed lone surrogates, which the APIs of models reject.

    The `anyread` contract raised UnicodeEncodeError for some arguments.
    """
    tool = anyread.tool(name, cwd=directory)
    key = next(iter(tool.input_schema["properties"]))
    for path, more in calls(directory):
        arguments = {key: path, **more}
        output = tool.call_sync(arguments)
        json.dumps(output, ensure_ascii=False).encode()
        assert await tool.call(arguments) == output or not tool.failed(output)
        json.dumps(tool.validate(arguments), ensure_ascii=False).encode()
        for block in tool.blocks(output):
            assert isinstance(block, anyread.TextBlock)
            block.text.encode()


@pytest.mark.parametrize("name", CONTRACTS)
def test_answer_with_a_non_utf8_file_name_is_encodable(tmp_path: Path, name: str) -> None:
    """Answers contained the lone surrogates with which Python represents file names that are not UTF-8."""
    directory = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(directory)  # noqa: PTH102 - a bytes path
    with open(directory + b"/b\xff.txt", "wb") as file:  # noqa: PTH123 - as above
        file.write(b"two\n")
    tool = anyread.tool(name, cwd=os.fsdecode(directory))
    key = next(iter(tool.input_schema["properties"]))
    for path in (b"b\xff.txt", b"gone", directory + b"/b\xff.txt"):
        json.dumps(tool.call_sync({key: os.fsdecode(path)}), ensure_ascii=False).encode()


@pytest.mark.parametrize("name", [*CONTRACTS, "swe-agent", "strands", "anthropic-memory"])
def test_answer_with_names_from_a_directory_is_encodable(tmp_path: Path, name: str) -> None:
    """An answer is checked only if its arguments or `cwd` have lone surrogates; here the listing has them."""
    directory = os.fsencode(tmp_path) + b"/memories/one"
    os.makedirs(directory + b"/b\xff/c\xff")  # noqa: PTH103 - a bytes path
    (tmp_path / "memories/one/link").symlink_to(os.fsdecode(b"b\xff"))
    tool = anyread.tool(name, cwd=tmp_path)
    given = tool.arguments_for(tmp_path)
    key = next(iter(given))
    for path in (
        "/memories/one",
        f"{tmp_path}/memories/one",
        f"{tmp_path}/memories/one/link",
        f"{tmp_path}/b",
    ):
        json.dumps(tool.call_sync({**given, key: path}), ensure_ascii=False).encode()


@pytest.mark.parametrize("argument", ["encoding", "unless_version", "since_version"])
def test_read_argument_with_a_lone_surrogate_is_refused(directory: Path, argument: str) -> None:
    """Such arguments raised UnicodeEncodeError instead of an error of this library."""
    arguments: dict[str, Any] = {argument: LONE}
    with pytest.raises(anyread.BadArgumentError, match=f"`{argument}`"):
        anyread.read_sync(directory / "a.txt", **arguments)
