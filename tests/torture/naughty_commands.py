"""Run the command line many times in one process, as `anyread` would with each list of arguments.

`python -m torture.naughty_commands FILE` reads a JSON list of lists of arguments, and writes the exit code or
the traceback of each to `FILE.done`. Standard output and standard error are those of the command line.
"""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path

from anyread.cli import main


def outcome(arguments: list[str]) -> int | str:
    """Run the command line once; return its exit code, or the traceback of an exception."""
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - every exception is a failure
        return traceback.format_exc()


if __name__ == "__main__":
    commands = json.loads(Path(sys.argv[1]).read_text())
    Path(f"{sys.argv[1]}.done").write_text(json.dumps([outcome(arguments) for arguments in commands]))
