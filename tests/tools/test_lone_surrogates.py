"""Lone surrogates in arguments, names of files and notebooks: every answer can be encoded as UTF-8."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.tools import PROFILES

LONE = "\ud800"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\n")
    notebook = {
        "cells": [{"cell_type": "raw", "source": f"{LONE} \U0001f600"}],
        "nbformat": 4,
        "metadata": {},
    }
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook))
    return tmp_path


def calls(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    names = ("offset", "pages", "encoding", "kind", "unless_version", "since_version", "file_type", LONE)
    return [
        (LONE, {}),
        (f"{folder}/{LONE}", {}),
        (f"{folder}/a.ipynb", {}),
        *((f"{folder}/a.txt", {name: LONE}) for name in names),
        (f"{folder}/a.txt", {"region": [LONE]}),
    ]


@pytest.mark.parametrize("name", PROFILES)
async def test_answer_to_a_lone_surrogate_is_utf8(folder: Path, name: str) -> None:
    """Four contracts echoed lone surrogates, which no JSON encoder of a model's API accepts.

    The contract of this library raised UnicodeEncodeError for some arguments.
    """
    tool = anyread.tool(name, cwd=folder)
    key = tool.input_schema["required"][0]
    for path, more in calls(folder):
        arguments = {key: path, **more}
        output = tool.call_sync(arguments)
        json.dumps(output, ensure_ascii=False).encode()
        assert await tool.call(arguments) == output or not tool.failed(output)
        json.dumps(tool.validate(arguments), ensure_ascii=False).encode()
        for block in tool.blocks(output):
            assert isinstance(block, anyread.TextBlock)
            block.text.encode()


@pytest.mark.parametrize("name", PROFILES)
def test_name_of_a_file_that_is_not_utf8_is_encodable(tmp_path: Path, name: str) -> None:
    """Names that are not UTF-8 reached the answer as lone surrogates, as Python spells such bytes."""
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)  # noqa: PTH102 - a name of bytes
    with open(folder + b"/b\xff.txt", "wb") as file:  # noqa: PTH123 - as above
        file.write(b"two\n")
    tool = anyread.tool(name, cwd=os.fsdecode(folder))
    key = tool.input_schema["required"][0]
    for path in (b"b\xff.txt", b"gone", folder + b"/b\xff.txt"):
        json.dumps(tool.call_sync({key: os.fsdecode(path)}), ensure_ascii=False).encode()


@pytest.mark.parametrize("argument", ["encoding", "unless_version", "since_version"])
def test_argument_of_a_read_with_a_lone_surrogate_is_refused(folder: Path, argument: str) -> None:
    """They raised UnicodeEncodeError, which is no error of this library."""
    arguments: dict[str, Any] = {argument: LONE}
    with pytest.raises(anyread.BadArgumentError, match=f"`{argument}`"):
        anyread.read_sync(folder / "a.txt", **arguments)
