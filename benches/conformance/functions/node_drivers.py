"""Tools in JavaScript, called through the drivers of `benches.reference_tools`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
_DRIVERS = ROOT / "benches" / "reference_tools" / "drivers"


class NodeDriver:
    """A driver that may read any file.

    Args:
        driver: The name of its program.
        package: The directory of the tool below `target/conformance`.
    """

    def __init__(self, driver: str, package: str) -> None:
        root = ROOT / "target" / "conformance" / package
        self._process = subprocess.Popen(
            ["node", str(_DRIVERS / driver), str(root), "/"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._line()

    def call(self, arguments: dict[str, Any]) -> Any:
        """Call the tool; an exception of it is raised here."""
        assert self._process.stdin is not None
        print(json.dumps({"arguments": arguments, "whole": True}), file=self._process.stdin, flush=True)
        ended = self._line()
        if "raised" in ended:
            raise RuntimeError(ended["raised"])
        return self._line()["answer"]

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found
