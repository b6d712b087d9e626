"""`anyread info`: describe each file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from anyread._native import Opened
from anyread.arguments import checked
from anyread.errors import BinaryFileError, ReadError, UnsupportedFormatError
from anyread.gutter import Gutter
from anyread.limits import Limits
from anyread.paths import encoded
from anyread.running import threads
from anyread.running.engine import ReaderEngine

from .read import error_object, heading
from .stdin import NAME as STDIN
from .stdin import StandardInput, is_stdin
from .terminal import size

if TYPE_CHECKING:
    from argparse import Namespace

    from anyread.results import TextPage

    from .terminal import Terminal

_KINDS = {"image": "image", "application/pdf": "pdf"}


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Describe each file; return 1 if one could not be read."""
    with StandardInput() as stdin:
        return _run_files(arguments, terminal, stdin)


def _engine(roots: list[str]) -> ReaderEngine:
    return ReaderEngine(
        roots=[encoded(root) for root in roots],
        deny=[],
        limits=Limits(exact_total=True),
        gutter=Gutter.TAB,
        mmap=True,
    )


def _run_files(arguments: Namespace, terminal: Terminal, stdin: StandardInput) -> int:
    engine = _engine(arguments.root)
    status = 0
    described = 0
    for file in arguments.files:
        try:
            if is_stdin(file):
                directory = stdin.directory()
                facts = _facts(_engine([directory]), STDIN, [directory], terminal)
                # The copy that was read no longer exists when this is printed.
                facts |= {"resolved_path": STDIN} if "resolved_path" in facts else {}
            else:
                facts = _facts(engine, file, arguments.root, terminal)
        except ReadError as error:
            status = 1
            if arguments.json:
                terminal.out_json(error_object(error))
                terminal.flush()
            terminal.report(error)
            continue
        if arguments.json:
            terminal.out_json(facts)
        else:
            if len(arguments.files) > 1:
                terminal.out(heading(facts["path"], is_first=not described))
            terminal.out("".join(f"{name + ':':<13}{text}\n" for name, text in _lines(facts)))
        described += 1
        terminal.flush()
    return status


def _facts(engine: ReaderEngine, file: str, roots: list[str], terminal: Terminal) -> dict[str, Any]:
    try:
        page = _first_line(engine, file, roots, terminal)
    except (BinaryFileError, UnsupportedFormatError) as error:
        # The type of the file is known, which is all that is needed.
        kind = _KINDS.get(error.media_type) or _KINDS.get(error.media_type.partition("/")[0], "binary")
        return {
            "path": error.path,
            "kind": kind,
            "media_type": error.media_type,
            "size_bytes": error.size_bytes,
        }
    if isinstance(page, Opened):
        return {
            "path": page.path,
            "resolved_path": page.resolved_path,
            "kind": page.kind,
            "media_type": page.media_type,
            "size_bytes": page.size_bytes,
            "version": page.version,
        }
    return {
        "path": page.path,
        "resolved_path": page.resolved_path,
        "kind": page.kind,
        "media_type": page.media_type,
        "encoding": page.encoding,
        "encoding_confidence": page.encoding_confidence,
        "bom": page.bom,
        "line_ending": page.line_ending,
        "final_newline": page.final_newline,
        "lines": page.total_lines,
        "size_bytes": page.size_bytes,
        "version": page.version,
    }


def _first_line(engine: ReaderEngine, file: str, roots: list[str], terminal: Terminal) -> TextPage | Opened:
    """Read one line, which counts all of them; on a terminal a progress bar is shown."""
    request = checked(file, limit=1)
    if not terminal.shows_progress:
        page = engine.read_here(encoded(file), request)
    else:
        draw = terminal.progress(_size_bytes(file, roots))
        try:
            page = threads.run(iter(engine.read(encoded(file), request)), progress=draw)
        finally:
            terminal.end_progress()
    # Without `unless_version` nothing is `Unchanged`.
    return cast("TextPage | Opened", page)


def _size_bytes(file: str, roots: list[str]) -> int | None:
    # Only for the length of the bar; the read itself opens safely and corrects spellings.
    from pathlib import Path

    try:
        return Path(roots[0] if roots else "", file).stat().st_size
    except (OSError, ValueError):
        return None


def _lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    shown = [("kind", facts["kind"]), ("media type", facts["media_type"])]
    if facts["kind"] == "text":
        bom = ", with a byte order mark" if facts["bom"] else ""
        shown += [
            ("encoding", f"{facts['encoding']} (confidence {facts['encoding_confidence']:.2f}){bom}"),
            ("line ending", _line_ending(facts)),
            ("lines", "not counted" if facts["lines"] is None else f"{facts['lines']:,}"),
        ]
    exact = f"{facts['size_bytes']:,} bytes"
    rounded = f" ({size(facts['size_bytes'])})" if facts["size_bytes"] >= 1000 else ""
    shown.append(("size", exact + rounded))
    if "version" in facts:
        shown.append(("version", facts["version"] or "not yet (the file changed a moment ago)"))
    return shown


def _line_ending(facts: dict[str, Any]) -> str:
    if facts["final_newline"]:
        return str(facts["line_ending"])
    # The last line has no line ending, so a file of at most one line has none at all.
    has_none = facts["lines"] is not None and facts["lines"] <= 1
    return "none" if has_none else f"{facts['line_ending']}, none at the end"
