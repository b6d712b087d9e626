r"""Results in the message formats of model APIs, as plain dictionaries.

There is one module per API; `__all__` lists them. Each has `content(source)`, which returns the content
blocks of a message; a function named after the API's own name for the result of a tool call; and
`without_media(content)`, which shortens a history. None of them imports an SDK.

Example:
    >>> from anyread.adapters import anthropic
    >>> page = anyread.read_sync("poem.txt", limit=1)
    >>> anthropic.tool_result(page, tool_use_id="toolu_1")["content"]
    [{'type': 'text', 'text': '1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]'}]
"""

from typing import Any

from anyread.registry import ADAPTERS

__all__ = [name.replace("-", "_") for name in ADAPTERS]


def __getattr__(name: str) -> Any:
    # Imported on first use, because a host needs only one or two of the adapters.
    if name in __all__:
        from importlib import import_module

        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
