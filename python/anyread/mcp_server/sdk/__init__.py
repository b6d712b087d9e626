"""The MCP SDK: one interface to its versions 1 and 2, whose names and behavior differ.

Some agent frameworks require version 1, others version 2. Only version 2 has the protocol of 2026-07-28.
Message types have the same names in both; their fields do not, so messages are made from JSON values.
"""

from mcp.shared import exceptions

if hasattr(exceptions, "MCPError"):
    from .version_2 import (
        content_of,
        http_app,
        make_server,
        parsed,
        protocol_error,
        refusal,
        standard_streams,
    )
else:
    from .version_1 import (
        content_of,
        http_app,
        make_server,
        parsed,
        protocol_error,
        refusal,
        standard_streams,
    )

__all__ = [
    "content_of",
    "http_app",
    "make_server",
    "parsed",
    "protocol_error",
    "refusal",
    "standard_streams",
]
