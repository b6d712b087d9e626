"""Check the packages that `make dist` has built: python tests/built.py DIRECTORY.

Runs twine, abi3audit and auditwheel, and checks the size of each wheel.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MAX_WHEEL_BYTES = 6_000_000


def run(module: str, *arguments: str | Path) -> None:
    """Run a tool, which must succeed."""
    print(f"{module} {' '.join(map(str, arguments))}", flush=True)
    subprocess.run([sys.executable, "-m", module, *arguments], check=True)


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
            run("auditwheel", "show", wheel)
        print(f"{wheel.name}: {size:,} bytes")


if __name__ == "__main__":
    main()
