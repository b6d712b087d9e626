"""The names that users can choose, and where the code of each one is.

The command line lists them in its help, so this module imports none of that code.
"""

from __future__ import annotations

CONTRACTS: dict[str, str] = {
    "anyread": "anyread.tools.anyread_tool:AnyreadTool",
    "claude-code": "anyread.tools.claude_code:ClaudeCode",
    "mycode": "anyread.tools.mycode:Mycode",
    "forge": "anyread.tools.forge:Forge",
    "llm-gateway": "anyread.tools.llm_gateway:LlmGateway",
    "codelet": "anyread.tools.codelet:Codelet",
    "pilotdeck": "anyread.tools.pilotdeck:Pilotdeck",
    "opencode": "anyread.tools.opencode:Opencode",
    "deepagents": "anyread.tools.deepagents:DeepagentsReadFile",
    "text-editor": "anyread.tools.text_editor:TextEditor",
    "gemini-cli": "anyread.tools.gemini_cli:GeminiCli",
    "pi": "anyread.tools.pi:Pi",
    "mcp-filesystem": "anyread.tools.mcp_filesystem:McpFilesystem",
    "anthropic-toolset": "anyread.tools.anthropic_toolset:AnthropicToolset",
}
"""The module and class of each contract."""

PRESET_NAMES = ("any", "anthropic", "openai", "gemini", "bedrock", "mcp", "text-only")
"""The presets of `Model`, each a constructor with the same name with underscores."""

ADAPTERS: dict[str, str] = {
    "anthropic": "anthropic",
    "openai-responses": "openai",
    "openai-chat": "openai",
    "gemini": "gemini",
    "bedrock": "bedrock",
    "mcp": "any",
}
"""The preset for the API of each adapter, whose module has the same name with underscores."""

HOSTS = ("google-adk", "smolagents")
"""The MCP hosts that cannot show images, by the name that their client sends."""
