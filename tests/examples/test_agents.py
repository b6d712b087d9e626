"""The agents in `examples/agents`, each with its provider's SDK and a scripted model."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from PIL import Image

from helpers.scripted_models import scripted_models

ROOT = Path(__file__).parents[2]
AGENTS = sorted(path.stem for path in (ROOT / "examples" / "agents").glob("*.py"))
SIZES = {
    "anthropic_agent": "2000×1500",
    "bedrock_agent": "1269×952",
    "gemini_agent": "4000×3000",
    "openai_chat_agent": "1824×1368",
    "openai_responses_agent": "1824×1368",
}
"""The size at which each model is sent the chart."""

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", AGENTS)
def test_agent_reads_and_answers(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (f"INFO request {number} served\n" for number in range(1, 1_001))
    (tmp_path / "server.log").write_text("".join(lines))
    Image.new("RGB", (4_000, 3_000), "white").save(tmp_path / "chart.png")
    monkeypatch.chdir(tmp_path)
    agent = import_module(f"examples.agents.{name}")
    with scripted_models() as environment:
        for variable, value in environment.items():
            monkeypatch.setenv(variable, value)
        answer = agent.answer("How does server.log end, and what does the chart show?")
    assert answer == f"INFO request 1000 served; the chart has {SIZES[name]} pixels"


def test_agent_without_a_key_says_what_the_model_got(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.new("RGB", (40, 30), "white").save(tmp_path / "chart.png")
    monkeypatch.chdir(tmp_path)
    run = import_module("examples.without_a_key").run
    assert run("chart.png") == "I got text, image."
    assert run("chart.gif") == "I got text of a failed call."
