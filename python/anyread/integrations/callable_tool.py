"""What an integration needs of a tool, and the definition of one of several tools of a contract."""

from __future__ import annotations

from typing import Protocol

from anyread.results import Block
from anyread.tools import Definition, Output


class CallableTool(Protocol):
    """What an integration needs of a tool; `anyread.Tool` is one."""

    def definitions(self) -> list[Definition]:
        """Return the definitions of all tools of the contract; the first is the tool itself."""

    async def call(self, arguments: object, *, name: str | None = None) -> Output:
        """Answer a call; a failure is an output too."""

    def blocks(self, output: Output) -> list[Block]:
        """Convert an output to the blocks of a message."""

    def failed(self, output: Output) -> bool:
        """Return whether an output is a failure."""


def definition_of(read: CallableTool, name: str | None) -> Definition:
    """Return the definition of one of the tools of a contract.

    Args:
        read: The tool.
        name: The name of one of its definitions; `None`: the first.

    Raises:
        ValueError: The contract has no tool with this name.
    """
    definitions = read.definitions()
    for definition in definitions:
        if name in (None, definition.name):
            return definition
    known = ", ".join(repr(definition.name) for definition in definitions)
    raise ValueError(f"unknown tool name {name!r}; the names are {known}")
