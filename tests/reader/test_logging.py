"""What the logger `anyread` reports."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from PIL import Image

import anyread
from helpers.notebooks import code, display, png, write

LATE = anyread.Limits(decode_timeout_s=0.000_001)


def test_end_of_a_decoder_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    Image.effect_noise((2_000, 2_000), 80).save(tmp_path / "a.png")
    with pytest.raises(anyread.errors.DecoderTimeoutError) as caught:
        anyread.Reader(limits=LATE).read_sync(tmp_path / "a.png")
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("anyread", logging.WARNING)
    assert record.getMessage() == f"decoder_timeout: {caught.value.message}"


def test_end_of_the_decoder_of_a_notebook_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path, code("plot()", display(image_png=png(2_000, 2_000))))
    page = anyread.Reader(limits=LATE).read_sync(path)
    assert "not shown: decoder timeout" in page.text
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["decoder_timeout"]


def test_other_errors_are_not_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    for name in ("a.png", "none.txt"):
        with pytest.raises(anyread.ReadError):
            anyread.read_sync(tmp_path / name)
    assert not caplog.records
