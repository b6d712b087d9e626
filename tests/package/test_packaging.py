"""The package's metadata matches the project's files, and tools that are missing are named."""

import importlib.metadata
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import anyread
from anyread import _native

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
METADATA = importlib.metadata.metadata("anyread")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def toml(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / name).read_text("utf-8"))


def test_version_is_the_same_everywhere() -> None:
    version = toml("Cargo.toml")["workspace"]["package"]["version"]
    assert toml("pyproject.toml")["project"]["dynamic"] == ["version"]
    assert METADATA["Version"] == anyread.__version__ == _native.__version__ == version


def test_metadata_matches_pyproject() -> None:
    project = toml("pyproject.toml")["project"]
    assert METADATA["Requires-Python"] == project["requires-python"]
    assert METADATA["License-Expression"] == "MIT" == toml("Cargo.toml")["workspace"]["package"]["license"]
    assert METADATA["Summary"] == project["description"]
    required = [line for line in METADATA.get_all("Requires-Dist") or [] if "extra ==" not in line]
    assert sorted(required) == sorted(project["dependencies"])
    assert METADATA.get_all("Provides-Extra") == list(project["optional-dependencies"]) == ["mcp"]


def test_stable_abi_is_that_of_the_oldest_python() -> None:
    oldest = toml("pyproject.toml")["project"]["requires-python"].removeprefix(">=")
    features = toml("Cargo.toml")["workspace"]["dependencies"]["pyo3"]["features"]
    assert f"abi3-py{oldest.replace('.', '')}" in features


def test_build_requirements_are_the_same_for_pip_and_make() -> None:
    pyproject = toml("pyproject.toml")
    assert pyproject["build-system"]["requires"] == pyproject["dependency-groups"]["build"]


def test_types_are_shipped() -> None:
    package = Path(anyread.__file__).parent
    assert (package / "py.typed").is_file()
    assert (package / "_native.pyi").is_file()


def test_command_is_a_function() -> None:
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="anyread")
    assert callable(script.load())


@pytest.mark.parametrize("name", ["audit", "dist", "runtime"])
def test_releases_install_locked_packages(name: str) -> None:
    locked = (ROOT / ".github" / f"{name}.txt").read_text("utf-8")
    pins = re.findall(r"^([\w.-]+)==(\S+)(?: ; [^\n]*?)? \\\n    --hash=sha256:", locked, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^[^ #]", locked, re.MULTILINE))
    versions = dict(pins)
    pyproject = toml("pyproject.toml")
    groups = pyproject["dependency-groups"] | {"runtime": pyproject["project"]["dependencies"]}
    required = groups[name] + (groups["build"] if name == "dist" else [])
    for requirement in map(Requirement, (each for each in required if isinstance(each, str))):
        assert versions[requirement.name] in requirement.specifier


def test_workflows_install_locked_packages_and_releases_a_fixed_rust() -> None:
    for workflow in WORKFLOWS:
        text = workflow.read_text("utf-8")
        other = r"(?m)pip install (?!\.|--group test$|dist/|--no-deps|--require-hashes)"
        assert not re.search(other, text), workflow.name
        if workflow.name == "release.yml":
            fixed = re.findall(r"toolchain install \$\{\{ env.RUSTUP_TOOLCHAIN \}\}", text)
            assert len(fixed) == text.count("toolchain install") == 3
            assert re.search(r'RUSTUP_TOOLCHAIN: "1\.\d+\.\d+"', text)


def test_actions_are_named_by_commits() -> None:
    """A tag can be moved to other code; a commit cannot."""
    named = [line for path in WORKFLOWS for line in re.findall(r"uses: .*", path.read_text("utf-8"))]
    assert len(named) > 20
    assert [line for line in named if not re.fullmatch(r"uses: [\w/-]+@[0-9a-f]{40} # v[\d.]+", line)] == []


def programs(directory: Path, *, with_python: bool) -> Path:
    """Fill a directory with the programs that the checks of tools run, optionally with Python."""
    for name in ("sed", "sort", "cut"):
        found = shutil.which(name)
        assert found is not None, name
        (directory / name).symlink_to(found)
    if with_python:
        # The resolved program: the shim of a version manager would need its manager.
        (directory / "python3").symlink_to(Path(sys.executable).resolve())
    return directory


@pytest.mark.parametrize(
    ("with_python", "named", "advice"),
    [(False, "Python 3.11 or newer", "install `python3`"), (True, "`cargo`", "rustup")],
)
def test_missing_tool_is_named_in_one_sentence(
    tmp_path: Path, with_python: bool, named: str, advice: str
) -> None:
    environment = {"PATH": str(programs(tmp_path, with_python=with_python)), "VENV": str(tmp_path / "none")}
    command = [ROOT / "rust" / "toolchain.sh"]
    refused = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert refused.returncode != 0
    (sentence,) = [line for line in refused.stderr.splitlines() if line.startswith("anyread: ")]
    assert named in sentence
    assert advice in sentence
