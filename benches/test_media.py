"""P11 to P14: images and PDFs, which separate decoder processes read."""

from __future__ import annotations

import asyncio
import os
import signal
import statistics
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from benches import inputs, lag
from benches.plain_decoders import PlainDecoders, difference
from benches.record import quantity

import anyread
from anyread.decoding.host.fitting import ImageJob, fit_all
from anyread.decoding.host.pool import Pool, shared_pool
from anyread.running import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.benchmark

LAG_TASKS = 256
WARM_CALLS = 2_000
CRASHES = 30
ROUNDS = 21
LIMITS = anyread.Limits(max_tokens=100_000)
"""Room for all pages and their images."""
READER = anyread.Reader(limits=LIMITS, model=anyread.Model.any())
EDGE = 1568
NOTEBOOK_IMAGES = 8
VIEWER = anyread.Reader(limits=LIMITS, model=anyread.Model(max_long_edge=EDGE))
"""A reader for a model that sees images of `EDGE` pixels."""
PAGE_WIDTH = 612
"""In points; the pages of the report are US letter."""
LIKENESS = 4
"""By how many of 255 levels the thumbnails of equal images may differ."""


@pytest.fixture(scope="module")
def plain() -> Iterator[PlainDecoders]:
    with PlainDecoders() as decoders:
        yield decoders


# ---------------------------------------------------------------------------------------------------------
# P11


@pytest.mark.parametrize("loop", ["asyncio", "uvloop", "trio"])
def test_lag_of_mixed_reads(report: Callable[..., None], loop: str) -> None:
    if loop == "uvloop":
        pytest.importorskip("uvloop")
    mixed, idle = (lag.measured(loop, reader, LAG_TASKS) for reader in ("mixed", "idle"))
    p50, worst, idle_p99 = (quantity(number, "ms") for number in (mixed.p50, mixed.worst, idle.p99))
    took = quantity(mixed.seconds * 1e3, "ms")
    report(
        f"lag-mixed-{loop}",
        mixed.p99,
        "ms",
        f"p50 {p50}, worst {worst}, all in {took}; idle loop p99 {idle_p99}",
    )


# ---------------------------------------------------------------------------------------------------------
# P12


def test_warm_call_to_decoder(report: Callable[..., None], plain: PlainDecoders) -> None:
    """The image is so small that decoding takes almost no time; the rest is the overhead of the call."""
    path = inputs.small_image()
    # The image needs no changes, so that the decoder returns it as it is.
    view = READER.read_sync(path, kind="image")
    assert view.image is not None
    assert view.image.data == path.read_bytes()
    seconds = sorted(asyncio.run(seconds_of_calls(path, WARM_CALLS)))
    decoding_ms = plain.decoded(path, WARM_CALLS).seconds * 1e3
    p50, p99 = (seconds[len(seconds) * percent // 100] * 1e3 for percent in (50, 99))
    report("decoder", p50 - decoding_ms, "ms", "decoding alone, in Pillow", decoding_ms)
    report("decoder-p99", p99 - decoding_ms, "ms", "worst", seconds[-1] * 1e3 - decoding_ms)


async def seconds_of_calls(path: Path, count: int) -> list[float]:
    taken = []
    for _ in range(100 + count):
        started = time.perf_counter()
        await READER.read(path)
        taken.append(time.perf_counter() - started)
    return taken[100:]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks a decoder in advance")
def test_next_call_after_crash(report: Callable[..., None]) -> None:
    """All decoders are killed while one of them renders; its call fails, and the next call is timed."""
    small, pool = inputs.small_image(), shared_pool()
    taken, crashes = [], 0
    for _ in range(CRASHES):
        READER.read_sync(small)
        victims = [child.pid for child in pool._idle]  # noqa: SLF001 - there is no public list
        crashes += has_crashed(victims)
        started = time.perf_counter()
        READER.read_sync(small)
        taken.append(time.perf_counter() - started)
        # Wait until the next decoder is forked in advance.
        time.sleep(0.1)
    assert crashes > CRASHES // 2
    report(
        "decoder-died", statistics.median(taken) * 1e3, "ms", f"{crashes} crashes, worst", max(taken) * 1e3
    )


def has_crashed(victims: list[int]) -> bool:
    """Kill decoders while a PDF is read, and return whether that read failed."""
    errors: list[anyread.ReadError] = []

    def work() -> None:
        try:
            READER.read_sync(inputs.report())
        except anyread.ReadError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.02)
    for pid in victims:
        os.kill(pid, signal.SIGSEGV)
    thread.join()
    assert {type(error) for error in errors} <= {anyread.DecoderCrashedError}
    return bool(errors)


# ---------------------------------------------------------------------------------------------------------
# P13 and P14


def test_view_of_photograph(report: Callable[..., None], plain: PlainDecoders) -> None:
    path = inputs.photograph()
    view = VIEWER.read_sync(path, kind="image")
    assert view.shown is not None
    assert view.image is not None
    expected = plain.view(path, edge=EDGE, quality=LIMITS.jpeg_quality)
    assert max(view.shown.width, view.shown.height) == EDGE
    assert difference(plain.thumbnails([view.image.data]), expected.thumbnails) <= LIKENESS
    ours_ms, rival_ms = in_turn(
        lambda: VIEWER.read_sync(path),
        lambda: plain.view(path, edge=EDGE, quality=LIMITS.jpeg_quality).seconds,
    )
    times = f"{quantity(ours_ms, 'ms')}, {plain.versions['pillow']}: {quantity(rival_ms, 'ms')}"
    report("photograph", (ours_ms / rival_ms - 1) * 100, "%", times)


def test_pages_of_report(report: Callable[..., None], plain: PlainDecoders) -> None:
    path = inputs.report()
    shown = READER.read_sync(path, kind="pdf")
    images = [page.image for page in shown.pages if page.image is not None]
    assert len(images) == len(shown.pages)
    # Both render the same number of pixels.
    dpi = images[0].width * 72 / PAGE_WIDTH
    expected = plain.pages(path, dpi=dpi, quality=LIMITS.jpeg_quality)
    assert [page.text for page in shown.pages] == [text.replace("\r\n", "\n") for text in expected.texts]
    data = [image.data for image in images]
    assert difference(plain.thumbnails(data), expected.thumbnails) <= LIKENESS
    ours_ms, rival_ms = in_turn(
        lambda: READER.read_sync(path),
        lambda: plain.pages(path, dpi=dpi, quality=LIMITS.jpeg_quality).seconds,
    )
    report("report", ours_ms, "ms", f"{plain.versions['pypdfium2']}, one process", rival_ms)


def test_images_of_notebook(report: Callable[..., None]) -> None:
    """The images of a notebook are fitted on all decoders at once."""
    path = inputs.photograph()
    image = ImageJob(path.read_bytes, "image/jpeg", path.stat().st_size)
    images = [image] * NOTEBOOK_IMAGES
    model = anyread.Model(max_long_edge=EDGE)

    def fitted(pool: Pool) -> list[int]:
        results = threads.run(
            lambda: fit_all(images, path="a.ipynb", rules=0, limits=LIMITS, model=model, pool=pool)
        )
        return [result.image.width for result in results if not isinstance(result, anyread.ReadError)]

    pools = Pool(), Pool(1)
    try:
        assert fitted(pools[0]) == fitted(pools[1]) == [EDGE] * NOTEBOOK_IMAGES
        taken: tuple[list[float], list[float]] = ([], [])
        for _ in range(ROUNDS // 3):
            for pool, seconds in zip(pools, taken, strict=True):
                started = time.perf_counter()
                fitted(pool)
                seconds.append(time.perf_counter() - started)
    finally:
        for pool in pools:
            pool.close()
    ours_ms, rival_ms = (statistics.median(seconds) * 1e3 for seconds in taken)
    report("notebook-images", ours_ms, "ms", "one decoder", rival_ms)


def in_turn(ours: Callable[[], object], rival: Callable[[], float]) -> tuple[float, float]:
    """Return the median milliseconds of both; `rival` returns its own time in seconds."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        taken[1].append(rival())
        started = time.perf_counter()
        ours()
        taken[0].append(time.perf_counter() - started)
    return statistics.median(taken[0]) * 1e3, statistics.median(taken[1]) * 1e3
