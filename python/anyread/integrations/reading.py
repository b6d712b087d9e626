"""What an integration needs from an anyread tool, and one such tool with the model that sees its answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from anyread.adapters.content import ModelAnswer, answer
from anyread.errors import ReadError
from anyread.errors.base import Argument
from anyread.models.model import Model
from anyread.results import Block, TextBlock
from anyread.tools import Definition, Output
from anyread.tools import tool as make_tool

EVERYTHING = Model(inputs=frozenset({"text", "image", "pdf"}))
"""A model that accepts all that a tool returns, for frameworks that convert it themselves."""


@runtime_checkable
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


class Reading:
    """One of the tools of a contract, and what the model that sees its answers accepts.

    Args:
        read: The tool; `None`: the contract "anyread" with its defaults.
        model: What the model accepts; anything else becomes text.
        name: One of several tools of the contract, as in `read.definitions()`; `None`: the first.

    Raises:
        TypeError: `read` is no tool of anyread.
        ValueError: The contract has no tool with this name.
    """

    def __init__(self, read: CallableTool | None, model: Model, name: str | None = None) -> None:
        if read is not None and not isinstance(read, CallableTool):
            made = 'anyread.tool(roots=["/repo"])'
            raise TypeError(f"pass a tool of anyread, such as {made}, not {type(read).__name__}: {read!r}")
        self.tool: Any = make_tool("anyread", model=model) if read is None else read
        """The tool: a `CallableTool`, and an `anyread.Tool` where it is called synchronously."""
        self.model = model
        """What the model accepts."""
        self.definition = _definition(self.tool, name)
        """The definition for the model."""
        self.name = self.definition.name
        self.description = self.definition.description
        self.schema = dict(self.definition.input_schema)

    async def call(self, arguments: object) -> Output:
        """Answer a call; a failure is an output too."""
        return await self.tool.call(arguments, name=self.name)

    def call_sync(self, arguments: object) -> Output:
        """Answer a call as `call` does, but block until the answer is ready."""
        return self.tool.call_sync(arguments, name=self.name)

    def model_answer(self, output: Output, **options: Any) -> ModelAnswer:
        """Convert an output to blocks that the model accepts; `options` are those of `answer`."""
        options = {"model": self.model, **options}
        return answer(self.tool.blocks(output), is_error=self.tool.failed(output), **options)


def text_of(shown: ModelAnswer) -> str:
    """Return the texts of an answer."""
    return "\n".join(block.text for block in shown.blocks if isinstance(block, TextBlock))


def worded(error: ReadError, names: Mapping[str, str]) -> str:
    """Return the message of an error, and its hint unless that names an argument that a caller cannot pass.

    Args:
        error: The error.
        names: The names that the caller has for arguments of `Reader.read`.
    """
    unknown: list[str] = []

    def spelled(argument: Argument) -> str:
        if argument.name not in names:
            unknown.append(argument.name)
        return str(Argument(names.get(argument.name, argument.name), argument.value))

    hint = error.hint_as(spelled)
    return error.message if unknown else f"{error.message}\nhint: {hint}"


def _definition(read: CallableTool, name: str | None) -> Definition:
    definitions = read.definitions()
    for definition in definitions:
        if name in (None, definition.name):
            return definition
    known = ", ".join(repr(definition.name) for definition in definitions)
    raise ValueError(f"unknown tool name {name!r}; the names are {known}")
