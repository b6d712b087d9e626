"""Completion in fish 3 and later."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.cli.interface import Command, Option

_SCRIPT = """\
# Completion of `anyread` in fish; made by `anyread completion fish`.

# Succeeds if one of the arguments is the command of the line; without one it is `read`.
function __anyread_command_is
    set -l words (commandline -opc)
    set -l command read
    if contains -- "$words[2]" %(names)s
        set command $words[2]
    end
    contains -- $command $argv
end

function __anyread_is_first
    test (count (commandline -opc)) -eq 1
end

complete -c anyread -n '__anyread_command_is completion man mcp' -f
%(lines)s
"""


def script(commands: Sequence[Command]) -> str:
    """Return the script."""
    lines = [
        f"complete -c anyread -n __anyread_is_first -a {command.name} -d {_quoted(command.summary)}"
        for command in commands
    ]
    for command in commands:
        condition = _quoted(f"__anyread_command_is {command.name}")
        if command.arguments:
            lines.append(f"complete -c anyread -n {condition} -a {_quoted(' '.join(command.arguments))}")
        lines += [f"complete -c anyread -n {condition} {_option(option)}" for option in command.options]
    return _SCRIPT % {"names": " ".join(command.name for command in commands), "lines": "\n".join(lines)}


def _option(option: Option) -> str:
    words = [f"-s {name}" for name in option.short_names]
    words += [f"-l {option.long_name}", f"-d {_quoted(option.short_help)}"]
    if option.takes_directory:
        words.append("-x -a '(__fish_complete_directories)'")
    elif option.metavar is not None:
        words.append(f"-x -a {_quoted(' '.join(option.values))}" if option.values else "-x")
    return " ".join(words)


def _quoted(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{quoted}'"
