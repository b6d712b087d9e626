"""`anyread info`: describe each file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from anyread.errors import ReadError
from anyread.reader import Reader
from anyread.running import threads

from .colors import BOLD
from .read import error_object
from .showing import LABEL
from .stdin import NAME as STDIN
from .stdin import StandardInput, is_pipe
from .terminal import size

if TYPE_CHECKING:
    from argparse import Namespace

    from anyread.results.info import Info

    from .terminal import Terminal


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Describe each file; return 1 if one could not be read."""
    with StandardInput() as stdin:
        return _run_files(arguments, terminal, stdin)


def _run_files(arguments: Namespace, terminal: Terminal, stdin: StandardInput) -> int:
    reader = Reader(
        roots=arguments.root, deny=arguments.deny, directories="list", decompress=arguments.decompress
    )
    status = described = 0
    for file in arguments.files:
        try:
            if is_pipe(file):
                directory = stdin.directory(file)
                info = _described(
                    Reader(roots=[directory], decompress=arguments.decompress), STDIN, directory, terminal
                )
                # The copy that was read no longer exists when this is printed.
                info = replace(info, resolved_path=STDIN)
            else:
                info = _described(reader, file, arguments.root[0] if arguments.root else "", terminal)
        except ReadError as error:
            status = 1
            if arguments.json:
                terminal.out_json(error_object(error))
                terminal.flush()
            terminal.report(error)
            continue
        if arguments.json:
            terminal.out_json(_object(info))
        else:
            if len(arguments.files) > 1:
                terminal.out_heading(info.path, is_first=not described)
            shown = "".join(f"{name + ':':<13}{text}\n" for name, text in _lines(info))
            terminal.out_colored(shown, [(LABEL, BOLD)])
        described += 1
        terminal.flush()
    return status


def _described(reader: Reader, file: str, root: str, terminal: Terminal) -> Info:
    """Describe a file; on a terminal a progress bar is shown while its lines are counted."""
    if not terminal.shows_progress:
        return reader.info_sync(file)
    draw = terminal.progress(_size_bytes(root, file))
    try:
        return threads.run(lambda: reader.info_sync(file), progress=draw)
    finally:
        terminal.end_progress()


def _size_bytes(root: str, file: str) -> int | None:
    # Only for the length of the progress bar; the reader itself opens files safely and repairs paths.
    from pathlib import Path

    try:
        return Path(root, file).stat().st_size
    except (OSError, ValueError):
        return None


def _object(info: Info) -> dict[str, Any]:
    """Return the known facts about a file as JSON values."""
    facts = {name: value for name, value in info.to_dict().items() if value is not None}
    if info.problem is not None:
        facts["problem"] = error_object(info.problem)
    return facts


def _lines(info: Info) -> list[tuple[str, str]]:
    """Return the known facts about a file as labels and texts for a terminal."""
    shown = [("kind", info.kind), ("media type", info.media_type)]
    if info.encoding is not None:
        bom = ", with a byte order mark" if info.bom else ""
        shown += [
            ("encoding", f"{info.encoding} (confidence {info.encoding_confidence:.2f}){bom}"),
            ("line ending", _line_ending(info)),
            ("lines", f"{info.lines:,}"),
        ]
    if info.compression is not None:
        checked = "verified" if info.verified else "damaged or cut"
        shown.append(("compression", f"{info.compression}, {info.text_bytes:,} bytes of text, {checked}"))
    if info.width is not None:
        shown.append(("dimensions", f"{info.width:,} × {info.height:,} pixels"))
    if (info.frames or 1) > 1:
        shown.append(("frames", f"{info.frames:,}"))
    if info.pages is not None and (info.kind == "pdf" or info.pages > 1):
        shown.append(("pages", f"{info.pages:,}"))
    if info.is_encrypted:
        shown.append(("encrypted", "yes"))
    if info.cells is not None:
        shown.append(("cells", f"{info.cells:,}"))
    if info.entries is not None:
        return [*shown, ("entries", f"{info.entries:,}")]
    if info.language is not None:
        shown.append(("language", info.language))
    shown += [_fact(*fact) for fact in (info.facts or {}).items() if fact[1] is not False]
    if info.problem is not None:
        shown.append(("problem", info.problem.message))
    rounded = f" ({size(info.size_bytes)})" if info.size_bytes >= 1000 else ""
    shown.append(("size", f"{info.size_bytes:,} bytes{rounded}"))
    shown.append(("version", info.version or "not yet (the file changed a moment ago)"))
    return shown


def _fact(name: str, value: object) -> tuple[str, str]:
    """Return a fact without a field of its own as a label and a text."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else "yes" if value is True else str(value)
    return name.removeprefix("has_").replace("_", " "), text


def _line_ending(info: Info) -> str:
    if info.final_newline:
        return str(info.line_ending)
    # The last line has no ending, so a file of at most one line has none at all.
    has_none = info.lines is not None and info.lines <= 1
    return "none" if has_none else f"{info.line_ending}, none at the end"
