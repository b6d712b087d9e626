"""`anyread man`: the manual page, for man(1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyread import __version__

from .descriptions import DESCRIPTION, ENVIRONMENT, EPILOG
from .interface import interface

if TYPE_CHECKING:
    from argparse import Namespace

    from .interface import Command, Option
    from .terminal import Terminal

_ESCAPES = str.maketrans(
    {
        "\\": r"\e",
        # Otherwise a hyphen is shown as a typographic one, which cannot be copied into a shell.
        "-": r"\-",
        "'": r"\(aq",
        "`": r"\(ga",
        "~": r"\(ti",
        "^": r"\(ha",
    }
)


def run(arguments: Namespace, terminal: Terminal) -> int:  # noqa: ARG001 - the form of every command
    """Print the manual page."""
    terminal.out(page())
    return 0


def page() -> str:
    """Return the manual page, in the macros of man(7)."""
    commands = interface()
    lines = [f'.TH ANYREAD 1 "" "anyread {__version__}"']
    lines += [".SH NAME", r"anyread \- read any window of any file, as a model should see it", ".SH SYNOPSIS"]
    for command in commands:
        # `.SY` is missing in older versions of the macros.
        word = f"[{_bold('read')}]" if command.name == "read" else _bold(command.name)
        lines += [f"{_bold('anyread')} {word} {_text(command.brief)}".rstrip(), ".br"]
    lines += [".SH DESCRIPTION", *_paragraphs(DESCRIPTION), ".SH COMMANDS"]
    for command in commands:
        lines += _command(command)
    examples, status, notes = _parts(EPILOG)
    lines += [".SH EXIT STATUS", *_definitions(status), *_paragraphs(notes)]
    lines.append(".SH ENVIRONMENT")
    for name, text in ENVIRONMENT:
        lines += [".TP", _bold(name), _text(text[0].upper() + text[1:] + ".")]
    lines += [".SH EXAMPLES", *_verbatim(examples)]
    lines += [".SH SEE ALSO", r"\fBhead\fR(1), \fBtail\fR(1), \fBless\fR(1), \fBfile\fR(1)"]
    return "\n".join(lines) + "\n"


def _command(command: Command) -> list[str]:
    lines = [f".SS anyread {_text(command.name)}", *_paragraphs(command.description)]
    for option in command.options:
        lines += [".TP", _option(option), _text(option.help[0].upper() + option.help[1:] + ".")]
        if option.values and not all(value in option.help for value in option.values):
            title = "Values" if option.is_limited else "For example"
            lines += [".br", _text(f"{title}: {', '.join(option.values)}.")]
    title, _, text = command.examples.partition(":\n")
    return [*lines, ".PP", _text(f"{title[0].upper()}{title[1:]}:"), *_verbatim(text)]


def _option(option: Option) -> str:
    names = ", ".join(map(_bold, option.names))
    return names if option.metavar is None else rf"{names} \fI{_text(option.metavar)}\fR"


def _parts(epilog: str) -> tuple[str, str, str]:
    """Return the examples, the exit codes and the notes of the general help."""
    rest, _, end = epilog.partition("exit status:\n")
    status, _, notes = end.partition("\n\n")
    examples = rest.partition("examples:\n")[2].partition("\n\n")
    return examples[0], status, f"{examples[2]}\n{notes}"


def _definitions(text: str) -> list[str]:
    lines = []
    for line in text.splitlines():
        word, _, meaning = line.strip().partition(" ")
        lines += [".TP", _bold(word), _text(meaning.strip())]
    return lines


def _paragraphs(text: str) -> list[str]:
    return [line for part in text.strip().split("\n\n") for line in (".PP", *map(_text, part.splitlines()))]


def _verbatim(text: str) -> list[str]:
    return [".PP", ".nf", *(_text(line.rstrip()) for line in text.rstrip().splitlines()), ".fi"]


def _bold(text: str) -> str:
    return rf"\fB{_text(text)}\fR"


def _text(text: str) -> str:
    """Escape a line, which must not look like a macro."""
    shown = text.translate(_ESCAPES)
    return rf"\&{shown}" if shown.startswith(".") else shown
