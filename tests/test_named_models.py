"""The models of today by name, and how the vocabulary of a model shortens a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import anthropic.types.model_param
import pytest
from openai.types.shared import ChatModel

import anyread
from anyread.model import Model
from anyread.named_models import NAMES
from notebooks import code, write

# Names of the SDK that have left the API, or are about to: deprecations page, 2026-11.
GONE = re.compile(r"(gpt-3|gpt-4-|gpt-4$|o1|o3-mini|o4-mini|gpt-4.1-nano)|audio|search|chat-latest|codex")


@pytest.mark.parametrize("name", NAMES)
def test_each_named_model_says_where_its_numbers_come_from(name: str) -> None:
    model = Model.named(name)
    assert (model.source or "").startswith("https://")
    assert re.fullmatch(r"20\d\d-\d\d(-\d\d)?", model.as_of or "")
    assert "text" in model.inputs


def test_the_models_of_the_sdks_are_known() -> None:
    claude = get_args(get_args(anthropic.types.model_param.ModelParam)[0])
    gpt = [name for name in get_args(ChatModel) if not GONE.search(name) and name != "gpt-5.1-mini"]
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
def test_what_is_around_a_name_does_not_count(spelling: str) -> None:
    assert Model.named(spelling) == Model.named("claude-haiku-4-5")


def test_a_name_that_is_not_known_is_refused_with_near_ones() -> None:
    with pytest.raises(
        ValueError, match="unknown model 'claude-sonet-5'; similar names are 'claude-sonnet-5'"
    ):
        Model.named("claude-sonet-5")
    with pytest.raises(ValueError, match=r"see `anyread\.named_models`"):
        Model.named("")


def test_newer_claude_sees_2576_pixels_of_a_few_pictures() -> None:
    newer, older = Model.named("claude-sonnet-5"), Model.named("claude-sonnet-4-5")
    assert (newer.max_long_edge, older.max_long_edge) == (2_576, 1_568)
    assert (newer.tokens_of_image(3_840, 2_160), older.tokens_of_image(3_840, 2_160)) == (4_784, 1_560)
    # A request with more than 20 pictures may have none over 2,000 pixels.
    assert newer.max_images == 20


def test_models_without_eyes_take_text_alone() -> None:
    for name in ("gpt-oss-120b", "deepseek-v4-pro", "glm-5.3"):
        assert Model.named(name).inputs == {"text"}
    assert "image" in Model.named("kimi-k3").inputs


@pytest.mark.parametrize("factor", [0, 11, "1", True])
def test_a_factor_that_none_can_be_is_refused(factor: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"Model\.token_factor must be"):
        Model(token_factor=factor)


def test_a_page_for_claude_keeps_to_its_vocabulary(tmp_path: Path) -> None:
    """A page within 25,000 tokens by the estimate was nearer 30,000 of Claude's."""
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
