"""Find the logs that end with errors: `python -m examples.triage_logs DIRECTORY`."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from examples.in_processes import in_processes

from anyread.batch import ReadRows

BAD = re.compile(
    r"^\s*(?P<line>-?\d+)\t(?P<text>.*\b(?:ERROR|FATAL|panic|Traceback)\b.*)$",
    re.MULTILINE,
)


@dataclass
class Triage:
    """What was found in all logs."""

    suspects: list[tuple[int, str, str]] = field(default_factory=list)
    """Number of bad lines, path, and the last one; the worst log first."""
    unread: Counter[str] = field(default_factory=Counter)
    """How many files could not be read, by error code."""
    logs: int = 0
    """How many logs were read."""


def triage(directory: Path, *, workers: int = 2, tail: int = 200) -> Triage:
    """Read the last lines of each file below a directory."""
    found = Triage()
    paths = sorted(str(path) for path in directory.rglob("*") if not path.is_dir())
    read = ReadRows(offset=-tail, select=["text", "error"])
    for rows in in_processes(read, paths, workers=workers):
        for path, text, error in zip(
            rows["path"], rows["text"], rows["error"], strict=True
        ):
            if error:
                found.unread[error] += 1
                continue
            found.logs += 1
            bad = list(BAD.finditer(text))
            if bad:
                found.suspects.append(
                    (len(bad), path, f"{path}:{bad[-1]['line']}: {bad[-1]['text']}")
                )
        print(
            f"{found.logs + found.unread.total():,} of {len(paths):,} files",
            file=sys.stderr,
        )
    found.suspects.sort(reverse=True)
    return found


def main() -> None:
    """Print the logs with the most errors, and how many files could not be read."""
    found = triage(Path(sys.argv[1]))
    for count, _, last in found.suspects[:20]:
        print(f"{count:>5}  {last}")
    for code, count in found.unread.most_common():
        print(f"{count:>5}  files not read: {code}")


if __name__ == "__main__":
    main()
