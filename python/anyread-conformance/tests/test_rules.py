"""Every rule can be broken: for each, there is a reader that fails it, and no other rule."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from anyread_conformance import Allowed, ConformanceRule, Reply, all_rules, check
from broken_readers import BREAKERS, BrokenReader

SMALL = Allowed(large_mb=2)
RULES = {each.name: each for each in all_rules()}


@pytest.fixture(autouse=True)
def files_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the rule apply that does not apply to a user who may read everything."""
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: Path(path).stat().st_mode & 0o777 != 0 and access(path, mode)
    )


def failures(rules: list[str], broken: BrokenReader) -> dict[str, str]:
    found = check(broken, rules, SMALL)
    return {each.rule.name: each.why for each in found if each.verdict == "failed"}


def test_every_rule_has_a_broken_reader() -> None:
    assert set(BREAKERS) == set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_broken_reader_fails_its_rule(rule: str) -> None:
    found = failures([rule], BrokenReader(BREAKERS[rule]))
    assert list(found) == [rule]
    assert found[rule]


@pytest.mark.parametrize("rule", RULES)
def test_rule_passes_without_the_change(rule: str) -> None:
    [finding] = check(BrokenReader(lambda _: None), [rule], SMALL)
    assert (finding.verdict, finding.why) == ("passed", "")


@pytest.mark.torture
@pytest.mark.parametrize("rule", RULES)
def test_broken_reader_fails_no_other_rule(rule: str) -> None:
    assert list(failures([], BrokenReader(BREAKERS[rule]))) == [rule]


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: str(rule.name))
def test_rule_states_itself_and_its_reason(rule: ConformanceRule) -> None:
    assert re.fullmatch(r"[A-Z`].*[.]", rule.statement)
    assert rule.reason.endswith(".")


@pytest.mark.parametrize("outcome", ["hung", "crashed", "out_of_memory", "flooded"])
def test_no_answer_breaks_any_rule(outcome: Any) -> None:
    reader = BrokenReader(lambda call: Reply(outcome=outcome) if call.data.count(b"\n") == 12 else None)
    assert list(failures(["lf"], reader)) == ["lf"]


def test_other_lines_of_a_large_log_are_no_refusal() -> None:
    reader = BrokenReader(lambda call: Reply("x" * 99) if call.name == "large.log" else None)
    assert list(failures(["large-log"], reader)) == ["large-log"]


def test_refusal_of_a_large_log_is_not_judged() -> None:
    reader = BrokenReader(
        lambda call: Reply("too large", outcome="refused") if call.name == "large.log" else None
    )
    [finding] = check(reader, ["large-log"], SMALL)
    assert finding.verdict == "not applicable"
