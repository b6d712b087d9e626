"""An MCP server with one read tool, for any contract, over stdio or streamable HTTP.

It needs the extra `anyread[mcp]`; only the command line imports it.
"""

from .calls import ReadTool, make_server
from .http import CannotListenError, serve_http
from .stdio import serve_stdio
from .tools import Tools

__all__ = ["CannotListenError", "ReadTool", "Tools", "make_server", "serve_http", "serve_stdio"]
