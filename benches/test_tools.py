"""The overhead of a tool beyond what its contract requires, and token counts of text without spaces."""

from __future__ import annotations

import asyncio
import hashlib
import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from benches import inputs
from benches.targets import PROFILES

import anyread
from anyread import _native
from anyread.running import threads
from anyread.tools.files import open_file

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.benchmark

ROUNDS = 400
ARGUMENT = {"anyread": "path", "forge": "path", "llm-gateway": "filePath"}
"""The argument that names the file; `file_path` elsewhere."""
HASHED = {"forge", "pilotdeck"}
TOKENIZER = {"codelet": "cl100k_base", "pilotdeck": "o200k_base"}
UNBROKEN = "x" * 200_000


def source() -> str:
    """Return a file of 8 KiB that is old enough to have a version, as most files that agents read."""
    path = inputs.source_file()
    os.utime(path, (1_700_000_000, 1_700_000_000))
    time.sleep(0.05)
    return str(path)


def seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


@pytest.mark.parametrize("profile", PROFILES)
def test_tool_adds_little(report: Callable[..., None], profile: str) -> None:
    """The tool is timed in turn with a plain read, a hash and a token count."""
    path = source()
    data = inputs.source_file().read_bytes()
    text = data.decode()
    tool = anyread.tool(profile, settings={"stub_unchanged": False} if profile == "claude-code" else None)
    arguments = {ARGUMENT.get(profile, "file_path"): path}
    needs: list[Callable[[], object]] = [lambda: anyread.read_sync(path)]
    if profile in HASHED:
        needs.append(lambda: hashlib.sha256(data).hexdigest())
    if profile in TOKENIZER:
        needs.append(lambda: _native.count_tokens(text, TOKENIZER[profile]))
    taken: dict[str, list[float]] = {"needs": [], "sync": [], "async": []}

    def forget() -> None:
        # Otherwise the tool refers to an earlier answer instead of reading; indexes and versions are kept.
        if profile == "pilotdeck":
            tool.session.forget()

    async def race() -> None:
        for _ in range(ROUNDS):
            forget()
            taken["needs"].append(sum(map(seconds, needs)))
            forget()
            taken["sync"].append(seconds(lambda: tool.call_sync(arguments)))
            forget()
            started = time.perf_counter()
            await tool.call(arguments)
            taken["async"].append(time.perf_counter() - started)

    answer = tool.call_sync(arguments)
    assert text.splitlines()[3] in str(answer).replace('\\"', '"')
    asyncio.run(race())
    median = {name: statistics.median(times[20:]) * 1e6 for name, times in taken.items()}
    for way in ("sync", "async"):
        over = median[way] - 1.3 * median["needs"]
        report(f"tool-{profile}-{way}", over, "µs", "plain read, hash and tokens", median["needs"])


def test_unbroken_letters_are_counted_in_time(report: Callable[..., None]) -> None:
    def seconds_to_count(text: str) -> float:
        def steps() -> Any:
            return (yield from file.tokens_over(text, "o200k_base", 24_999))

        file = threads.run(open_file(anyread.Reader(), __file__))
        started = time.perf_counter()
        tokens = threads.run(steps())
        taken = time.perf_counter() - started
        assert tokens == _native.count_tokens(text, "o200k_base") > 24_999
        return taken

    seconds_to_count(UNBROKEN)
    # A new text each time, because counts are cached.
    warm = [seconds_to_count(letter + UNBROKEN[1:]) for letter in "abcdefghij"]
    code = (
        "import time; from anyread._native import count_tokens; text = 'x' * 200_000; s = time.perf_counter()"
    )
    code += "; count_tokens(text, 'o200k_base'); print(time.perf_counter() - s)"
    first = float(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout)
    report("tokens-unbroken", statistics.median(warm) * 1e3, "ms")
    report("tokens-first", first * 1e3, "ms")
