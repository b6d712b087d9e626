"""Lone surrogates in file names and notebooks: every answer can be encoded as UTF-8."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import anyread
from anyread.tools import CONTRACTS


@pytest.mark.parametrize("name", CONTRACTS)
def test_answer_with_a_lone_surrogate_from_a_notebook_is_encodable(tmp_path: Path, name: str) -> None:
    """Four contracts echoed lone surrogates, which the APIs of models reject."""
    cell = {"cell_type": "raw", "source": "\ud800 \U0001f600"}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [cell], "nbformat": 4, "metadata": {}}))
    tool = anyread.tool(name, cwd=tmp_path)
    output = tool.call_sync(tool.arguments_for(tmp_path / "a.ipynb"))
    json.dumps(output, ensure_ascii=False).encode()
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
