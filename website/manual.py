"""Write the manual page and the completion scripts that the wheel installs: `python -m website.manual`.

Both are made from the parser of the command line. `make manual` runs this, and a test requires it.
"""

from __future__ import annotations

from pathlib import Path

import shtab
from argparse_manpage.manpage import Manpage

import anyread
from anyread.cli import descriptions
from anyread.cli.parser import make_parser
from anyread.registry import CONTRACTS, HOSTS, PRESET_NAMES

SHARE = Path(__file__).parents[1] / "anyread.data" / "data" / "share"
"""What the wheel installs below the `share` of an environment."""
COMPLETED = {"FILE": "file", "DIR": "directory"}
"""What completes values with these names."""
VALUES = {
    "tool": tuple(CONTRACTS),
    "host": HOSTS,
    "model": PRESET_NAMES,
    "deny": ("secrets",),
    "encoding": ("utf-8", "utf-16", "cp1252", "latin-1", "shift_jis", "euc_jp", "gbk", "big5", "koi8-r"),
}
"""Values of options that accept others too, or that report a wrong one themselves."""
# Files without a command, which the parser does not have.
BASH_FILES = "\ncomplete -o bashdefault -o default -F _shtab_anyread anyread\n"
FISH_FILES = "complete -c anyread -n _shtab_anyread_using -ka '(__fish_complete_path (commandline -ct))'\n"
ZSH_FILES = """
functions[_anyread_with_command]=$functions[_shtab_anyread]
_shtab_anyread() {
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _files
  elif [[ $words[2] != (%s) ]]; then
    words=($words[1] read "${(@)words[2,-1]}")
    (( CURRENT++ ))
  fi
  _anyread_with_command
}
"""
ESCAPES = str.maketrans({"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "~": r"\(ti", "^": r"\(ha"})
"""Otherwise these are shown as typographic characters, which cannot be copied into a shell."""


def files() -> dict[str, str]:
    """Return the text of each file below `SHARE`, by its path."""
    return {
        "man/man1/anyread.1": manual_page(),
        "bash-completion/completions/anyread": completion("bash"),
        "zsh/site-functions/_anyread": completion("zsh"),
        "fish/vendor_completions.d/anyread.fish": completion("fish"),
    }


def completion(shell: str) -> str:
    """Return the script that completes commands, options, their values and paths in a shell."""
    parser = make_parser()
    # argparse has no public list of its actions; shtab takes from an attribute what completes their values.
    for command in parser.commands.values():
        for action in command._actions:  # noqa: SLF001
            if action.metavar in COMPLETED:
                vars(action)["complete"] = COMPLETED[action.metavar]
            elif action.dest in VALUES:
                action.choices = VALUES[action.dest]
    # The word `read` can be left out.
    _help, *others = parser.commands["read"]._get_optional_actions()  # noqa: SLF001
    for action in others:
        parser._add_action(action)  # noqa: SLF001
    preamble = ZSH_FILES % "|".join(parser.commands) if shell == "zsh" else ""
    script = shtab.complete(parser, shell, preamble=preamble)
    if shell == "zsh":
        # shtab itself completes only the first of several files.
        return script.replace('"(*):', '"*:') + "\n"
    return script + {"bash": BASH_FILES, "fish": FISH_FILES}[shell]


def manual_page() -> str:
    """Return the manual page, with the examples of all commands at its end."""
    parser = make_parser()
    epilogs = [command.epilog or "" for command in parser.commands.values()]
    parser.epilog = None
    page = Manpage(parser, format="single-commands-section")
    page.date, page.source, page.manual = "", f"anyread {anyread.__version__}", ""
    page.description = "read any window of any file, as a model should see it"
    page.add_section("EXIT STATUS", ">", verbatim(descriptions.EXIT_STATUS))
    page.add_section("NOTES", ">", escaped(descriptions.OUTPUT))
    variables = [f".TP\n.B {name}\n{escaped(text)}" for name, text in descriptions.ENVIRONMENT]
    page.add_section("ENVIRONMENT", ">", "\n".join(variables))
    examples = [descriptions.EXAMPLES, *(epilog.removeprefix("examples:\n") for epilog in epilogs)]
    page.add_section("EXAMPLES", ">", verbatim("\n".join(examples)))
    return str(page)


def verbatim(text: str) -> str:
    """Return lines that man(1) shows as they are."""
    return f".nf\n{escaped(text)}.fi"


def escaped(text: str) -> str:
    """Return a text without characters that man(1) changes."""
    return text.translate(ESCAPES)


def main() -> None:
    """Write the files."""
    for name, text in files().items():
        path = SHARE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
