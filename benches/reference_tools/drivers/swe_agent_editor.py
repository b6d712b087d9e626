"""`view` of SWE-agent's editor, loaded from its script: `swe_agent_editor SCRIPT`.

SWE-agent starts the script for each call; here only the call itself is timed.
"""

from __future__ import annotations

import contextlib
import io
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any

from benches.reference_tools.drivers.answers import serve

# The script keeps the state of an edit in this module of SWE-agent, which views do not use.
REGISTRY = ModuleType("registry")
REGISTRY.registry = {}  # type: ignore[attr-defined]
sys.modules["registry"] = REGISTRY
SCRIPT = SourceFileLoader("str_replace_editor", sys.argv[1]).load_module()


def call(arguments: dict[str, Any]) -> Any:
    printed, code = io.StringIO(), 0
    with contextlib.redirect_stdout(printed):
        try:
            SCRIPT.EditTool()(**arguments)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
    return {"stdout": printed.getvalue(), "exit_code": code}


if __name__ == "__main__":
    serve("3ea751c087f3", call)
