"""The pages of the documentation and their code blocks.

The word after the fence says what is done with a block:

- `python` runs. All blocks of a page run in order with the same names, in a directory with the example files
  of `anyread demo`. A `text` block directly after it is the expected output; without one the block prints
  nothing.
- `console` runs too: the lines after a `$` command are its output, including standard error.
- `python NAME` runs in the environment of the framework or engine with that name.
- `json`, `toml` and `yaml` are configurations of MCP hosts, whose server is started.
- `sh` has commands that install or start something; they are checked, but do not run.
- `text` elsewhere is an excerpt or a drawing.

`...` in an output matches any text within a line. `/repo` is a small repository.
"""

from __future__ import annotations

import io
import logging
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from PIL import Image

from helpers.readme import ROOT, matches

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
RUN_ELSEWHERE = {DOCS / "command-line.md"}
"""Pages whose examples have a test of their own."""
LANGUAGES = frozenset({"python", "console", "json", "toml", "yaml", "sh", "text"})

FENCE = re.compile(r"^ *```(?P<language>.*)\n(?P<code>(?:.*\n)*?) *```$", re.MULTILINE)
COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    code: str
    line: int
    """The line of its first line of code."""
    start: int
    end: int
    """The positions of its fences in the text."""


def name_of(page: Path) -> str:
    """Return the path of a page in the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> list[Block]:
    """Return all blocks of a page."""
    text = page.read_text("utf-8")
    return [
        Block(
            found["language"],
            found["code"],
            text.count("\n", 0, found.start()) + 2,
            found.start(),
            found.end(),
        )
        for found in FENCE.finditer(text)
    ]


def runs(page: Path) -> bool:
    """Return whether a page has blocks that run without a framework."""
    return page not in RUN_ELSEWHERE and any(
        block.language in {"python", "console"} for block in blocks_of(page)
    )


def run_page(page: Path, repository: Path) -> None:
    """Run the blocks of a page in the current directory, and compare their output."""
    text = page.read_text("utf-8")
    blocks = blocks_of(page)
    names: dict[str, Any] = {"__name__": "__page__"}
    for number, block in enumerate(blocks):
        if block.language == "python":
            following = blocks[number + 1] if number + 1 < len(blocks) else None
            is_shown = following is not None and following.language == "text"
            expected = ""
            if following is not None and is_shown and not text[block.end : following.start].strip():
                expected = following.code
            code = block.code.replace('"/repo', f'"{repository}')
            output = io.StringIO()
            # Empty lines make the line numbers of a traceback those of the page.
            source = "\n" * (block.line - 1) + code
            # As in a program of its own: pytest has handlers, with which `basicConfig` does nothing.
            with redirect_stdout(output), patch.object(logging.getLogger(), "handlers", []):
                exec(compile(source, name_of(page), "exec", dont_inherit=True), names)
            _check(output.getvalue().replace(str(repository), "/repo"), expected, block.line)
        elif block.language == "console":
            for found in COMMAND.finditer(block.code):
                _check(_printed(found["command"], repository), found["output"], block.line)


def _check(shown: str, expected: str, line: int) -> None:
    assert matches(shown, expected), f"the block at line {line} prints\n{shown}\ninstead of\n{expected}"


def _printed(command: str, repository: Path) -> str:
    program, *arguments = shlex.split(command.replace("/repo", str(repository)))
    assert program == "anyread", command
    run = subprocess.run(
        [sys.executable, "-m", "anyread", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return run.stdout.decode().replace(str(repository), "/repo")


def create_repository(directory: Path) -> None:
    """Create the files that the pages name below `/repo`."""
    source = directory / "src"
    source.mkdir(parents=True)
    for name in ("main.py", "main.rs", "auth.ts", "index.ts"):
        (source / name).write_text("".join(f"line {number}\n" for number in range(1, 201)))
    (directory / "README.md").write_text("# A repository\n\nIt has four source files.\n")
    (directory / ".env").write_text("TOKEN=none\n")
    Image.new("RGB", (64, 48), "navy").save(directory / "logo.png")
