"""opencode: `read` of the program, which is started for each call."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

_PACKAGE = (
    Path(__file__).parents[3] / "target" / "conformance" / "opencode" / "node_modules" / "opencode-linux-x64"
)
# The driver reads its arguments when it is imported.
sys.argv[1:] = [str(_PACKAGE / "bin" / "opencode"), "/"]

from benches.reference_tools.drivers import opencode  # noqa: E402 - see above


def read(path: str, offset: int | None = None, limit: int | None = None) -> Any:
    window = {"offset": offset, "limit": limit} if offset is not None else {}
    answer = opencode.call({"filePath": path, **window})
    if answer.get("is_error"):
        raise RuntimeError(answer["error"])
    images = [
        {"type": "image_url", "image_url": {"url": file["url"]}} for file in answer.get("attachments", ())
    ]
    return [{"type": "text", "text": answer["output"]}, *images]
