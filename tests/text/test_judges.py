"""Lines and their numbers, compared with `grep -n ''`, `sed -n`, `tail` and `wc -l`.

`tests/torture/test_s08_lines.py` judges the lines of large files, which come from the index.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Gutter
from helpers.texts import TextReader

PLENTY = 10**9

pytestmark = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("grep", "sed", "wc")), reason="needs grep, sed and wc"
)


def output_of(*command: str | Path) -> bytes:
    """Return the output of a tool in the C locale, where a byte is a character."""
    run = subprocess.run(command, env=os.environ | {"LC_ALL": "C"}, capture_output=True, check=False)
    assert run.stderr == b""
    return run.stdout


def wc_lines(path: Path) -> int:
    """Return the count of `wc -l`, plus one if the last line is unterminated."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return 0
        file.seek(-1, os.SEEK_END)
        unterminated = file.read(1) != b"\n"
    return int(output_of("wc", "-l", path).split()[0]) + unterminated


def sed_lines(path: Path, first: int, last: int) -> bytes:
    """Return lines `first` to `last` as `sed` prints them."""
    # Quitting at an unterminated last line would make sed add a newline to it.
    return output_of("sed", "-n", f"{first},{last}p;{last + 1}q", path)


@pytest.fixture
def unlimited() -> Any:
    """Return a reader that clips nothing, with the gutter of `grep -n`."""
    return TextReader(
        limits=anyread.Limits(max_lines=PLENTY, max_line_chars=PLENTY, max_bytes=PLENTY, max_tokens=PLENTY),
        gutter=Gutter(separator=":"),
    )


FILES = {
    "plain": b"one\ntwo\nthree\n",
    "unterminated": b"one\ntwo\nthree",
    "one-newline": b"\n",
    "newlines": b"\n\n\n\n\n",
    "crlf": b"one\r\ntwo\r\n\r\nfour\r\n",
    "mixed": b"one\r\ntwo\nthree\r\n",
    "lone-cr": b"progress 1\rprogress 2\rdone\nnext\n",
    "no-line-ends": "one\ftwo\vthree\x1cfour\x1dfive\x1esix\u0085seven\u2028eight\u2029nine\nten\n".encode(),
    "wide": "漢字\n😀😀\n\ne\u0301\n".encode(),
    "looks-numbered": b"12:foo\n   12\tfoo\n1:\n",
    "trailing-space": b"one  \n \n\t\n",
    "long-line": b"x" * 70_000 + b"\n" + b"y\n",
}


@pytest.mark.parametrize("name", FILES)
def test_numbers_equal_grep(tmp_path: Path, unlimited: Any, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    page = unlimited.read_sync(path)
    expected = output_of("grep", "-an", "", path).decode()
    # Shown lines have no line endings, and the CR of a CRLF belongs to the ending.
    assert page.text + "\n" == expected.replace("\r\n", "\n")
    assert page.total_lines == wc_lines(path)


@pytest.mark.parametrize("name", FILES)
def test_content_equals_sed(tmp_path: Path, unlimited: Any, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    total = wc_lines(path)
    for first in range(1, total + 1):
        for last in range(first, total + 1):
            page = unlimited.read_sync(path, offset=first, limit=last - first + 1)
            assert page.content.encode() == sed_lines(path, first, last)


def test_random_files_equal_grep_and_sed(tmp_path: Path, unlimited: Any) -> None:
    generator = random.Random(20_261_121)
    pieces = [b"", b"a", b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"\r", b"\r\n", b"\n", b" " * 50, b"\xe2\x80\xa8"]
    for number in range(60):
        path = tmp_path / f"random-{number}"
        data = b"".join(generator.choices(pieces, k=generator.randrange(1, 400)))
        # The newline that grep adds after a final CR would look like a CRLF of the file.
        path.write_bytes(b"first\n" + data + (b"." if data.endswith(b"\r") else b""))
        page = unlimited.read_sync(path)
        expected = output_of("grep", "-an", "", path).decode()
        assert page.text.encode() + b"\n" == expected.replace("\r\n", "\n").encode()
        total = wc_lines(path)
        assert page.total_lines == total
        first = generator.randint(1, total)
        last = generator.randint(first, total)
        window = unlimited.read_sync(path, offset=first, limit=last - first + 1)
        assert window.content.encode() == sed_lines(path, first, last)
