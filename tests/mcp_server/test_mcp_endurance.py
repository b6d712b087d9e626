"""Many concurrent calls, some cancelled at random: all others are answered, and nothing leaks."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client

from helpers import media
from mcp_server.serving import LEGACY, MODERN, Served, endless, images, listening, stdio, texts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    # One round shows that all calls are answered and nothing leaks; finding a slow leak takes several.
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
    """Write files of all kinds, and return calls, each with a check of its answer."""
    (served.directory / "small.txt").write_text("small\n")
    (served.directory / "large.log").write_bytes(b"a line of some length\n" * 400_000)
    (served.directory / "hill.jpg").write_bytes(media.encoded(media.drawing(900, 600), "JPEG"))
    (served.directory / "sea.pdf").write_bytes(media.text_pdf(3))
    endless(served.directory / "endless.log")
    return [
        ({"path": "small.txt"}, lambda answer: texts(answer) == ["1\tsmall"]),
        (
            {"path": "large.log", "offset": 399_999},
            lambda answer: texts(answer)[0].startswith("399999\ta line of some length\n400000\t"),
        ),
        ({"path": "hill.jpg"}, lambda answer: images(answer)[0].size == (900, 600)),
        ({"path": "sea.pdf"}, lambda answer: len(images(answer)) == 3),
        ({"path": "none.txt"}, lambda answer: answer.is_error and "does not exist" in texts(answer)[0]),
    ]


async def one_round(patient: Client, hasty: Client, served: Served, rng: random.Random) -> tuple[int, int]:
    """Make 64 concurrent calls; return how many were answered and how many were cancelled."""
    calls = fill(served)
    answered = cancelled = 0

    async def call(number: int) -> None:
        nonlocal answered
        arguments, is_right = calls[number % len(calls)]
        answer = await patient.call_tool("read", arguments)
        assert is_right(answer), (arguments, answer)
        answered += 1

    async def call_or_cancel(number: int) -> None:
        nonlocal answered, cancelled
        arguments, is_right = calls[number % len(calls)]
        if number % 4 == 0:
            arguments = {"path": "endless.log", "offset": 10**9}
        with anyio.move_on_after(rng.random() * 0.5) as scope:
            answer = await hasty.call_tool("read", arguments)
            assert is_right(answer), (arguments, answer)
            answered += 1
        cancelled += scope.cancelled_caught

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(CALLS):
                tasks.start_soon(call_or_cancel if number % 2 else call, number // 2)
    return answered, cancelled


async def settled(served: Served) -> tuple[int, int]:
    """Wait until idle threads and decoders are gone; return the descriptors and the memory in bytes."""
    with anyio.fail_after(30):
        while True:
            before = served.descriptors, served.threads
            await anyio.sleep(1.5)
            if (served.descriptors, served.threads) == before:
                return served.descriptors, served.memory_bytes


async def endure(
    connect: Callable[[], AbstractAsyncContextManager[tuple[Client, Client]]], served: Served, rounds: int
) -> None:
    rng = random.Random(64)
    async with connect() as (patient, hasty):
        await one_round(patient, hasty, served, rng)
    descriptors, memory = await settled(served)
    before = served.open_files
    async with connect() as (patient, hasty):
        total = 0
        for _ in range(rounds):
            answered, cancelled = await one_round(patient, hasty, served, rng)
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
            async with Client(url, mode=era) as patient, Client(url, mode=era) as hasty:
                yield patient, hasty

        await endure(connect, served, rounds)
