"""Running all tasks with readers: the workspace, the readers by name, and what came of each task."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyread_conformance.readers import CommandReader, FunctionReader

from . import sources
from .callers import Caller, ContractCaller, McpCaller, PlainCaller
from .conversation import Conversation, Outcome
from .known import KNOWN
from .reader import Reader, learn
from .shell import Shell
from .tokens import TokenCounter
from .truth import Truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VOCABULARY = sources.Source(
    "npm",
    "js-tiktoken",
    "1.0.21",
    "js-tiktoken-1.0.21.tgz",
    "3b1f24b185565ca9a8d8f51466dfc4f99d67f1f05bc009258710ddb7a8d810fa",
)


class Workspace:
    """The files of a set of tasks, and what they say.

    Args:
        tasks: The file of the tasks.
        cache: The directory that keeps archives and files.
    """

    def __init__(self, tasks: Path, cache: Path) -> None:
        self.header, self.tasks = sources.load(tasks)
        name = hashlib.sha256(tasks.read_bytes()).hexdigest()[:12]
        self.root = cache / name / "w"
        known = cache / name / "texts.json"
        known.parent.mkdir(parents=True, exist_ok=True)
        with self._alone():
            if not known.exists():
                texts = sources.prepare(self.header, self.root, cache)
                known.write_text(json.dumps(texts), "utf-8")
        self.truth = Truth(self.root, json.loads(known.read_text("utf-8")), self.header.get("encodings", {}))
        self.tokens = TokenCounter(_vocabulary(cache))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Wait for other processes that make files or let them grow."""
        with self.root.with_name("lock").open("w") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield

    @contextmanager
    def as_it_was(self, task: dict[str, Any]) -> Iterator[None]:
        """Cut the files that a task lets grow to what they were before."""
        growing = {self.root / want["path"] for want in task["wants"] if want.get("append")}
        if not growing:
            yield
            return
        with self._alone():
            sizes = {path: path.stat().st_size for path in growing}
            try:
                yield
            finally:
                for path, size in sizes.items():
                    os.truncate(path, size)


def opened(
    workspace: Workspace,
    shell: Shell,
    *,
    name: str | None = None,
    mcp: str | None = None,
    command: str | None = None,
    whole: str | None = None,
    function: str | None = None,
    tool: str | None = None,
    python: str | None = None,
) -> Reader | Shell:
    """Start a reader by its name or by how it is called, and learn it.

    Raises:
        ReaderStartError: It cannot be started.
        UnusableReaderError: It does not show a plain text file.
    """
    root, truth = workspace.root, workspace.truth.lines
    if name == "shell":
        return shell
    row = KNOWN[name] if name is not None else {}
    caller: Caller
    if "contract" in row:
        caller = ContractCaller(row, python)
    elif mcp is not None or "mcp" in row:
        started = mcp or row["mcp"]
        caller = McpCaller(started.replace("{root}", shlex.quote(str(root))), tool or row.get("tool"))
    elif command is not None:
        caller = PlainCaller(CommandReader(command, whole))
    else:
        caller = PlainCaller(FunctionReader(function or "", python=python))
    return learn(caller, root, truth, row)


def run(
    workspace: Workspace,
    reader: Reader | Shell,
    shell: Shell,
    *,
    window: int = 100,
    only: Callable[[dict[str, Any]], bool] = lambda _: True,
    show: Callable[[str], None] | None = None,
) -> list[Outcome]:
    """Run the tasks with a reader, each as a conversation of its own."""
    outcomes = []
    for task in filter(only, workspace.tasks):
        if isinstance(reader, Reader):
            reader.caller.task = task["id"]
        if show is not None:
            show(f"#### {task['id']}\n{task['said']}")
        with workspace.as_it_was(task):
            conversation = Conversation(
                task,
                reader,
                shell,
                truth=workspace.truth,
                tokens=workspace.tokens,
                root=workspace.root,
                window=window,
                show=show,
            )
            outcomes.append(conversation.run())
    return outcomes


def _vocabulary(cache: Path) -> Path:
    path = cache / "o200k_base.json"
    if not path.exists():
        archive = sources.fetched(VOCABULARY, cache)
        ranks = next(data for name, data in sources.members(archive) if name == "dist/ranks/o200k_base.js")
        path.write_bytes(ranks)
    return path
