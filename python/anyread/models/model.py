"""What a model accepts: the only place with the limits of providers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from anyread.arguments.settings import require_count, require_type
from anyread.registry import PRESET_NAMES

from .image_tokens import BudgetTokens, FlatTokens, ImageTokens, PatchTokens, edge_within

_TEXT = frozenset({"text"})
_TEXT_AND_IMAGES = frozenset({"text", "image"})
_EVERYTHING = frozenset({"text", "image", "pdf"})

# The documented limits of all models; newer ones see up to 2,576 pixels and 4,784 tokens.
_ANTHROPIC = PatchTokens(patch=28, max_edge=1_568, max_tokens=1_568)
_EVERY_PATCH = PatchTokens(patch=28)

# Estimates are for `o200k_base`. Claude's vocabulary splits the same text into more tokens, so that
# 25,000 estimated tokens are about 30,000.
# Source: "Token counting" at platform.claude.com/docs, 2026-10, according to which newer models count
# about 30 % more than older ones; the factor is between the two.
_CLAUDE_TOKENS = 1.2

_PNG_JPEG_WEBP = ("image/png", "image/jpeg", "image/webp")
_PNG_JPEG_GIF_WEBP = ("image/png", "image/jpeg", "image/gif", "image/webp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What a model accepts, so that nothing is sent that its API rejects.

    All arguments are optional keywords, and `None` means not set.
    If both this and `Limits` limit the same number, the smaller limit applies.

    Example:
        >>> reader = anyread.Reader(model=anyread.Model.anthropic())
        >>> no_pdf = dataclasses.replace(anyread.Model.openai(), inputs=frozenset({"text", "image"}))
    """

    inputs: frozenset[str] = _TEXT_AND_IMAGES
    """Kinds of content: "text", "image", "pdf"."""
    image_types: tuple[str, ...] | None = None
    """Media types of images, the preferred one first."""
    max_image_bytes: int | None = None
    """Bytes per image."""
    max_image_base64_bytes: int | None = None
    """Bytes per image in base64."""
    max_long_edge: int | None = None
    """Pixels of the longer edge; larger images are scaled down to it."""
    max_image_pixels: int | None = None
    """Pixels per image, width times height."""
    max_images: int | None = None
    """Images per request."""
    max_pdf_bytes: int | None = None
    """Bytes per PDF."""
    max_pdf_pages: int | None = None
    """Pages per PDF."""
    image_detail: Literal["low", "high", "original", "auto"] | None = None
    """The `detail` of image blocks, if the API has one."""
    image_tokens: ImageTokens | None = None
    """The provider's formula for the tokens of an image, and the size to which the provider scales it down;
    images are sent at that size. `None`: one token per patch of 28 × 28 pixels, at any size."""
    token_factor: float = 1.0
    """Tokens of this model per estimated token; `Limits.max_tokens` is divided by it."""
    source: str | None = None
    """Where the limits are documented."""
    as_of: str | None = None
    """The date on which that page was read: year, month and possibly day."""

    def __post_init__(self) -> None:
        if isinstance(self.inputs, str):
            raise TypeError(f"Model.inputs must be a set of strings: {self.inputs!r}")
        unknown = sorted(set(self.inputs) - _EVERYTHING)
        if unknown or "text" not in self.inputs:
            accepted = '"text", and optionally "image" and "pdf"'
            raise ValueError(f"Model.inputs must be {accepted}: {sorted(self.inputs)!r}")
        for name in _COUNTS:
            value = getattr(self, name)
            if value is not None:
                require_count(f"Model.{name}", value)
        factor = self.token_factor
        if isinstance(factor, bool) or not isinstance(factor, int | float):
            raise TypeError(f"Model.token_factor must be a number: {factor!r}")
        if not 0.1 <= factor <= 10:
            raise ValueError(f"Model.token_factor must be from 0.1 to 10: {factor!r}")

    @classmethod
    def named(cls, name: str) -> Model:
        """Look up a current model by its name, or a preset, such as "anthropic" or "text-only".

        `Reader`, `anyread.tool` and both commands accept the same names. Provider, date and "latest" in a
        name are ignored: "anthropic/claude-sonnet-5", "us.anthropic.claude-haiku-4-5-20251001-v1:0",
        "models/gemini-3.8-flash". A name that the table does not list, such as that of a newer model, stands
        for the preset of its provider, or for "any", and is logged as a warning once.

        Args:
            name: A preset, or a name in `anyread.models.named`, which has the source and date of each row.

        Raises:
            ValueError: The name is no preset and of no known family of models; the message says what to pass.

        Example:
            >>> anyread.Model.named("claude-sonnet-5").max_long_edge
            2000
        """
        preset = PRESETS.get(name.strip().lower().replace("_", "-"))
        if preset is not None:
            return preset()
        from .named import preset_of, row_of

        row = row_of(name)
        if row is None:
            return PRESETS[preset_of(name)]()
        base: Model = getattr(cls, row.base)()
        return replace(base, **row.changes, source=row.source, as_of=row.as_of)

    def tokens_of_image(self, width: int, height: int) -> int:
        """Estimate the number of tokens of an image with this size in pixels.

        Example:
            >>> anyread.Model.anthropic().tokens_of_image(1_920, 1_080)
            1560
        """
        return (self.image_tokens or _EVERY_PATCH).count(width, height)

    def edge_within(self, width: int, height: int, tokens: int) -> int | None:
        """Return the longest edge at which an image costs at most so many tokens; `None`: there is none."""
        return edge_within(self.image_tokens or _EVERY_PATCH, width, height, tokens)

    @classmethod
    def any(cls) -> Model:
        """Describe what all current models that accept images have in common.

        PNG, JPEG, GIF and WebP of at most 1568 pixels, 1568 patches of 28 × 28 pixels and 5 MiB in
        base64; PDFs as text and images of their pages.
        """
        return cls(
            image_types=_PNG_JPEG_GIF_WEBP,
            max_image_base64_bytes=5 * 1024 * 1024,
            max_long_edge=1_568,
            image_tokens=_ANTHROPIC,
        )

    @classmethod
    def mcp(cls) -> Model:
        """Describe what hosts of the Model Context Protocol pass on to any model.

        Like `any`: text and images. Documents are excluded, because hosts drop them from the replies of
        tools; PDFs are shown as text and images of their pages.
        """
        return cls.any()

    @classmethod
    def text_only(cls) -> Model:
        """Describe a model that accepts only text."""
        return cls(inputs=_TEXT)

    @classmethod
    def anthropic(cls) -> Model:
        """Describe Claude in Anthropic's own API.

        If a limit depends on the model, the one that applies to all models is used: newer models see
        2576 pixels, but requests with more than 20 images are limited to 2000; 600 images and PDF
        pages require a context of a million tokens. `named` has the limits of each model.

        Source: the pages "Vision" and "PDF support" of platform.claude.com/docs, 2026-10.
        """
        return cls(
            inputs=_EVERYTHING,
            image_types=_PNG_JPEG_GIF_WEBP,
            max_image_base64_bytes=10_000_000,
            max_long_edge=1_568,
            max_image_pixels=8_000 * 8_000,
            max_images=100,
            # It is part of a request of 32 MB in base64, which takes 4 bytes for 3.
            max_pdf_bytes=32_000_000 // 4 * 3,
            max_pdf_pages=100,
            image_tokens=_ANTHROPIC,
            token_factor=_CLAUDE_TOKENS,
            source="https://platform.claude.com/docs/en/build-with-claude/vision",
            as_of="2026-10",
        )

    @classmethod
    def openai(cls) -> Model:
        """Describe OpenAI's models that accept images.

        GIF is excluded, because only GIFs without animation are accepted.
        An image over 30,000 patches of 32 × 32 pixels is rejected.
        `detail` is always sent: what "auto" means differs between models.

        Source: the guides "Images and vision" and "File inputs" of developers.openai.com,
        2026-09-08.
        """
        return cls(
            inputs=_EVERYTHING,
            image_types=_PNG_JPEG_WEBP,
            max_long_edge=2_048,
            max_image_pixels=30_000 * 32 * 32,
            max_images=1_500,
            max_pdf_bytes=50_000_000,
            image_detail="high",
            image_tokens=BudgetTokens(patch=32, max_edge=2_048, max_patches=2_500),
            source="https://developers.openai.com/api/docs/guides/images-vision",
            as_of="2026-09-08",
        )

    @classmethod
    def gemini(cls) -> Model:
        """Describe Gemini in Google's Gemini API.

        The image types are those of a function response, and the bytes those of an inline request.

        Source: the pages "Image understanding", "Document processing" and "Function calling" of
        ai.google.dev/gemini-api/docs, 2026-09-23.
        """
        return cls(
            inputs=_EVERYTHING,
            image_types=_PNG_JPEG_WEBP,
            max_image_base64_bytes=20_000_000,
            max_images=3_600,
            max_pdf_bytes=50_000_000,
            max_pdf_pages=1_000,
            # The default resolution of Gemini 3; PDF pages and images cost the same.
            image_tokens=FlatTokens(tokens=1_120),
            source="https://ai.google.dev/gemini-api/docs/image-understanding",
            as_of="2026-09-23",
        )

    @classmethod
    def bedrock(cls) -> Model:
        """Describe the Converse API of Amazon Bedrock; the limit of PDF pages is that of Claude.

        Source: the `Message` of botocore 1.44.5 and the page "Inference API restrictions" of the
        Bedrock user guide, 2026-11-21.
        """
        return cls(
            inputs=_EVERYTHING,
            image_types=_PNG_JPEG_GIF_WEBP,
            max_image_bytes=3_750_000,
            max_long_edge=8_000,
            max_image_pixels=8_000 * 8_000,
            max_images=20,
            max_pdf_bytes=4_500_000,
            max_pdf_pages=100,
            image_tokens=_ANTHROPIC,
            source=("https://docs.aws.amazon.com/bedrock/latest/userguide/inference-api-restrictions.html"),
            as_of="2026-11-21",
        )


_COUNTS = tuple(name for name in Model.__dataclass_fields__ if name.startswith("max_"))

PRESETS: Mapping[str, Callable[[], Model]] = MappingProxyType(
    {name: getattr(Model, name.replace("-", "_")) for name in PRESET_NAMES}
)
"""The presets by name."""


def model_of(setting: str, model: Model | str) -> Model:
    """Return the model of a setting, which is a model or its name; `setting` is what errors call it."""
    if isinstance(model, str):
        return Model.named(model)
    require_type(setting, model, Model, "Model.anthropic()")
    return model
