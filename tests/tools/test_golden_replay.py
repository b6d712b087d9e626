"""Calls recorded from other tools, which anyread must answer identically (`tests/recorded/README.md`)."""

from __future__ import annotations

from pathlib import Path

import pytest

import anyread.tools
from recorded_calls import Row, profiles, recipes, replay, rows, sources

ALL = [pytest.param(name, row, id=f"{name}/{row['id']}") for name in profiles() for row in rows(name)]


@pytest.mark.parametrize("validate_media", [False, True], ids=["as recorded", "validated"])
@pytest.mark.parametrize(("profile", "row"), ALL)
def test_recorded_call_is_answered_as_recorded(
    profile: str, row: Row, tmp_path: Path, *, validate_media: bool
) -> None:
    if validate_media and row.get("unvalidated"):
        pytest.skip("some of its files are images or PDFs that do not decode, or are converted")
    if tmp_path.stat().st_size != row.get("directory_bytes", tmp_path.stat().st_size):
        pytest.skip("directories have another size in this file system, and the answer shows it")
    assert replay(profile, row, tmp_path, validate_media=validate_media) == []


def test_every_recorded_call_is_replayed_once() -> None:
    assert set(profiles()) <= set(anyread.tools.PROFILES)
    assert len({param.id for param in ALL}) == len(ALL) >= 1_020


def test_every_file_is_used_by_a_row() -> None:
    used = {source for name in profiles() for row in rows(name) for source in sources(row).values()}
    assert used == set(recipes())
