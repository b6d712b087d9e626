"""The limits of a reader: every default of the library, and the only place that has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from .settings import LARGEST_COUNT, require_choice, require_count, require_seconds

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Limits:
    """Bound what a read shows, and what it may cost.

    All arguments are keywords; what is left out has its default.

    Raises:
        ValueError: For a value outside its range, naming it.
        TypeError: For a value of the wrong type, naming it.

    Example:
        >>> reader = anyread.Reader(limits=anyread.Limits(max_lines=500, max_tokens=8_000))
    """

    max_lines: int = 2_000
    """Lines a page; the `limit` of a call may be larger."""
    max_line_chars: int = 2_000
    """Characters (Unicode scalar values) of one line that are shown; the rest is clipped."""
    fill_one_line: bool = True
    """Show as much of a line as the page's budget holds where no other line needs the room: from a `column`
    on, of a file's only line, and of a line whose end is too far away to be looked for."""
    max_bytes: int = 256 * KIB
    """Bytes of shown text a page, in UTF-8."""
    max_tokens: int = 25_000
    """Tokens of shown text a page, estimated unless `tokenizer` counts them."""
    tokenizer: Literal["o200k_base", "cl100k_base"] | Callable[[str], int] | None = None
    """What counts tokens exactly: a name, or a function from text to a number of tokens."""
    over_budget: Literal["page", "error"] = "page"
    """Over `max_bytes` or `max_tokens`: end the page earlier, or raise `OverBudgetError`."""
    exact_total: bool = False
    """Count the lines of files over `count_bytes` too, which reads them whole once."""
    count_bytes: int = 256 * MIB
    """Bytes up to which a file's lines are always counted exactly."""
    inline_bytes: int = 64 * KIB
    """Bytes of a file up to which a read may run on the event loop, or hold the interpreter; 1: none."""
    nul: Literal["keep", "symbol", "error"] = "keep"
    """NUL characters: kept, shown as `␀` (sets `lossy`), or refused."""
    trust_append: bool = True
    """Extend the line index of a file that grew after sampling it, instead of rebuilding it."""
    max_images: int = 20
    """Pictures a result."""
    max_pixels: int = 50_000_000
    """Pixels a picture may have when decoded."""
    max_pdf_pages: int = 20
    """PDF pages a call."""
    dpi: int | None = None
    """Dots per inch of a PDF page's picture, at most; `None`: as many as fill the model's longest edge."""
    jpeg_quality: int = 80
    """JPEG quality, 1 to 100."""
    max_notebook_bytes: int = 64 * MIB
    """Bytes of a notebook file."""
    max_cell_output_bytes: int = 20 * KIB
    """Bytes of text that one cell's outputs may show."""
    max_pdf_file_bytes: int = 64 * MIB
    """Bytes of a PDF file."""
    max_image_file_bytes: int = 64 * MIB
    """Bytes of a picture file."""
    decode_timeout_s: float = 10
    """Seconds that decoding one file may take."""
    decode_memory_bytes: int = GIB
    """Bytes of memory that decoding one file may take."""
    index_bytes: int = 64 * MIB
    """Bytes of all line indexes of this process; the least recently used go first."""
    timeout_s: float | None = None
    """Seconds that a read may take, waiting included; `None`: as long as it takes."""

    def in_estimated_tokens(self, token_factor: float) -> Limits:
        """Give these limits for a model that makes so many tokens of each estimated token.

        A tokenizer counts what the host has chosen to count, and is left as it is.
        """
        if token_factor == 1 or self.tokenizer is not None:
            return self
        return replace(self, max_tokens=max(1, int(self.max_tokens / token_factor)))

    def __post_init__(self) -> None:
        for name in _COUNTS:
            most = 100 if name == "jpeg_quality" else LARGEST_COUNT
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Limits):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, default in zip(_NAMES, _DEFAULTS, strict=True)
            if getattr(self, name) != default
        ]
        return f"Limits({', '.join(changed)})"

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in _NAMES)


_NAMES: tuple[str, ...] = tuple(Limits.__dataclass_fields__)
_COUNTS = tuple(name for name, field in Limits.__dataclass_fields__.items() if field.type == "int")
_CHOICES = {
    "over_budget": ("page", "error"),
    "nul": ("keep", "symbol", "error"),
    "fill_one_line": (False, True),
    "exact_total": (False, True),
    "trust_append": (False, True),
}
_TOKENIZERS = (None, "o200k_base", "cl100k_base")

_DEFAULTS = tuple(getattr(Limits(), name) for name in _NAMES)
