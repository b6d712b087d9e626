"""What violates the schema of arguments."""

from __future__ import annotations

import math
from typing import Any

import pytest

from anyread.tools import schemas

SCHEMA = schemas.arguments(
    "path",
    path=schemas.argument("string", "A path."),
    ratio=schemas.argument("number", "A number.", minimum=0),
    line=schemas.argument("integer", "A line.", minimum=1),
)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param({"path": "a", "ratio": 0.5, "line": 2.0, "other": None}, [], id="valid"),
        pytest.param({}, [("path", "required")], id="missing"),
        pytest.param({"path": None}, [("path", "string")], id="null"),
        pytest.param({"path": "a", "ratio": "1"}, [("ratio", "number")], id="text"),
        pytest.param({"path": "a", "line": True}, [("line", "number")], id="boolean"),
        pytest.param({"path": "a", "line": 1.5}, [("line", "integer")], id="fraction"),
        pytest.param({"path": "a", "line": math.inf}, [("line", "integer")], id="infinity"),
        pytest.param({"path": "a", "line": 101}, [("line", "integer")], id="too large"),
        pytest.param({"path": "a", "ratio": 101}, [], id="large, but no integer"),
        pytest.param({"path": 1, "line": 0}, [("path", "string"), ("line", "minimum")], id="several"),
    ],
)
def test_violations_are_named_with_their_rules(arguments: Any, expected: Any) -> None:
    assert schemas.violations(SCHEMA, arguments, largest=100) == expected
