"""The package as users get it: a wheel that runs in an environment without anyread."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

# It builds and installs from the package index.
pytestmark = pytest.mark.torture

PROJECT = Path(__file__).parents[1]


def test_wheel_has_all_modules_and_needs_only_pillow(tmp_path: Path) -> None:
    pip = (sys.executable, "-m", "pip")
    subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, PROJECT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    package = PROJECT / "anyread_conformance"
    sources = {
        path.relative_to(PROJECT).as_posix() for path in package.rglob("*") if path.suffix in {".gz", ".py"}
    }
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == sources | {"anyread_conformance/py.typed"}
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    install = (*pip, "--python", environment / "bin" / "python", "install", "--quiet")
    subprocess.run([*install, "--only-binary=:all:", wheel], check=True)
    command = (environment / "bin" / "anyread-conformance", "--command", "cat -n {path}")
    shown = subprocess.run(
        [*command, "--rule", "lf", "--rule", "png"], capture_output=True, text=True, check=False
    )
    assert (shown.returncode, shown.stderr) == (1, "")
    assert "1 passed, 1 failed, 0 not applicable" in shown.stdout
