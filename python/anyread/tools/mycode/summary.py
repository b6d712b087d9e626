"""Answers of mycode's `Read` as the samples in proposal 0027 show them to a person."""

from __future__ import annotations

from typing import Any, Final

_WIDTH: Final = 51
"""The least number of characters in the image box."""
_NUMBER_WIDTH: Final = 6


class ReadOutput(dict[str, Any]):
    """A successful answer, with what is shown to a person but not to the model."""

    name: str = ""
    """The name of the file; empty: unknown."""
    total_lines: int | None = None
    """The number of lines of a text; `None`: unknown."""


def summary(output: dict[str, Any]) -> str:
    """Return a text between a header and a footer if lines are missing, an image as a box, and a notebook.

    An answer that was copied as JSON has no name and no total.
    """
    found = output if isinstance(output, ReadOutput) else ReadOutput(output)
    if found["contentType"] == "image":
        return _box(found)
    return _text(found) if found["contentType"] == "text" else str(found["content"])


def _text(output: ReadOutput) -> str:
    count, total = output["lineCount"], output.total_lines
    lines = [line.partition("\t")[::2] for line in output["content"].split("\n")] if count else []
    shown = "\n".join(f"{number.strip():>{_NUMBER_WIDTH}}\t{text}" for number, text in lines)
    first = int(lines[0][0]) if lines else 0
    if count == total or (total is None and first == 1 and not output["truncated"]):
        return shown
    of = f" of {output.name}" if output.name else ""
    header = f"Reading lines {first}-{first + count - 1}{of}:\n\n{shown}\n\n" if lines else ""
    return f"{header}(Showing {count:,}{'' if total is None else f' of {total:,} total'} lines)"


def _box(output: ReadOutput) -> str:
    facts = output["metadata"]
    rows = ["[Displayed as image in conversation]", "", f"Size: {_size(facts['size'])}"]
    if "dimensions" in facts:
        rows.append("Dimensions: {width} x {height}".format_map(facts["dimensions"]))
    rows.append(f"Type: {facts['mimeType'].removeprefix('image/').partition('+')[0].upper()}")
    title = f"─ Image: {output.name} " if output.name else "─ Image "
    width = max(_WIDTH, len(title) + 1)
    middle = "".join(f"│ {row:{width - 1}}│\n" for row in rows)
    return f"┌{title:─<{width}}┐\n{middle}└{'─' * width}┘"


def _size(size: int) -> str:
    if size < 1024:
        return f"{size} bytes"
    return f"{size / 1024:,.0f} KB" if size < 1024**2 else f"{size / 1024**2:,.1f} MB"
