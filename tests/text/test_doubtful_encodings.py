"""Text in no known encoding is decoded without loss, and reported with low confidence."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

from anyread import errors
from helpers.texts import TextReader, read_text


def write(directory: Path, data: bytes) -> Path:
    path = directory / "x"
    path.write_bytes(data)
    return path


def codes(page: Any) -> set[str]:
    """Return the codes of a result's notices."""
    return {notice.code for notice in page.notices}


def noise(low: int, high: int) -> bytes:
    """Return random bytes within a range."""
    generator = random.Random(5)
    return bytes(generator.randrange(low, high) for _ in range(12_000))


PIXELS = {
    "one colour": b"\xc8" * 9_000,
    "one colour in RGB": b"\xc9\xcd\xd6" * 3_000,
    "three shades": bytes(random.Random(1).choice(b"\xc8\xc9\xca") for _ in range(9_000)),
    "a gradient": bytes(0xA0 + x // 8 % 90 for x in range(9_000)),
    "a sky in RGB": bytes(0xC0 + v + x // 90 % 8 for x in range(3_000) for v in (0, 16, 32)),
    "a wave": bytes(round(160 + 60 * math.sin(x / 90)) for x in range(9_000)),
    "noise": noise(33, 256),
    "bright noise": noise(128, 256),
    "letters of KOI8": noise(0xC0, 0x100),
    "white with a few controls": b"\xff" * 8_000 + b"\x03\x07" * 20,
    "a short record": b"\x1e\xc8\x02\xff\x10\xee\x03\x88",
}


@pytest.mark.parametrize("name", PIXELS)
def test_raw_bytes_are_refused_or_shown_with_low_confidence(tmp_path: Path, name: str) -> None:
    """Raw pixels were decoded as KOI8-U, GB 18030 or Big5 with a confidence of 0.99."""
    try:
        page = read_text(write(tmp_path, PIXELS[name]))
    except errors.BinaryFileError:
        return
    assert page.encoding_confidence < 0.5
    assert "low_confidence" in codes(page)


def letters(choices: bytes) -> bytes:
    """Return 64 KiB of random bytes from `choices`."""
    generator = random.Random(2)
    return bytes(generator.choice(choices) for _ in range(65_536))


HOSTILE = {
    "letters of Western Europe": letters(b"abc \n\xe9\xfc\xe4\xdf"),
    "damaged UTF-8": letters(b"abcdef\n" * 50 + bytes(range(0x80, 0x100, 16))),
    "Cyrillic": "привет ".encode("koi8-r") * 9_000,
    "Chinese": "中文测试".encode("gbk") * 8_000,
    "one kilobyte": "привет ".encode("koi8-r") * 150,
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_statistical_detection_never_runs_on_the_event_loop(tmp_path: Path, name: str) -> None:
    """Detecting the encoding of 64 KiB of legacy text blocked the event loop for 17 to 31 ms."""
    path = write(tmp_path, HOSTILE[name])
    reader = TextReader()
    before = reader.stats()
    for _ in range(5):
        page = await reader.text_async(path)
        assert page.encoding_confidence < 1
    after = reader.stats()
    assert (after["inline"] - before["inline"], after["hops"] - before["hops"]) == (0, 5)
