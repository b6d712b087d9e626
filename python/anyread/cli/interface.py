"""Commands and options as data, from their parsers: what completions and the manual page are made of."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass

from .options import MODELS
from .parser import Parser, commands, summary

# Values of options that accept others too, or whose list takes long to load.
_HOSTS = ("google-adk", "smolagents")
_TOOLS = (
    *("anyread", "claude-code", "mycode", "forge", "llm-gateway", "codelet", "pilotdeck", "opencode"),
    *("deepagents", "text-editor", "gemini-cli", "pi", "mcp-filesystem", "anthropic-toolset"),
)
_FURTHER_VALUES = {
    "tool": _TOOLS,
    "host": _HOSTS,
    "model": MODELS,
    "deny": ("secrets",),
    "encoding": ("utf-8", "utf-16", "cp1252", "latin-1", "shift_jis", "euc_jp", "gbk", "big5", "koi8-r"),
}
"""The same as in other modules; `tests/cli/test_cli_completion.py` compares them."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command."""

    names: tuple[str, ...]
    """Its names, the long one last."""
    metavar: str | None
    """The name of its value; `None`: it has none."""
    help: str
    """What it does, on one line."""
    values: tuple[str, ...]
    """Values to suggest."""
    is_limited: bool
    """Whether it accepts only these values."""
    takes_directory: bool
    """Whether its value is a directory."""
    is_repeatable: bool
    """Whether it can be given more than once."""

    @property
    def long_name(self) -> str:
        """The name without its dashes."""
        return self.names[-1].lstrip("-")

    @property
    def short_names(self) -> tuple[str, ...]:
        """The names of one letter, without their dash."""
        return tuple(name[1:] for name in self.names if len(name) == 2)

    @property
    def short_help(self) -> str:
        """What it does in a few words, for a list of completions."""
        return re.split(r": | \(|; |, or |, also |, such as ", self.help)[0]


@dataclass(frozen=True, slots=True)
class Command:
    """A command."""

    name: str
    summary: str
    brief: str
    """Its usage, without its name."""
    description: str
    examples: str
    """The end of its help."""
    options: tuple[Option, ...]
    arguments: tuple[str, ...] | None
    """The values of its argument; `None`: it takes files."""


def interface() -> list[Command]:
    """Return all commands."""
    return [_command(name, parser) for name, parser in commands().items()]


def _command(name: str, parser: Parser) -> Command:
    actions = parser._actions  # noqa: SLF001 - it has no public name - argparse has no other list of them
    positional = next((action for action in actions if not action.option_strings), None)
    arguments: tuple[str, ...] | None = ()
    if positional is not None:
        arguments = None if positional.metavar == "FILE" else tuple(map(str, positional.choices or ()))
    return Command(
        name,
        summary(name),
        parser.brief,
        parser.description or "",
        parser.epilog or "",
        tuple(_option(action) for action in actions if action.option_strings),
        arguments,
    )


def _option(action: argparse.Action) -> Option:
    values = tuple(map(str, action.choices)) if action.choices else _FURTHER_VALUES.get(action.dest, ())
    has_value = action.nargs != 0
    metavar = str(action.metavar or "NAME") if has_value else None
    return Option(
        names=tuple(action.option_strings),
        metavar=metavar,
        help=" ".join((action.help or "").split()),
        values=values,
        is_limited=bool(action.choices),
        takes_directory=metavar == "DIR",
        is_repeatable=isinstance(action, argparse._AppendAction),  # noqa: SLF001 - it has no public name
    )
