"""anyread, called as users do: `await reader.read(…)`.

The variant `cold` drops the index before each round, and `seen` keeps it.
`uncounted` requests no exact totals, which anyread otherwise shows for files up to 256 MiB.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

from benches.drivers.protocol import Answer, Question, numbered, serve

import anyread


async def window(path: str, first: int, count: int) -> anyread.Page:
    return await READER.read(path, offset=first, limit=count)


async def tail(path: str, count: int) -> anyread.Page:
    return await READER.read(path, offset=-count)


async def total(path: str, count: int) -> anyread.Page:
    return await EXACT.read(path, limit=count)


async def whole(path: str) -> anyread.Page:
    return await READER.read(path)


def answer(page: Any) -> Answer:
    return Answer(numbered(page.text.removesuffix(page.footer)), page.total_lines)


COUNTED_BYTES = 1 if sys.argv[1] == "uncounted" else anyread.Limits().count_bytes
READER = anyread.Reader(limits=anyread.Limits(count_bytes=COUNTED_BYTES))
EXACT = anyread.Reader(limits=anyread.Limits(exact_total=True))

if __name__ == "__main__":
    before = anyread.clear_caches if sys.argv[1] != "seen" else gc.get_count
    serve(
        f"anyread {anyread.__version__}",
        window=Question(window, answer, before),
        tail=Question(tail, answer, before),
        count=Question(total, answer, before),
        whole=Question(whole, answer, before),
    )
