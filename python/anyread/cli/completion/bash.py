"""Completion in bash 3.2 and later, without the package bash-completion."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.cli.interface import Command

_SCRIPT = """\
# Completion of `anyread` in bash; made by `anyread completion bash`.

_anyread() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=read word
    COMPREPLY=()
    # bash splits --option=value into three words.
    if [[ $cur == "=" ]]; then
        cur=
    elif [[ $prev == "=" ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    if (( COMP_CWORD > 1 )); then
        case ${COMP_WORDS[1]} in
            %(names)s) command=${COMP_WORDS[1]} ;;
        esac
    fi
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        # Only files follow.
        [[ $word == -- ]] && return
    done
    case $command:$prev in
%(values)s
    esac
    if [[ $cur == -* ]]; then
        case $command in
%(options)s
        esac
        return
    fi
    case $command in
%(arguments)s
    esac
    # Files are completed by bash itself if there is nothing else; before them come the commands.
    if (( COMP_CWORD == 1 )) && [[ -n $cur ]]; then
        COMPREPLY=($(compgen -W %(commands)s -- "$cur"))
        if (( ${#COMPREPLY[@]} )); then
            _anyread_add_paths -f "$cur"
        fi
    elif (( COMP_CWORD == 1 )); then
        COMPREPLY=(%(names_in_words)s)
        _anyread_add_paths -f "$cur"
    fi
}

_anyread_add_paths() {
    local path
    while IFS= read -r path; do
        COMPREPLY+=("$path")
    done < <(compgen "$1" -- "$2")
    compopt -o filenames 2>/dev/null
}

_anyread_values() {
    compopt +o default +o bashdefault 2>/dev/null
    COMPREPLY=($(compgen -W "$1" -- "$2"))
}

complete -o default -o bashdefault -F _anyread anyread
"""


def script(commands: Sequence[Command]) -> str:
    """Return the script."""
    values, options, arguments = [], [], []
    for command in commands:
        words: list[str] = []
        for option in command.options:
            words += option.names
            if option.metavar is None:
                continue
            pattern = "|".join(f"{command.name}:{name}" for name in option.names)
            if option.takes_directory:
                action = '_anyread_add_paths -d "$cur"'
            else:
                action = f'_anyread_values {shlex.quote(" ".join(option.values))} "$cur"'
            values.append(f"        {pattern}) {action}; return ;;")
        given = shlex.quote(" ".join(words))
        options.append(f'            {command.name}) COMPREPLY=($(compgen -W {given} -- "$cur")) ;;')
        if command.arguments is not None:
            given = shlex.quote(" ".join(command.arguments))
            arguments.append(f'        {command.name}) _anyread_values {given} "$cur"; return ;;')
    names = [command.name for command in commands]
    return _SCRIPT % {
        "names": "|".join(names),
        "commands": shlex.quote(" ".join(names)),
        "names_in_words": " ".join(names),
        "values": "\n".join(values),
        "options": "\n".join(options),
        "arguments": "\n".join(arguments),
    }
