"""The files of the tasks: archives of public registries, fetched by hash into a cache, and files made here.

Nothing of them is shipped. An archive is compared with its SHA-256 before it is unpacked, and every file that
is made here with its own; the gold lines of each task are compared once more (`truth.py`).
"""

from __future__ import annotations

import fnmatch
import gzip
import hashlib
import html
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import generated

if TYPE_CHECKING:
    from collections.abc import Iterator

_TIMEOUT_S = 120
_MOST_BYTES = 64 * 1024 * 1024


class SourceError(Exception):
    """A source cannot be had, or is not what the tasks were made with; the message says which."""


TASKS = Path(str(files("anyread_conformance.locate"))) / "tasks.jsonl.gz"
"""The tasks of the distribution."""


@dataclass(frozen=True, slots=True)
class Source:
    """An archive of a public registry."""

    kind: str
    """The registry: `pypi`, `npm`, `crates`, `go` or `maven`."""
    name: str
    """The name of the package there; in Maven `group:artifact`."""
    version: str
    file: str
    """The name of the archive."""
    sha256: str


def default_cache() -> Path:
    """Return the directory that keeps the archives."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "anyread-conformance"


def fetched(source: Source, cache: Path) -> Path:
    """Return the archive in the cache, which is fetched first if it is not there.

    Raises:
        SourceError: The registry does not answer, or the archive has another hash.
    """
    path = cache / "archives" / f"{source.sha256[:16]}-{source.file}"
    if not path.exists():
        data = _downloaded(_url(source))
        if source.sha256 and hashlib.sha256(data).hexdigest() != source.sha256:
            raise SourceError(f"{source.file} has another SHA-256 than the tasks name")
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_bytes(data)
        partial.replace(path)
    return path


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each regular file of an archive, without its outermost directory."""
    data = archive.read_bytes()
    name = archive.name
    if name.endswith((".whl", ".zip", ".jar")):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for entry in packed.infolist():
                if not entry.is_dir():
                    yield entry.filename, packed.read(entry)
        return
    with tarfile.open(fileobj=io.BytesIO(data)) as packed_tar:
        for member in packed_tar:
            content = packed_tar.extractfile(member) if member.isfile() else None
            if content is not None:
                yield member.name.removeprefix("./").partition("/")[2], content.read()


def prepare(header: dict[str, Any], root: Path, cache: Path) -> dict[str, generated.Truth]:
    """Make the files of the tasks below `root`, which is emptied first, and return what those made here say.

    Args:
        header: The first line of the tasks: `sources`, `trees`, `edits` and `generated`.
        root: The directory that readers see as `/w`.
        cache: The directory that keeps the archives.

    Raises:
        SourceError: A file is not what the tasks were made with.
    """
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    sources = [Source(**each) for each in header["sources"]]
    for tree in header["trees"]:
        unpack(fetched(sources[tree["source"]], cache), root / tree["to"], tree)
    for edit in header["edits"]:
        target = root / edit["path"]
        text = (root / edit.get("from", edit["path"])).read_text("utf-8")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(edited(text, edit["changes"]), "utf-8", newline="")
    texts = {}
    for each in header["generated"]:
        target = root / each["path"]
        target.parent.mkdir(parents=True, exist_ok=True)
        texts[each["path"]] = generated.write(target, each["make"], each["arguments"])
        if each.get("sha256") not in {None, sha256_of(target)}:
            raise SourceError(f"{each['path']} was made with another content than the tasks name")
    return {path: truth for path, truth in texts.items() if truth}


def edited(text: str, changes: list[dict[str, Any]]) -> str:
    """Return a text with changes, each of a line that counts from 1 in the original.

    A change replaces what `pattern` matches with `with`, or inserts the lines of `insert` before its line.
    """
    lines = text.split("\n")
    for change in sorted(changes, key=lambda each: -int(each["line"])):
        at = change["line"] - 1
        if "insert" in change:
            lines[at:at] = change["insert"]
        else:
            lines[at] = re.sub(
                change["pattern"], str(change["with"]).replace("\\", r"\\"), lines[at], count=1
            )
    return "\n".join(lines)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def unpack(archive: Path, to: Path, tree: dict[str, Any]) -> None:
    """Write members of an archive into a directory: those below `base` that match `files`, not `without`."""
    base = tree.get("base", "")
    for name, content in members(archive):
        inside = name.removeprefix(base)
        wanted = name.startswith(base) and any(fnmatch.fnmatch(inside, glob) for glob in tree["files"])
        if not wanted or any(fnmatch.fnmatch(inside, glob) for glob in tree.get("without", ())):
            continue
        target = (to / inside).resolve()
        if not target.is_relative_to(to.resolve()):
            raise SourceError(f"{archive.name} has a member outside of its directory")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _url(source: Source) -> str:
    """Return where an archive is: below the index that the environment configures, or the public one."""
    name, version, file = source.name, source.version, source.file
    public = registries().get(source.kind, "")
    match source.kind:
        case "pypi":
            index = os.environ.get("PIP_INDEX_URL", public).rstrip("/")
            page = _downloaded(f"{index}/{name}/").decode("utf-8", "replace")
            link = re.search(rf'href="([^"]*/{re.escape(file)}(?:#[^"]*)?)"', page)
            if link is None:
                raise SourceError(f"the index has no {file}")
            return urllib.parse.urljoin(f"{index}/{name}/", html.unescape(link[1])).partition("#")[0]
        case "npm":
            registry = _configured(["npm", "config", "get", "registry"], public)
            return f"{registry.rstrip('/')}/{name}/-/{file}"
        case "crates":
            return f"{public}/{name}/{file}"
        case "go":
            proxy = _configured(["go", "env", "GOPROXY"], public).split(",")[0]
            escaped = re.sub(r"[A-Z]", lambda found: "!" + found[0].lower(), name)
            return f"{proxy.rstrip('/')}/{escaped}/@v/{version}.zip"
        case "maven":
            group, _, artifact = name.partition(":")
            path = f"{group.replace('.', '/')}/{artifact}/{version}/{file}"
            return f"{public}/{path}"
    raise SourceError(f"there is no registry `{source.kind}`")


@cache
def registries() -> dict[str, str]:
    """Return the addresses of the public registries, which the tasks name as they name their sources."""
    found: dict[str, str] = load(TASKS)[0]["registries"]
    return found


def _configured(command: list[str], public: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return public
    found = done.stdout.strip()
    return found if found.startswith("https://") else public


def _downloaded(url: str) -> bytes:
    if not url.startswith("https://"):
        raise SourceError("the address of a source does not begin with https://")
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:  # noqa: S310 - https, see above
            data: bytes = answer.read(_MOST_BYTES + 1)
    except (OSError, urllib.error.URLError) as failure:
        raise SourceError(f"{url.rpartition('/')[2] or url} cannot be fetched: {failure}") from failure
    if len(data) > _MOST_BYTES:
        raise SourceError(f"{url.rpartition('/')[2]} is larger than {_MOST_BYTES:,} bytes")
    return data


def load(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header and the tasks of a file of tasks."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        header, *tasks = (json.loads(line) for line in stream)
    return header, tasks
