"""The code for a framework in the docs passes `mypy --strict` with that framework."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import cells

BLOCK = re.compile(r"^```python (\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
START = cells.DOCUMENT.parent / "start" / "framework.md"
README = cells.DOCUMENT.parents[1] / "README.md"


def section(framework: str) -> str:
    """Return the text below the framework's heading."""
    text = cells.DOCUMENT.read_text("utf-8")
    found = re.search(rf"^## `{framework}`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/integrations.md has no section `{framework}`"
    return found[1]


def test_code_of_the_section_passes_mypy(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    framework: str = pytestconfig.getoption("framework")
    found = BLOCK.findall(section(framework) + START.read_text("utf-8") + README.read_text("utf-8"))
    blocks = [code for name, code in found if name == framework]
    assert blocks
    names = [f"block_{number}.py" for number, _ in enumerate(blocks)]
    for name, block in zip(names, blocks, strict=True):
        (tmp_path / name).write_text(block, "utf-8")
    cache = cells.DIRECTORY.parents[1] / ".mypy_cache" / "integrations" / f"{framework}-docs"
    # Some frameworks have no types.
    options = ["--strict", "--disable-error-code=import-untyped", "--cache-dir", str(cache)]
    command = [sys.executable, "-m", "mypy", *options, *names]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
