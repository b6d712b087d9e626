"""One token budget for any number of files, computed from counts that are merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypedDict

from .columns import as_list

_STEPS = 128
"""Bins per power of two."""


class HistogramDict(TypedDict):
    """A histogram as JSON values; the three lists have one item per bin."""

    bins: list[int]
    files: list[int]
    tokens: list[int]
    largest: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many files have how many tokens; small, immutable, and added with `+` or `sum`.

    Below 256 tokens each number has its own bin; above, a bin is at most 1/128 of its lowest number wide.
    A bin has the number of its files and the sum of their tokens, so that adding histograms loses nothing.

    Example:
        >>> histogram = Histogram.of([100, 100, 5_000]) + Histogram.of([20_000])
        >>> histogram.files, histogram.tokens
        (4, 25200)
    """

    bins: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """Files and their tokens, by bin."""
    largest: int = 0
    """The tokens of the largest file."""

    __hash__ = None  # type: ignore[assignment] # its bins are a dictionary

    @classmethod
    def of(cls, tokens: Iterable[int]) -> Histogram:
        """Count files.

        Args:
            tokens: The number of tokens of each file: a list, or a column of an engine.

        Raises:
            ValueError: A number is negative.
        """
        bins: dict[int, tuple[int, int]] = {}
        largest = 0
        for number in as_list(tokens):
            if number < 0:
                raise ValueError(f"a file cannot have fewer than 0 tokens: {number}")
            index = bin_of(number)
            files, total = bins.get(index, (0, 0))
            bins[index] = files + 1, total + number
            largest = max(largest, number)
        return cls(MappingProxyType(bins), largest)

    @property
    def files(self) -> int:
        """The number of files."""
        return sum(files for files, _ in self.bins.values())

    @property
    def tokens(self) -> int:
        """The tokens of all files."""
        return sum(tokens for _, tokens in self.bins.values())

    def __add__(self, other: Histogram) -> Histogram:
        if not isinstance(other, Histogram):
            return NotImplemented
        bins = dict(self.bins)
        for index, (files, tokens) in other.bins.items():
            mine = bins.get(index, (0, 0))
            bins[index] = mine[0] + files, mine[1] + tokens
        return Histogram(MappingProxyType(bins), max(self.largest, other.largest))

    def __radd__(self, start: int) -> Histogram:
        # `sum` starts with 0.
        return self if start == 0 else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        return Histogram.from_dict, (self.to_dict(),)

    def to_dict(self) -> HistogramDict:
        """Return the histogram as JSON values, for engines that pass only these."""
        bins = sorted(self.bins)
        files = [self.bins[index][0] for index in bins]
        tokens = [self.bins[index][1] for index in bins]
        return {"bins": bins, "files": files, "tokens": tokens, "largest": self.largest}

    @classmethod
    def from_dict(cls, values: HistogramDict) -> Histogram:
        """Return the histogram that `to_dict` wrote."""
        counts = zip(values["files"], values["tokens"], strict=True)
        return cls(MappingProxyType(dict(zip(values["bins"], counts, strict=True))), values["largest"])

    def __repr__(self) -> str:
        return f"<Histogram of {self.files:,} files with {self.tokens:,} tokens>"


def level(histogram: Histogram, budget: int) -> int:
    """Return the number of tokens that each file may use so that all files together fit a budget.

    Files with fewer tokens are shown completely; what they leave is divided among the others. With
    `max_tokens` set to it, `read_rows` never returns more than `budget` tokens in all, provided that the
    tokens were counted by `survey` with the same settings and the files did not change.

    Args:
        histogram: The tokens of each file.
        budget: The tokens that all files may use together.

    Returns:
        The level, in the same bin as the best one and never above it; if everything fits, the tokens of the
        largest file. 0 if there are more long files than tokens: then only empty files can be shown.

    Raises:
        ValueError: The budget is negative.

    Example:
        >>> level(Histogram.of([100, 100, 5_000, 20_000]), 10_000)
        4900
    """
    if budget < 0:
        raise ValueError(f"a budget cannot be negative: {budget}")
    spent, files = 0, histogram.files
    for index in sorted(histogram.bins):
        in_bin, tokens = histogram.bins[index]
        low, high = bounds(index)
        if spent + low * files > budget:
            # Below this bin the number of longer files is known, so that the level is exact.
            return (budget - spent) // files
        longer = files - in_bin
        if spent + tokens + high * longer > budget:
            return min(high - 1, _level_in_bin(budget - spent, tokens, files, longer))
        spent, files = spent + tokens, longer
    return histogram.largest


def _level_in_bin(left: int, tokens: int, files: int, longer: int) -> int:
    """Return the highest level that fits, whatever the files of its bin have each.

    They use at most what they have, and at most the level each.
    """
    by_level = left // files
    return max(by_level, (left - tokens) // longer) if longer else by_level


def bin_of(tokens: int) -> int:
    """Return the bin of a number of tokens."""
    shift = max(0, tokens.bit_length() - _STEPS.bit_length())
    return shift * _STEPS + (tokens >> shift)


def bounds(index: int) -> tuple[int, int]:
    """Return the lowest number of a bin, and that of the next bin."""
    shift = max(0, index // _STEPS - 1)
    low = (index - shift * _STEPS) << shift
    return low, low + (1 << shift)
