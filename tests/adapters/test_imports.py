"""The adapters load no SDK, and the examples in their docstrings are correct."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import anyread
from anyread import adapters
from anyread.adapters import anthropic, bedrock, gemini, mcp, openai_chat, openai_responses, rig

MODULES = [anthropic, bedrock, gemini, mcp, openai_chat, openai_responses, rig]
SDKS = {"anthropic", "openai", "google", "botocore", "boto3", "mcp", "mcp_types"}
HEAVY = {*SDKS, "PIL", "pypdfium2", "pydantic", "anyio", "trio", "json"}


def modules_after(code: str) -> set[str]:
    completed = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(completed.stdout.split())


def test_adapters_load_no_sdk() -> None:
    loads = "\n".join(f"import anyread.adapters.{name}" for name in adapters.__all__)
    added = modules_after(loads) - modules_after("import dataclasses")
    assert {f"anyread.adapters.{name}" for name in adapters.__all__} <= added
    assert not added & HEAVY


def test_package_loads_no_adapter_by_itself() -> None:
    added = modules_after("import anyread")
    assert not any(name.startswith("anyread.adapters") for name in added)
    added = modules_after("from anyread import adapters\nadapters.gemini")
    assert "anyread.adapters.gemini" in added
    assert "anyread.adapters.anthropic" not in added


def test_package_lists_its_targets() -> None:
    assert sorted(adapters.__all__) == sorted(dir(adapters))
    assert [module.__name__.rpartition(".")[2] for module in MODULES] == sorted(adapters.__all__)
    with pytest.raises(AttributeError, match="antropic"):
        adapters.antropic  # noqa: B018


@pytest.fixture
def names(directory: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the names that the examples use."""
    monkeypatch.chdir(directory)
    with pytest.raises(anyread.NotFoundError) as caught:
        anyread.read_sync("gone.txt")
    return {
        "anyread": anyread,
        "page": anyread.read_sync("poem.txt", limit=1),
        "view": anyread.read_sync("chart.png"),
        "error": caught.value,
        **{module.__name__.rpartition(".")[2]: module for module in MODULES},
    }


@pytest.mark.parametrize("module", [adapters, *MODULES], ids=lambda module: module.__name__)
def test_examples_are_correct(module: ModuleType, names: dict[str, Any]) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    count = 0
    for test in doctest.DocTestFinder().find(module, globs=names):
        count += len(test.examples)
        result = runner.run(test)
        assert result.failed == 0
    assert count >= 3 or module is adapters
