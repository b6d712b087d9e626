"""Make a set of tasks: `python -m benches.locate.make TASKS.jsonl.gz SEED WORK TOOLS`.

WORK is a directory for the files, which is emptied, and for archives. TOOLS has the TypeScript compiler in
`node_modules` and the program of `gold/rust`; benches/README.md says how both are made and what else is needed.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from . import code, data
from .making import Making

_DIFFS = ("rich/table.py", "rich/text.py", "click/core.py", "lark/lexer.py", "yaml/scanner.py", "mako/lexer.py",
          "docutils/nodes.py", "pyparsing/results.py", "tomlkit/items.py", "werkzeug/http.py")  # fmt: skip


def main() -> None:
    """Make the tasks."""
    path, seed, work, tools = (
        Path(sys.argv[1]),
        int(sys.argv[2]),
        Path(sys.argv[3]).resolve(),
        Path(sys.argv[4]),
    )
    m = Making(seed, work / "w", work)
    golds = code.Golds(m, tools.resolve())
    steps = [*code.all_code(m, golds), lambda: data.diffs(m, [f"py/{name}" for name in _DIFFS])]
    steps += [
        lambda step=step: step(m)  # type: ignore[misc]
        for step in (data.logs, data.tables, data.encodings, data.records, data.notebooks, data.pdfs, data.workbooks,
                     data.documents, data.slides, data.long_functions)
    ]  # fmt: skip
    for step in steps:
        step()
        print(len(m.tasks), "tasks", flush=True)
    m.write(path)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
