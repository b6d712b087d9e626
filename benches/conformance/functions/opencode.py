"""opencode: `read`, in a running server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benches.opencode_server import OpencodeServer

_PACKAGE = Path("target/conformance/opencode/node_modules/opencode-linux-x64")
_SERVER = OpencodeServer(str((_PACKAGE / "bin" / "opencode").resolve()), "/")
# The first turn loads what talks to a model, which is not part of a call.
_SERVER.call({"filePath": __file__})


def read(path: str, offset: int | None = None, limit: int | None = None) -> Any:
    window = {"offset": offset, "limit": limit} if offset is not None else {}
    answer = _SERVER.call({"filePath": path, **window})
    if answer.get("is_error"):
        raise RuntimeError(answer["error"])
    images = [{"type": "image_url", "image_url": each["url"]} for each in answer.get("attachments", ())]
    return [{"type": "text", "text": answer["output"]}, *images]
