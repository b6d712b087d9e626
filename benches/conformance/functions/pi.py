"""pi: `read`."""

from __future__ import annotations

from typing import Any

from benches.conformance.functions.node_drivers import NodeDriver

_DRIVER = NodeDriver("pi.mjs", "pi/node_modules/@earendil-works/pi-coding-agent")


def read(path: str, offset: int | None = None, limit: int | None = None) -> Any:
    window = {"offset": offset, "limit": limit} if offset is not None else {}
    answer = _DRIVER.call({"path": path, **window})
    if answer.get("is_error"):
        raise RuntimeError(answer["error"])
    return answer["content"]
