"""The current models by name, for `Model.named`.

Each row has the names that share the same limits, their source, and the date on which it was read.
Models that a provider has removed from its API are removed from the table when it is next updated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple

from anyread.errors.logger import logger
from anyread.registry import PRESET_NAMES

from .image_tokens import BudgetTokens, PatchTokens, SquareTokens, TileTokens

_VISION = "https://platform.claude.com/docs/en/build-with-claude/vision"
_IMAGES = "https://developers.openai.com/api/docs/guides/images-vision"
_OPEN_WEIGHTS = "https://developers.openai.com/api/docs/models/gpt-oss-120b"
_LITELLM = "https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json"
"""The table of capabilities in the package litellm, version 1.109.1."""


class ModelRow(NamedTuple):
    """Names that share the same limits."""

    names: str
    """The names, separated by spaces, without date or provider."""
    base: str
    """The method of `Model` that describes most models of the provider."""
    changes: Mapping[str, Any]
    """The fields of `Model` that are different for these models."""
    source: str
    """Where the limits of the row are documented."""
    as_of: str
    """The date on which that was read."""


_MILLION_TOKEN_CLAUDE = {"max_images": 600, "max_pdf_pages": 600}
# Claude from 4.7 on sees up to 2,576 pixels and 4,784 tokens of an image. But a request with more than
# 20 images may have none over 2,000 pixels, and all images of a conversation are in its next request.
_HIGH_RESOLUTION_CLAUDE = _MILLION_TOKEN_CLAUDE | {
    "max_long_edge": 2_000,
    "image_tokens": PatchTokens(patch=28, max_edge=2_576, max_tokens=4_784),
}
_GEMINI_2 = {"image_tokens": SquareTokens(tokens=258, small_edge=384, edge=768)}


def _small_gpt(multiplier: float) -> dict[str, Any]:
    tokens = BudgetTokens(patch=32, max_edge=2_048, max_patches=1_536, multiplier=multiplier)
    return {"image_tokens": tokens}


def _tiled_gpt(base: int, tile: int) -> dict[str, Any]:
    return {"image_tokens": TileTokens(base=base, tile=tile)}


_ROWS = (
    ModelRow(
        "claude-fable-5-2 claude-fable-5-1 claude-fable-5 claude-mythos-5-2 claude-mythos-5-1 claude-mythos-5"
        " claude-opus-5-5 claude-opus-5 claude-opus-4-8 claude-opus-4-7 claude-sonnet-5-5 claude-sonnet-5"
        " claude-haiku-5-5",
        "anthropic",
        _HIGH_RESOLUTION_CLAUDE,
        _VISION,
        "2026-10",
    ),
    ModelRow(
        "claude-opus-4-6 claude-sonnet-4-6 claude-mythos-preview",
        "anthropic",
        _MILLION_TOKEN_CLAUDE,
        _VISION,
        "2026-10",
    ),
    ModelRow("claude-opus-4-5 claude-sonnet-4-5 claude-haiku-4-5", "anthropic", {}, _VISION, "2026-10"),
    ModelRow(
        "gpt-6.2-astra gpt-6-astra gpt-6.2-sol gpt-6.1-sol gpt-6-sol gpt-6.1-terra gpt-6-luna"
        " gpt-5.6 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna gpt-5.5 gpt-5.5-pro gpt-5.4 gpt-5.4-pro"
        " gpt-5.2 gpt-5.2-pro",
        "openai",
        {},
        _IMAGES,
        "2026-09-08",
    ),
    ModelRow("gpt-5.4-mini gpt-5-mini gpt-4.1-mini", "openai", _small_gpt(1.62), _IMAGES, "2026-09-08"),
    ModelRow("gpt-5.4-nano gpt-5-nano", "openai", _small_gpt(2.46), _IMAGES, "2026-09-08"),
    ModelRow("gpt-5.1 gpt-5", "openai", _tiled_gpt(70, 140), _IMAGES, "2026-09-08"),
    ModelRow("gpt-4.1 gpt-4o", "openai", _tiled_gpt(85, 170), _IMAGES, "2026-09-08"),
    ModelRow("gpt-4o-mini", "openai", _tiled_gpt(2_833, 5_667), _IMAGES, "2026-09-08"),
    ModelRow("o3 o3-pro", "openai", _tiled_gpt(75, 150), _IMAGES, "2026-09-08"),
    ModelRow("gpt-oss-120b gpt-oss-20b", "text_only", {}, _OPEN_WEIGHTS, "2026-11-22"),
    ModelRow(
        "gemini-3.8-flash gemini-3.7-flash gemini-3.6-flash gemini-3.5-flash gemini-3.5-flash-lite"
        " gemini-3.1-pro-preview gemini-3.1-flash-lite gemini-3-flash-preview"
        " gemini-flash-latest gemini-flash-lite-latest gemini-pro-latest",
        "gemini",
        {},
        "https://ai.google.dev/gemini-api/docs/image-understanding",
        "2026-09-23",
    ),
    ModelRow(
        "gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite",
        "gemini",
        _GEMINI_2,
        "https://ai.google.dev/gemini-api/docs/image-understanding",
        "2026-09-23",
    ),
    ModelRow(
        "grok-4.7 grok-4.6 grok-4.5 grok-4.3 kimi-k3.1-pro kimi-k3 kimi-k2.7-code kimi-k2.6 deepseek-v4-flash"
        " deepseek-flash qwen3.8-max qwen3.8-flash glm-5.3-flash minimax-m3",
        "any",
        {},
        _LITELLM,
        "2026-11-22",
    ),
    ModelRow(
        "deepseek-v4-pro deepseek-v3.2 glm-5.3 glm-5.2 glm-5.1 glm-5 glm-4.7 glm-4.6 qwen3.7-max qwen3-max"
        " qwen3-coder-plus qwen3-coder-flash minimax-m2.5 minimax-m2.1 minimax-m2 codestral-2508 codestral"
        " devstral devstral-medium devstral-small",
        "text_only",
        {},
        _LITELLM,
        "2026-11-22",
    ),
)

NAMES: dict[str, ModelRow] = {name: row for row in _ROWS for name in row.names.split()}
"""The row of each name."""

_PROVIDER = re.compile(r"^(?:.*[/:](?=[a-z]))?(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic\.)?")
_DATE = re.compile(r"(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}))?(?:-v\d+(?::\d+)?)?$|-latest$")


_FAMILIES = {
    "anthropic": "claude",
    "text-only": "gpt-oss",
    "openai": r"(chat)?gpt|codex|o\d",
    "gemini": "gemini",
    "bedrock": "nova|titan",
    "any": "gemma|grok|kimi|moonshot|deepseek|qwen|qwq|qvq|glm|minimax|abab|llama|mistral|mixtral|ministral"
    "|magistral|pixtral|codestral|devstral|command|aya|phi|granite|nemotron|jamba|ernie|hunyuan|doubao|seed|step"
    "|yi|internlm|internvl|llava|molmo|olmo|smollm|smolvlm|falcon|minicpm|mimo|sonar|lfm",
}
"""The beginnings of the names of models, by the preset for those that the table does not list."""


def row_of(name: str) -> ModelRow | None:
    """Look up a model by name, ignoring provider, date and "latest"; `None`: it is not in the table."""
    wanted = _PROVIDER.sub("", name.strip().lower(), count=1)
    return NAMES.get(wanted) or NAMES.get(_DATE.sub("", wanted, count=1))


@cache
def preset_of(name: str) -> str:
    """Return the preset for a model that is not in the table, and log a warning, once for each name.

    Raises:
        ValueError: It is no name of a known family of models.
    """
    wanted = name.strip().lower()
    near = get_close_matches(_PROVIDER.sub("", wanted, count=1), [*PRESET_NAMES, *NAMES], 3)
    similar = f"; similar names are {', '.join(map(repr, near))}" if near else ""
    for preset, beginning in _FAMILIES.items():
        if re.search(rf"(?:^|[^a-z0-9])(?:{beginning})(?![a-z])", wanted):
            logger().warning(
                "unknown model %r is treated as %r%s; pass 'text-only' if it accepts no images",
                name,
                preset,
                similar,
            )
            return preset
    presets = ", ".join(map(repr, PRESET_NAMES))
    raise ValueError(
        f"unknown model {name!r}{similar}; pass a preset: 'any' if it accepts images, 'text-only' if not; "
        f"the presets are {presets}"
    )
