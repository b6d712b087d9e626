"""gemini-cli: `read_file`."""

from __future__ import annotations

from typing import Any

from benches.conformance.functions.node_drivers import NodeDriver

_DRIVER = NodeDriver("gemini_cli.mjs", "gemini-cli/node_modules/@google/gemini-cli-core")


def read(path: str, offset: int | None = None, end: int | None = None) -> Any:
    window = {"start_line": offset, "end_line": end} if offset is not None else {}
    answer = _DRIVER.call({"file_path": path, **window})
    if "error" in answer:
        raise RuntimeError(answer["llmContent"])
    return answer["llmContent"]
