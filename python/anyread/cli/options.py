"""The options of each command."""

from __future__ import annotations

import argparse
import os
from typing import Any

from anyread import Limits
from anyread.arguments import types
from anyread.arguments.gutter import GUTTERS
from anyread.arguments.page_range import PageRange
from anyread.arguments.request import ARGUMENTS, LARGEST
from anyread.registry import ADAPTERS, HOSTS, PRESET_NAMES

from .colors import CHOICES

SHELLS = ("bash", "zsh", "fish")
IMAGES = ("auto", "never", "kitty", "iterm")

_TAIL = f"""\
the last N lines; numbered from the start in files up to {Limits().count_bytes >> 20} MiB,
and from the end in larger files, which are read backwards"""
_MODELS = f"{', '.join(PRESET_NAMES)}, or a model such as claude-sonnet-5"


def add_read(read: argparse.ArgumentParser) -> None:
    """Add the options of `anyread read`."""
    add_info(read, "a file, a place such as main.py:10-20,80, or - for standard input; several get headings")
    window = read.add_argument_group("which part")
    first = window.add_mutually_exclusive_group()
    _add(first, "offset", type=int)
    first.add_argument("--tail", dest="offset", type=lambda text: -_positive(text), metavar="N", help=_TAIL)
    first.add_argument(
        "--lines",
        type=_lines,
        metavar="A-B",
        help="lines A to B, or only A, or from A- on; or FILE:A-B",
    )
    window.add_argument(
        "-f",
        "--follow",
        action="store_true",
        help="show what is appended until Ctrl-C, also after rotation or truncation; starts with the last "
        "10 lines, or where --tail or --offset says",
    )
    _add(window, "limit", "-n", default=f"{Limits().max_lines}; the block around a place such as FILE:120")
    for name in ("find", "column", "pages", "region", "at", "values"):
        _add(window, name)
    window.add_argument("--all", action="store_true", help="show what follows too, to the end of the file")
    _add_maximum(window, "tokens", f"of text, estimated (default: {Limits().max_tokens})")
    _add_maximum(window, "bytes", f"of text, in UTF-8 (default: {Limits().max_bytes})")
    window.add_argument("--exact-total", action="store_true", help="count the lines of huge files too")
    model = _add_output(read)
    model.add_argument(
        "--tool",
        metavar="NAME",
        help="print what another agent's read tool answers, such as claude-code; an unknown name lists all",
    )
    model.add_argument(
        "--arguments",
        metavar="JSON",
        help="the tool's own arguments as a JSON object without the path; requires --tool",
    )


def add_places(places: argparse.ArgumentParser) -> None:
    """Add the options of `anyread places`."""
    add_info(places, "a file with a text that names places, or - for standard input")
    places.add_argument(
        "--list", action="store_true", help="only print the places, as path:line:column, one per line"
    )
    _add(places, "limit", "-n", default="the block around each place")
    _add_output(places)
    # The options of `anyread read` that `anyread places` does not have.
    absent = "offset find column pages region at values max_tokens max_bytes exact_total all tool arguments"
    places.set_defaults(**dict.fromkeys(absent.split()))


def _add_output(command: argparse.ArgumentParser) -> argparse._ActionsContainer:
    """Add the options that say how pages are shown; return the group of those for models."""
    style = command.add_argument_group("how to read and show it")
    _add(style, "encoding")
    _add(style, "kind")
    _add(style, "gutter", default="tab")
    style.add_argument(
        "--images",
        choices=IMAGES,
        default="auto",
        metavar="HOW",
        help=f"show images in the terminal: {', '.join(IMAGES)} (default: auto, if it is known to "
        "support one of these)",
    )
    style.add_argument(
        "--save",
        metavar="DIR",
        help="write the images and documents that a model would see to new files in this directory",
    )
    model = command.add_argument_group("output for a model")
    model.add_argument(
        "--model",
        metavar="NAME",
        help=f"what the model accepts: {_MODELS} (default: ANYREAD_MODEL, or what any model accepts)",
    )
    model.add_argument(
        "--for",
        dest="target",
        choices=tuple(ADAPTERS),
        metavar="API",
        help=f"print the content of a message to this API, as JSON: {', '.join(ADAPTERS)}",
    )
    return model


def _add(
    group: argparse._ActionsContainer, name: str, *short: str, default: object = None, **form: Any
) -> None:
    """Add the option for an argument of a read; `form` replaces parts of the form of its type."""
    argument = ARGUMENTS[name]
    default = default or argument.default_means or argument.default
    group.add_argument(
        *short,
        f"--{name}",
        help=f"{argument.description} (default: {default})",
        **{**_FORMS[type(argument)], **form},
    )


def add_mcp(mcp: argparse.ArgumentParser) -> None:
    """Add the options of `anyread mcp`."""
    root = "a directory that may be read; relative paths are relative to the first (repeatable)"
    _add_access(mcp, root)
    mcp.add_argument(
        "--tool",
        default="anyread",
        metavar="NAME",
        help="the contract of the tool, such as claude-code (default: anyread); an unknown name lists all",
    )
    mcp.add_argument(
        "--model",
        metavar="NAME",
        help=f"what the model accepts: {_MODELS} (default: ANYREAD_MODEL)",
    )
    _add(mcp, "gutter", default="tab")
    mcp.add_argument(
        "--pdf",
        choices=("pages", "document"),
        default="pages",
        help="show PDFs as text and images (default), or send small ones as files, which most hosts drop",
    )
    mcp.add_argument(
        "--host",
        metavar="NAME",
        help=f"the host that connects, if it is {' or '.join(HOSTS)}, which show no images",
    )
    _add_maximum(mcp, "tokens", "per reply, estimated (default: 20,000; hosts refuse replies over 25,000)")
    mcp.add_argument(
        "--http",
        type=_address,
        metavar="HOST:PORT",
        help="serve over HTTP on this loopback address; port 0 selects a free one",
    )
    mcp.add_argument(
        "--token-file",
        metavar="FILE",
        help="a file with the token that HTTP requests must have; or set ANYREAD_MCP_TOKEN",
    )


def add_completion(completion: argparse.ArgumentParser) -> None:
    """Add the argument of `anyread completion`."""
    completion.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


def add_doctor(doctor: argparse.ArgumentParser) -> None:
    """Add the option of `anyread doctor`."""
    doctor.add_argument("--json", action="store_true", help="print one JSON object")


def add_demo(demo: argparse.ArgumentParser) -> None:
    """Add the argument of `anyread demo`."""
    demo.add_argument("directory", metavar="DIR", help="the directory, created if it is missing")


def _add_maximum(group: argparse._ActionsContainer, unit: str, of: str) -> None:
    group.add_argument(f"--max-{unit}", type=_positive, metavar="N", help=f"maximum {unit} {of}")


def _add_access(command: argparse.ArgumentParser, root: str) -> None:
    root += "; without it, the directories in ANYREAD_ROOT"
    form: Any = {"action": "append", "default": []}
    command.add_argument("--root", type=os.path.expanduser, metavar="DIR", help=root, **form)
    deny = "files to refuse, such as '**/*.bak'; `secrets` means files with credentials (repeatable)"
    command.add_argument("--deny", action="append", default=[], metavar="GLOB", help=deny)
    command.add_argument("--decompress", action="store_true", help="read the text in gzip files")


def add_info(
    command: argparse.ArgumentParser, files: str = "a file, or - for standard input; several get headings"
) -> None:
    """Add the options of `anyread info`, which `anyread read` has too, and FILE with its description."""
    # The parser takes standard input if there is none.
    command.add_argument("files", nargs="*", metavar="FILE", help=files)
    command.add_argument("--json", action="store_true", help="print one JSON object per line for each file")
    _add_access(
        command, "refuse files outside this directory; relative paths are relative to it (repeatable)"
    )
    command.add_argument(
        "-q", "--quiet", action="store_true", help="leave out footers, notices and progress bars; not errors"
    )
    command.add_argument(
        "--color",
        choices=CHOICES,
        default="auto",
        metavar="WHEN",
        help=f"use colors: {', '.join(CHOICES)} (default: auto, which means on a terminal)",
    )


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


def _lines(text: str) -> tuple[int, int | None]:
    lines = PageRange.parse(text)
    if lines is None or not lines.is_rising:
        raise argparse.ArgumentTypeError(f"must be a line, or lines such as 10-20 or 10-: {text!r}")
    return lines.first, None if lines.last is None else lines.last - lines.first + 1


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= LARGEST:
        raise argparse.ArgumentTypeError(f"must be an integer of 1 or more: {text!r}")
    return number


_FORMS: dict[type[types.ArgumentType], dict[str, Any]] = {
    types.Integer: {"type": _positive, "metavar": "N"},
    types.PagesArgument: {"metavar": "A-B"},
    types.Region: {"type": _region, "metavar": "X,Y,W,H"},
    types.Address: {"metavar": "ADDRESS"},
    types.FindPattern: {"metavar": "PATTERN"},
    types.Choice: {"choices": types.VALUES},
    types.Encoding: {"metavar": "NAME"},
    types.KindOrMediaType: {"choices": types.KINDS, "metavar": "NAME"},
    types.LineNumbers: {"choices": tuple(GUTTERS)},
}
"""The form in which an argument of each type is an option."""
