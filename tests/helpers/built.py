"""Check the packages that `make dist` has built: python tests/helpers/built.py DIRECTORY.

Runs twine, abi3audit and auditwheel, and checks the size of each wheel.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

MAX_WHEEL_BYTES = 6_000_000
SYSTEM_LIBRARIES = {"libc.so"}
"""What musl's loader provides itself, whatever file has that name.

auditwheel knows musl only by the name that Alpine gives it (`libc.musl-x86_64.so.1`), and reports this one.
"""


def run(module: str, *arguments: str | Path) -> None:
    """Run a tool, which must succeed."""
    print(f"{module} {' '.join(map(str, arguments))}", flush=True)
    subprocess.run([sys.executable, "-m", module, *arguments], check=True)


def audit(wheel: Path) -> None:
    """Check that a wheel for Linux needs no other library, and no newer symbol than its tag allows."""
    # Libraries are not looked up on this machine, whose own may be for another libc.
    command = (sys.executable, "-m", "auditwheel", "show", "--json", "--ldpaths", "", wheel)
    found: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    tags = wheel.stem.rpartition("-")[2].split(".")
    others = set(found["external_libs"]) - (SYSTEM_LIBRARIES if "musllinux" in wheel.name else set())
    print(f"auditwheel: {found['sym_tag']}, other libraries: {sorted(others) or 'none'}", flush=True)
    if found["sym_tag"] not in tags or others or found["unsupported_isa"]:
        sys.exit(f"{wheel.name} does not keep what its tag promises: {json.dumps(found, indent=2)}")


def main() -> None:
    """Check everything in a directory."""
    directory = Path(sys.argv[1])
    packages = sorted(directory.glob("*.whl")) + sorted(directory.glob("*.tar.gz"))
    run("twine", "check", "--strict", *packages)
    for wheel in sorted(directory.glob("*.whl")):
        size = wheel.stat().st_size
        if size > MAX_WHEEL_BYTES:
            sys.exit(f"{wheel.name} has {size:,} bytes, over {MAX_WHEEL_BYTES:,}")
        run("abi3audit", "--strict", "--summary", wheel)
        if "linux" in wheel.name:
            audit(wheel)
        print(f"{wheel.name}: {size:,} bytes")


if __name__ == "__main__":
    main()
