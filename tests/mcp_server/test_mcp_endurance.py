"""Many calls at a time, of which some are cancelled at random: all others are answered, and nothing stays."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client

import media
from mcp_server.serving import LEGACY, MODERN, Served, endless, listening, pictures, stdio, texts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    # One round shows that all calls are answered and that nothing stays; a slow leak needs more of them.
    pytest.mark.parametrize(
        ("era", "rounds"),
        [
            (MODERN, 1),
            pytest.param(LEGACY, 3, marks=pytest.mark.torture),
            pytest.param(MODERN, 3, marks=pytest.mark.torture),
        ],
    ),
]

CALLS = 64


def fill(served: Served) -> list[tuple[dict[str, Any], Callable[[Any], bool]]]:
    """Make files of all kinds; give calls, each with what holds of its answer."""
    (served.folder / "small.txt").write_text("small\n")
    (served.folder / "large.log").write_bytes(b"a line of some length\n" * 400_000)
    (served.folder / "hill.jpg").write_bytes(media.encoded(media.picture(900, 600), "JPEG"))
    (served.folder / "sea.pdf").write_bytes(media.text_pdf(3))
    endless(served.folder / "endless.log")
    return [
        ({"path": "small.txt"}, lambda answer: texts(answer) == ["1\tsmall"]),
        (
            {"path": "large.log", "offset": 399_999},
            lambda answer: texts(answer)[0].startswith("399999\ta line of some length\n400000\t"),
        ),
        ({"path": "hill.jpg"}, lambda answer: pictures(answer)[0].size == (900, 600)),
        ({"path": "sea.pdf"}, lambda answer: len(pictures(answer)) == 3),
        ({"path": "none.txt"}, lambda answer: answer.is_error and "does not exist" in texts(answer)[0]),
    ]


async def one_round(steady: Client, fickle: Client, served: Served, chance: random.Random) -> tuple[int, int]:
    """Make 64 calls at a time; give how many were answered, and how many cancelled."""
    calls = fill(served)
    answered = cancelled = 0

    async def insist(number: int) -> None:
        nonlocal answered
        arguments, holds = calls[number % len(calls)]
        answer = await steady.call_tool("read", arguments)
        assert holds(answer), (arguments, answer)
        answered += 1

    async def waver(number: int) -> None:
        nonlocal answered, cancelled
        arguments, holds = calls[number % len(calls)]
        if number % 4 == 0:
            arguments = {"path": "endless.log", "offset": 10**9}
        with anyio.move_on_after(chance.random() * 0.5) as scope:
            answer = await fickle.call_tool("read", arguments)
            assert holds(answer), (arguments, answer)
            answered += 1
        cancelled += scope.cancelled_caught

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(CALLS):
                tasks.start_soon(waver if number % 2 else insist, number // 2)
    return answered, cancelled


async def settled(served: Served) -> tuple[int, int]:
    """Wait until idle threads and decoders are gone; give descriptors and memory in bytes."""
    with anyio.fail_after(30):
        while True:
            before = served.descriptors, served.threads
            await anyio.sleep(1.5)
            if (served.descriptors, served.threads) == before:
                return served.descriptors, served.memory_bytes


async def endure(
    connect: Callable[[], AbstractAsyncContextManager[tuple[Client, Client]]], served: Served, rounds: int
) -> None:
    chance = random.Random(64)
    async with connect() as (steady, fickle):
        await one_round(steady, fickle, served, chance)
    descriptors, memory = await settled(served)
    before = served.open_files
    async with connect() as (steady, fickle):
        total = 0
        for _ in range(rounds):
            answered, cancelled = await one_round(steady, fickle, served, chance)
            assert answered + cancelled == CALLS
            assert answered >= CALLS // 2
            total += cancelled
        assert total > rounds
    after = await settled(served)
    assert after[0] <= descriptors, sorted((Counter(served.open_files) - Counter(before)).items())
    assert after[1] < memory + 64 * 1024 * 1024
    assert served.threads <= 24


async def test_64_calls_over_pipes_survive_a_client_that_cancels(
    served: Served, era: str, rounds: int
) -> None:
    async with stdio(served, mode=era) as client:
        await endure(lambda: nullcontext((client, client)), served, rounds)
    assert (served.status, served.errors) == ("0", "")


async def test_64_calls_over_http_survive_a_client_that_cancels(
    served: Served, era: str, rounds: int
) -> None:
    with listening(served) as url:

        @asynccontextmanager
        async def connect() -> AsyncIterator[tuple[Client, Client]]:
            async with Client(url, mode=era) as steady, Client(url, mode=era) as fickle:
                yield steady, fickle

        await endure(connect, served, rounds)
