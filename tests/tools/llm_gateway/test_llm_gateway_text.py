"""Text in llm-gateway's `read`: examples, and a comparison with a slow reference reader."""

from __future__ import annotations

from typing import Any

import pytest

from anyread.tools.parts.javascript import spelled


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-1, "-1"),
        (10_001, "10001"),
        (2.5, "2.5"),
        (2.0, "2"),
        (-0.0, "0"),
        (2**53, "9007199254740992"),
        (2**53 + 1, "9007199254740992"),
        (1e20, "100000000000000000000"),
        (10**21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (-2.5e-8, "-2.5e-8"),
    ],
)
def test_number_is_written_as_in_javascript(value: Any, text: Any) -> None:
    assert spelled(value) == text
