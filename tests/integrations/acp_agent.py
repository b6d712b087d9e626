"""An agent of ACP that reads files through its client: a prompt has the windows, the reply their texts.

Both are JSON: a list of requests, and for each its `content`, or `code`, `message` and `data` of an error.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import acp
from acp.schema import TextContentBlock


class ReadingAgent(acp.Agent):
    """An agent that makes all reads of a prompt at the same time."""

    _client: acp.Client

    def on_connect(self, conn: acp.Client) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, *_: Any, **__: Any) -> acp.InitializeResponse:
        return acp.InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, *_: Any, **__: Any) -> acp.NewSessionResponse:
        return acp.NewSessionResponse(session_id=cwd)

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> acp.PromptResponse:
        [block] = prompt
        assert isinstance(block, TextContentBlock)
        windows = json.loads(block.text)
        texts = await asyncio.gather(*(self._read(session_id, window) for window in windows))
        await self._client.session_update(session_id, acp.update_agent_message_text(json.dumps(texts)))
        return acp.PromptResponse(stop_reason="end_turn")

    async def _read(self, session_id: str, window: dict[str, Any]) -> dict[str, Any]:
        try:
            response = await self._client.read_text_file(session_id=session_id, **window)
        except acp.RequestError as error:
            return {"code": error.code, "message": str(error), "data": error.data}
        return {"content": response.content}


if __name__ == "__main__":
    asyncio.run(acp.run_agent(ReadingAgent()))
