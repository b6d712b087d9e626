"""Checking a reader: each rule in turn, and what came of it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from . import rules as _rules  # noqa: F401 - importing them fills the list
from .rule import KINDS, RULES, ConformanceRule
from .settings import Allowed
from .stopping import NotApplicableError, RuleBrokenError
from .trial import Trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .readers.calling import ForeignReader

Verdict: TypeAlias = Literal["passed", "failed", "not applicable"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one rule."""

    rule: ConformanceRule
    """The rule."""
    verdict: Verdict
    """Whether the reader keeps it."""
    why: str = ""
    """What the reader did, or why the rule does not apply; empty if it passed."""


def all_rules() -> list[ConformanceRule]:
    """Return the rules in the order of reports."""
    return sorted(RULES.values(), key=lambda each: KINDS.index(each.kind))


def check(
    reader: ForeignReader, only: Sequence[str] = (), allowed: Allowed | None = None
) -> Iterator[Finding]:
    """Check a reader, and yield a finding for each rule.

    Args:
        reader: The reader; it is not closed.
        only: Names of rules; empty for all.
        allowed: What the reader may use; by default `Allowed()`.

    Yields:
        One finding for each rule, in the order of `all_rules`.

    Raises:
        UnusableReaderError: The reader does not show a plain text file.
    """
    with tempfile.TemporaryDirectory(prefix="anyread-", ignore_cleanup_errors=True) as directory:
        trial = Trial(reader, Path(directory).resolve(), allowed or Allowed())
        for each in all_rules():
            if not only or each.name in only:
                yield _finding(trial, each)
                trial.forget()


def _finding(trial: Trial, each: ConformanceRule) -> Finding:
    try:
        each.check(trial)
    except RuleBrokenError as broken:
        # The directory has another name in every run.
        return Finding(each, "failed", str(broken).replace(str(trial.directory), "DIRECTORY"))
    except NotApplicableError as reason:
        return Finding(each, "not applicable", str(reason))
    return Finding(each, "passed")
