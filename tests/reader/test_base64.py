"""The core's Base64 encoder, compared with Python's."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyread._native import b64encode


@given(st.binary(max_size=200))
def test_short_bytes_are_encoded_as_python_does(data: bytes) -> None:
    assert b64encode(data) == base64.b64encode(data).decode()


@pytest.mark.parametrize("size", [65_535, 65_536, 65_537, 1_000_000, 1_000_001])
def test_long_bytes_are_encoded_as_python_does(size: int) -> None:
    data = random.Random(size).randbytes(size)
    assert b64encode(data) == base64.b64encode(data).decode()


@pytest.mark.parametrize("data", ["text", None, bytearray(b"x")])
def test_value_other_than_bytes_is_a_type_error(data: object) -> None:
    with pytest.raises(TypeError):
        b64encode(data)  # type: ignore[arg-type]
