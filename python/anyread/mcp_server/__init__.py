"""An MCP server with one read tool, for any contract, over stdio or streamable HTTP.

It needs the extra `anyread[mcp]`; nothing else in the package imports it but the command line.
"""

from .calls import ReadTool, make_server
from .http import CannotListenError, serve_http
from .stdio import serve_stdio
from .tools import Tools

__all__ = ["CannotListenError", "ReadTool", "Tools", "make_server", "serve_http", "serve_stdio"]
