"""The Claude Agent SDK: anyread's MCP server inside the program that uses the SDK.

| anyread | Claude Code |
| --- | --- |
| text | `text` |
| image | `image` |
| PDF | text and images of its pages; a document is saved to a file, and the model sees the path |
| error | a result with `is_error` |

Source: the package `claude-agent-sdk` 0.2.187 with Claude Code 2.1.330, 2026-11-22.
"""

from __future__ import annotations

from anyread.arguments.limits import Limits
from anyread.models.model import Model
from anyread.reader import Reader
from anyread.tools import Tool
from anyread.tools import tool as make_tool

from .requirements import needs

with needs(__name__, "claude-agent-sdk", "anyread[mcp]"):
    from claude_agent_sdk import McpSdkServerConfig

    from anyread.mcp_server import make_server
    from anyread.mcp_server.tools import MAX_TOKENS

__all__ = ["server"]


def server(read: Tool | None = None) -> McpSdkServerConfig:
    """Make a server for `ClaudeAgentOptions(mcp_servers=…)` from a tool of anyread.

    Claude Code names the tool after the key in `mcp_servers`, such as "mcp__files__read".

    Args:
        read: The tool; `None`: the contract "anyread", which reads every path, with replies that Claude
            Code does not refuse. Make it with `Model.mcp()` to show PDFs as text and images.

    Example:
        >>> from anyread.integrations.claude_agent_sdk import server
        >>> files = server(anyread.tool(roots=["/repo"], model=anyread.Model.mcp()))
        >>> options = ClaudeAgentOptions(mcp_servers={"files": files}, allowed_tools=["mcp__files__read"])
    """
    if read is None:
        reader = Reader(limits=Limits(max_tokens=MAX_TOKENS), model=Model.mcp())
        read = make_tool("anyread", reader=reader, model=Model.mcp())
    return McpSdkServerConfig(type="sdk", name="anyread", instance=make_server(read))
