"""`make fuzz` finds every target of the Rust core, and each target has a few small seeds."""

from __future__ import annotations

import pytest

import fuzzing


def test_every_fuzz_target_is_found_once() -> None:
    checks = sum(path.read_text("utf-8").count("bolero::check!(") for path in fuzzing.SOURCES.glob("*.rs"))
    names = [target.name for target in fuzzing.targets()]
    assert len(names) == checks == len(set(names)) >= 13
    assert sorted(names) == sorted(path.name for path in fuzzing.INPUTS.iterdir())


@pytest.mark.parametrize("target", fuzzing.targets(), ids=lambda target: target.name)
def test_seeds_of_fuzz_target_are_small(target: fuzzing.Target) -> None:
    seeds = list((fuzzing.INPUTS / target.name / "corpus").iterdir())
    assert len(seeds) >= 5
    assert sum(path.stat().st_size for path in seeds) <= fuzzing.SEED_BYTES
