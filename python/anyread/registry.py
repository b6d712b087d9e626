"""The names that users can choose, and where the code of each one is.

The command line lists them in its help, so this module imports none of that code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CONTRACTS: dict[str, str] = {
    "anyread": "anyread.tools.anyread_tool:AnyreadTool",
    "claude-code": "anyread.tools.claude_code:ClaudeCode",
    "mycode": "anyread.tools.mycode:Mycode",
    "forge": "anyread.tools.forge:Forge",
    "llm-gateway": "anyread.tools.llm_gateway:LlmGateway",
    "codelet": "anyread.tools.codelet:Codelet",
    "pilotdeck": "anyread.tools.pilotdeck:Pilotdeck",
    "opencode": "anyread.tools.opencode:Opencode",
    "opencode-2": "anyread.tools.opencode_2:Opencode2",
    "deepagents": "anyread.tools.deepagents:DeepagentsReadFile",
    "text-editor": "anyread.tools.text_editor:TextEditor",
    "gemini-cli": "anyread.tools.gemini_cli:GeminiCli",
    "pi": "anyread.tools.pi:Pi",
    "mcp-filesystem": "anyread.tools.mcp_filesystem:McpFilesystem",
    "anthropic-toolset": "anyread.tools.anthropic_toolset:AnthropicToolset",
    "copilot-cli": "anyread.tools.copilot_cli:CopilotCli",
    "kimi-code": "anyread.tools.kimi_code:KimiCode",
    "qwen-code": "anyread.tools.qwen_code:QwenCode",
    "cline": "anyread.tools.cline:Cline",
}
"""The module and class of each contract."""

TEXT_EDITORS: dict[str, str] = {
    "openhands": "anyread.tools.text_editor.openhands:OpenHandsEditor",
    "swe-agent": "anyread.tools.text_editor.swe_agent:SweAgentEditor",
    "strands": "anyread.tools.text_editor.strands:StrandsEditor",
    "anthropic-memory": "anyread.tools.text_editor.anthropic_memory:MemoryEditor",
}
"""The contracts of text editors; "text-editor" is any of them, by its setting `dialect`."""

PRESET_NAMES = ("any", "anthropic", "openai", "gemini", "bedrock", "mcp", "text-only")
"""The presets of `Model`, each a constructor with the same name with underscores."""

ADAPTERS: dict[str, str] = {
    "anthropic": "anthropic",
    "openai-responses": "openai",
    "openai-chat": "openai",
    "gemini": "gemini",
    "bedrock": "bedrock",
    "mcp": "any",
    "rig": "any",
}
"""The preset for the API of each adapter, whose module has the same name with underscores."""

HOSTS = ("google-adk", "smolagents")
"""The MCP hosts that cannot show images, by the name that their client sends."""


def contract_path(name: str) -> str:
    """Return the module and class of a contract; its name may have underscores and capital letters.

    Raises:
        ValueError: The contract is unknown.
    """
    contracts = {**CONTRACTS, **TEXT_EDITORS}
    found = contracts.get(str(name).lower().replace("_", "-"))
    if found is None:
        listed = ", ".join(map(repr, contracts))
        raise ValueError(
            f"unknown contract {name!r}{did_you_mean(name, contracts)}; the contracts are {listed}"
        )
    return found


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a clause with the known name that is nearest to a misspelled one; empty: none is near."""
    from difflib import get_close_matches

    spelled = {each.replace("_", "-"): each for each in known}
    near = get_close_matches(str(name).lower().replace("_", "-"), spelled, 1)
    return f" (did you mean {spelled[near[0]]!r}?)" if near else ""
