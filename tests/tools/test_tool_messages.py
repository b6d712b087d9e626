"""No message of a contract names an argument that the contract does not have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NoReturn

import pytest

import anyread
from anyread import errors
from anyread.arguments.request import ReadArguments
from anyread.engine import ReaderEngine
from anyread.tools import CONTRACTS
from reader.test_errors import LEAVES

UNREACHABLE = {
    errors.BadArgumentError,
    errors.NoSuchNameError,
    errors.NoSuchPageError,
    errors.NotOneValueError,
    errors.NotOneImageError,
    errors.UnknownEncodingError,
    errors.WrongKindError,
    errors.StaleReadError,
}
"""Errors that no contract causes: contracts pass valid arguments to the reader and write nothing."""


@pytest.mark.parametrize("contract", [name for name in CONTRACTS if name != "anyread"])
def test_message_names_no_argument_of_another_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contract: str
) -> None:
    """Errors of mycode and forge told the model to pass `kind="text"`, which neither has."""
    leaf: Any = None
    fields: dict[str, Any] = {}

    def fail(*_: object, **__: object) -> NoReturn:
        raise leaf("src/a.txt", **fields)

    monkeypatch.setattr(ReaderEngine, "open", fail)
    tool = anyread.tool(contract, cwd=tmp_path)
    key = next(iter(tool.input_schema["properties"]))
    foreign = set(ReadArguments.__annotations__) - set(tool.input_schema["properties"])
    for leaf, row in LEAVES.items():
        fields = row[2]
        for name in ("a.txt", "a.png") if leaf not in UNREACHABLE else ():
            output = tool.call_sync({key: f"{tmp_path}/{name}"})
            named = re.findall(r"\b(\w+)=|`(\w+)`", str(tool.blocks(output)))
            assert not foreign & {first or second for first, second in named}, (leaf, name)
