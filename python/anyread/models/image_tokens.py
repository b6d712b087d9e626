"""The providers' formulas for the tokens of an image and the size at which the model sees it.

The numbers of each provider are in `model`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchTokens:
    """Count one token per patch, after scaling the image down to the largest size within the limits.

    Example:
        >>> PatchTokens(patch=28, max_edge=1568, max_tokens=1568).count(1075, 1520)
        1551
    """

    patch: int
    """Pixels of a patch's edge."""
    max_edge: int | None = None
    """Pixels of the longer edge."""
    max_tokens: int | None = None
    """Tokens of one image."""

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Return the size that the model sees."""
        longest = max(width, height)

        def scaled(edge: int) -> tuple[int, int]:
            # Halves are rounded up, and no edge becomes 0.
            return tuple(max(1, math.floor(side * edge / longest + 0.5)) for side in (width, height))  # type: ignore[return-value]

        upper = longest if self.max_edge is None else min(longest, self.max_edge)
        size = scaled(upper)
        if self.max_tokens is None or self._patches(*size) <= self.max_tokens:
            return size
        # Both sides shrink with the edge, so a binary search finds the largest edge that fits.
        lower = 1
        while upper - lower > 1:
            middle = (lower + upper) // 2
            if self._patches(*scaled(middle)) <= self.max_tokens:
                lower = middle
            else:
                upper = middle
        return scaled(lower)

    def count(self, width: int, height: int) -> int:
        """Return the number of tokens of an image with this size in pixels."""
        return self._patches(*self.size(width, height))

    def _patches(self, width: int, height: int) -> int:
        return math.ceil(width / self.patch) * math.ceil(height / self.patch)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetTokens:
    """Count one token per patch, after scaling the image down to fit a budget of patches.

    Example:
        >>> BudgetTokens(patch=32, max_edge=2048, max_patches=1536).count(1800, 2400)
        1452
    """

    patch: int
    """Pixels of a patch's edge."""
    max_edge: int | None
    """Pixels of the longer edge; `None`: no limit."""
    max_patches: int
    """Patches of one image."""
    multiplier: float = 1.0
    """Tokens per patch."""

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Return the size that the model sees."""
        across, down = float(width), float(height)
        if self.max_edge is not None and max(across, down) > self.max_edge:
            shrink = self.max_edge / max(across, down)
            across, down = across * shrink, down * shrink
        if math.ceil(across / self.patch) * math.ceil(down / self.patch) > self.max_patches:
            shrink = math.sqrt(self.patch**2 * self.max_patches / (across * down))
            columns, rows = across * shrink / self.patch, down * shrink / self.patch
            # Round down to whole patches to stay within the budget, but never to less than one.
            shrink *= min(max(1, math.floor(columns)) / columns, max(1, math.floor(rows)) / rows, 1.0)
            across, down = across * shrink, down * shrink
        # The tolerance makes up for rounding errors.
        return max(1, math.floor(across + 1e-6)), max(1, math.floor(down + 1e-6))

    def count(self, width: int, height: int) -> int:
        """Return the number of tokens of an image with this size in pixels."""
        across, down = self.size(width, height)
        patches = math.ceil(across / self.patch) * math.ceil(down / self.patch)
        return math.ceil(min(patches, self.max_patches) * self.multiplier)


@dataclass(frozen=True, slots=True, kw_only=True)
class TileTokens:
    """Count a base, plus tokens for each tile, after fitting the image into a square.

    Example:
        >>> TileTokens(base=85, tile=170).count(1024, 1024)
        765
    """

    base: int
    """Tokens of any image."""
    tile: int
    """Tokens per tile."""
    tile_edge: int = 512
    """Pixels of a tile's edge."""
    max_edge: int = 2_048
    """Pixels of the longer edge."""
    short_edge: int = 768
    """Pixels to which the shorter edge is scaled down."""

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Return the size that the model sees."""
        shrink = min(1.0, self.max_edge / max(width, height))
        shrink = min(shrink, self.short_edge / min(width, height))
        return max(1, math.floor(width * shrink + 1e-6)), max(1, math.floor(height * shrink + 1e-6))

    def count(self, width: int, height: int) -> int:
        """Return the number of tokens of an image with this size in pixels."""
        across, down = self.size(width, height)
        return self.base + self.tile * math.ceil(across / self.tile_edge) * math.ceil(down / self.tile_edge)


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareTokens:
    """Count the same number of tokens for a small image and for each square of a larger one.

    Example:
        >>> SquareTokens(tokens=258, small_edge=384, edge=768).count(1000, 700)
        516
    """

    tokens: int
    """Tokens of a small image, and of each square."""
    small_edge: int
    """An image is small if neither edge has more pixels than this."""
    edge: int
    """Pixels of a square's edge."""

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Return the size that the model sees, which is the original size."""
        return width, height

    def count(self, width: int, height: int) -> int:
        """Return the number of tokens of an image with this size in pixels."""
        if max(width, height) <= self.small_edge:
            return self.tokens
        return self.tokens * math.ceil(width / self.edge) * math.ceil(height / self.edge)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatTokens:
    """Count the same number of tokens for every image."""

    tokens: int
    """Tokens of an image."""

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Return the size that the model sees, which is the original size."""
        return width, height

    def count(self, width: int, height: int) -> int:  # noqa: ARG002 - all formulas have the same signature
        """Return the number of tokens of an image with this size in pixels."""
        return self.tokens


ImageTokens: TypeAlias = PatchTokens | BudgetTokens | TileTokens | SquareTokens | FlatTokens

LEGIBLE_EDGE = 256
"""Pixels of the longer edge below which an image shows too little to be sent."""


def edge_within(formula: ImageTokens, width: int, height: int, tokens: int) -> int | None:
    """Return the longest edge to which an image must be scaled down to cost at most so many tokens.

    Returns:
        Pixels of the longer edge; `None` if the image would be illegible, or costs more at any size.
    """
    longest = max(width, height)

    def cost(edge: int) -> int:
        # Rounded up, because whoever scales the image may round either way.
        return formula.count(math.ceil(width * edge / longest), math.ceil(height * edge / longest))

    if cost(longest) <= tokens:
        return longest
    lower, upper = LEGIBLE_EDGE, longest
    if upper <= lower or cost(lower) > tokens:
        return None
    while upper - lower > 1:
        middle = (lower + upper) // 2
        lower, upper = (middle, upper) if cost(middle) <= tokens else (lower, middle)
    return lower


_FORMULAS = {
    formula.__name__: formula for formula in (PatchTokens, BudgetTokens, TileTokens, SquareTokens, FlatTokens)
}


def to_fields(formula: ImageTokens) -> dict[str, Any]:
    """Convert a formula to JSON values."""
    # Not `asdict`, which copies each value and takes ten times as long; the values are numbers.
    return {"formula": type(formula).__name__} | {name: getattr(formula, name) for name in formula.__slots__}


def from_fields(values: dict[str, Any]) -> ImageTokens:
    """Make a formula from the values that `to_fields` returned."""
    numbers = dict(values)
    formula: ImageTokens = _FORMULAS[numbers.pop("formula")](**numbers)
    return formula
