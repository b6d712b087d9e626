"""A call of a tool, as the server sees it in every version of the SDK."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

Report = Callable[[float, str], Awaitable[None]]
"""Sends the progress of a call to the client: a number that grows, and a message."""


@dataclass(frozen=True)
class ToolCall:
    """A request to call a tool."""

    name: str
    """The name of the tool."""
    arguments: dict[str, Any]
    client: str | None
    """The name of the client, if it sent one."""
    report: Report | None
    """Reports progress; `None` if the client did not request it."""
