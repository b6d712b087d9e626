"""Files, notebooks and arguments with naughty strings, and checks that answers can be sent."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anyread.tools.parts.contract import Definition
from helpers.notebooks import code, display, markdown, png, stream
from torture.naughty_strings import STRINGS, file_name, printable_name

# JSON has no such numbers, but Python's `json` module writes and reads them.
_NUMBERS = (float("nan"), float("inf"), float("-inf"), 10**400, -0.0, 1e308)


@dataclass
class Tally:
    """How many answers were checked, and what was wrong."""

    checked: int = 0
    failures: list[str] = field(default_factory=list)

    def check(self, what: str, text: str, call: Callable[..., object], *arguments: object) -> None:
        """Check that a call returns a value that strict JSON and UTF-8 can represent."""
        self.checked += 1
        try:
            strictly_encoded(call(*arguments))
        except Exception as error:  # noqa: BLE001 - every exception is a failure
            self.note(f"{what} of {printable_name(text)}: {type(error).__name__}: {error}")

    def note(self, failure: str) -> None:
        self.failures.append(failure.encode("ascii", "backslashreplace").decode()[:400])


def arguments_of(definition: Definition) -> tuple[str, dict[str, Any], list[str]]:
    """Return the name of the path, the other required arguments, and the names of all others."""
    schema = definition.input_schema
    path = next(iter(schema["properties"]))
    fixed = {name: schema["properties"][name]["enum"][0] for name in schema["required"] if name != path}
    return path, fixed, [name for name in schema["properties"] if name != path]


@dataclass(frozen=True)
class Sample:
    """One naughty string, and files that contain it."""

    text: str
    file: Path
    """A file with the string in its name and as its content."""
    notebook: Path
    """A notebook with the string in each of its fields."""

    @property
    def arguments(self) -> Iterator[dict[str, Any]]:
        """The keyword arguments of reads that pass the string."""
        for name in ("encoding", "pages", "since_version", "unless_version"):
            yield {name: self.text}


def strictly_encoded(value: object) -> bytes:
    """Encode a value as JSON in UTF-8, without NaN and without escapes that hide a lone surrogate."""
    return json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


def strictly_decoded(line: bytes) -> Any:
    """Decode one line of JSON; raise `ValueError` for NaN, infinities and bytes that are not UTF-8."""

    def refuse(constant: str) -> object:
        raise ValueError(f"{constant} is not JSON")

    value = json.loads(line.decode("utf-8"), parse_constant=refuse)
    strictly_encoded(value)
    return value


def chosen(count: int) -> list[tuple[int, str]]:
    """Return the first two strings and others that are spread over the list, each with its number."""
    first, rest = list(enumerate(STRINGS))[:2], list(enumerate(STRINGS))[2:]
    step = max(1, len(rest) // count)
    return (first + rest[step - 1 :: step])[:count]


def write_samples(directory: Path, count: int) -> list[Sample]:
    """Write the files of `count` strings."""
    samples = []
    for number, text in chosen(count):
        path = os.fsencode(directory) + b"/" + file_name(text, number)
        with open(path, "wb") as file:  # noqa: PTH123 - a path of bytes
            file.write(f"{text}\n".encode("utf-8", "surrogatepass") * 2)
        notebook = directory / f"{number}.ipynb"
        notebook.write_text(notebook_of(text, number))
        samples.append(Sample(text, Path(os.fsdecode(path)), notebook))
    return samples


def notebook_of(text: str, number: int) -> str:
    """Return a notebook with a string wherever a notebook has one, and with numbers that JSON lacks."""
    strange = _NUMBERS[number % len(_NUMBERS)]
    bundle = display(image_png=png(), text_plain=text, **{f"text/{text}": text, "application/json": strange})
    error = {"output_type": "error", "ename": text, "evalue": text, "traceback": [text, text]}
    result = {
        "output_type": "execute_result",
        "execution_count": strange,
        "data": {text: text},
        "metadata": {},
    }
    cells = [
        markdown(text, id=text, attachments={text: {"image/png": png()}}),
        code(text, stream(text), stream(text, text), bundle, error, result, count=strange, id=text),  # type: ignore[arg-type] # an invalid count
        {"cell_type": text, "source": [text, text], "metadata": {text: strange}},
        code(
            "x", {"output_type": text, text: strange}, {"output_type": "stream", "name": text, "text": [text]}
        ),
    ]
    metadata = {
        "language_info": {"name": text},
        "kernelspec": {"language": text, "name": strange},
        text: text,
    }
    minor = (5, strange)[number % 2]
    return json.dumps({"nbformat": 4, "nbformat_minor": minor, "metadata": metadata, "cells": cells})
