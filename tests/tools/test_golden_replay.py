"""Calls recorded from other tools, which anyread must answer identically (`tests/recorded/README.md`)."""

from __future__ import annotations

from pathlib import Path

import pytest

import anyread.tools
from helpers.recorded_calls import OWN, Row, contracts, recipes, replay, rows, sources

BOTH = [(name, f"{name}/{row['id']}", row) for name in contracts() for row in rows(name)]
BOTH += [(name, f"own/{name}/{row['id']}", row) for name in contracts() for row in rows(name, OWN)]
ALL = [pytest.param(name, row, id=id_) for name, id_, row in BOTH]


@pytest.mark.parametrize(("contract", "row"), ALL)
def test_recorded_call_is_answered_as_recorded(contract: str, row: Row, tmp_path: Path) -> None:
    if tmp_path.stat().st_size != row.get("directory_bytes", tmp_path.stat().st_size):
        pytest.skip("directories have another size in this file system, and the answer shows it")
    # Some rows have images or PDFs that do not decode, or are converted if they are validated.
    for validate_media in (row["validate_media"],) if "validate_media" in row else (False, True):
        directory = tmp_path / str(validate_media)
        directory.mkdir()
        assert replay(contract, row, directory, validate_media=validate_media) == []


def test_every_recorded_call_is_replayed_once() -> None:
    assert set(contracts()) <= set(anyread.tools.CONTRACTS)
    assert {path.stem for path in OWN.iterdir()} <= set(contracts())
    assert len({param.id for param in ALL}) == len(ALL) >= 1_020


def test_every_file_is_used_by_a_row() -> None:
    used = [source for _, _, row in BOTH for source in sources(row).values()]
    assert {source for source in used if isinstance(source, str)} == set(recipes())
