"""Golden cases: documents that show exactly what a model sees.

Each `golden/*.md` is a page of documentation made of cases. A case is a heading, and below it fences:

- ```` ```file NAME ```` is a file: its lines with Python's escapes, so that every byte is visible; the line
  breaks of the fence are not in the file;
- ```` ```make NAME ```` is a Python expression for a file that would be too long to write down;
- ```` ```python ```` is a call: an expression that may use `anyread`;
- ```` ```text ```` is exactly what the call shows: the text of the page or of the error.

A file also exists for the later cases of its document.
`ANYREAD_UPDATE_GOLDEN=1` writes the current output of the calls into the documents; read the diff before
you accept it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import anyread

GOLDEN = Path(__file__).parents[1] / "golden"
FENCE = re.compile(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Case:
    """A call and what it shows."""

    title: str
    call: str
    start: int  # of the expected text, in the document
    expected: str
    files: list[tuple[str, bytes]] = field(default_factory=list)


def cases(document: str) -> Iterator[Case]:
    """Yield the cases of a document."""
    files: list[tuple[str, bytes]] = []
    call = ""
    for fence in FENCE.finditer(document):
        language, name, body = fence[1], fence[2], fence[3]
        if language == "file":
            escaped = body.replace("\n", "")
            files.append(
                (
                    name,
                    escaped.encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1"),
                )
            )
        elif language == "make":
            made = eval(body, {})
            files.append((name, made.encode() if isinstance(made, str) else made))
        elif language == "python":
            call = body.strip()
        elif language == "text":
            title = re.findall(r"^#+ (.*)$", document[: fence.start()], re.MULTILINE)[-1]
            yield Case(title, call, fence.start(3), body, list(files))


def shown(call: str) -> str:
    """Make a call and return what a model sees."""
    try:
        result = eval(call, {"anyread": anyread})
    except anyread.ReadError as error:
        return f"{type(error).__name__}: {error}\n"
    if isinstance(result, anyread.Page):
        return f"{result.text}\n" if result.text else ""
    return f"{result!r}\n"


def documents() -> list[str]:
    """Return the names of the golden documents."""
    return sorted(path.name for path in GOLDEN.glob("*.md"))


@pytest.mark.parametrize("name", documents())
def test_golden_document_shows_what_a_model_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = GOLDEN / name
    document = path.read_bytes().decode()
    monkeypatch.chdir(tmp_path)
    updated, end = "", 0
    found = list(cases(document))
    for case in found:
        for file, data in case.files:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            Path(file).write_bytes(data)
        now = shown(case.call).replace(str(tmp_path), "/folder")
        if not os.environ.get("ANYREAD_UPDATE_GOLDEN"):
            assert now == case.expected, f"{name}: {case.title}"
        updated += document[end : case.start] + now
        end = case.start + len(case.expected)
    assert found, "a document without cases tests nothing"
    if os.environ.get("ANYREAD_UPDATE_GOLDEN"):
        path.write_bytes((updated + document[end:]).encode())
