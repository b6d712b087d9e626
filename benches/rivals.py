"""The programs that are compared: each rival, its driver, and its environment.

`make bench-rivals` creates the environments from `benches/requirements`: their requirements conflict.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
ENVIRONMENTS = ROOT / ".venv-rivals"
REQUIREMENTS = Path(__file__).parent / "requirements"


@dataclass(frozen=True, slots=True)
class Rival:
    """One program, or one way to use it."""

    name: str
    """Its name in records, plots and tables."""
    kind: str
    """`anyread`, `python` (plain Python or one of its libraries), `command` or `tool` (a read tool)."""
    driver: str
    """Module of `benches.drivers`."""
    variant: str
    """The argument of the driver."""
    questions: frozenset[str]
    """Its questions: `window`, `tail` and `count` of a log; `whole` and `many` of small files."""
    environment: str = ""
    """The directory in `.venv-rivals`; if empty, the project's own environment."""

    @property
    def python(self) -> Path:
        """The interpreter of its environment."""
        return (
            ENVIRONMENTS / self.environment / "bin" / "python" if self.environment else Path(sys.executable)
        )

    @property
    def installed(self) -> bool:
        """Whether its environment exists."""
        return self.python.exists()

    @property
    def command(self) -> list[str]:
        """The command that starts its driver, without the last argument, the memory limit."""
        return [str(self.python), "-m", f"benches.drivers.{self.driver}", self.variant]


_LOG = frozenset({"window", "tail", "count"})
_SMALL = frozenset({"whole", "many"})
_TOOL = frozenset({"window", "count", "whole", "many"})

ANYREAD = Rival("anyread", "anyread", "anyread", "cold", _LOG | _SMALL)
RIVALS = (
    ANYREAD,
    Rival("anyread, file seen before", "anyread", "anyread", "seen", _LOG),
    Rival("anyread, lines not counted", "anyread", "anyread", "uncounted", frozenset({"window", "tail"})),
    Rival("Python: read, split, number", "python", "python", "usual", _LOG | _SMALL),
    Rival("Python: line by line", "python", "python", "streamed", _LOG),
    Rival("Python: linecache", "python", "python", "linecache", _LOG),
    Rival("Python: mmap, by hand", "python", "python", "mmap", _LOG),
    Rival("asyncio.to_thread", "python", "python", "to_thread", _SMALL),
    Rival("aiofiles", "python", "python", "aiofiles", _SMALL | {"window"}),
    Rival("anyio.Path", "python", "python", "anyio", _SMALL | {"window"}),
    Rival("wc -l", "command", "commands", "wc", frozenset({"count"})),
    Rival("rg --count", "command", "commands", "rg", frozenset({"count"}), "ripgrep"),
    Rival("sed -n", "command", "commands", "sed", frozenset({"window"})),
    Rival("tail -n", "command", "commands", "tail", frozenset({"tail"})),
    Rival("deepagents", "tool", "deepagents", "", _TOOL, "deepagents"),
    Rival("pydantic-ai-harness", "tool", "harness", "", _TOOL, "harness"),
    Rival("strands-agents-tools", "tool", "strands", "", _TOOL, "strands"),
    Rival("google-adk", "tool", "adk", "", _TOOL, "adk"),
)
TOOLS = tuple(rival for rival in RIVALS if rival.kind == "tool")
