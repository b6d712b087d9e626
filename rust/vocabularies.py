"""Pack tiktoken's vocabularies for the core: make vocabularies.

A packed vocabulary is a zlib stream of the number of tokens (4 bytes, little-endian), the length of each
token (1 byte), and the tokens, both in the order of their ranks.

Usage: python rust/vocabularies.py DIRECTORY, with `o200k_base.tiktoken` and `cl100k_base.tiktoken` in it, as
tiktoken stores them, or compressed with gzip.
"""

from __future__ import annotations

import base64
import gzip
import sys
import zlib
from pathlib import Path

PACKED = Path(__file__).resolve().parent / "anyread-core" / "vocabularies"
NAMES = ("o200k_base", "cl100k_base")


def tokens_of(text: bytes) -> list[bytes]:
    """Return the tokens of a vocabulary in the order of their ranks, which must have no gaps."""
    rows = [line.split() for line in text.splitlines() if line]
    if [int(rank) for _, rank in rows] != list(range(len(rows))):
        raise ValueError("the ranks are not in order or have gaps")
    return [base64.b64decode(token) for token, _ in rows]


def packed(tokens: list[bytes]) -> bytes:
    """Return a vocabulary in the form that the core reads."""
    lengths = bytes(map(len, tokens))
    return zlib.compress(len(tokens).to_bytes(4, "little") + lengths + b"".join(tokens), 9)


def main() -> None:
    """Pack the vocabularies in a directory."""
    for name in NAMES:
        plain = Path(sys.argv[1], f"{name}.tiktoken")
        text = plain.read_bytes() if plain.is_file() else gzip.decompress(Path(f"{plain}.gz").read_bytes())
        PACKED.joinpath(f"{name}.zlib").write_bytes(packed(tokens_of(text)))


if __name__ == "__main__":
    main()
