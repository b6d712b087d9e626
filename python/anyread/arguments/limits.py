"""The limits of a reader: the only place that defines the library's defaults."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from anyread.values import Value

from .settings import LARGEST, require_choice, require_count, require_seconds

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB
TOOL_TIMEOUT_S = 30
"""`Limits.timeout_s` of a tool whose reader has none."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Limits(Value):
    """Limits on what a read shows and what it may cost.

    All arguments are optional keywords.

    Raises:
        ValueError: A value is outside its range; the message names it.
        TypeError: A value has the wrong type; the message names it.

    Example:
        >>> reader = anyread.Reader(limits=anyread.Limits(max_lines=500, max_tokens=8_000))
    """

    max_lines: int = 2_000
    """Lines per page; the `limit` of a call may be larger."""
    max_line_chars: int = 2_000
    """Characters (Unicode scalar values) shown per line; the rest is clipped."""
    fill_one_line: bool = True
    """Whether a single line may fill the page's budget if no other line needs the space: a line read from a
    `column` on, the only line of a file, or a line whose end is too far away to search for."""
    max_bytes: int = 256 * KIB
    """Bytes of shown text per page, in UTF-8."""
    max_tokens: int = 25_000
    """Tokens of text and images per page; those of text are estimated unless `tokenizer` counts them."""
    tokenizer: Literal["o200k_base", "cl100k_base"] | Callable[[str], int] | None = None
    """The tokenizer for exact counts: a name, or a function that returns the number of tokens of a text."""
    over_budget: Literal["page", "error"] = "page"
    """Above `max_bytes` or `max_tokens`: "page" ends the page earlier, "error" raises `OverBudgetError`."""
    exact_total: bool = False
    """Whether the lines of files over `count_bytes` and the rows of sheets are counted too, which reads them
    completely once."""
    count_bytes: int = 256 * MIB
    """The file size in bytes up to which lines are always counted exactly."""
    inline_bytes: int = 64 * KIB
    """The file size in bytes up to which a read may run on the event loop and hold the GIL; 1: none."""
    nul: Literal["keep", "symbol", "error"] = "keep"
    """NUL characters are kept, shown as `␀` (which sets `lossy`), or refused."""
    trust_append: bool = True
    """Whether the line index of a file that grew is extended after checking samples, instead of rebuilt."""
    max_images: int = 20
    """Images per result."""
    max_pixels: int = 50_000_000
    """Pixels of an image, or of the region of it that is requested."""
    max_pdf_pages: int = 20
    """PDF pages per call."""
    dpi: int | None = None
    """Maximum dots per inch of the image of a PDF page; `None`: as many as fill the model's longest edge."""
    jpeg_quality: int = 80
    """JPEG quality, 1 to 100."""
    max_notebook_bytes: int = 64 * MIB
    """Bytes of a notebook file."""
    max_cell_output_bytes: int = 20 * KIB
    """Bytes of text shown per cell for all of its outputs."""
    max_pdf_file_bytes: int = 64 * MIB
    """Bytes of a PDF file."""
    max_image_file_bytes: int = 64 * MIB
    """Bytes of an image file."""
    max_inflated_bytes: int = GIB
    """Bytes of a workbook, a document or a presentation that one call may decompress."""
    max_gzip_bytes: int = 4 * GIB
    """Bytes of the text in a gzip file, for a reader that decompresses."""
    max_copied_bytes: int = 64 * MIB
    """Bytes of one file of a mount that one call may fetch."""
    copies_bytes: int = 256 * MIB
    """Bytes that this process keeps of the files of mounts, in the directory for temporary files."""
    decode_timeout_s: float = 10
    """Seconds that decoding one file may take."""
    decode_memory_bytes: int = GIB
    """Bytes of memory that decoding one file may take."""
    require_sandbox: bool = False
    """Whether all files but text are only parsed in decoders, and refused where these have no complete
    sandbox; otherwise only images and PDFs are decoded there.

    `ANYREAD_REQUIRE_SANDBOX=1` in the environment sets it for all readers."""
    index_bytes: int = 64 * MIB
    """Bytes of all that this process keeps about files: line indexes, positions, what is known of
    workbooks and documents. The least recently used is dropped first."""
    timeout_s: float | None = None
    """Seconds that a read may take, without waits for a thread or a decoder; `None`: no limit, or
    `TOOL_TIMEOUT_S` in a tool."""

    @property
    def requires_sandbox(self) -> bool:
        """Whether a sandbox is required by `require_sandbox` or by the environment."""
        return self.require_sandbox or os.environ.get("ANYREAD_REQUIRE_SANDBOX") == "1"

    def lowered(self, *, max_tokens: int | None, max_bytes: int | None) -> Limits:
        """Return these limits with the lower of two maxima of a page; `None`: that of these limits."""
        if max_tokens is None and max_bytes is None:
            return self
        return replace(
            self,
            max_tokens=min(self.max_tokens, max_tokens or LARGEST),
            max_bytes=min(self.max_bytes, max_bytes or LARGEST),
        )

    def in_estimated_tokens(self, token_factor: float) -> Limits:
        """Return these limits for a model whose texts have `token_factor` tokens per estimated token.

        With a tokenizer the limits are unchanged, because the host has chosen what to count.
        """
        if token_factor == 1 or self.tokenizer is not None:
            return self
        return replace(self, max_tokens=max(1, int(self.max_tokens / token_factor)))

    def __post_init__(self) -> None:
        for name in _COUNTS:
            most = 100 if name == "jpeg_quality" else LARGEST
            require_count(f"Limits.{name}", getattr(self, name), most=most)
        for name, choices in _CHOICES.items():
            require_choice(f"Limits.{name}", getattr(self, name), choices)
        tokenizer: object = self.tokenizer
        if not callable(tokenizer) and tokenizer not in _TOKENIZERS:
            wrong = ValueError if isinstance(tokenizer, str) else TypeError
            accepted = "None, 'o200k_base', 'cl100k_base' or a function"
            raise wrong(f"Limits.tokenizer must be {accepted}: {tokenizer!r}")
        if self.dpi is not None:
            require_count("Limits.dpi", self.dpi)
        require_seconds("Limits.decode_timeout_s", self.decode_timeout_s)
        if self.timeout_s is not None:
            require_seconds("Limits.timeout_s", self.timeout_s)

    def __repr__(self) -> str:
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, default in zip(_NAMES, _DEFAULTS, strict=True)
            if getattr(self, name) != default
        ]
        return f"Limits({', '.join(changed)})"


_NAMES: tuple[str, ...] = tuple(Limits.__dataclass_fields__)
_COUNTS = tuple(name for name, field in Limits.__dataclass_fields__.items() if field.type == "int")
_CHOICES = {
    "over_budget": ("page", "error"),
    "nul": ("keep", "symbol", "error"),
    **{name: (False, True) for name, field in Limits.__dataclass_fields__.items() if field.type == "bool"},
}
_TOKENIZERS = (None, "o200k_base", "cl100k_base")

_DEFAULTS = tuple(getattr(Limits(), name) for name in _NAMES)
