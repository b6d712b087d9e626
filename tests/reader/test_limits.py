"""Limits, gutters and models: defaults, ranges, and the errors for invalid values."""

from __future__ import annotations

import dataclasses
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import anyread
from anyread import Limits, Model
from anyread.registry import PRESET_NAMES

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

DEFAULTS = {field.name: field.default for field in dataclasses.fields(Limits)}
# Not the durations in seconds, which may be fractions.
COUNTS = [name for name, value in DEFAULTS.items() if type(value) is int and not name.endswith("_s")]


@pytest.mark.parametrize("name", COUNTS)
def test_count_that_is_not_a_positive_integer_is_refused(name: str) -> None:
    values: list[Any] = [0, -1, True, 1.5, "10", None, 2**53]
    for value in values:
        wrong = ValueError if type(value) is int else TypeError
        with pytest.raises(wrong, match=rf"Limits\.{name} must be .*: "):
            Limits(**{name: value})


@pytest.mark.parametrize("name", DEFAULTS)
def test_every_limit_is_checked(name: str) -> None:
    values: list[Any] = [object(), "", []]
    for value in values:
        with pytest.raises((TypeError, ValueError), match=rf"Limits\.{name} must be .*: "):
            Limits(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("jpeg_quality", 101),
        ("over_budget", "refuse"),
        ("nul", "drop"),
        ("tokenizer", "p50k_base"),
        ("timeout_s", 0),
        ("timeout_s", float("nan")),
        ("timeout_s", float("inf")),
        ("decode_timeout_s", -1),
    ],
)
def test_value_outside_its_range_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"Limits\.{name} must be .*: "):
        Limits(**{name: value})


def test_error_of_a_host_tokenizer_is_raised_only_by_its_own_call(tmp_path: Any) -> None:
    """Another thread could raise it instead, and then the call itself reported that it was cancelled."""
    for name in ("bad", "slow", "good"):
        (tmp_path / name).write_text(name)
    is_slow, may_end = threading.Event(), threading.Event()

    def count(text: str) -> int:
        if "bad" in text:
            raise LookupError("no vocabulary")
        if "slow" in text:
            is_slow.set()
            assert may_end.wait(60)
        return len(text)

    reader = anyread.Reader(limits=Limits(tokenizer=count, timeout_s=None))
    with ThreadPoolExecutor(1) as others:
        # With one file at a time, the error has been raised when the next file is read.
        batch = others.submit(
            lambda: list(reader.read_many_sync([tmp_path / "bad", tmp_path / "slow"], concurrency=1))
        )
        try:
            assert is_slow.wait(60)
            assert reader.read_sync(tmp_path / "good").kind == "text"
        finally:
            may_end.set()
        with pytest.raises(LookupError, match="no vocabulary"):
            batch.result()


def test_limits_are_frozen_and_compared_by_value() -> None:
    limits = Limits(max_lines=5, timeout_s=1.5)
    assert limits == Limits(max_lines=5, timeout_s=1.5) != Limits()
    assert hash(limits) == hash(Limits(max_lines=5, timeout_s=1.5))
    assert limits != 5
    assert repr(limits) == "Limits(max_lines=5, timeout_s=1.5)"
    assert pickle.loads(pickle.dumps(limits)) == limits
    assert dataclasses.replace(limits, max_lines=6).max_lines == 6
    with pytest.raises(dataclasses.FrozenInstanceError):
        limits.max_lines = 7  # type: ignore[misc]


# ---------------------------------------------------------------- gutters


# ---------------------------------------------------------------- models

PRESETS = [name.replace("-", "_") for name in PRESET_NAMES]


def test_every_constructor_is_a_preset() -> None:
    """A model could be made in Python, but `--model` and `Model.named` did not know its name."""
    made = {name for name, value in vars(Model).items() if isinstance(value, classmethod)}
    assert made == {"named", *PRESETS}
