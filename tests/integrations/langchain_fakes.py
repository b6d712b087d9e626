"""A chat model for agents of LangChain that makes prepared calls and records what it is shown."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr


class FakeModel(BaseChatModel):
    """Make one turn with all calls of a tool, then end.

    Args:
        name: The name of the tool.
        arguments: The arguments of each call.
    """

    _calls: list[ToolCall] = PrivateAttr()
    _seen: list[BaseMessage] = PrivateAttr(default_factory=list)
    _tools: list[Any] = PrivateAttr(default_factory=list)

    def __init__(self, name: str, *arguments: dict[str, Any]) -> None:
        super().__init__()
        self._calls = [
            ToolCall(name=name, args=each, id=str(number), type="tool_call")
            for number, each in enumerate(arguments)
        ]

    @property
    def shown(self) -> list[ToolMessage]:
        """The answers that the model was shown in its last turn."""
        return [message for message in self._seen if isinstance(message, ToolMessage)]

    @property
    def tools(self) -> list[Any]:
        """The tools that it was offered."""
        return self._tools

    @property
    def _llm_type(self) -> str:
        return "fake"

    def bind_tools(self, tools: Any, **_: Any) -> Runnable[LanguageModelInput, AIMessage]:
        self._tools = list(tools)
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self._seen = messages
        reply = AIMessage("done") if self.shown else AIMessage("", tool_calls=self._calls)
        return ChatResult(generations=[ChatGeneration(message=reply)])
