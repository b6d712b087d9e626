"""Thousands of hostile files, and leaks after thousands of reads."""

from __future__ import annotations

import itertools
import json
import os
import random
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageOps

from anyread.decoding.host.pool import Pool
from anyread.errors import ReadError
from anyread.models.model import Model
from helpers.corpus import MISSING, corpus_files
from helpers.media import (
    decoded,
    difference,
    drawing,
    encoded,
    object_stream_pdf,
    read_sync,
    text_pdf,
)

DEADLINE_S = 11
DECODER_ERRORS = {"decoder_timeout", "decoder_memory", "decoder_crashed", "decoder_unavailable"}


@pytest.fixture
def unlimited_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def real_media() -> list[Path]:
    return corpus_files("images", "pdfs") or pytest.skip(MISSING)


def outcome(path: Path, model: Model, pool: Pool) -> Any:
    """Return the result or the typed error of a read; fail the test on other errors or a late return."""
    started = time.monotonic()
    try:
        result = read_sync(path, model=model, pool=pool)
    except ReadError as error:
        result = error
    assert time.monotonic() - started < DEADLINE_S, path
    return result


def check_result(path: Path, result: Any, model: Model) -> None:
    """Check every block of a result with independent decoders."""
    if isinstance(result, ReadError):
        assert str(result).count("\nhint: ") == 1
        return
    for block in result.blocks:
        if not hasattr(block, "data"):
            assert json.loads(json.dumps(block.text).encode()) == block.text
            continue
        json.dumps({"data": block.base64, "media_type": block.media_type}).encode()
        if hasattr(block, "page_count"):
            assert block.data == path.read_bytes()
            continue
        shown = decoded(block.data)
        assert Image.MIME[str(shown.format)] == block.media_type, path
        assert block.media_type in (model.image_types or ()), path
        assert shown.size == (block.width, block.height), path
        assert max(shown.size) <= (model.max_long_edge or 10**9), path
        assert len(block.base64) <= (model.max_image_base64_bytes or 10**9), path
    if result.kind == "image" and not any(notice.code == "repaired_image" for notice in result.notices):
        check_likeness(path, result)


def check_likeness(path: Path, view: Any) -> None:
    source: Image.Image = Image.open(path)
    source.load()
    source = ImageOps.exif_transpose(source)
    if source.mode.startswith(("I", "F")):
        # Pillow's own conversion clips values above 255.
        return
    assert difference(source, decoded(view.image.data)) <= 24, path


def damaged_media() -> Iterator[tuple[str, bytes]]:
    """Yield files of every format that are cut off or have some bytes changed."""
    generator = random.Random(1)
    sound = {
        kind: encoded(drawing(60, 40), kind) for kind in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF")
    }
    sound |= {"PDF": text_pdf(2), "packed PDF": object_stream_pdf(b"text")}
    for name, data in sound.items():
        for eighth in range(1, 8):
            yield f"{name}, {eighth} of 8", data[: len(data) * eighth // 8]
        for number in range(12):
            changed = bytearray(data)
            start = (0, len(data) // 2, len(data) - 200)[number % 3]
            for _ in range(1 + number):
                index = min(max(start, 0) + generator.randrange(200), len(data) - 1)
                changed[index] = generator.randrange(256)
            yield f"{name}, change {number}", bytes(changed)


@pytest.mark.slow
def test_damaged_media_end_in_results_or_typed_errors(tmp_path: Path, pool: Pool) -> None:
    seen: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, data in damaged_media():
            path = tmp_path / name
            path.write_bytes(data)
            result = outcome(path, Model.any(), pool)
            check_result(path, result, Model.any())
            seen[result.code if isinstance(result, ReadError) else result.kind] += 1
    assert not DECODER_ERRORS & set(seen)
    assert min(seen["damaged"], seen["image"], seen["pdf"]) > 0, seen


@pytest.mark.usefixtures("unlimited_pixels")
@pytest.mark.slow
def test_sample_of_the_corpus_ends_in_results_or_typed_errors(pool: Pool) -> None:
    model = Model.any()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in itertools.islice(real_media(), 0, None, 29):
            check_result(path, outcome(path, model, pool), model)


@pytest.mark.torture
@pytest.mark.usefixtures("unlimited_pixels")
@pytest.mark.parametrize("preset", ["any", "openai", "anthropic", "text_only"])
def test_whole_corpus_ends_in_results_or_typed_errors(pool: Pool, preset: str) -> None:
    model = getattr(Model, preset)()
    tally: Counter[str] = Counter()
    before = resident_bytes()
    growth = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in real_media():
            result = outcome(path, model, pool)
            growth = max(growth, resident_bytes() - before)
            tally[result.code if isinstance(result, ReadError) else f"{result.kind} shown"] += 1
            if preset in {"any", "openai"}:
                check_result(path, result, model)
    print(f"\n{preset}: {sum(tally.values())} files, {dict(tally)}, growth {growth / 1e6:.0f} MB")
    assert not DECODER_ERRORS & set(tally)
    # Most of it is the decoding that `check_result` does in this process.
    assert growth < 100_000_000


@pytest.mark.torture
def test_read_after_a_killed_decoder_is_fast(tmp_path: Path, pool: Pool) -> None:
    import signal

    path = tmp_path / "a.png"
    path.write_bytes(encoded(drawing(20, 20), "PNG"))
    for _ in range(5):
        read_sync(path, pool=pool)
    times = []
    for _ in range(50):
        for child in list(pool._idle):
            os.kill(child.pid, signal.SIGKILL)
        started = time.monotonic()
        read_sync(path, pool=pool)
        times.append(time.monotonic() - started)
        time.sleep(0.05 if os.environ.get("ANYREAD_PORTABLE") != "1" else 1)
    times.sort()
    print(f"\nafter a death: median {times[25] * 1e3:.1f} ms, worst {times[-1] * 1e3:.1f} ms")
    assert times[25] < (0.5 if os.environ.get("ANYREAD_PORTABLE") == "1" else 0.05)
