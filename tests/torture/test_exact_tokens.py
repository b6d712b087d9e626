"""Exact counts are those of tiktoken, on random texts, samples, and all files of the tree and of Python.

tiktoken downloads its vocabularies, so it gets the tokens that the core ships; its regular expressions, which
are copied here from its `tiktoken_ext/openai_public.py`, and its algorithm are its own.
"""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import pytest

from anyread import _native

ROOT = Path(__file__).parents[2]
PACKED = ROOT / "rust/anyread-core/vocabularies"
SAMPLES = ROOT / "rust/anyread-core/tests/suite/samples"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
PATTERNS = {
    "o200k_base": "|".join(
        [
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}",
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$"
        r"|\s*[\r\n]|\s+(?!\S)|\s"
    ),
}
# Characters of many scripts, blanks, marks, joiners, digits, and line ends of all kinds.
ALPHABET = (
    "aabbccddeeffgghhiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz ABCXYZ  \n\n\t\r\v\x0b\x1c\x85\u2028'''sSdDmMtTlLvV"
    "0123456789\u0661\u0662\u3007\u00bd\u00b2\u00e9\u00fc\u00df\u00f1\u0130\u0131\u017f\u212a\u01c5\u03a3\u03c2"
    "\u044f\u0416\u4e2d\u6587\u5b57\u6f22\ud55c\uad6d\uc5b4\u3042\u30ab\u03b1\u03b2\u0301\u200d\u200b\ufeff\u00a0"
    "\u3000\U0001f642\U0001f468./-_=+*#(){}[]<>|\\`~^&%$@!?,;:"
)


def tokens_of(name: str) -> dict[bytes, int]:
    data = zlib.decompress((PACKED / f"{name}.zlib").read_bytes())
    count = int.from_bytes(data[:4], "little")
    lengths, rest = data[4 : 4 + count], memoryview(data)[4 + count :]
    ranks, start = {}, 0
    for rank, length in enumerate(lengths):
        ranks[bytes(rest[start : start + length])] = rank
        start += length
    assert start == len(rest)
    return ranks


def random_texts(count: int) -> list[str]:
    generator = random.Random(2026)
    found = ["".join(generator.choices(ALPHABET, k=generator.randrange(1, 400))) for _ in range(count)]
    found += ["".join(map(chr, generator.choices(range(0xD7FF), k=100))) for _ in range(count // 4)]
    found += ["".join(generator.choices("abcdefghij", k=size)) for size in (100, 1_000, 20_000)]
    found += [character * size for character in "a A\n=é中" for size in (95, 96, 97, 5_000)]
    return found


def samples() -> list[str]:
    texts = [path.read_text("utf-8") for path in sorted(SAMPLES.glob("*.txt"))]
    # Without blanks and line ends, a text becomes a few very long pieces.
    return texts + ["".join(filter(str.isalpha, text)) for text in texts]


def compare(name: str, texts: list[str]) -> int:
    """Compare the counts of some texts, and return how many characters were compared."""
    import tiktoken

    judge = tiktoken.Encoding(
        name, pat_str=PATTERNS[name], mergeable_ranks=tokens_of(name), special_tokens={}
    )
    wrong, total = [], 0
    for text in texts:
        total += len(text)
        counted, expected = _native.count_tokens(text, name), len(judge.encode_ordinary(text))
        if counted != expected:
            wrong.append((text[:200], counted, expected))
    print(f"{name}: {total:,} characters")
    assert wrong == []
    return total


@pytest.mark.parametrize("name", sorted(PATTERNS))
def test_exact_counts_are_those_of_tiktoken(name: str) -> None:
    assert compare(name, random_texts(1_000) + samples()) > 300_000
