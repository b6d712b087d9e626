"""Prints what the contracts of other tools answer for files: `python answers.py FILE …`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import anyread


def answers(path: Path) -> dict[str, str]:
    """Return the answer of each contract but our own."""
    found = {}
    for name in anyread.tools.CONTRACTS:
        if name != "anyread":
            tool = anyread.tool(name, cwd=path.parent)
            found[name] = json.dumps(tool.call_sync(tool.arguments_for(path)), sort_keys=True, default=str)
    return found


if __name__ == "__main__":
    print(json.dumps([answers(Path(path)) for path in sys.argv[1:]]))
