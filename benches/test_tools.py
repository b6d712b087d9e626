"""The overhead of a tool beyond what its contract requires, and token counts of text without spaces."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from benches import inputs
from benches.targets import CONTRACTS, PLAIN

import anyread
from anyread import _native
from anyread.running import threads

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.benchmark

ROUNDS = 400
MORE_ARGUMENTS: dict[str, dict[str, Any]] = {"deepagents": {"limit": 1_000}}
"""Arguments without which a contract would not return the complete file."""
HASHED = {"forge", "pilotdeck"}
"""The contracts that state the SHA-256 of the file."""
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


@pytest.mark.parametrize("contract", CONTRACTS)
def test_tool_adds_little(report: Callable[..., None], tmp_path: Path, contract: str) -> None:
    """The tool is timed in turn with a plain read, and with the hash that the contract requires."""
    path = source()
    data = inputs.source_file().read_bytes()
    text = data.decode()
    name, _, dialect = contract.partition(" ")
    settings: dict[str, object] = {"dialect": dialect} if dialect else {}
    tool = anyread.tool(name, cwd=tmp_path, settings=settings)
    if dialect == "anthropic-memory":
        path = f"{tmp_path}/memories/source.py"
        shutil.copy2(inputs.source_file(), path)
        arguments: dict[str, Any] = {"command": "view", "path": "/memories/source.py"}
    else:
        tool = anyread.tool(name, cwd=os.path.dirname(path), settings=settings)  # noqa: PTH120 - text
        arguments = {**tool.arguments_for(path), **MORE_ARGUMENTS.get(contract, {})}
    needs: list[Callable[[], object]] = [lambda: anyread.read_sync(path)]
    if contract in HASHED:
        needs.append(lambda: hashlib.sha256(data).hexdigest())
    taken: dict[str, list[float]] = {"sync": [], "async": [], "needs sync": [], "needs async": []}

    def forget() -> None:
        # Otherwise the tool refers to an earlier answer instead of reading; indexes and versions are kept.
        if contract == "pilotdeck":
            tool.session.forget()

    async def race() -> None:
        for _ in range(ROUNDS):
            forget()
            taken["needs sync"].append(sum(map(seconds, needs)))
            started = time.perf_counter()
            await anyread.read(path)
            taken["needs async"].append(time.perf_counter() - started + sum(map(seconds, needs[1:])))
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
        needed = median[f"needs {way}"]
        report(f"tool-{contract}-{way}", median[way] - needed, "µs", PLAIN, needed)


def test_places_of_several_files(report: Callable[..., None], tmp_path: Path) -> None:
    """One call for ten ranges of six files is timed in turn with ten calls."""
    for name in range(6):
        lines = (f"def f{number}(): return {number:,}  # {'x' * (number % 30)}\n" for number in range(400))
        path = tmp_path / f"f{name}.py"
        path.write_text("".join(lines))
        os.utime(path, (1_700_000_000, 1_700_000_000))
    time.sleep(0.05)
    tool = anyread.tool(roots=[tmp_path])
    wanted = [(f"f{number % 6}.py", 20 + 30 * number) for number in range(10)]
    together = {"places": [f"{name}:{first}-{first + 12}" for name, first in wanted]}
    single = [{"path": name, "offset": first, "limit": 13} for name, first in wanted]
    shown = str(tool.call_sync(together))
    assert all(f"{first}\\tdef f{first - 1}()" in shown for _, first in wanted)
    taken: dict[str, list[float]] = {"together": [], "single": []}

    async def race() -> None:
        for _ in range(ROUNDS):
            for way, calls in (("together", [together]), ("single", single)):
                started = time.perf_counter()
                for call in calls:
                    await tool.call(call)
                taken[way].append(time.perf_counter() - started)

    asyncio.run(race())
    median = {name: statistics.median(times[20:]) * 1e6 for name, times in taken.items()}
    report("places", median["together"], "µs")
    report("places-single", median["together"], "µs", "10 calls", median["single"])


def test_unbroken_letters_are_counted_in_time(report: Callable[..., None]) -> None:
    def seconds_to_count(text: str) -> float:
        def steps() -> Any:
            return file.tokens_over(text, "o200k_base", 24_999)

        file = threads.run(lambda: anyread.Reader().open_sync(__file__, repair=False))
        started = time.perf_counter()
        tokens = threads.run(steps)
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
