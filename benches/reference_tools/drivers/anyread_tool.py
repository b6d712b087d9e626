"""anyread in a tool's contract: `anyread_tool CONTRACT SETTINGS DIRECTORY`.

A cold call has no index of the file from an earlier one.
"""

from __future__ import annotations

import json
import sys

from benches.reference_tools.drivers.answers import serve

import anyread

CONTRACT, SETTINGS, DIRECTORY = sys.argv[1:]
TOOL = anyread.tool(CONTRACT, cwd=DIRECTORY, settings=json.loads(SETTINGS) or None)

if __name__ == "__main__":
    serve(anyread.__version__, TOOL.call_sync, anyread.clear_caches)
