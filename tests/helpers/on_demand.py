"""What `make` runs on demand, most of it with other projects' packages: `on_demand.py TARGET`.

The packages require one another's versions and sometimes conflict with this project's, so each list of
requirements has its own environment, which is made again if the list is newer. A list that starts with
"# Complete" names every package of its environment; one with "Needs Python 3.12" is left out without it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
import urllib.request
import venv
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The lists of requirements of each family, and where their environments are.
FAMILIES = {
    "rivals": ("benches/requirements/*.txt", ".venv-rivals"),
    "readers": ("benches/conformance/requirements/*.txt", ".venv-rivals"),
    "readers-of-node": ("benches/conformance/node/*.json", "target/conformance"),
    "integrations": ("tests/integrations/requirements/*.txt", ".venv-integrations"),
    "drop-ins": ("tests/integrations/drop_ins/requirements/*.txt", ".venv-integrations"),
    "engines": ("tests/engines/requirements/*.txt", ".venv-engines"),
    "clients": ("tests/clients/requirements/*.txt", ".venv-clients"),
    # Other versions of this project's dependencies, which take the place of those in .venv.
    "dependencies": ("tests/dependencies/*.txt", "target/dependencies"),
}
# Environments in which this checkout is imported, so that its own requirements are installed there too.
WITH_CHECKOUT = {"integrations", "drop-ins", "engines"}
NEWER_PYTHONS = ("python3.14", "python3.13", "python3.12")
PYTEST = f"{sys.executable} -m pytest -q --numprocesses=auto --maxprocesses=8 --benchmark-disable"


def run(command: str) -> None:
    """Run a line of the shell, and end with its status if it fails."""
    if status := subprocess.run(command, cwd=ROOT, shell=True, check=False).returncode:
        sys.exit(status)


def wanted(variable: str, default: str = "") -> list[str]:
    """Return the names in a variable that `make` passes on."""
    return os.environ.get(variable, default).split()


def python_for(listed: str) -> str | None:
    """Return the Python for a list of requirements, if there is one."""
    if "Needs Python 3.12" not in listed or sys.version_info >= (3, 12):
        return sys.executable
    return next(filter(starts, NEWER_PYTHONS), None)


def starts(program: str) -> bool:
    """Return whether a Python is there; pyenv can have a launcher for one that is not."""
    if shutil.which(program) is None:
        return False
    return subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode == 0


def made(family: str, requirements: Path) -> Path | None:
    """Return the directory of an up-to-date environment, or None if there is no Python for it."""
    directory = ROOT / FAMILIES[family][1] / requirements.stem
    stamp = directory / ".stamp"
    if stamp.exists() and stamp.stat().st_mtime >= requirements.stat().st_mtime:
        return directory
    listed = requirements.read_text("utf-8")
    python = python_for(listed)
    if python is None:
        print(f"anyread: no {requirements.stem}: Python 3.12 or newer is missing", file=sys.stderr)
        return None
    print(f"anyread: installing {requirements.stem}", file=sys.stderr)
    shutil.rmtree(directory, ignore_errors=True)
    pip = f"{sys.executable} -m pip --disable-pip-version-check"
    options = f"--quiet --requirement {requirements}" + " --no-deps" * listed.startswith("# Complete")
    if requirements.suffix == ".json":
        directory.mkdir(parents=True)
        shutil.copy(requirements, directory / "package.json")
        run(f"npm --prefix {directory} install --ignore-scripts --no-audit --no-fund --loglevel=error >&2")
    elif family == "dependencies":
        run(f"{pip} install --target {directory} {options} >&2")
    else:
        if python == sys.executable:
            venv.create(directory, symlinks=True)
        else:
            run(f"{python} -m venv --without-pip {directory}")
        if family in WITH_CHECKOUT:
            project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
            options += "".join(f" '{requirement}'" for requirement in project["dependencies"])
            (packages,) = directory.glob("lib/python3*/site-packages")
            (packages / "anyread.pth").write_text(f"{ROOT / 'python'}\n", "utf-8")
        run(f"{pip} --python {directory / 'bin' / 'python'} install {options} >&2")
    stamp.touch()
    return directory


def each(family: str, names: list[str], *commands: str) -> None:
    """Make the environments of the names, or all of a family, and run the commands in each.

    Commands have `{python}`, `{name}` and `{directory}`. A name without a list is one of another family.
    """
    lists = {path.stem: path for path in sorted(ROOT.glob(FAMILIES[family][0]))}
    for name in names or list(lists):
        directory = made(family, lists[name]) if name in lists else None
        for command in commands if directory is not None else ():
            line = command.format(python=f"{directory}/bin/python", name=name, directory=directory)
            print(line, file=sys.stderr)
            run(line)


def integrations() -> None:
    """Test the modules of frameworks, and loops of other projects in which one tool is exchanged."""
    types = "{python} -m mypy --config-file tests/integrations/mypy.ini"
    types += " --cache-dir .mypy_cache/integrations/{name}"
    tests = "{python} -m pytest -q tests/integrations/test_{name}.py tests/integrations/test_section.py"
    each(
        "integrations",
        wanted("FRAMEWORKS"),
        f"{types} python/anyread/integrations/{{name}}.py tests/integrations/test_{{name}}.py",
        f"{tests} --framework={{name}}",
    )
    os.environ |= {"OPENHANDS_SUPPRESS_BANNER": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    environments = {"mcp_host": ("integrations", "openai_agents"), "openhands": ("drop-ins", "openhands")}
    options = "-q --config-file tests/integrations/pytest.toml"
    for name in wanted("DROP_INS", "deepagents mcp_host openhands"):
        if name == "mcp_host" and shutil.which("npm"):
            # Its answers are compared with those of the reference server.
            each("readers-of-node", ["server-filesystem"])
        family, environment = environments.get(name, ("integrations", name))
        test = f"tests/integrations/drop_ins/test_{name}.py"
        each(
            family,
            [environment],
            *[f"{types} {test}"] * (name != "openhands"),
            f"{{python}} -m pytest {options} {test}",
        )
    run(f"{sys.executable} tests/integrations/cells.py")


def clients() -> None:
    """Install MCP clients, and run them with the server."""
    python = [path.stem for path in sorted((ROOT / "tests/clients/requirements").glob("*.txt"))]
    node = [path.stem for path in sorted((ROOT / "tests/clients/node").glob("*.json"))]
    chosen = wanted("CLIENTS") or [*python, *node]
    each("clients", chosen)
    os.environ["PYTHONPATH"] = "tests"
    for name in [name for name in node if name in chosen]:
        run(f"{sys.executable} -m clients.node_packages {name}")
    run(f"{sys.executable} -m clients.run {' '.join(chosen)}")
    run(f"{sys.executable} -m clients.launchers")


def dependencies() -> None:
    """Test with other versions of Pillow, pypdfium2 and the MCP SDK."""
    media = "tests/decoding/test_versions.py tests/decoding/test_sandbox.py"
    media += " tests/formats/test_image*.py tests/formats/test_pdf*.py"
    each("dependencies", ["lowest", "newest"], f"PYTHONPATH={{directory}} {PYTEST} {media}")
    server = " ".join(f"tests/mcp_server/test_mcp_{part}.py" for part in ("calls", "wire", "endurance"))
    versions = ["mcp-lowest", "mcp-version-1", "mcp-version-2"]
    each("dependencies", versions, f"ANYREAD_TEST_MCP={{directory}} {PYTEST} {server}")
    each("dependencies", ["outdated"], f"PYTHONPATH={{directory}} {sys.executable} tests/helpers/outdated.py")


def batch() -> None:
    """Read a fleet of files in data engines, and in a pool of processes."""
    types = "{python} -m mypy --config-file tests/engines/mypy.ini --cache-dir .mypy_cache/engines/{name}"
    files = " ".join(wanted("FILES", "100000"))
    each(
        "engines",
        [],
        f"{types} tests/engines/test_{{name}}.py benches/engines/time_{{name}}.py",
        f"{{python}} -m pytest -q tests/engines/test_{{name}}.py --files {files}",
    )
    pool = "-m 'torture or not torture' -k 'processes or examples' -o timeout=0 tests/batch"
    run(f"{sys.executable} -m pytest {pool}")


def conformance() -> None:
    """Check other readers with the rules."""
    chosen = wanted("RIVAL")
    each("rivals", chosen or ["adk", "deepagents", "harness", "strands"])
    each("readers", chosen)
    each("readers-of-node", chosen)
    run(f"{sys.executable} -m benches.conformance.run {' '.join(chosen)}")


def torture() -> None:
    """Run the long tests, alone those that measure times or memory, and write the scoreboard."""
    shutil.rmtree(ROOT / "target/torture", ignore_errors=True)
    os.environ["ANYREAD_TORTURE"] = "1"
    alone = "tests/torture/test_s12_load.py tests/torture/test_s13_soak.py"
    options = "--dist=loadfile --no-loadscope-reorder --durations=20 -m torture -o timeout=0 --ignore="
    commands = (
        f"{PYTEST} {options}{' --ignore='.join(alone.split())}",
        f"{sys.executable} -m pytest -m torture -o timeout=0 {alone}",
        f"PYTHONPATH=tests {sys.executable} -m torture.publish",
    )
    statuses = [subprocess.run(command, cwd=ROOT, shell=True, check=False).returncode for command in commands]
    sys.exit(max(statuses))


def rivals() -> None:
    """Install the rivals of `make bench`."""
    each("rivals", [])


# The editor of SWE-agent is one file, which is no package.
SWE_AGENT = "https://raw.githubusercontent.com/SWE-agent/SWE-agent/3ea751c087f32b16e039a2233dd6eefecef325d5"
SWE_AGENT_SHA256 = "bb36c0d244c820b31d92ed46ced6ba2588a52b482058a71321175dfaba1b0ff3"


def tools() -> None:
    """Install the tools whose contracts anyread has, and compare them with anyread."""
    each("rivals", ["deepagents"])
    each("readers", ["anthropic", "openhands", "strands-agents"])
    each("readers-of-node", ["gemini-cli", "opencode", "pi", "server-filesystem"])
    editor = ROOT / "target/reference-tools/str_replace_editor"
    if not editor.exists():
        with urllib.request.urlopen(f"{SWE_AGENT}/tools/edit_anthropic/bin/str_replace_editor") as answer:
            data = answer.read()
        if hashlib.sha256(data).hexdigest() != SWE_AGENT_SHA256:
            sys.exit(f"anyread: {SWE_AGENT} has another file than the one that is compared")
        editor.parent.mkdir(parents=True, exist_ok=True)
        editor.write_bytes(data)
    run(f"{sys.executable} -m benches.reference_tools.run {' '.join(wanted('REFERENCE_TOOLS'))}")
    run(f"{sys.executable} -m benches.publish")


TARGETS: dict[str, Callable[[], None]] = {
    "integrations": integrations,
    "clients": clients,
    "dependencies": dependencies,
    "batch": batch,
    "conformance": conformance,
    "bench-rivals": rivals,
    "bench-tools": tools,
    "torture": torture,
}

if __name__ == "__main__":
    TARGETS[sys.argv[1]]()
