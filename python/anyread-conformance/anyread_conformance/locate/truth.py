"""What the files of the tasks really say: lines of texts, values of JSON, and texts of files made here."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from .sources import SourceError

Want = dict[str, Any]
"""What a task asks for: a place, and `gold`, the spans of lines or the addresses of texts that answer it."""


class Truth:
    """The content of the files below a root.

    Args:
        root: The directory of the files.
        texts: For each file made here what it says by address.
        encodings: The encodings of texts that are not UTF-8.
    """

    def __init__(self, root: Path, texts: dict[str, dict[str, str]], encodings: dict[str, str]) -> None:
        self._root = root
        self._texts = texts
        self._encodings = encodings
        self._lines: dict[tuple[str, int], list[str]] = {}
        self._values: dict[str, Any] = {}

    def lines(self, path: str) -> list[str]:
        """Return the lines of a text as it is now, without their endings."""
        file = Path(path)
        key = (path, file.stat().st_size)
        if key not in self._lines:
            name = str(file.relative_to(self._root)) if file.is_relative_to(self._root) else path
            text = file.read_bytes().decode(self._encodings.get(name, "utf-8"), "replace")
            lines = text.removeprefix("\ufeff").split("\n")
            if lines and lines[-1] == "":
                lines.pop()
            self._lines[key] = [line.removesuffix("\r") for line in lines]
        return self._lines[key]

    def forget(self, path: str) -> None:
        """Forget what a file said before it was changed."""
        self._lines = {key: lines for key, lines in self._lines.items() if key[0] != path}

    def gold(self, want: Want) -> list[tuple[int, str]]:
        """Return the lines that answer a want, with their numbers; texts that are no lines have the number 0.

        Raises:
            SourceError: They are not those that the task was made with.
        """
        found = self.found(want)
        if not want.get("append") and digest(text for _, text in found) != want["sha256"]:
            raise SourceError(f"the gold of {want['path']} is not what the tasks were made with")
        return found

    def found(self, want: Want) -> list[tuple[int, str]]:
        """Return what is at the spans or addresses of a want."""
        if want.get("append"):
            return [(want["first"] + index, line) for index, line in enumerate(want["append"])]
        if isinstance(want["gold"][0], list):
            lines = self.lines(str(self._root / want["path"]))
            spans = [range(first, last + 1) for first, last in want["gold"]]
            return [(number, lines[number - 1]) for span in spans for number in span if number <= len(lines)]
        return [(0, self._text(want["path"], address)) for address in want["gold"]]

    def _text(self, path: str, address: str) -> str:
        if self._texts.get(path):
            return self._texts[path][address]
        record, _, pointer = address.partition("#")
        file = self._root / path
        if record:
            value = json.loads(self.lines(str(file))[int(record) - 1])
        else:
            if path not in self._values:
                self._values[path] = json.loads(file.read_text("utf-8"))
            value = self._values[path]
        for part in pointer.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            value = value[int(name)] if isinstance(value, list) else value[name]
        return value if isinstance(value, str) else json.dumps(value)


def digest(texts: Any) -> str:
    """Return the SHA-256 of lines."""
    return hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
