"""Options and commands that do not exist, and which ones were probably meant."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from anyread.arguments.other_names import COMMANDS, Translation, translation
from anyread.errors.base import Argument

from .hints import READ_OPTIONS, option

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Sequence


def unknown_option(argv: Sequence[str], parser: ArgumentParser) -> str | None:
    """Return a message about the first option that the parser does not have; `None` if there is none.

    argparse itself reports it last, after a FILE that is missing, and without a suggestion.
    """
    known = list(parser._option_string_actions)  # noqa: SLF001 - argparse has no other list of them
    for number, argument in enumerate(argv):
        if argument == "--":
            return None
        name = argument.partition("=")[0]
        if argument.startswith("--"):
            # argparse accepts abbreviations, and reports those that are ambiguous.
            is_known = any(option.startswith(name) for option in known)
        else:
            # Letters can be combined, and a value can follow one; a negative number is a value.
            is_known = len(name) < 2 or name[0] != "-" or name[1] in ".0123456789" or name[:2] in known
        if not is_known:
            row = translation(name)
            meant = None if row is None else _with_value(row, argument, argv[number + 1 :])
            if not meant or (meant.startswith("--") and meant.split()[0] not in known):
                meant = _similar(name.lower().replace("_", "-"), [each for each in known if each[:2] == "--"])
            return f"unknown option {name}" + (f" (did you mean {meant}?)" if meant else "")
    return None


def _with_value(row: Translation, argument: str, following: Sequence[str]) -> str:
    """Return what to pass in place of an option, with its value if that means one thing."""
    _, has_value, value = argument.partition("=")
    made = row.made and row.made(value if has_value else next(iter(following), True))
    if not made or not made.keys() <= {*READ_OPTIONS}:
        return row.option
    return " ".join(option(Argument(name, each)) for name, each in made.items())


def unknown_command(arguments: Namespace, commands: Iterable[str]) -> str | None:
    """Return a message if the first FILE is more likely a command; `None` if it is not."""
    name: str = arguments.files[0]
    for file in arguments.files:
        if re.fullmatch(r"\+\d+", file) and not os.path.lexists(file):
            return f"`{file}` is not a file (did you mean `FILE:{file[1:]}`?)"
    # A file may be below a root, under a name that is not known here.
    if arguments.root or not re.fullmatch("[a-z][a-z-]*", name) or os.path.lexists(name):
        return None
    # A name that is much longer or shorter is a file: the error about it lists similar files.
    similar = [each for each in commands if abs(len(each) - len(name)) <= max(1, len(name) // 4)]
    near = _similar(name, similar)
    other = COMMANDS.get(name)
    meant = other.command if other else (f"anyread {near}" if near else None)
    if meant is None and len(arguments.files) == 1:
        return None
    return f"`{name}` is neither a file nor a command" + (f" (did you mean `{meant}`?)" if meant else "")


def _similar(name: str, known: Sequence[str]) -> str | None:
    from difflib import get_close_matches

    # The dashes of options would make all of them similar.
    by_letters = {each.lstrip("-"): each for each in known}
    near = get_close_matches(name.lstrip("-"), by_letters, 1, 0.7)
    return by_letters[near[0]] if near else None
