"""A host that reads normal files, optionally beside hostile ones: `python -m torture.latencies CONFIG`.

It prints one line of JSON with the quantiles of the latencies of normal reads.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from array import array
from pathlib import Path
from random import Random
from typing import Any

import anyread
from torture.reads import HostileReads, NormalReads, rounds

WARM_UP_S = 0.5


async def run(config: dict[str, Any]) -> dict[str, Any]:
    """Read for `seconds` and return the latencies and how the hostile reads ended."""
    workspace, rng = Path(config["workspace"]), Random(config["seed"])
    reader = anyread.Reader()
    normal = NormalReads(reader, workspace, rng)
    await rounds(normal, None, time.monotonic() + WARM_UP_S)
    stuck = Path(config["stuck"]) if config["stuck"] else None
    hostile = HostileReads(reader, workspace, stuck, rng) if config["hostile"] else None
    if hostile is not None:
        # Wait until bombs are being decoded.
        await rounds(normal, hostile, time.monotonic() + WARM_UP_S)
    normal.latencies_s = array("d")
    await rounds(normal, hostile, time.monotonic() + config["seconds"])
    latencies = sorted(normal.latencies_s)
    report: dict[str, Any] = {
        "reads": len(latencies),
        **{f"p{part}": latencies[len(latencies) * part // 100] for part in (50, 99)},
    }
    if hostile is not None:
        report |= {"is_stuck": hostile.is_stuck, "ended": hostile.ended, "untyped": hostile.untyped}
        await hostile.stop()
    return report


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(json.loads(sys.argv[1])))), flush=True)
