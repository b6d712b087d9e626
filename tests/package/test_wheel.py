"""The package as users get it: its sources, the wheel built from them, and reads in clean environments.

These tests compile for minutes and install from the package index, so they run only with `make torture`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from helpers import media, readme

pytestmark = pytest.mark.torture

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"]
BUILD = ROOT / "target" / "packaging"
"""Where the wheel is compiled; the next run reuses the compiled dependencies."""
NATIVE = "anyread/_native.abi3.so"
DATA = sorted(
    path.relative_to(ROOT / "anyread.data").as_posix()
    for path in (ROOT / "anyread.data").rglob("*")
    if path.is_file()
)
"""The manual page and the completion scripts: `data/share/…`."""


SHIPPED = (".py", ".pyi", ".typed", ".xlsx", ".docx", ".pptx")


def sources(directory: str, *suffixes: str) -> set[str]:
    """Return the files below a directory that must be shipped, as paths from the root."""
    found = {path for path in (ROOT / directory).rglob("*") if path.suffix in suffixes}
    return {path.relative_to(ROOT).as_posix() for path in found}


def build_env(*left_out: str) -> dict[str, str]:
    """Return the environment for builds, without variables that would make them use this tree."""
    prefixes = ("ANYREAD_", "PYTHON", "VIRTUAL_ENV", "CONDA", "COV_", "COVERAGE", *left_out)
    return {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}


def run(*command: str | Path, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed; show its output if it fails."""
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, **options)
    assert result.returncode == 0, f"{command}:\n{result.stdout}\n{result.stderr}"
    return result


# ------------------------------------------------------------------------------------------------------------
# What is built


@pytest.fixture(scope="module")
def outside() -> Iterator[Path]:
    """Yield a directory outside of the tree, which is deleted at the end because environments are large."""
    with tempfile.TemporaryDirectory(prefix="anyread-") as directory:
        yield Path(directory)


@pytest.fixture(scope="module")
def source_package(outside: Path) -> Path:
    run(sys.executable, "-m", "maturin", "sdist", "--out", outside / "sdist", cwd=ROOT, env=build_env())
    (package,) = (outside / "sdist").iterdir()
    return package


@pytest.fixture(scope="module")
def unpacked(source_package: Path, outside: Path) -> Path:
    with tarfile.open(source_package) as archive:
        archive.extractall(outside / "source", filter="data")
    return outside / "source" / f"anyread-{VERSION}"


@pytest.fixture(scope="module")
def wheel(unpacked: Path, outside: Path) -> Path:
    """Build the wheel as `pip install .` does, from the source package alone."""
    environment = {**build_env(), "CARGO_TARGET_DIR": str(BUILD)}
    # Cargo detects changes by modification times, which are the same in all source packages.
    crates = ("--package=anyread-core", "--package=anyread-python")
    run("cargo", "clean", "--release", *crates, cwd=unpacked, env=environment)
    command = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", outside / "wheel", unpacked)
    run(*command, cwd=outside, env=environment)
    (built,) = (outside / "wheel").iterdir()
    return built


def test_source_package_has_what_a_build_needs_and_nothing_else(source_package: Path) -> None:
    with tarfile.open(source_package) as archive:
        assert all(member.isfile() or member.isdir() for member in archive)
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    top = {"Cargo.lock", "Cargo.toml", "PKG-INFO", "README.md", "pyproject.toml", *PROJECT["license-files"]}
    crates = ("rust/anyread-core", "rust/anyread-python")
    manifests = {"rust/anyread-core/README.md", *(f"{crate}/Cargo.toml" for crate in crates)}
    rust = set().union(*(sources(f"{crate}/src", ".rs") for crate in crates))
    rust |= sources("rust/anyread-core/vocabularies", ".zlib")
    python = sources("python/anyread", *SHIPPED)
    assert {"python/anyread/py.typed", "python/anyread/_native.pyi"} <= python
    assert names == top | manifests | rust | python | {f"anyread.data/{name}" for name in DATA}


def test_wheel_has_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    own = {name for name in names if ".dist-info/" not in name}
    python = {name.removeprefix("python/") for name in sources("python/anyread", *SHIPPED)}
    assert "anyread/py.typed" in own
    assert own == python | {NATIVE} | {f"anyread-{VERSION}.data/{name}" for name in DATA}


def test_wheel_supports_every_python_from_the_oldest_on(wheel: Path) -> None:
    tags = metadata_file(wheel, "WHEEL").get_all("Tag") or []
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert [tag.split("-")[:2] for tag in tags] == [[f"cp{oldest.replace('.', '')}", "abi3"]]


def test_wheel_metadata_matches_the_project(wheel: Path) -> None:
    metadata = metadata_file(wheel, "METADATA")
    assert metadata["Name"] == "anyread"
    assert metadata["Version"] == VERSION
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert metadata["License-Expression"] == PROJECT["license"]
    assert metadata.get_all("Provides-Extra") == list(PROJECT["optional-dependencies"]) == ["mcp"]
    extra = [line for line in metadata.get_all("Requires-Dist") or [] if "extra == 'mcp'" in line]
    assert [line.partition(" ;")[0] for line in extra] == PROJECT["optional-dependencies"]["mcp"]


def test_wheel_contains_the_licenses(wheel: Path) -> None:
    named = metadata_file(wheel, "METADATA").get_all("License-File") or []
    assert sorted(named) == sorted(PROJECT["license-files"])
    with zipfile.ZipFile(wheel) as archive:
        for name in named:
            carried = archive.read(f"anyread-{VERSION}.dist-info/licenses/{name}")
            assert carried == (ROOT / name).read_bytes()


def metadata_file(wheel: Path, name: str) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        return Parser().parsestr(archive.read(f"anyread-{VERSION}.dist-info/{name}").decode())


# ------------------------------------------------------------------------------------------------------------
# Where it is installed


class Python(NamedTuple):
    """An interpreter of this machine: its version and its program file."""

    version: str
    program: Path


ASK = """
import json, os, platform, sys, sysconfig, venv
print(json.dumps([platform.python_implementation(), platform.python_version(), list(sys.version_info[:2]),
    bool(sysconfig.get_config_var("Py_GIL_DISABLED")), os.path.realpath(sys._base_executable)]))
"""


def found_pythons() -> list[Python]:
    """Return every CPython that the wheel supports; programs that do not run, such as shims, are left out."""
    directories = [Path(directory) for directory in os.environ["PATH"].split(os.pathsep) if directory]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    directories += sorted(pyenv.glob("versions/*/bin"))
    candidates = [Path(sys.executable)]
    candidates += [path for directory in directories for path in sorted(directory.glob("python3.[0-9][0-9]"))]
    answers = {answer for path in dict.fromkeys(candidates) if (answer := interpreter_of(path)) is not None}
    return sorted(answers)


def interpreter_of(program: Path) -> Python | None:
    """Return the interpreter that a program is, or None unless it is a recent enough CPython with the GIL."""
    try:
        command = (program, "-I", "-c", ASK)
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
        implementation, version, release, is_free_threaded, base = json.loads(answer)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    oldest = [int(part) for part in PROJECT["requires-python"].removeprefix(">=").split(".")]
    # Builds without the GIL do not have the stable ABI of these versions.
    suits = implementation == "CPython" and release >= oldest and not is_free_threaded
    return Python(version, Path(base)) if suits else None


def environment_with(
    python: Python, wheel: Path, directory: Path, *, extra: str = "", also: tuple[str, ...] = ()
) -> Path:
    """Create an environment with the wheel and its requirements, and return its `bin` directory."""
    run(python.program, "-I", "-m", "venv", "--without-pip", directory, cwd=wheel.parent)
    requirement = f"anyread{extra} @ {wheel.as_uri()}"
    # The pip of this process installs for the other Python, which may have none.
    pip = (sys.executable, "-m", "pip", "--python", directory / "bin" / "python", "install", "--quiet")
    run(*pip, "--only-binary=:all:", requirement, *also, cwd=wheel.parent, env=build_env())
    return directory / "bin"


READ = """
import json, sys
import anyread
text, image, document = sys.argv[1:]
def tokens(vocabulary):
    return anyread.Reader(limits=anyread.Limits(tokenizer=vocabulary)).read_sync(text).token_estimate
page = anyread.read_sync(text)
image = anyread.read_sync(image)
pages = anyread.read_sync(document, kind="pdf")
print(json.dumps({
    "file": anyread.__file__,
    "version": anyread.__version__,
    "text": page.content,
    "tokens": [tokens(vocabulary) for vocabulary in (None, "o200k_base", "cl100k_base")],
    "image": [type(image).__name__, image.width, image.height],
    "document": [type(pages).__name__, pages.count],
}))
"""


@pytest.fixture(scope="module")
def files(outside: Path) -> tuple[Path, Path, Path]:
    """Make a text, an image and a PDF."""
    directory = outside / "files"
    directory.mkdir()
    text, image, document = (directory / name for name in ("text.txt", "picture.png", "document.pdf"))
    text.write_text("first line\nsecond line\n", "utf-8")
    image.write_bytes(media.encoded(media.drawing(40, 30), "PNG"))
    document.write_bytes(media.text_pdf(2))
    return text, image, document


def test_wheel_reads_on_every_python_of_this_machine(
    wheel: Path, files: tuple[Path, Path, Path], outside: Path, subtests: pytest.Subtests
) -> None:
    pythons = found_pythons()
    running = interpreter_of(Path(sys.executable))
    assert running in pythons
    print(
        "\nread with the wheel on:", ", ".join(f"{python.version} ({python.program})" for python in pythons)
    )
    for number, python in enumerate(pythons):
        with subtests.test(python=str(python.program), version=python.version):
            programs = environment_with(python, wheel, outside / f"python-{number}")
            check_reads(programs, files, outside)


def check_reads(programs: Path, files: tuple[Path, Path, Path], outside: Path) -> None:
    """Import, read and call the command, without environment variables."""
    answer = json.loads(run(programs / "python", "-I", "-c", READ, *files, cwd=outside, env={}).stdout)
    assert Path(answer.pop("file")).is_relative_to(programs.parent)
    assert answer == {
        "version": VERSION,
        "text": "first line\nsecond line\n",
        "tokens": [9, 7, 8],
        "image": ["ImageView", 40, 30],
        "document": ["PdfPages", 2],
    }
    assert run(programs / "anyread", "--version", cwd=outside, env={}).stdout == f"anyread {VERSION}\n"
    shown = run(programs / "anyread", "read", files[0], cwd=outside, env={}).stdout
    assert shown == "1\tfirst line\n2\tsecond line\n"
    for name in DATA:
        installed = programs.parent / name.removeprefix("data/")
        assert installed.read_bytes() == (ROOT / "anyread.data" / name).read_bytes()


# ------------------------------------------------------------------------------------------------------------
# The extra


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def test_mcp_without_its_extra_explains_how_to_install_it(wheel: Path, outside: Path) -> None:
    python = interpreter_of(Path(sys.executable))
    assert python is not None
    programs = environment_with(python, wheel, outside / "without-extra")
    command = (programs / "anyread", "mcp", "--root", outside)
    refused = subprocess.run(command, env={}, capture_output=True, text=True, check=False, timeout=60)
    assert refused.returncode == 2
    assert refused.stdout == ""
    (sentence,) = refused.stderr.splitlines()
    assert "pip install 'anyread[mcp]'" in sentence


def test_mcp_with_its_extra_serves_until_its_input_ends(wheel: Path, outside: Path) -> None:
    python = interpreter_of(Path(sys.executable))
    assert python is not None
    programs = environment_with(python, wheel, outside / "with-extra", extra="[mcp]")
    command = (programs / "anyread", "mcp", "--root", outside)
    served = run(*command, cwd=outside, env={}, input=json.dumps(HELLO) + "\n", timeout=60)
    assert json.loads(served.stdout)["result"]["serverInfo"]["name"] == "anyread"
    silent = run(*command, cwd=outside, env={}, stdin=subprocess.DEVNULL, timeout=60)
    assert silent.stdout == ""


@pytest.fixture(scope="module")
def index(wheel: Path, outside: Path) -> dict[str, str]:
    """Return variables with which pip and uv install from a directory with the wheel and what it needs."""
    directory = outside / "index"
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--dest", directory)
    run(*pip, f"anyread[mcp] @ {wheel.as_uri()}", "anthropic", cwd=wheel.parent, env=build_env())
    home = outside / "home"
    home.mkdir()
    return {
        "HOME": str(home),
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "PIP_FIND_LINKS": str(directory),
        "PIP_NO_INDEX": "1",
        "UV_FIND_LINKS": str(directory),
        "UV_OFFLINE": "1",
        "UV_PYTHON": sys.executable,
    }


def test_commands_of_the_readme_install_and_serve(outside: Path, wheel: Path, index: dict[str, str]) -> None:
    project = outside / "project"
    project.mkdir()
    run("uv", "init", "--bare", "--name", "project", cwd=project, env=index)
    run(sys.executable, "-m", "venv", outside / "with-pip", cwd=outside, env=index)
    programs = outside / "with-pip" / "bin"
    served: list[tuple[str, ...]] = [("uvx", "anyread[mcp]", "mcp", "--root", ".")]
    for command in readme.commands():
        match command:
            case ["pip", "install", "WHEEL[mcp]" | "anyread[mcp]" as package]:
                found = package.replace("WHEEL", str(wheel))
                run(programs / "pip", "install", found, cwd=project, env=index, timeout=300)
            case ["claude", "mcp", "add", "anyread", "--", "$(which anyread)", *arguments]:
                served.append((str(programs / "anyread"), *arguments))
    run("uv", "add", "anyread", cwd=project, env=index, timeout=300)
    assert len(served) == 2
    for server in served:
        hello = json.dumps(HELLO) + "\n"
        result = run(*server, cwd=project, env=index, input=hello, timeout=300)
        assert json.loads(result.stdout)["result"]["serverInfo"]["name"] == "anyread"
    for anyread in ((programs / "anyread",), ("uv", "run", "anyread")):
        assert run(*anyread, "--version", cwd=project, env=index).stdout == f"anyread {VERSION}\n"


def test_readme_works_as_printed(outside: Path, index: dict[str, str]) -> None:
    """Run each example as a separate program, with only the packages that the README names."""
    run(sys.executable, "-m", "venv", outside / "readme", cwd=outside, env=index)
    programs = outside / "readme" / "bin"
    run(programs / "pip", "install", "--quiet", "anyread", "anthropic", cwd=outside, env=index)
    directory = outside / "readme-files"
    directory.mkdir()
    readme.create_files(directory, programs / "anyread")
    with readme.fake_apis() as environment:
        for example in readme.python_examples():
            shown = run(programs / "python", "-c", example.code, cwd=directory, env=environment)
            readme.check(shown.stdout, example.output)
