"""The options of the command line, and their help."""

from __future__ import annotations

import argparse
import os
from typing import NoReturn

from anyread import Limits, __version__

from .target import TARGETS

GUTTERS = ("tab", "cat-n", "arrow", "colon", "pipe", "bar", "none")
KINDS = ("text", "image", "pdf", "notebook")
MODELS = ("any", "anthropic", "openai", "gemini", "bedrock", "mcp", "text-only")
"""The names of `anyread.model.PRESETS`, which need not be loaded for the help."""

_TAIL = f"""\
the last N lines; files up to {Limits().count_bytes >> 20} MiB are counted, and these lines have their
numbers from the start; larger files are read backwards, and the numbers count from the end"""

_DESCRIPTION = """\
Read any window of any text file, with exact line numbers, as a model should see it.
A window of a log of 10 GB comes as fast as one of a source file.
Pictures, PDFs and notebooks are shown as a model can take them."""

_EPILOG = """\
examples:
  anyread read server.log --tail 20                the last 20 lines of a file of any size
  anyread read paper.pdf --pages 3-5               text of PDF pages; --save DIR has their pictures
  anyread info notes.txt                           kind, encoding, lines, size
  anyread mcp --root ~/project                     for an editor or any other host of MCP

`anyread COMMAND --help` tells of each command.

exit status:
  0    all files were read
  1    a file could not be read; a line on standard error says why, with a hint
  2    the command line is wrong
  130  interrupted
  141  the reader of the output went away

On a terminal, control characters, escape sequences and characters that turn the
direction of writing are shown as ^[ or \\x{202e}. In a pipe the output is exact,
and in UTF-8 whatever the locale.
"""

_READ_DESCRIPTION = """\
Show a window of each file.
What is left out, and how to read on, is said in a last line: on a terminal below
the text, else on standard error."""

_INFO_DESCRIPTION = """\
Say what each file is: kind, media type, encoding, line ending, lines (all of
them counted), size and version. Counting a big file on a terminal shows progress."""

_READ_EPILOG = """\
examples:
  anyread read server.log                          the first page, and how to go on
  anyread read server.log --offset 120000 --limit 50
  anyread read server.log --tail 20                the last 20 lines
  anyread read bundle.js --offset 1 --column 2001  go on inside a long line
  anyread read a.py b.py --gutter none             two files, without line numbers
  anyread read notes.txt --json | jq .encoding
  anyread read photo.jpg --save seen               what it is, and what a model sees of it
  anyread read paper.pdf --pages 3-5 --save seen   text, and a picture of each page
  anyread read photo.jpg --for anthropic           the blocks of a message
  anyread read main.py --tool forge --arguments '{"start_line": 10}'
"""

_INFO_EPILOG = """\
examples:
  anyread info server.log
  anyread info server.log --json | jq .lines
"""

_MCP_DESCRIPTION = """\
Serve a tool that reads files to hosts of the Model Context Protocol, over standard
input and output until the host closes them, or over HTTP on this machine.
It needs more packages: pip install 'anyread[mcp]'"""

_MCP_EPILOG = """\
examples:
  anyread mcp --root ~/project                     what a host starts
  anyread mcp --root src --root docs --deny '**/.env'
  anyread mcp --root . --tool claude-code --model anthropic
  anyread mcp --root . --http 127.0.0.1:8321       for several hosts, at /mcp
"""


class _Parser(argparse.ArgumentParser):
    """Say in two lines what is wrong; the whole usage would push the reason out of sight."""

    brief = "[OPTIONS] FILE ..."

    def error(self, message: str) -> NoReturn:
        usage = f"usage: {self.prog} {self.brief} (see {self.prog} --help)"
        self.exit(2, f"{usage}\n{self.prog}: error: {message}\n")


def command_line() -> argparse.ArgumentParser:
    """Make the parser of the whole command line."""
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
    first.add_argument(
        "--offset", type=int, metavar="N", help="first line, from 1 (default); -N: N lines before the end"
    )
    first.add_argument("--tail", type=_positive, metavar="N", help=_TAIL)
    window.add_argument("--limit", type=_positive, metavar="N", help=f"lines (default: {Limits().max_lines})")
    window.add_argument(
        "--column",
        type=_positive,
        metavar="N",
        help="first character of that line or PDF page, from 1",
    )
    window.add_argument("--pages", metavar="A-B", help='pages of a PDF or a TIFF: "3", "1-5", "2-"')
    window.add_argument(
        "--region",
        type=_region,
        metavar="X,Y,W,H",
        help="part of a picture (pixels) or PDF page (points)",
    )
    window.add_argument(
        "--max-tokens",
        type=_positive,
        metavar="N",
        help=f"tokens of text, estimated (default: {Limits().max_tokens})",
    )
    window.add_argument("--exact-total", action="store_true", help="count the lines of huge files too")
    way = read.add_argument_group("how it is read and shown")
    way.add_argument("--encoding", metavar="NAME", help="encoding (default: detected)")
    way.add_argument(
        "--kind",
        choices=KINDS,
        metavar="NAME",
        help=f"what to read it as: {', '.join(KINDS)} (default: detected)",
    )
    way.add_argument("--gutter", choices=GUTTERS, help="how line numbers stand before lines (default: tab)")
    way.add_argument(
        "--save",
        metavar="DIR",
        help="write the images and documents that a model would see into new files there",
    )
    model = read.add_argument_group("as a model gets it")
    model.add_argument(
        "--model",
        choices=MODELS,
        metavar="NAME",
        help=f"what the model takes: {', '.join(MODELS)} (default: what any model takes)",
    )
    model.add_argument(
        "--for",
        dest="target",
        choices=tuple(TARGETS),
        metavar="API",
        help=f"print the content of a message, as JSON, to one of {', '.join(TARGETS)}",
    )
    model.add_argument(
        "--tool",
        metavar="NAME",
        help="print what the read tool of another agent answers, such as claude-code; a wrong name lists all",
    )
    model.add_argument(
        "--arguments",
        metavar="JSON",
        help="with --tool: its own arguments as an object, the path left out",
    )


def _add_info(commands: argparse._SubParsersAction[_Parser]) -> None:
    info = commands.add_parser(
        "info",
        usage="%(prog)s [OPTIONS] FILE ...",
        help="say what each file is",
        description=_INFO_DESCRIPTION,
        epilog=_INFO_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_files(info)


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
        help="a folder that may be read; relative paths are looked for in the first (repeatable)",
    )
    mcp.add_argument(
        "--deny", action="append", default=[], metavar="GLOB", help="files to refuse: '**/.env' (repeatable)"
    )
    mcp.add_argument(
        "--tool",
        default="anyread",
        metavar="NAME",
        help="whose contract to keep, such as claude-code (default: anyread); a wrong name lists all",
    )
    mcp.add_argument(
        "--model",
        metavar="NAME",
        help=f"what the model takes: {', '.join(MODELS)}",
    )
    mcp.add_argument(
        "--pdf",
        choices=("pages", "document"),
        default="pages",
        help="PDFs as text and pictures (default), or small ones as the file itself, which most hosts drop",
    )
    mcp.add_argument(
        "--host",
        metavar="NAME",
        help="the host that connects, if it is google-adk or smolagents, which show no pictures",
    )
    mcp.add_argument(
        "--max-tokens",
        type=_positive,
        metavar="N",
        help="tokens of a reply, estimated (default: 20,000, since hosts refuse replies over 25,000)",
    )
    mcp.add_argument(
        "--http",
        type=_address,
        metavar="HOST:PORT",
        help="serve over HTTP there, on loopback; port 0: any free one",
    )


def _add_files(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files", nargs="+", metavar="FILE", help="a file, or - for standard input; several get headings"
    )
    command.add_argument("--json", action="store_true", help="one JSON object for each file, a line each")
    command.add_argument(
        "--root",
        action="append",
        default=[],
        type=os.path.expanduser,
        metavar="DIR",
        help="refuse what is outside of this folder, and look for relative paths in it (repeatable)",
    )


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isdecimal() and int(port) < 2**16):
        raise argparse.ArgumentTypeError(f"must be a host and a port, as 127.0.0.1:8321: {text!r}")
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
        raise argparse.ArgumentTypeError(f"must be a number of 1 or more: {text!r}")
    return number
