"""Current models by name, and how a model's vocabulary shortens a page."""

from __future__ import annotations

import re
import runpy
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

import pytest

import anyread
from anyread.models.model import Model
from anyread.models.named import NAMES, preset_of
from helpers.media import drawing, encoded, text_pdf
from helpers.notebooks import code, write

# Names of the SDK that the API has removed or deprecated: deprecations page, 2026-11.
GONE = re.compile(r"(gpt-3|gpt-4-|gpt-4$|o1|o3-mini|o4-mini|gpt-4.1-nano)|audio|search|chat-latest|codex")


def test_named_models_name_the_source_of_their_numbers() -> None:
    for name in NAMES:
        model = Model.named(name)
        assert (model.source or "").startswith("https://"), name
        assert re.fullmatch(r"20\d\d-\d\d(-\d\d)?", model.as_of or ""), name
        assert "text" in model.inputs, name


def declared(package: str, path: str) -> dict[str, Any]:
    """Return the names of a module of a package, without importing the package, which takes seconds."""
    found = find_spec(package)
    assert found is not None
    assert found.origin is not None
    return runpy.run_path(str(Path(found.origin).parent / path))


def test_all_models_of_the_sdks_are_named() -> None:
    claude = get_args(get_args(declared("anthropic", "types/model_param.py")["ModelParam"])[0])
    chat_models = get_args(declared("openai", "types/shared/chat_model.py")["ChatModel"])
    gpt = [name for name in chat_models if not GONE.search(name) and name != "gpt-5.1-mini"]
    gpt = [name for name in gpt if not name.startswith("chatgpt")]
    assert len(claude) > 15
    assert len(gpt) > 20
    for name in (*claude, *gpt):
        assert {"image", "pdf"} <= Model.named(name).inputs, name


@pytest.mark.parametrize(
    "spelling",
    [
        "claude-haiku-4-5",
        "anthropic/claude-haiku-4-5",
        "anthropic:claude-haiku-4-5-20251001",
        "claude-haiku-4-5@20251001",
        "us.anthropic.claude-haiku-4-5-20251001-v1:0",
        "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0",
        " Claude-Haiku-4-5 ",
    ],
)
def test_prefix_and_suffix_of_a_name_are_ignored(spelling: str) -> None:
    assert Model.named(spelling) == Model.named("claude-haiku-4-5")


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        ("claude-opus-6", "anthropic"),
        ("openrouter/anthropic/claude-sonet-5", "anthropic"),
        ("gpt-7-codex", "openai"),
        ("o7-mini", "openai"),
        ("gemini-9-pro", "gemini"),
        ("us.amazon.nova-premier-v9:0", "bedrock"),
        ("gpt-oss-999b", "text-only"),
        ("llama3.3", "any"),
        ("mistral-large", "any"),
        ("qwen3-vl", "any"),
        ("deepseek-chat", "any"),
        ("grok-5", "any"),
    ],
)
def test_unknown_name_is_the_preset_of_its_provider_with_one_warning(
    name: str, preset: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A host stopped at its start when it changed the name of its model to a new one."""
    preset_of.cache_clear()
    assert Model.named(name) == Model.named(name) == Model.named(preset)
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("anyread", "WARNING")
    assert f"{name!r} is treated as {preset!r}" in record.getMessage()


@pytest.mark.parametrize("name", ["", "hal", "my-yin-model", "eclaude"])
def test_name_of_no_known_family_is_refused_with_the_presets(name: str) -> None:
    with pytest.raises(ValueError, match=r"pass a preset: 'any' if .*; the presets are 'any', 'anthropic'"):
        Model.named(name)


def test_no_image_for_claude_is_over_2000_pixels(tmp_path: Path) -> None:
    """From the 21st image of a conversation on, the API rejected all requests with images of 2,576 pixels."""
    newer, older = Model.named("claude-sonnet-5"), Model.named("claude-sonnet-4-5")
    assert (newer.max_long_edge, older.max_long_edge) == (2_000, 1_568)
    assert (newer.tokens_of_image(3_840, 2_160), older.tokens_of_image(3_840, 2_160)) == (4_784, 1_560)
    (tmp_path / "a.png").write_bytes(encoded(drawing(2_560, 1_440), "PNG"))
    (tmp_path / "a.pdf").write_bytes(text_pdf(1))
    reader = anyread.Reader(model=newer)
    view = reader.read_sync(tmp_path / "a.png", kind="image")
    (page,) = reader.read_sync(tmp_path / "a.pdf", kind="pdf", pages="1").pages
    assert view.shown is not None
    assert page.image is not None
    assert max(view.shown.width, view.shown.height) == max(page.image.width, page.image.height) == 2_000


def test_page_for_claude_is_within_the_limit_in_its_own_tokens(tmp_path: Path) -> None:
    """A page of an estimated 25,000 tokens had nearly 30,000 of Claude's tokens."""
    (tmp_path / "a.txt").write_text("".join(f"line {number} of many lines\n" for number in range(9_000)))
    write(tmp_path, *(code(f"print({number})\n" * 30) for number in range(900)), name="b.ipynb")
    limits = anyread.Limits(max_lines=9_000, max_tokens=25_000)
    for name, limit in (("a.txt", None), ("b.ipynb", 900)):
        tokens = [
            anyread.Reader(limits=limits, model=model).read_sync(tmp_path / name, limit=limit).token_estimate
            for model in (Model.any(), Model.anthropic())
        ]
        assert 24_000 < tokens[0] <= 25_000, name
        assert 24_000 < tokens[1] * Model.anthropic().token_factor <= 25_000, name
    exact = anyread.Limits(max_lines=9_000, max_tokens=25_000, tokenizer="o200k_base")
    page = anyread.Reader(limits=exact, model=Model.anthropic()).read_sync(tmp_path / "a.txt")
    assert 24_000 < page.token_estimate <= 25_000
