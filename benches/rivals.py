"""Who is compared: each rival, the driver that asks it, and the environment that has it.

The environments are made by `make bench-rivals` from `benches/requirements`, one each: their needs conflict.
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
    """One line of each comparison that it takes part in."""

    name: str
    """What figures and records call it."""
    kind: str
    """`anyread`, `python` (what plain Python and its libraries offer), `command` or `tool` (a read tool)."""
    driver: str
    """Module of `benches.drivers`."""
    variant: str
    """What the driver is told."""
    questions: frozenset[str]
    """What it is asked: `window`, `tail` and `count` of a log; `whole` and `many` are small files."""
    environment: str = ""
    """Folder of `.venv-rivals`; none: the project's own."""

    @property
    def python(self) -> Path:
        """The interpreter of its environment."""
        return (
            ENVIRONMENTS / self.environment / "bin" / "python" if self.environment else Path(sys.executable)
        )

    @property
    def installed(self) -> bool:
        """Whether its environment is there."""
        return self.python.exists()

    @property
    def command(self) -> list[str]:
        """What starts its driver, but for the limit of memory at the end."""
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
