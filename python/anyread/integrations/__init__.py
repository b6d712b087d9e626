"""anyread as the read tool of agent frameworks, one module for each framework.

`__all__` lists them. Each has `tool(read)`, or what its framework uses instead, and is loaded on first use
together with its framework. If the framework is missing, loading the module raises an `ImportError` that
says what to install. docs/integrations.md says what each framework shows to a model.

Example:
    >>> from anyread.integrations.langchain import tool as read_tool
    >>> read = anyread.tool(roots=["/repo"], model=anyread.Model.anthropic())
    >>> tools = [read_tool(read)]
"""

from typing import Any

from anyread.registry import did_you_mean

__all__ = [
    "acp",
    "anthropic",
    "claude_agent_sdk",
    "deepagents",
    "google_adk",
    "langchain",
    "openai_agents",
    "pydantic_ai",
    "smolagents",
    "strands",
]


def __getattr__(name: str) -> Any:
    # Type checkers find a module by `from anyread.integrations import langchain`. An import for them here
    # would make them read all installed frameworks whenever a program imports anyread.
    if name in __all__:
        from importlib import import_module

        return import_module(f".{name}", __name__)
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise AttributeError(
        f"anyread has no integration {name!r}{did_you_mean(name, __all__)}; its integrations are"
        f" {', '.join(__all__)}; other frameworks can use its MCP server (anyread mcp)"
    )


def __dir__() -> list[str]:
    return __all__
