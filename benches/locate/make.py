"""Make a set of tasks: `python -m benches.locate.make TASKS.jsonl.gz SEED WORK TOOLS`.

WORK is a directory for the files, which is emptied, and for archives. TOOLS has the TypeScript compiler in
`node_modules` and the program of `gold/rust`; benches/README.md says how both are made, and what is needed.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from . import code, data
from .making import Making

_DIFFS = (
    "rich/table.py",
    "rich/text.py",
    "click/core.py",
    "lark/lexer.py",
    "yaml/scanner.py",
    "mako/lexer.py",
    "docutils/nodes.py",
    "pyparsing/results.py",
    "tomlkit/items.py",
    "werkzeug/http.py",
)


_DATA = (
    data.logs,
    data.tables,
    data.encodings,
    data.records,
    data.notebooks,
    data.pdfs,
    data.workbooks,
    data.documents,
    data.slides,
    data.long_functions,
)


def main() -> None:
    """Make the tasks."""
    path, seed, work, tools = sys.argv[1:]
    directory = Path(work).resolve()
    m = Making(int(seed), directory / "w", directory)
    for step in code.steps(m, code.Golds(m, Path(tools).resolve())):
        step()
        print(len(m.tasks), "tasks", flush=True)
    data.diffs(m, [f"py/{name}" for name in _DIFFS])
    for each in _DATA:
        each(m)
        print(len(m.tasks), "tasks", flush=True)
    m.write(Path(path))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
