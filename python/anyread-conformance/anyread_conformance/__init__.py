"""Rules that any read tool of an agent should keep, checked from outside, whatever its output looks like.

`anyread-conformance` checks a command, a tool of an MCP server, or a Python function, and prints a
table. In Python, `check` does the same with any object that has the methods of `ForeignReader`.

Example:
    >>> from anyread_conformance import CommandReader, check
    >>> [finding.verdict for finding in check(CommandReader("cat {path}"), only=["lf"])]
    ['passed']
"""

from .checking import Finding, all_rules, check
from .readers import CommandReader, ForeignReader, FunctionReader, McpReader, ReaderStartError
from .reply import Reply, ShownImage
from .rule import ConformanceRule
from .settings import Allowed
from .trial import UnusableReaderError

__all__ = [
    "Allowed",
    "CommandReader",
    "ConformanceRule",
    "Finding",
    "ForeignReader",
    "FunctionReader",
    "McpReader",
    "ReaderStartError",
    "Reply",
    "ShownImage",
    "UnusableReaderError",
    "all_rules",
    "check",
]
