"""opencode's `read` in a running server: `opencode PROGRAM DIRECTORY`."""

from __future__ import annotations

import sys

from benches.opencode_server import OpencodeServer
from benches.reference_tools.drivers.answers import serve

if __name__ == "__main__":
    server = OpencodeServer(*sys.argv[1:])
    # The rest of a turn of the model is not part of the tool.
    serve("installed", server.call, clock=lambda: server.ns)
