"""Make a set of tasks: `python -m benches.locate.make TASKS.jsonl.gz SEED WORK TOOLS`.

WORK is a directory for the files, which is emptied, and for archives. TOOLS has the TypeScript compiler in
`node_modules` and the program of `gold/rust`; benches/README.md says how both are made, and what is needed.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from . import code, data, python_code
from .golds import Golds
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


def steps(m: Making, golds: Golds) -> Iterator[Callable[[], None]]:
    """Yield the steps, in an order in which no edit of a file changes the gold of an earlier task."""
    python = python_code
    for step in (
        code.packages,
        python.tracebacks,
        python.python_hits,
        python.types,
        python.modules,
        python.directories,
        python.mistakes,
    ):
        yield partial(step, m)
    for name in ("rust", "go", "node", "java", "c", "cpp"):
        yield partial(code.language, m, golds, name)
    yield partial(data.diffs, m, [f"py/{name}" for name in _DIFFS])
    for each in (
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
    ):
        yield partial(each, m)


def main() -> None:
    """Make the tasks."""
    path, seed, work, tools = sys.argv[1:]
    directory = Path(work).resolve()
    m = Making(int(seed), directory / "w", directory)
    for step in steps(m, Golds(m, Path(tools).resolve())):
        step()
        print(len(m.tasks), "tasks", flush=True)
    m.confirm()
    m.write(Path(path))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
