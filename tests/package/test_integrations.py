"""The frame of `anyread.integrations`: lazy modules, the error without a framework, and docs/integrations.md.

`make integrations` tests each module in an environment with its framework.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from anyread import integrations
from integrations import cells

pytestmark = pytest.mark.usefixtures("no_coverage_of_processes")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations.md").read_text("utf-8")
PACKAGE = ROOT / "python" / "anyread" / "integrations"
MODULES = sorted(path.stem for path in PACKAGE.glob("*.py") if path.stem in integrations.__all__)
TESTED = sorted(path.stem for path in (ROOT / "tests" / "integrations" / "requirements").glob("*.txt"))

# Fails the import of everything that Python and anyread do not have themselves, like an empty environment.
WITHOUT_FRAMEWORKS = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "anyread"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
"""


def printed(code: str) -> str:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_importing_the_package_loads_no_framework() -> None:
    code = (
        "import sys; before = {*sys.modules}; import anyread, anyread.integrations; anyread.integrations; "
        "loaded = {name.partition('.')[0] for name in {*sys.modules} - before}; "
        "print(*(name for name in loaded - {*sys.stdlib_module_names, 'anyread'} if name[0] != '_')); "
        "print(*(name for name in sys.modules if name.startswith('anyread.integrations.')))"
    )
    assert printed(code) == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_missing_framework_is_named_with_the_command_that_installs_it(name: str) -> None:
    code = f"""{WITHOUT_FRAMEWORKS}
import anyread
try:
    anyread.integrations.{name}
except ImportError as error:
    print(error)
"""
    message = printed(code)
    assert re.fullmatch(rf"anyread\.integrations\.{name} needs (\S+): pip install \1( \S+)*", message)


def test_every_module_is_tested_and_documented() -> None:
    assert MODULES == TESTED
    assert sorted(cells.load()) == TESTED
    for name in MODULES:
        assert (ROOT / "tests" / "integrations" / f"test_{name}.py").exists()
        assert f"\n## `{name}`\n" in PAGE
        assert f"anyread.integrations.{name}" in PAGE


def test_table_of_the_page_is_the_record_of_the_tests() -> None:
    """`make integrations` records the cells and writes the table."""
    found = cells.TABLE.search(PAGE)
    assert found is not None
    assert found[0] == cells.table(cells.load())
    for name, row in cells.load().items():
        assert tuple(row) == cells.KINDS, name
        assert set(row.values()) <= {*cells.SHOWN}, name
