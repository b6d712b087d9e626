"""Print anyread's own requirements, for an environment that uses the checkout without installing it."""

import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[2] / "pyproject.toml"

if __name__ == "__main__":
    print(*tomllib.loads(PROJECT.read_text("utf-8"))["project"]["dependencies"], sep="\n")
