"""The vocabularies of the exact tokenizers are those that OpenAI publishes."""

import base64
import hashlib
import zlib
from pathlib import Path

import pytest

PACKED = Path(__file__).parents[2] / "rust/anyread-core/vocabularies"
# Source: the checksums in `tiktoken_ext/openai_public.py` of tiktoken 0.14.
CHECKSUMS = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


@pytest.mark.parametrize("name", sorted(CHECKSUMS))
def test_vocabulary_is_the_published_one(name: str) -> None:
    data = zlib.decompress((PACKED / f"{name}.zlib").read_bytes())
    count = int.from_bytes(data[:4], "little")
    lengths, tokens, start, published = data[4 : 4 + count], data[4 + count :], 0, hashlib.sha256()
    for rank, length in enumerate(lengths):
        published.update(b"%s %d\n" % (base64.b64encode(tokens[start : start + length]), rank))
        start += length
    assert start == len(tokens)
    assert published.hexdigest() == CHECKSUMS[name]
