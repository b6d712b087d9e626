"""opencode's `read`: `opencode PROGRAM DIRECTORY`.

Each call starts the program, without a network.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from benches.reference_tools.drivers.answers import serve

PROGRAM, DIRECTORY = sys.argv[1:]
HOME = tempfile.mkdtemp()
CLOSED = "http://127.0.0.1:9"
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": HOME,
    **{f"XDG_{name}_HOME": f"{HOME}/{name}" for name in ("CONFIG", "DATA", "STATE", "CACHE")},
    **{
        f"OPENCODE_DISABLE_{name}": "1"
        for name in ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    },
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), CLOSED),
}


def call(arguments: dict[str, Any]) -> Any:
    command = [PROGRAM, "debug", "agent", "build", "--pure", "--tool", "read"]
    # Through a pipe, its output is cut.
    with tempfile.TemporaryFile() as shown, tempfile.TemporaryFile() as errors:
        subprocess.run(
            [*command, "--params", json.dumps(arguments)],
            cwd=DIRECTORY,
            env=ENVIRONMENT,
            stdout=shown,
            stderr=errors,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        shown.seek(0)
        errors.seek(0)
        text, failure = shown.read().decode("utf-8", "surrogatepass"), errors.read().decode()
    if text.strip():
        return json.loads(text)["result"]
    message = failure.replace("\x1b[91m\x1b[1m", "").replace("\x1b[0m", "")
    return {"is_error": True, "error": message.partition("Unexpected error")[2].strip() or message}


if __name__ == "__main__":
    serve("installed", call)
