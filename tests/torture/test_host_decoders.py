"""Decoders and zygotes that are killed or stopped at random moments, and a host that is stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from torture import hosts
from torture.programs.reads import written_files
from torture.scoreboard import Scale, Score


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("files")
    written_files(directory)
    return directory


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "target", "short", "full"),
    [
        ("SIGKILL", "decoder", 40, 600),
        ("SIGTERM", "decoder", 40, 600),
        ("SIGKILL", "zygote", 10, 60),
        pytest.param("SIGSTOP", "decoder", 2, 6, marks=pytest.mark.torture),
        pytest.param("SIGSTOP", "zygote", 2, 4, marks=pytest.mark.torture),
        ("SIGSTOP", "host", 20, 200),
    ],
)
def test_signals_to_decoders_give_typed_errors(
    number: str, target: str, short: int, full: int, files: Path, scale: Scale, score: Score
) -> None:
    life = hosts.lived("killing", files, number, target, scale(short, full), timeout_s=110)
    life.score(score, f"{number} for a {target}", "signals")
