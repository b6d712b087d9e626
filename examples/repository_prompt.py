"""Put files into a prompt: `python -m examples.repository_prompt DIRECTORY TOKENS`.

Short files are complete; long ones all get the same number of tokens, so that
everything fits the budget.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import anyread
from anyread.batch import Histogram, level, read_rows, survey


class Prompt(NamedTuple):
    """A prompt, and what was left out of it."""

    text: str
    complete: int
    """How many files are shown completely."""
    cut: int
    """How many end before their last line."""
    left_out: list[str]
    """Why each other file is not shown: binary files, secrets."""


def prompt(directory: Path, budget: int) -> Prompt:
    """Return the files of a directory, with headings, under one budget of tokens."""
    paths = tracked_files(directory)
    headings = [f"\n===== {path} =====\n" for path in paths]
    rest = budget - sum(
        anyread.TextPage(path="", text=heading).token_estimate for heading in headings
    )
    surveyed = survey(paths, roots=[directory], deny="secrets")
    limit = level(Histogram.of(surveyed["tokens"]), rest)
    rows = read_rows(
        {"path": paths}, max_tokens=limit, roots=[directory], deny="secrets"
    )
    parts, complete, cut, left_out = [], 0, 0, []
    columns = (headings, rows["text"], rows["truncated"], rows["error_message"])
    for heading, text, truncated, error in zip(*columns, strict=True):
        if error:
            left_out.append(error.splitlines()[0])
        else:
            parts += [heading, text]
            complete += not truncated
            cut += truncated
    return Prompt("".join(parts), complete, cut, left_out)


def tracked_files(directory: Path) -> list[str]:
    """Return the files that git tracks, or all files outside of a repository."""
    command = ["git", "-C", str(directory), "ls-files", "-z"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split("\0") if name]
    else:
        found = (path for path in directory.rglob("*") if path.is_file())
        names = sorted(path.relative_to(directory).as_posix() for path in found)
    return names


def main() -> None:
    """Print the prompt, and what was left out on standard error."""
    made = prompt(Path(sys.argv[1]), int(sys.argv[2]))
    print(made.text)
    print(f"{made.complete:,} files complete, {made.cut:,} cut", file=sys.stderr)
    print(*made.left_out, sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
