"""A call of a tool, as the server sees it in every version of the SDK."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

SESSION_IDLE_S = 30 * 60
"""Seconds without a request after which a session ends; its client starts another one."""
MAX_SESSIONS = 500
"""The maximum number of sessions, each of which takes about 40 kB and can hold one connection open.

Together with the connections that have not sent a whole request, they leave room for others under the limit
of 1,024 descriptors that many systems have.
"""
Report = Callable[[float, float | None, str], Awaitable[None]]
"""Sends the progress of a call to the client: a number that grows, its end if it is known, and a message."""


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
