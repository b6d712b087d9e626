"""Completion in zsh 5 and later."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.cli.interface import Command, Option

_SCRIPT = """\
#compdef anyread
# Completion of `anyread` in zsh; made by `anyread completion zsh`.

%(functions)s

_anyread_commands() {
    local -a commands=(
%(commands)s
    )
    _describe -t commands command commands
}

_anyread() {
    if (( CURRENT > 2 )); then
        case $words[2] in
            %(names)s)
                local command=$words[2]
                words=("$words[1]" "${(@)words[3,-1]}")
                (( CURRENT-- ))
                _anyread_$command
                return
                ;;
        esac
    elif [[ $words[2] != -* ]]; then
        _alternative 'commands:command:_anyread_commands' 'files:file:_files'
        return
    fi
    _anyread_read
}

# `source` defines the function only; a file in $fpath is itself the function.
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _anyread "$@"
else
    compdef _anyread anyread
fi
"""


def script(commands: Sequence[Command]) -> str:
    """Return the script."""
    return _SCRIPT % {
        "functions": "\n\n".join(map(_function, commands)),
        "commands": "\n".join(f"        {_quoted(f'{each.name}:{each.summary}')}" for each in commands),
        "names": "|".join(command.name for command in commands),
    }


def _function(command: Command) -> str:
    specs = [spec for option in command.options for spec in _specs(option)]
    if command.arguments is None:
        specs.append("*:file:_files")
    elif command.arguments:
        specs.append(f"1:argument:({' '.join(command.arguments)})")
    lines = " \\\n".join(f"        {_quoted(spec)}" for spec in specs)
    return f"_anyread_{command.name}() {{\n    _arguments -s -S \\\n{lines}\n}}"


def _specs(option: Option) -> list[str]:
    """Return what `_arguments` needs to know about an option, for each of its names."""
    others = "*" if option.is_repeatable else f"({' '.join(option.names)})"
    text = option.short_help.replace("[", r"\[").replace("]", r"\]").replace(":", r"\:")
    specs = []
    for name in option.names:
        if option.metavar is None:
            specs.append(f"{others}{name}[{text}]")
            continue
        if option.takes_directory:
            action = "_files -/"
        elif option.values:
            action = f"({' '.join(option.values)})"
        else:
            action = " "
        message = option.metavar.replace(":", r"\:")
        specs.append(f"{others}{name}{'=' if name.startswith('--') else ''}[{text}]:{message}:{action}")
    return specs


def _quoted(text: str) -> str:
    quoted = text.replace("'", "'\\''")
    return f"'{quoted}'"
