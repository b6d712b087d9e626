"""The Python code of README.md and docs passes strict type checks as written.

`make integrations` checks the code that needs a framework.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
UNTYPED = ("openpyxl.pyi", "pptx/__init__.pyi", "pptx/util.pyi")
"""Libraries without types, with which examples make files."""
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.types


@pytest.fixture
def blocks(tmp_path: Path) -> Path:
    """Write the blocks of each page to files that are named by the page and a line.

    A block that does not import anyread continues the one before it.
    """
    for page in PAGES:
        text = page.read_text("utf-8")
        name = "_".join(page.relative_to(ROOT).with_suffix("").parts).lower().replace("-", "_")
        path = tmp_path / f"{name}.py"
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 2
            if not path.exists() or re.search(r"^import anyread$", found[1], re.MULTILINE):
                path = tmp_path / f"{name}_line_{line}.py"
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{found[1]}\n")
    assert len(list(tmp_path.iterdir())) > 15
    for name in UNTYPED:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n")
    return tmp_path


def checked(directory: Path, *command: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", *command], cwd=directory, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_code_of_the_docs_passes_mypy(blocks: Path) -> None:
    (blocks / "mypy.ini").write_text("[mypy]\nstrict = True\n")
    cache = ROOT / ".mypy_cache" / "docs"
    checked(blocks, "mypy", "--cache-dir", str(cache), *sorted(path.name for path in blocks.glob("*.py")))


def test_code_of_the_docs_passes_pyright(blocks: Path) -> None:
    (blocks / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "standard"}))
    checked(blocks, "basedpyright", "--pythonpath", sys.executable)
