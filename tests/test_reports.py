"""A worker can send the report of any test, whatever strings the test compares."""

import json

import pytest


def test_failure_with_a_lone_surrogate_is_reported(request: pytest.FixtureRequest) -> None:
    """The failure of one test aborted the whole run, because its report could not be sent."""
    report = pytest.TestReport(
        nodeid="tests/test_x.py::test_y",
        location=("tests/test_x.py", 1, "test_y"),
        keywords={},
        outcome="failed",
        longrepr="assert 'caf\udce9' == 'café'",
        when="call",
        sections=[("Captured stdout call", "\udcff")],
    )
    sent = request.config.hook.pytest_report_to_serializable(config=request.config, report=report)
    assert sent["longrepr"] == "assert 'caf\\udce9' == 'café'"
    assert sent["sections"] == [("Captured stdout call", "\\udcff")]
    assert json.dumps(sent, ensure_ascii=False).encode("utf-8")
