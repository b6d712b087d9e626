"""What the logger `anyread` reports."""

from __future__ import annotations

import logging
import subprocess
import sys
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


def test_warnings_are_silent_until_logging_is_configured(tmp_path: Path) -> None:
    """They went to standard error of every program, because Python prints what no handler takes."""
    code = (
        "import logging, anyread\n"
        "anyread.Model.named('claude-opus-96')\n"
        "logging.basicConfig(format='%(name)s: %(message)s')\n"
        "anyread.Model.named('claude-opus-97')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60, cwd=tmp_path
    )
    assert done.stderr.startswith("anyread: unknown model 'claude-opus-97' is treated as 'anthropic'")
    assert done.stderr.count("unknown model") == 1
