"""Answers of whole agents, for `record.py`: pass the contract, and a directory of npm packages.

A scripted model drives the released program, without an account and without a network. Of Claude Code only
what its model sees is known, so its answers that are not failures are texts under `seen`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from scripted_model import ScriptedModel  # type: ignore[import-not-found,unused-ignore]

KIMI_SETTINGS = """
default_model = "scripted"
telemetry = false
default_permission_mode = "auto"
[providers.scripted]
type = "openai"
base_url = "{url}/v1"
api_key = "none"
[models.scripted]
provider = "scripted"
model = "m"
max_context_size = 10000000
capabilities = {capabilities}
"""


class Agent(NamedTuple):
    """How an agent is started."""

    package: str
    program: str
    tool: str
    arguments: str
    """What follows the prompt."""
    environment: Mapping[str, str]
    """With `{url}` for that of the model, and `{model}` for its name, which tells whether it sees images."""


AGENTS = {
    "claude-code": Agent(
        "@anthropic-ai/claude-code",
        "claude",
        "Read",
        "--dangerously-skip-permissions",
        {
            "ANTHROPIC_BASE_URL": "{url}",
            "ANTHROPIC_API_KEY": "none",
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **dict.fromkeys(("DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER"), "1"),
        },
    ),
    "copilot-cli": Agent(
        "@github/copilot",
        "copilot",
        "view",
        "--allow-all-tools --allow-all-paths",
        {
            "COPILOT_PROVIDER_BASE_URL": "{url}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "gpt-4.1",
            "COPILOT_OFFLINE": "true",
        },
    ),
    "kimi-code": Agent("@moonshot-ai/kimi-code", "kimi", "Read", "", {"KIMI_CODE_HOME": "{home}"}),
    "qwen-code": Agent(
        "@qwen-code/qwen-code",
        "qwen",
        "read_file",
        "--yolo --auth-type openai",
        {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "{model}"},
    ),
}


def answers(contract: str, packages: Path, request: Any, home: Path) -> list[Any]:
    """Run an agent in the directory of a row, and return what it answers to the calls."""
    agent = AGENTS[contract]
    sees = "image" in (request["model"] or {}).get("inputs", ())
    with ScriptedModel(agent.tool, request["calls"]) as model:
        names = {"url": model.url, "home": str(home), "model": "gpt-4o" if sees else "m"}
        capabilities = json.dumps(["tool_use", *["image_in"] * sees])
        settings = KIMI_SETTINGS.format(url=model.url, capabilities=capabilities)
        (home / "config.toml").write_text(settings, "utf-8")
        programs = packages / "node_modules" / ".bin"
        done = subprocess.run(
            [programs / agent.program, "-p", "go", *agent.arguments.split()],
            cwd=request["directory"],
            env={
                # The Node.js of the packages comes first.
                "PATH": f"{programs}:{os.environ['PATH']}",
                "HOME": str(home),
                "LANG": "C.UTF-8",
                **{name: value.format_map(names) for name, value in agent.environment.items()},
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
            check=False,
        )
        if len(model.answers) < len(request["calls"]):
            raise SystemExit(f"{len(model.answers)} answers: {(done.stderr + done.stdout)[-2_000:].decode()}")
        return [recorded(contract, model.answers[number]) for number in range(len(request["calls"]))]


def recorded(contract: str, answer: Any) -> Any:
    """Return the answer of an agent in the form of the contract."""
    if contract == "claude-code":
        content = answer["content"]
        if answer["is_error"]:
            return {"content": content, "is_error": True}
        texts = (
            [block["text"] for block in content if "text" in block]
            if isinstance(content, list)
            else [content]
        )
        return {"seen": "\n".join(texts)}
    if isinstance(answer, list):
        answer = "\n".join(part["text"] for part in answer if "text" in part)
    failed = contract == "kimi-code" and answer.startswith("<system>ERROR")
    return {"content": answer, **({"is_error": True} if failed else {})}


def text_of(content: Any) -> str:
    """Return the texts of an answer; images may be beside them."""
    parts = [{"text": content}] if isinstance(content, str) else content
    return "\n".join(part["text"] for part in parts if "text" in part)


def main() -> None:
    contract, packages = sys.argv[1], Path(sys.argv[2]).resolve()
    name = AGENTS[contract].package
    about = json.loads((packages / "node_modules" / name / "package.json").read_text("utf-8"))
    print(json.dumps({name: about["version"]}), flush=True)
    with tempfile.TemporaryDirectory() as home:
        for line in sys.stdin:
            print(json.dumps(answers(contract, packages, json.loads(line), Path(home))), flush=True)


if __name__ == "__main__":
    main()
