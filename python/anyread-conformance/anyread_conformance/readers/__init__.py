"""The three ways to call a foreign reader: a command, an MCP server, and a Python function."""

from .calling import ForeignReader, ReaderStartError
from .command import CommandReader
from .function import FunctionReader
from .mcp_stdio import McpReader

__all__ = ["CommandReader", "ForeignReader", "FunctionReader", "McpReader", "ReaderStartError"]
