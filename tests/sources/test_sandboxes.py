"""The functions for sandboxes, with objects that answer as those of the packages, which are not installed.

`tests/integrations` has the same for those frameworks that it installs.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import anyread
from anyread.sources import Commands, sandboxes
from helpers.stores import aged

LINES = b"".join(b"line %d\n" % number for number in range(1, 400_001))
MOST = 100_000


def ran(argv: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(argv, capture_output=True, check=False)


class DeepAgents:
    """A backend whose output is cut."""

    async def aexecute(self, command: str) -> SimpleNamespace:
        done = ran(["sh", "-c", command])
        is_cut = len(done.stdout) > MOST
        output = done.stdout.decode()[:MOST] + "\n\n... Output truncated" * is_cut
        return SimpleNamespace(output=output, exit_code=done.returncode, truncated=is_cut)


class OutputLimitError(Exception):
    def __init__(self, stdout: str) -> None:
        self.stdout = stdout


class PydanticAI:
    """A workspace whose output has a limit."""

    async def run(self, argv: list[str]) -> SimpleNamespace:
        done = ran(argv)
        if len(done.stdout) > MOST:
            raise OutputLimitError(done.stdout[:MOST].decode())
        return SimpleNamespace(exit_code=done.returncode, stdout=done.stdout.decode(), stderr="")


class OpenAIAgents:
    async def exec(self, *argv: str, shell: bool) -> SimpleNamespace:
        assert not shell
        done = ran([*argv])
        return SimpleNamespace(exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr)


class Docker:
    def exec_run(self, argv: list[str], *, demux: bool, stream: bool) -> SimpleNamespace:
        assert demux
        assert stream
        done = ran(argv)
        chunks = [(done.stdout[at : at + 8_192], None) for at in range(0, len(done.stdout), 8_192)]
        return SimpleNamespace(exit_code=None, output=iter([*chunks, (None, b"warning")]))


class E2B:
    """The synchronous class, and an exception for each exit code but 0."""

    def __init__(self) -> None:
        self.whole: list[str] = []
        self.commands = SimpleNamespace(run=self._run)
        self.files = SimpleNamespace(read=self._read)

    def _run(self, command: str) -> SimpleNamespace:
        done = ran(["sh", "-c", command])
        done.check_returncode()
        return SimpleNamespace(exit_code=0, stdout=done.stdout.decode(), stderr="")

    def _read(self, path: str, *, format: str) -> bytearray:  # noqa: A002 - its name
        assert format == "bytes"
        self.whole.append(path)
        return bytearray(Path(path).read_bytes())


class AsyncE2B(E2B):
    def __init__(self) -> None:
        super().__init__()
        self.commands = SimpleNamespace(run=self._later)

    async def _later(self, command: str) -> SimpleNamespace:
        await asyncio.sleep(0)
        return self._run(command)


def stores() -> list[tuple[str, Commands]]:
    return [
        ("deepagents", sandboxes.from_deepagents(DeepAgents())),
        ("pydantic_ai", sandboxes.from_pydantic_ai(PydanticAI())),
        ("openai_agents", sandboxes.from_openai_agents(OpenAIAgents())),
        ("docker", sandboxes.from_docker(Docker())),
        ("e2b", sandboxes.from_e2b(E2B())),
        ("async e2b", sandboxes.from_e2b(AsyncE2B())),
    ]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.posix("a path that is also one of a sandbox")
async def test_windows_of_a_file_in_each_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("pydantic_ai.workspaces.protocol")
    module.WorkspaceOutputLimitError = OutputLimitError
    for name in ("pydantic_ai", "pydantic_ai.workspaces"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    path = tmp_path / "a file's name.txt"
    path.write_bytes(LINES)
    aged(path)
    for name, store in stores():
        reader = anyread.Reader(mounts={str(tmp_path): store})
        page = await reader.read(path.name, offset=300_000, limit=1, kind="text")
        assert (page.content, page.total_lines) == ("line 300000\n", 400_000), name
        with pytest.raises(anyread.errors.NotFoundError):
            await reader.read("none")


def test_whole_files_are_one_request(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(LINES)
    sandbox = E2B()
    reader = anyread.Reader(mounts={"/": sandboxes.from_e2b(sandbox)})
    with reader.open_sync(str(aged(path))) as file:
        assert file.read(len(LINES) + 1) == LINES
    assert sandbox.whole == [str(path)]
