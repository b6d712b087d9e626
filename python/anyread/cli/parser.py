"""The options of the command line, and their help."""

from __future__ import annotations

import argparse
import os
from typing import Any, NoReturn

from anyread import Limits, __version__
from anyread import argument_types as types
from anyread.arguments import ARGUMENTS

from .target import TARGETS

GUTTERS = ("tab", "cat-n", "arrow", "colon", "pipe", "bar", "none")
MODELS = ("any", "anthropic", "openai", "gemini", "bedrock", "mcp", "text-only")
"""The names in `anyread.model.PRESETS`, repeated here so that the help loads quickly."""

_TAIL = f"""\
the last N lines; numbered from the start in files up to {Limits().count_bytes >> 20} MiB,
and from the end in larger files, which are read backwards"""

_DESCRIPTION = """\
Read any window of any text file, with exact line numbers, as a model should see it.
A window of a 10 GB log is as fast as a window of a source file.
Images, PDFs and notebooks are shown in a form that a model accepts."""

_EPILOG = """\
examples:
  anyread read server.log --tail 20                the last 20 lines of a file of any size
  anyread read paper.pdf --pages 3-5               text of PDF pages; --save DIR writes their images
  anyread info notes.txt                           kind, encoding, lines, size
  anyread mcp --root ~/project                     for an editor or any other host of MCP

`anyread COMMAND --help` describes a command.

exit status:
  0    all files were read
  1    a file could not be read; standard error says why, with a hint
  2    the command line is invalid
  130  interrupted
  141  the program that reads the output has exited

On a terminal, control characters, escape sequences and characters that change the
direction of text are shown as ^[ or \\x{202e}. In a pipe the output is exact.
It is always in UTF-8, whatever the locale.
"""

_READ_DESCRIPTION = """\
Show a window of each file.
A last line says what is left out and how to continue. It follows the text on a
terminal, and is written to standard error otherwise."""

_INFO_DESCRIPTION = """\
Describe each file: kind, media type, encoding, line ending, exact number of lines,
size and version. On a terminal, a progress bar is shown while a large file is counted.
With --sandbox, describe what protects reads and decoders on this machine instead."""

_READ_EPILOG = """\
examples:
  anyread read server.log                          the first page, and how to continue
  anyread read server.log --offset 120000 --limit 50
  anyread read server.log --tail 20                the last 20 lines
  anyread read bundle.js --offset 1 --column 2001  continue inside a long line
  anyread read a.py b.py --gutter none             two files, without line numbers
  anyread read notes.txt --json | jq .encoding
  anyread read photo.jpg --save seen               describe the image, and save what a model sees
  anyread read paper.pdf --pages 3-5 --save seen   text, and an image of each page
  anyread read photo.jpg --for anthropic           the blocks of a message
  anyread read main.py --tool forge --arguments '{"start_line": 10}'
"""

_INFO_EPILOG = """\
examples:
  anyread info server.log
  anyread info server.log --json | jq .lines
  anyread info --sandbox                           what the kernel and the decoders provide here
"""

_MCP_DESCRIPTION = """\
Serve a tool that reads files to hosts of the Model Context Protocol, over standard
input and output until the host closes them, or over HTTP on this machine.
It requires additional packages: pip install 'anyread[mcp]'"""

_MCP_EPILOG = """\
examples:
  anyread mcp --root ~/project                     the command that a host runs
  anyread mcp --root src --root docs --deny secrets --deny '**/*.bak'
  anyread mcp --root . --tool claude-code --model anthropic
  anyread mcp --root . --http 127.0.0.1:8321       for several hosts, at /mcp
"""


class _Parser(argparse.ArgumentParser):
    """Report an error in two lines, because the complete usage would hide the reason."""

    brief = "[OPTIONS] FILE ..."

    def error(self, message: str) -> NoReturn:
        usage = f"usage: {self.prog} {self.brief} (see {self.prog} --help)"
        self.exit(2, f"{usage}\n{self.prog}: error: {message}\n")


def command_line() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    parser = _Parser(
        prog="anyread",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.brief = "COMMAND ..."
    parser.add_argument("--version", action="version", version=f"anyread {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_read(commands)
    _add_info(commands)
    _add_mcp(commands)
    return parser


def _add_read(commands: argparse._SubParsersAction[_Parser]) -> None:
    read = commands.add_parser(
        "read",
        usage="%(prog)s [OPTIONS] FILE ...",
        help="show a window of each file",
        description=_READ_DESCRIPTION,
        epilog=_READ_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_files(read)
    window = read.add_argument_group("which part")
    first = window.add_mutually_exclusive_group()
    _add(first, "offset", type=int)
    first.add_argument("--tail", type=_positive, metavar="N", help=_TAIL)
    _add(window, "limit", default=Limits().max_lines)
    for name in ("column", "pages", "region"):
        _add(window, name)
    window.add_argument(
        "--max-tokens",
        type=_positive,
        metavar="N",
        help=f"maximum tokens of text, estimated (default: {Limits().max_tokens})",
    )
    window.add_argument("--exact-total", action="store_true", help="count the lines of huge files too")
    style = read.add_argument_group("how to read and show it")
    _add(style, "encoding")
    _add(style, "kind")
    _add(style, "gutter", default="tab")
    style.add_argument(
        "--save",
        metavar="DIR",
        help="write the images and documents that a model would see to new files in this directory",
    )
    model = read.add_argument_group("output for a model")
    model.add_argument(
        "--model",
        choices=MODELS,
        metavar="NAME",
        help=f"what the model accepts: {', '.join(MODELS)} (default: what any model accepts)",
    )
    model.add_argument(
        "--for",
        dest="target",
        choices=tuple(TARGETS),
        metavar="API",
        help=f"print the content of a message to this API, as JSON: {', '.join(TARGETS)}",
    )
    model.add_argument(
        "--tool",
        metavar="NAME",
        help="print what another agent's read tool answers, such as claude-code; an unknown name lists all",
    )
    model.add_argument(
        "--arguments",
        metavar="JSON",
        help="with --tool: the tool's own arguments as a JSON object, without the path",
    )


def _add(group: argparse._ActionsContainer, name: str, *, default: object = None, **form: Any) -> None:
    """Add the option for an argument of a read; `form` replaces parts of the form of its type."""
    argument = ARGUMENTS[name]
    default = default or argument.default_means or argument.default
    group.add_argument(
        f"--{name}", help=f"{argument.description} (default: {default})", **{**_FORMS[type(argument)], **form}
    )


def _add_info(commands: argparse._SubParsersAction[_Parser]) -> None:
    info = commands.add_parser(
        "info",
        usage="%(prog)s [OPTIONS] FILE ...",
        help="describe each file",
        description=_INFO_DESCRIPTION,
        epilog=_INFO_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_files(info, count="*")
    info.add_argument(
        "--sandbox", action="store_true", help="describe what protects reads and decoders on this machine"
    )


def _add_mcp(commands: argparse._SubParsersAction[_Parser]) -> None:
    mcp = commands.add_parser(
        "mcp",
        usage="%(prog)s --root DIR [OPTIONS]",
        help="serve a read tool over the Model Context Protocol",
        description=_MCP_DESCRIPTION,
        epilog=_MCP_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    mcp.brief = "--root DIR [OPTIONS]"
    mcp.add_argument(
        "--root",
        action="append",
        required=True,
        type=os.path.expanduser,
        metavar="DIR",
        help="a directory that may be read; relative paths are relative to the first (repeatable)",
    )
    _add_deny(mcp)
    mcp.add_argument(
        "--tool",
        default="anyread",
        metavar="NAME",
        help="the contract of the tool, such as claude-code (default: anyread); an unknown name lists all",
    )
    mcp.add_argument(
        "--model",
        metavar="NAME",
        help=f"what the model accepts: {', '.join(MODELS)}",
    )
    mcp.add_argument(
        "--pdf",
        choices=("pages", "document"),
        default="pages",
        help="show PDFs as text and images (default), or send small ones as files, which most hosts drop",
    )
    mcp.add_argument(
        "--host",
        metavar="NAME",
        help="the host that connects, if it is google-adk or smolagents, which show no images",
    )
    mcp.add_argument(
        "--max-tokens",
        type=_positive,
        metavar="N",
        help="maximum tokens per reply, estimated (default: 20,000; hosts refuse replies over 25,000)",
    )
    mcp.add_argument(
        "--http",
        type=_address,
        metavar="HOST:PORT",
        help="serve over HTTP on this loopback address; port 0 selects a free one",
    )


def _add_deny(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--deny",
        action="append",
        default=[],
        metavar="GLOB",
        help="files to refuse, such as '**/*.bak'; `secrets` refuses environment files, private keys and "
        "other credentials (repeatable)",
    )


def _add_files(command: argparse.ArgumentParser, *, count: str = "+") -> None:
    command.add_argument(
        "files",
        nargs=count,
        metavar="FILE",
        help="a file, or - for standard input; several get headings",
    )
    command.add_argument("--json", action="store_true", help="print one JSON object per line for each file")
    command.add_argument(
        "--root",
        action="append",
        default=[],
        type=os.path.expanduser,
        metavar="DIR",
        help="refuse files outside this directory; relative paths are relative to it (repeatable)",
    )
    _add_deny(command)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isdecimal() and int(port) < 2**16):
        raise argparse.ArgumentTypeError(f"must be a host and a port, such as 127.0.0.1:8321: {text!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _region(text: str) -> tuple[int, int, int, int]:
    try:
        x, y, width, height = (int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be four numbers, X,Y,W,H: {text!r}") from None
    return x, y, width, height


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number < 2**53:
        raise argparse.ArgumentTypeError(f"must be an integer of 1 or more: {text!r}")
    return number


_FORMS: dict[type[types.ArgumentType], dict[str, Any]] = {
    types.Integer: {"type": _positive, "metavar": "N"},
    types.PagesArgument: {"metavar": "A-B"},
    types.Region: {"type": _region, "metavar": "X,Y,W,H"},
    types.Encoding: {"metavar": "NAME"},
    types.KindOrMediaType: {"choices": types.KINDS, "metavar": "NAME"},
    types.LineNumbers: {"choices": GUTTERS},
}
"""The form in which an argument of each type is an option."""
