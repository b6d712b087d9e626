"""Options and commands that do not exist, and which ones were probably meant."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Sequence


def unknown_option(argv: Sequence[str], parser: ArgumentParser) -> str | None:
    """Return a message about the first option that the parser does not have; `None` if there is none.

    argparse itself reports it last, after a FILE that is missing, and without a suggestion.
    """
    known = list(parser._option_string_actions)  # noqa: SLF001 - argparse has no other list of them
    for argument in argv:
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
            return f"unknown option {name}{_suggestion(name, known)}"
    return None


def misspelled_command(arguments: Namespace, commands: Iterable[str]) -> str | None:
    """Return a message if the first FILE is more likely a command; `None` if it is not."""
    name: str = arguments.files[0]
    # A file may be below a root, under a name that is not known here.
    if arguments.root or not name.isalpha() or os.path.lexists(name):
        return None
    if name == "help":
        return "`help` is neither a file nor a command (did you mean `anyread --help`?)"
    from difflib import get_close_matches

    # A name that is much longer or shorter is a file: the error about it lists similar files.
    similar = [each for each in commands if abs(len(each) - len(name)) <= max(1, len(name) // 4)]
    near = get_close_matches(name, similar, 1)
    return f"`{name}` is neither a file nor a command (did you mean `anyread {near[0]}`?)" if near else None


def _suggestion(name: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(f"--{name.lstrip('-').lower().replace('_', '-')}", known, 1)
    return f" (did you mean {near[0]}?)" if near else ""
