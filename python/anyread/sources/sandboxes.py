"""Sandboxes of frameworks and vendors as `Commands`; each function takes the object that has the sandbox.

Sources: the packages `deepagents` 0.7.32, `pydantic-ai-slim` 2.68.0, `openai-agents` 0.24.0, `docker` 7.2.0
and `e2b` 2.63.0, 2026-11-29.
"""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Sequence
from inspect import isawaitable
from typing import Any

from anyread.running.fetching import awaited

from .commands import Commands


def from_deepagents(backend: Any, *, root: str | None = None) -> Commands:
    """Return the files of a sandbox of Deep Agents: a backend with `aexecute`.

    The backend cuts long output; then less is asked for at once.
    """

    async def run(argv: list[str]) -> tuple[int, str]:
        answer = await backend.aexecute(shlex.join(argv))
        return answer.exit_code or 0, answer.output

    return Commands(run, root=root)


def from_pydantic_ai(workspace: Any, *, root: str | None = None) -> Commands:
    """Return the files of a workspace of Pydantic AI, whose output has a limit."""
    from pydantic_ai.workspaces.protocol import WorkspaceOutputLimitError

    async def run(argv: list[str]) -> tuple[int, str]:
        try:
            answer = await workspace.run(argv)
        except WorkspaceOutputLimitError as cut:
            return 0, cut.stdout
        return answer.exit_code, answer.stdout

    return Commands(run, root=root)


def from_openai_agents(session: Any, *, root: str | None = None) -> Commands:
    """Return the files of a session of a sandbox of the OpenAI Agents SDK."""

    async def run(argv: list[str]) -> tuple[int, bytes]:
        answer = await session.exec(*argv, shell=False)
        return answer.exit_code, answer.stdout

    return Commands(run, root=root)


def from_docker(container: Any, *, root: str | None = None) -> Commands:
    """Return the files of a container of Docker's SDK; more output than wanted is not kept."""

    def run(argv: list[str]) -> tuple[int, bytes]:
        chunks, size = [], 0
        for out, _ in container.exec_run(argv, demux=True, stream=True).output:
            chunks.append(out or b"")
            size += len(chunks[-1])
            if size > 2 * commands.max_output:
                break
        # With a stream, the exit code is not known.
        return 0, b"".join(chunks)

    commands = Commands(run, root=root)
    return commands


def from_e2b(sandbox: Any, *, root: str | None = None) -> Commands:
    """Return the files of a sandbox of E2B, of its asynchronous or synchronous class.

    Whole files, which decoders need, are read with one request.
    """
    return _E2B(sandbox, root)


class _E2B(Commands):
    def __init__(self, sandbox: Any, root: str | None) -> None:
        # A nonzero exit code is an exception; the scripts exit with 0.
        super().__init__(self._answer, root=root)
        self._sandbox = sandbox
        self.blocks = "Async" not in type(sandbox).__name__

    def _answer(self, argv: Sequence[str]) -> Any:
        answer = self._sandbox.commands.run(shlex.join(argv))
        return _later(answer) if isawaitable(answer) else (answer.exit_code, answer.stdout)

    async def whole(self, path: str, version: str) -> bytes:
        """Return a whole file; see `Store`."""
        data = bytes(await awaited(self._sandbox.files.read(path, format="bytes")))
        # It may have changed since then.
        await self.get(path, (), version)
        return data


async def _later(answer: Awaitable[Any]) -> tuple[int, str]:
    found = await answer
    return found.exit_code, found.stdout
