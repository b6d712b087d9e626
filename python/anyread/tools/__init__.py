"""This library's read with the contract of another tool: its arguments, its answers and its words.

Each contract is a class derived from `Contract`, which `registry.CONTRACTS` lists; a host registers and calls
a `Tool`. docs/contracts lists where each contract deviates from its source, and why.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import fields, replace
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any, Literal, Never, Self

from anyread.arguments.limits import TOOL_TIMEOUT_S
from anyread.arguments.other_names import reports_others, unknown
from anyread.arguments.paths import AnyPath, displayed
from anyread.arguments.settings import require_choice, require_type
from anyread.errors import ReadError, StaleReadError
from anyread.errors.base import shortened
from anyread.models.model import Model, model_of
from anyread.reader import Reader
from anyread.registry import CONTRACTS, contract_path, did_you_mean
from anyread.results import Block
from anyread.running import loop, threads
from anyread.running.deadline import call_deadline
from anyread.session import Session

from .parts.contract import Context, Contract, Definition, Output
from .parts.files import like
from .parts.utf8 import encodable, is_encodable

__all__ = ["CONTRACTS", "Contract", "Definition", "Output", "Tool", "tool"]

_REASONS = {
    "fresh": "the tool requires a new read, although the file has not changed",
    "modified": "it was modified after it was read",
    "deleted": "it was deleted after it was read",
    "unread": "it was never read",
}


_LONGEST_FAILURE = 16 * 1024
"""The most characters of a text in a failure, which is enough for three paths."""
_MOST_LEVELS = 32
_MOST_BITS = 14_000
"""The largest arguments that contracts get; those that they accept are much smaller."""


@reports_others
def tool(
    name: str = "anyread",
    *,
    cwd: AnyPath | None = None,
    roots: AnyPath | Iterable[AnyPath] = (),
    deny: Literal["secrets"] | Iterable[str] = (),
    reader: Reader | None = None,
    model: Model | str | None = None,
    session: Session | None = None,
    validate_media: bool = True,
    description: str | Mapping[str, str] | None = None,
    settings: object = None,
    **others: Never,
) -> Tool:
    """Create a read tool: this library's own, or one with the contract of another tool.

    Args:
        name: One of the contracts that docs/contracts describes, such as "claude-code" or "openhands";
            "anyread" is this library's own.
        cwd: The directory that relative paths start from; `None`: the first root, else the working
            directory.
        roots: Directories that may be read, with everything in them; a list, or a single path.
            Empty: any path of the machine, but some contracts, such as "mycode", "deepagents" and
            "mcp-filesystem", stay below `cwd`.
        deny: Globs of files that are refused, and "secrets", as in `Reader`.
        reader: A reader with its own roots and deny rules, instead of `roots` and `deny`.
        model: What the model accepts: a `Model`, or a name for `Model.named`, such as "claude-sonnet-5" or
            "anthropic"; `None`: the limits of the contract apply.
        session: The session that records reads; `None`: the reader's, or else a new one.
        validate_media: Whether images and PDFs that do not decode are refused; `False` sends them
            as the reference tool does.
        description: The description for the model, instead of this library's; for contracts with several
            tools, a mapping from names to descriptions.
        settings: The contract's own settings, as an instance of its `Settings` or as a mapping.
        **others: There are no others; a `TypeError` says what was probably meant.

    Raises:
        ValueError: The contract is unknown, `roots` or `deny` are passed with a reader, the reader has
            mounts, which only this library's own tool reads, or `description` names a tool that the contract
            does not have.
        ReadError: A root cannot be opened.
        TypeError: An argument is of the wrong type, or one of the settings is unknown.

    Example:
        >>> read = anyread.tool("pilotdeck", roots=["/repo"], deny="secrets")
        >>> await read.call({"file_path": "src/main.py", "limit": 40})
    """
    if others:
        raise unknown("tool(…)", others, tuple(signature(tool).parameters))
    module, _, class_name = contract_path(name).partition(":")
    contract: type[Contract[Any, Any]] = getattr(import_module(module), class_name)
    if model is not None:
        model = model_of("tool(model=…)", model)
    if session is not None:
        require_type("tool(session=…)", session, Session, "Session()")
    if reader is None:
        reader = Reader(roots=roots, deny=deny, model=model)
    elif roots or deny:
        raise ValueError("tool(reader=…) has its own roots and deny rules: pass them to Reader(…) instead")
    require_type("tool(reader=…)", reader, Reader, 'Reader(roots=["/repo"])')
    if reader.mounts and name != "anyread":
        raise ValueError(f"tool({name!r}) has no mounts: only this library's own tool, 'anyread', reads them")
    require_choice("tool(validate_media=…)", validate_media, (True, False))
    session = session or reader.session or Session()
    if reader.decompress and not contract.decompresses:
        reader = like(reader, decompress=False)
    context = Context(
        reader=reader,
        cwd=_directory(cwd, reader),
        model=model,
        session=session,
        validate_media=validate_media,
        settings=_settings(contract, settings),
        environ=os.environ,
    )
    return Tool(contract(context), description=description)


_OF_THIS_PROCESS = {"session", "environ"}
"""The parts of a context that another process has its own of."""


def _unpickled(
    kind: type[Tool],
    contract: type[Contract[Any, Any]],
    made_with: dict[str, Any],
    description: dict[str, str],
) -> Tool:
    context: Context[Any] = Context(session=Session(), environ=os.environ, **made_with)
    return kind(contract(context), description=description)


class Tool:
    """A read tool with one contract, for any thread and any event loop.

    A copy is the same tool. One that was pickled, for another process, has a session of its own.

    Args:
        contract: The contract.
        description: As in `anyread.tool`.

    Raises:
        TypeError: `description` is not a string or a mapping of strings.
        ValueError: `description` names a tool that the contract does not have.

    Example:
        >>> read = anyread.tool("mycode")
        >>> read.call_sync({"file_path": "README.md"})["contentType"]
        'text'
    """

    def __init__(
        self, contract: Contract[Any, Any], *, description: str | Mapping[str, str] | None = None
    ) -> None:
        self._contract = contract
        self._descriptions = _descriptions(contract, description)
        self._context: Context[Any] = contract.context
        self._has_encodable_cwd = is_encodable((contract.context.cwd,))
        self._timeout_s = contract.context.reader.limits.timeout_s or TOOL_TIMEOUT_S
        definitions = contract.definitions()
        # In every contract, the path, or the list of them, is the first argument.
        self._path_name = next(iter(definitions[0].input_schema["properties"]))
        self._names = {
            contract.name: contract.name,
            **dict.fromkeys(contract.aliases, contract.name),
            **{definition.name: definition.name for definition in definitions},
        }

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        # It never changes, and its reader and session are to be shared.
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        context = self._context
        made_with = {
            field.name: getattr(context, field.name)
            for field in fields(context)
            if field.name not in _OF_THIS_PROCESS
        }
        return _unpickled, (type(self), type(self._contract), made_with, self._descriptions)

    @property
    def name(self) -> str:
        """The name that the model uses."""
        return self._contract.name

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names that a model may use."""
        return self._contract.aliases

    @property
    def description(self) -> str:
        """The description for the model."""
        return self.definitions()[0].description

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """The JSON schema of its arguments."""
        return self._contract.definitions()[0].input_schema

    @property
    def kind(self) -> str:
        """The contract's word for tools of this kind, such as "read"."""
        return self._contract.kind

    @property
    def read_only(self) -> bool:
        """Whether it never changes files."""
        return self._contract.read_only

    @property
    def concurrency_safe(self) -> bool:
        """Whether several calls may run at the same time."""
        return self._contract.concurrency_safe

    @property
    def max_result_bytes(self) -> int | None:
        """The maximum bytes of text in a result; `None`: the contract has no such limit."""
        return self._contract.max_result_bytes

    @property
    def session(self) -> Session:
        """The session that records reads."""
        return self._context.session

    @property
    def settings(self) -> Any:
        """The contract's own settings."""
        return self._context.settings

    def definitions(self) -> list[Definition]:
        """Return all tools to register; the first is this one."""
        return [
            replace(definition, description=self._descriptions.get(definition.name, definition.description))
            for definition in self._contract.definitions()
        ]

    def validate(self, arguments: object, *, name: str | None = None) -> Output | None:
        """Check arguments without opening any file.

        Returns:
            The contract's own error, or `None` if the arguments are valid.

        Raises:
            ValueError: The tool has no such name.
        """
        return _brief(encodable(self._contract.validate(_mapping(arguments), name=self._tool_name(name))))

    async def call(self, arguments: object, *, name: str | None = None) -> Output:
        """Answer a call without blocking the event loop.

        Args:
            arguments: What the model passed, as an object or as its JSON; if they are invalid, the contract's
                own error is returned.
            name: The name that the model used: an alias or a second tool; `None`: the tool itself.

        Returns:
            The contract's own output, failures included; JSON and UTF-8 can encode it.

        Raises:
            ValueError: The tool has no such name.

        Example:
            >>> await anyread.tool("claude-code").call({"file_path": "/repo/README.md"})
        """
        given = _mapping(arguments)
        answered = partial(self._answered, given, name)
        try:
            with self._deadline(given):
                return await loop.run(answered)
        except ReadError as error:
            return self._unanswered(error)

    def call_sync(self, arguments: object, *, name: str | None = None) -> Output:
        """Answer a call as `call` does, but block until the answer is ready."""
        given = _mapping(arguments)
        answered = partial(self._answered, given, name)
        try:
            with self._deadline(given):
                return threads.run(answered)
        except ReadError as error:
            return self._unanswered(error)

    def _unanswered(self, error: ReadError) -> Output:
        """Return the answer to a call that was not made in time, or for which no thread could be started."""
        return _brief(encodable(self._contract.error_answer(error)))

    def _answered(self, given: dict[str, Any], name: str | None) -> Output:
        contract = self._contract
        output = contract.answer(given, name=contract.name if name is None else self._tool_name(name))
        if contract.failed(output):
            return encodable(_brief(output))
        # Otherwise, only an argument or `cwd` can bring in a lone surrogate: see `Contract.reply`.
        return output if self._has_encodable_cwd and is_encodable(given) else encodable(output)

    def _deadline(self, given: dict[str, Any]) -> AbstractContextManager[None]:
        """Limit the time of a call."""
        path = given.get(self._path_name)
        return call_deadline(path if isinstance(path, str) else "", self._timeout_s)

    def arguments_for(self, path: AnyPath) -> dict[str, Any]:
        """Return the arguments of a call that reads a file, for hosts that call a contract on their own.

        Args:
            path: The file, absolute or relative to `cwd`.

        Example:
            >>> anyread.tool("text-editor", cwd="/repo").arguments_for("notes.txt")
            {'path': '/repo/notes.txt', 'command': 'view'}
        """
        absolute = os.path.join(self._context.cwd, os.fsdecode(path))  # noqa: PTH118 - keeps `..` and links
        schema = self.input_schema
        path_name = next(iter(schema["properties"]))
        fixed = {
            name: schema["properties"][name]["enum"][0] for name in schema["required"] if name != path_name
        }
        return {path_name: self._contract.path_argument(absolute), **fixed}

    def blocks(self, output: Output) -> list[Block]:
        """Convert an output to the blocks of a message, for any adapter.

        Images and documents become blocks of their own; SVG becomes text, and BMP becomes PNG.
        """
        return self._contract.blocks(output)

    def summary(self, output: Output) -> str:
        """Show an output to a person, in the interface of a host.

        Returns:
            For "mycode", what its document shows: a header and a footer around a part of a file, and a box
            for an image; for the other contracts, the texts for the model, and a line for each image and
            document. Control characters of the file are in it: escape them before a terminal gets it.

        Example:
            >>> read = anyread.tool("mycode", cwd="/repo")
            >>> output = read.call_sync({"file_path": "notes.txt", "limit": 1})
            >>> read.summary(output).splitlines()[0]
            'Reading lines 1-1 of notes.txt:'
        """
        return self._contract.summary(output)

    def failed(self, output: Output) -> bool:
        """Return whether an output is a failure by its contract."""
        return self._contract.failed(output)

    def assert_fresh(self, path: AnyPath) -> None:
        """Raise if a file must not be written to: it was not read, or it has changed since.

        A new file may be created, unless the contract refuses that too. This call may block.

        Raises:
            StaleReadError: Its message is the contract's.
        """
        shown = displayed(path)
        resolved = self._context.resolve(os.fsdecode(path))
        state = self.session.check(resolved)
        if state == "unread" and self._contract.may_create and not os.path.exists(resolved):  # noqa: PTH110 - text
            return
        wording = self._contract.freshness(state, shown)
        if wording is not None:
            raise StaleReadError(shown, reason=_REASONS[state], wording=wording)

    def __repr__(self) -> str:
        return f"<Tool {self.name!r} of {type(self._contract).__name__}>"

    def _tool_name(self, name: str | None) -> str:
        if name is None:
            return self._contract.name
        found = self._names.get(name)
        if found is None:
            raise ValueError(f"unknown tool name {name!r}; the names are {', '.join(map(repr, self._names))}")
        return found


def _brief(value: Any) -> Any:
    """Shorten the long texts of a failure: contracts repeat arguments, which may have any length."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_FAILURE else shortened(value)
    if isinstance(value, dict):
        return {name: _brief(item) for name, item in value.items()}
    return [_brief(item) for item in value] if isinstance(value, list) else value


def _mapping(arguments: object) -> dict[str, Any]:
    """Return the arguments of a call, which some SDKs deliver as JSON."""
    if isinstance(arguments, str):
        # Loaded on first use, as in `values`.
        import json

        with suppress(ValueError, RecursionError):
            arguments = json.loads(arguments)
    # The contract reports that a required argument is missing, whatever was passed instead of an object.
    if not isinstance(arguments, Mapping):
        return {}
    return {name: value if type(value) is str else _bounded(value) for name, value in arguments.items()}


def _bounded(value: Any, levels: int = _MOST_LEVELS) -> Any:
    """Return an argument that Python can write in a message, unlike deep lists and huge integers.

    Such an integer is infinite, as in JavaScript.
    """
    if isinstance(value, int):
        return value if value.bit_length() < _MOST_BITS else math.inf if value > 0 else -math.inf
    if not isinstance(value, dict | list | tuple):
        return value
    if not levels:
        return "…"
    if isinstance(value, dict):
        return {name: _bounded(item, levels - 1) for name, item in value.items()}
    return [_bounded(item, levels - 1) for item in value]


def _directory(cwd: AnyPath | None, reader: Reader) -> str:
    if cwd is not None:
        return os.path.abspath(os.fsdecode(cwd))  # noqa: PTH100 - keeps links
    return os.fsdecode(reader.roots[0]) if reader.roots else reader.directory


def _descriptions(contract: Contract[Any, Any], given: object) -> dict[str, str]:
    """Return the host's descriptions by tool name."""
    if given is None:
        return {}
    found = {contract.name: given} if isinstance(given, str) else given
    if not isinstance(found, Mapping) or not all(isinstance(text, str) for text in found.values()):
        raise TypeError("tool(description=…) must be a text, or a mapping from names of tools to texts")
    known = [definition.name for definition in contract.definitions()]
    for name in found:
        if name not in known:
            raise ValueError(
                f"tool(description=…) names an unknown tool {name!r}; the tools are {_listed(known)}"
            )
    return dict(found)


def _settings(contract: type[Contract[Any, Any]], given: object) -> object:
    if isinstance(given, contract.Settings):
        return given
    known = [field.name for field in fields(contract.Settings)]
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        kind = type(given).__name__
        raise TypeError(f"settings of {contract.name!r} are a mapping of {_listed(known)}, not {kind}")
    for name in given:
        if name not in known:
            meant = did_you_mean(name, known)
            raise TypeError(f"{contract.name!r} has no setting {name!r}{meant}; it has {_listed(known)}")
    return contract.Settings(**given)


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names)) or "no settings"
