"""Claude Code itself, in front of a local server that takes the place of its API."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from clients.programs.asking import Answer, Request, image_item, run, text_item
from clients.programs.fake_messages_api import FakeModel, serving

PROGRAM = Path("node_modules", ".bin", "claude").absolute()
TOOL = "mcp__anyread__read"


def item(block: Any) -> dict[str, str]:
    if block["type"] == "text":
        return text_item(block["text"])
    if block["type"] == "image":
        return image_item(block["source"]["data"], block["source"]["media_type"])
    return {"other": block["type"]}


async def ask(request: Request) -> dict[str, Answer]:
    program, *arguments = request.command
    stdio = {"type": "stdio", "command": program, "args": arguments}
    server = {"type": "http", "url": request.url} if request.url else stdio
    model = FakeModel(TOOL, [{f"toolu_{kind}": call} for kind, call in request.calls.items()])
    with tempfile.TemporaryDirectory() as home, serving(model) as url:
        configuration = Path(home, "mcp.json")
        configuration.write_text(json.dumps({"mcpServers": {"anyread": server}}), "utf-8")
        environment = {
            "HOME": home,
            "PATH": os.environ["PATH"],
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            # Otherwise it may offer the tools of servers only through a search.
            "ENABLE_TOOL_SEARCH": "false",
        }
        options = ["--mcp-config", str(configuration), "--strict-mcp-config", "--allowedTools", TOOL]
        command = [str(PROGRAM), "--print", "read the files", *options]
        subprocess.run(command, cwd=home, env=environment, stdin=subprocess.DEVNULL, check=True)
    answers: dict[str, Answer] = {}
    for call, result in model.results.items():
        content = result["content"]
        shown = [text_item(content)] if isinstance(content, str) else [item(block) for block in content]
        kind = call.removeprefix("toolu_")
        answers[kind] = {"is_error": result.get("is_error", False), "items": shown}
    return answers


run(ask)
