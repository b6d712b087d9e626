"""The tasks while they are made: sources, files and tasks, with the gold of each as spans and a hash."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from anyread_conformance.locate import generated, sources
from anyread_conformance.locate.generated import Draw
from anyread_conformance.locate.truth import Truth, digest

Span = tuple[int, int]
_VERSION = 1


class Making:
    """A set of tasks.

    Args:
        seed: What the choices depend on.
        root: Where the files are; it is emptied.
        cache: Where the archives are.
    """

    def __init__(self, seed: int, root: Path, cache: Path) -> None:
        self.seed, self.root, self.cache = seed, root, cache
        self.draw = Draw(f"tasks {seed}")
        self.tasks: list[dict[str, Any]] = []
        self.dropped: dict[str, int] = {}
        self.header: dict[str, Any] = {
            "version": _VERSION,
            "seed": seed,
            "registries": {},
            "sources": [],
            "trees": [],
            "edits": [],
            "generated": [],
            "encodings": {},
        }
        sources.prepare(self.header, root, cache)
        self.texts: dict[str, dict[str, str]] = {}
        self._truth = Truth(root, self.texts, self.header["encodings"])

    # Files

    def tree(
        self,
        kind: str,
        name: str,
        version: str,
        file: str,
        to: str,
        **chosen: Any,
    ) -> None:
        """Unpack files of an archive, `chosen` as in the header; its hash is found by fetching it."""
        found = sorted((self.cache / "archives").glob(f"*-{file}"))
        path = (
            found[0] if found else sources.fetched(sources.Source(kind, name, version, file, ""), self.cache)
        )
        source = sources.Source(kind, name, version, file, sources.sha256_of(path))
        path.replace(self.cache / "archives" / f"{source.sha256[:16]}-{file}")
        if asdict(source) not in self.header["sources"]:
            self.header["sources"].append(asdict(source))
        tree = {"source": self.header["sources"].index(asdict(source)), "to": to, **chosen}
        self.header["trees"].append(tree)
        sources.unpack(sources.fetched(source, self.cache), self.root / to, tree)

    def again(self, tree: dict[str, Any], to: str) -> None:
        """Unpack a tree once more, elsewhere."""
        self.header["trees"].append({**tree, "to": to})
        source = sources.Source(**self.header["sources"][tree["source"]])
        sources.unpack(sources.fetched(source, self.cache), self.root / to, tree)

    def made(self, path: str, make: str, **arguments: Any) -> dict[str, str]:
        """Make a file, and return what it says by address."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        self.texts[path] = generated.write(target, make, arguments)
        entry = {"path": path, "make": make, "arguments": arguments, "sha256": sources.sha256_of(target)}
        self.header["generated"].append(entry)
        return self.texts[path]

    def edit(self, path: str, changes: list[dict[str, Any]], original: str | None = None) -> Path:
        """Change a file, or make a changed copy of another one."""
        entry: dict[str, Any] = {"path": path, "changes": changes}
        if original is not None:
            entry["from"] = original
        self.header["edits"].append(entry)
        target = self.root / path
        text = (self.root / (original or path)).read_text("utf-8")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(sources.edited(text, changes), "utf-8", newline="")
        self._truth.forget(str(target))
        return target

    def lines(self, path: str) -> list[str]:
        """Return the lines of a text."""
        return self.truth().lines(str(self.root / path))

    def truth(self) -> Truth:
        """Return what the files say now."""
        return self._truth

    # Tools

    def run(self, *command: str, cwd: str = ".", **environment: str) -> str:
        """Return what a tool prints, standard output first; caches of tools are outside of the root."""
        inherited = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", **environment}
        done = subprocess.run(
            command,
            cwd=self.root / cwd,
            env=inherited,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        return done.stdout + done.stderr

    def name(self, path: str | Path) -> str:
        """Return a path below the root as tasks have it."""
        return str(Path(path).resolve().relative_to(self.root)) if Path(path).is_absolute() else str(path)

    # Tasks

    def task(self, family: str, said: str, wants: list[dict[str, Any]], *, stages: bool = False) -> None:
        """Add a task, with the hash of the gold of each want."""
        for want in wants:
            if not want.get("append"):
                want["sha256"] = digest(text for _, text in self.truth().found(want))
        number = sum(task["family"] == family for task in self.tasks) + 1
        task = {
            "id": f"{family}-{number}",
            "family": family,
            "said": said.replace(str(self.root), "/w"),
            "wants": wants,
        }
        self.tasks.append(task | ({"stages": True} if stages else {}))

    def ask(self, family: str, said: str, kind: str, path: str, gold: list[Any], **place: Any) -> None:
        """Add a task with one want."""
        self.task(family, said, [{"kind": kind, "path": path, **place, "gold": gold}])

    def drop(self, family: str) -> None:
        """Count a task that two judges dispute."""
        self.dropped[family] = self.dropped.get(family, 0) + 1

    def at(self, path: str | Path, line: int, span: Span, **more: Any) -> dict[str, Any]:
        """Return a want for the lines of a span, named by one of its lines."""
        return {"kind": "line", "path": self.name(path), "line": line, **more, "gold": [list(span)]}

    def window(self, path: str | Path, first: int, last: int, **more: Any) -> dict[str, Any]:
        """Return a want for lines that are named by their numbers."""
        return {
            "kind": "lines",
            "path": self.name(path),
            "first": first,
            "last": last,
            **more,
            "gold": [[first, last]],
        }

    def confirm(self) -> None:
        """Make all files once more from their sources, and drop the tasks whose gold is not there."""
        root = self.root.with_name("again")
        truth = Truth(root, sources.prepare(self.header, root, self.cache), self.header["encodings"])
        kept = []
        for task in self.tasks:
            try:
                for want in task["wants"]:
                    truth.gold(want)
                kept.append(task)
            except sources.SourceError:
                self.drop(task["family"])
        self.tasks = kept

    def write(self, path: Path) -> None:
        """Write the tasks, without the time of day in the archive."""
        kinds = {each["kind"] for each in self.header["sources"]}
        known = sources.registries().items()
        self.header["registries"] = {kind: address for kind, address in known if kind in kinds}
        self.header["dropped"] = self.dropped
        lines = [
            json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in (self.header, *self.tasks)
        ]
        with tempfile.TemporaryDirectory() as directory:
            partial = Path(directory) / "tasks"
            with (
                partial.open("wb") as stream,
                gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0) as packed,
            ):
                packed.write("\n".join(lines).encode())
            path.write_bytes(partial.read_bytes())
        print(f"{len(self.tasks)} tasks in {len({task['family'] for task in self.tasks})} families")
