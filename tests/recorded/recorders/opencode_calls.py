"""Answers of opencode's `read`, for `record.py`; pass the `bin/opencode` of `opencode-linux-x64`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CLOSED = "http://127.0.0.1:9"
HOME = tempfile.mkdtemp()
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


def answer(program: str, directory: str, arguments: dict[str, Any]) -> Any:
    command = [program, "debug", "agent", "build", "--pure", "--tool", "read"]
    # Through a pipe, its output is cut.
    with tempfile.TemporaryFile() as shown, tempfile.TemporaryFile() as errors:
        subprocess.run(
            [*command, "--params", json.dumps(arguments)],
            cwd=directory,
            env=ENVIRONMENT,
            stdout=shown,
            stderr=errors,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        shown.seek(0)
        errors.seek(0)
        text, failure = shown.read().decode("utf-8", "surrogatepass"), errors.read().decode()
    if text.strip():
        return json.loads(text)["result"]
    message = failure.replace("\x1b[91m\x1b[1m", "").replace("\x1b[0m", "")
    return {"is_error": True, "error": message.partition("Unexpected error")[2].strip() or message}


package = json.loads(Path(sys.argv[1]).parents[1].joinpath("package.json").read_text("utf-8"))
print(json.dumps({package["name"]: package["version"]}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    folder = request["directory"]
    # Paths are relative to the repository; rows that list its directory have `.git`.
    subprocess.run(["git", "init", "-q", folder], check=True)
    print(json.dumps([answer(sys.argv[1], folder, call) for call in request["calls"]]), flush=True)
