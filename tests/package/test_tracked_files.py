"""No file names the host of a package registry or a path of one machine."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Each pattern is spelled so that it does not find itself.
REGISTRY_HOST = re.compile(
    r"crates[.]io|pypi[.]org|pythonhosted[.]org|npmjs[.]org|proxy[.]golang[.]org|repo1?[.]maven",
    re.IGNORECASE,
)
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:r[o]ot|home/(?!user\b)\w+|Users/\w+)/")


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Yield (path, text) of every file that is or would be committed, except lock files."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs a git checkout to list the tracked files")
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT)]
    command = [*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.suffix != ".lock" and path.is_file():
            yield name, path.read_text("utf-8", errors="replace")


def test_no_file_names_a_registry_host() -> None:
    assert [name for name, text in tracked_texts() if REGISTRY_HOST.search(text)] == []


def test_no_file_names_a_path_of_one_machine() -> None:
    here = re.escape(str(ROOT)) + r"(?![\w-])"
    found = [name for name, text in tracked_texts() if MACHINE_PATH.search(text) or re.search(here, text)]
    assert found == []
