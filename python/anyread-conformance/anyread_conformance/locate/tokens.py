"""Tokens of o200k_base, counted with the standard library: the vocabulary is one of the sources.

The pattern of the vocabulary needs the general categories of Unicode, which `re` does not know, so its
classes are written out from `unicodedata`.
"""

from __future__ import annotations

import base64
import heapq
import re
import sys
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_MOST_REMEMBERED = 2_000_000
_IMAGE_TOKENS = 1_600
_PIXELS_PER_TOKEN = 750
_PAGE_TOKENS = 1_500
"""What a page of a PDF costs that is sent as a file: Anthropic's documentation names 1,500 to 3,000."""


class TokenCounter:
    """Counts the tokens of texts.

    Args:
        vocabulary: A file with one `base64 rank` a line, or the ranks of js-tiktoken.
    """

    def __init__(self, vocabulary: Path) -> None:
        self._ranks = _ranks(vocabulary.read_text("utf-8"))
        self._known: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        known = self._known
        if len(known) > _MOST_REMEMBERED:
            known.clear()
        total = 0
        for piece in _pattern(text.isascii()).findall(text):
            number = known.get(piece)
            if number is None:
                number = known[piece] = self._merged(piece.encode("utf-8", "surrogatepass"))
            total += number
        return total

    def _merged(self, data: bytes) -> int:
        """Merge the pair with the lowest rank until none is left, and return how many parts remain."""
        ranks = self._ranks
        if data in ranks:
            return 1
        size = len(data)
        ends = list(range(1, size + 1))  # where the part that begins here ends; 0 if none begins here
        before = list(range(-1, size - 1))
        queue: list[tuple[int, int, int]] = []

        def offer(start: int) -> None:
            middle = ends[start]
            if middle < size:
                rank = ranks.get(data[start : ends[middle]])
                if rank is not None:
                    heapq.heappush(queue, (rank, start, ends[middle]))

        for start in range(size - 1):
            offer(start)
        parts = size
        while queue:
            _, start, end = heapq.heappop(queue)
            middle = ends[start]
            if not middle or middle >= size or ends[middle] != end:
                continue  # a part of this pair was merged meanwhile
            ends[middle] = 0
            ends[start] = end
            parts -= 1
            if end < size:
                before[end] = start
            offer(start)
            if before[start] >= 0:
                offer(before[start])
        return parts


def image_tokens(width: int, height: int) -> int:
    """Return what an image costs: its pixels by 750, at most 1,600."""
    return min(_IMAGE_TOKENS, width * height // _PIXELS_PER_TOKEN)


def pdf_tokens(data: bytes) -> int:
    """Return what a PDF costs that is sent as a file."""
    return _PAGE_TOKENS * max(1, len(re.findall(rb"/Type\s*/Page\b", data)))


def _ranks(text: str) -> dict[bytes, int]:
    found = re.search(r'"bpe_ranks"\s*:\s*"((?:[^"\\]|\\.)*)"', text)
    if found is None:
        pairs = (line.split() for line in text.splitlines() if line)
        return {base64.b64decode(token): int(rank) for token, rank in pairs}
    ranks: dict[bytes, int] = {}
    for line in found[1].split("\\n"):
        _, offset, *tokens = line.split(" ") if line else ("", "0")
        ranks |= {base64.b64decode(token): int(offset) + index for index, token in enumerate(tokens)}
    return ranks


@cache
def _pattern(is_ascii: bool) -> re.Pattern[str]:  # noqa: FBT001 - the cache's key
    last = 127 if is_ascii else sys.maxunicode
    upper, lower = _class(last, "Lu", "Lt", "Lm", "Lo", "M"), _class(last, "Ll", "Lm", "Lo", "M")
    letters, numbers = _class(last, "L"), _class(last, "N")
    # `\s` of `re` has four separators, U+001C to U+001F, that are no white space in Unicode's sense.
    space = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    suffix = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    return re.compile(
        rf"[^\r\n{letters}{numbers}]?[{upper}]*[{lower}]+{suffix}"
        rf"|[^\r\n{letters}{numbers}]?[{upper}]+[{lower}]*{suffix}"
        rf"|[{numbers}]{{1,3}}| ?[^{space}{letters}{numbers}]+[\r\n/]*"
        rf"|[{space}]*[\r\n]+|[{space}]+(?![^{space}])|[{space}]+"
    )


def _class(last: int, *categories: str) -> str:
    """Return the characters up to `last` of some general categories, as the inside of a class of `re`."""
    ranges: list[list[int]] = []
    for code, category in enumerate(_categories()[: last + 1]):
        if category.startswith(categories):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


@cache
def _categories() -> list[str]:
    return [unicodedata.category(chr(code)) for code in range(sys.maxunicode + 1)]
