"""Calls recorded from the tools that anyread's contracts reproduce: load them, replay them, compare answers.

`recorded/README.md` describes the format of a row.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps

import anyread
import anyread.tools
from anyread.results import TextBlock

RECORDED = Path(__file__).parents[1] / "recorded"
OWN = RECORDED / "own"
"""Rows whose answers no other tool gave: what anyread does by its own decision or documentation."""

NOT_REPEATING = {"claude-code", "pilotdeck", "qwen-code"}
"""The contracts that do not repeat an unchanged file."""
SETTLED_S = 0.03
"""After how many seconds a file that was written has a version."""

Row = Mapping[str, Any]


def contracts() -> list[str]:
    """Return the contracts that have recorded calls."""
    return sorted(path.stem for path in RECORDED.glob("*.jsonl"))


def rows(contract: str, directory: Path = RECORDED) -> list[Row]:
    """Return the recorded calls of a contract; with `OWN`, those that were written for anyread."""
    path = directory / f"{contract}.jsonl"
    # Recorded text may contain other line separators, at which `splitlines` would split.
    lines = path.read_text("utf-8").split("\n") if path.exists() else []
    return [json.loads(line) for line in lines if line]


@cache
def recipes() -> dict[str, Any]:
    """Return the recipes of all files that rows use, by name."""
    loaded: dict[str, Any] = json.loads((RECORDED / "files.json").read_text("utf-8"))
    return loaded


@cache
def content(source: str) -> bytes:
    """Build a file from its recipe in `files.json`."""
    return made(recipes()[source])


def made(recipe: Any) -> bytes:
    """Build the bytes that a recipe describes."""
    if isinstance(recipe, str):
        return recipe.encode()
    if isinstance(recipe, list):
        return b"".join(map(made, recipe))
    if "parts" in recipe:
        return made(recipe["parts"])
    if "base64" in recipe:
        return base64.b64decode(recipe["base64"])
    repeated, joint, times = recipe["repeat"], recipe.get("joined_by", ""), recipe["times"]
    if "{n}" in repeated:
        body = joint.join(repeated.replace("{n}", str(n)) for n in range(1, times + 1))
    else:
        body = (repeated + joint) * (times - 1) + repeated
    text: str = recipe.get("begin", "") + body + recipe.get("then", "")
    return text.encode()


def sources(row: Row) -> dict[str, Any]:
    """Return the name of each file of a row, with its recipe or the name of that in `files.json`."""
    files = row.get("files", ())
    return dict(files) if isinstance(files, dict) else {name: name for name in files}


def lay_out(row: Row, directory: Path) -> None:
    """Create the files, directories and links of a row."""
    for name, source in sources(row).items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(source) if isinstance(source, str) else made(source))
        if "modified" in row:
            os.utime(path, (row["modified"], row["modified"]))
    for name in row.get("directories", ()):
        (directory / name).mkdir(parents=True, exist_ok=True)
    for name, target in row.get("links", {}).items():
        (directory / name).symlink_to(filled(target, directory))


def filled(value: Any, directory: Path) -> Any:
    """Return a recorded value with the directory and the base64 of files in place of their placeholders."""
    if isinstance(value, dict):
        return {key: filled(item, directory) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, directory) for item in value]
    if not isinstance(value, str):
        return value
    head, *rest = value.replace("${DIR}", str(directory)).split("${base64:")
    for part in rest:
        source, _, text = part.partition("}")
        head += base64.b64encode(content(source)).decode() + text
    return head


def replay(contract: str, row: Row, directory: Path, *, validate_media: bool) -> list[str]:
    """Repeat a row's calls in an empty directory and return what differs from the recording.

    With validation, the calls are made in a thread, without it on an event loop: both answer the same.
    """
    lay_out(row, directory)
    time.sleep(SETTLED_S * (contract in NOT_REPEATING))
    # With validation, media that do not decode are refused, and the file does not count as read.
    is_refused = validate_media and row.get("unsound", False)
    model = anyread.Model(**row["model"]) if "model" in row else None
    settings = filled(row.get("settings"), directory)
    cwd = directory / row.get("cwd", ".")
    tool = anyread.tool(contract, cwd=cwd, model=model, validate_media=validate_media, settings=settings)
    max_bytes = row.get("model", {}).get("max_image_bytes")
    found: list[str] = []
    for number, call in enumerate(row["calls"], 1):
        if "arguments" not in call:
            found += stepped(tool, call, directory, f"step {number}")
            continue
        arguments, name = filled(call["arguments"], directory), call.get("name")
        if validate_media:
            answer = tool.call_sync(arguments, name=name)
        else:
            answer = asyncio.run(tool.call(arguments, name=name))
        refused = tool.validate(arguments, name=name)
        if refused != (answer if refused is not None or call.get("invalid") else None):
            found.append(f"call {number}: validate() returns {refused!r:.200}")
        if tool.failed(answer):
            blocks = tool.blocks(answer)
            if not blocks or not all(isinstance(block, TextBlock) and block.text for block in blocks):
                found.append(f"call {number}: the failure becomes {blocks!r:.200}")
        expected = {"$refused": True} if is_refused else call["answer"]
        if expected == {"$refused": True}:
            if not tool.failed(answer):
                found.append(f"call {number}: expected a failure, got {answer!r:.200}")
            continue
        comparison = Comparison(directory, max_bytes)
        found += comparison.differences(expected, answer, f"call {number}")
        if "seen" in call:
            texts = [block.text for block in tool.blocks(answer) if isinstance(block, TextBlock)]
            found += comparison.differences(call["seen"], "\n".join(texts), f"call {number}, seen")
    if "read" in row:
        argument = next(iter(tool.input_schema["properties"]))
        first = next(call["arguments"] for call in row["calls"] if "arguments" in call)
        path = cwd / filled(first, directory)[argument]
        if tool.session.has_read(path) is not (row["read"] and not is_refused):
            found.append(f"the session says {tool.session.has_read(path)} to whether `{path}` was read")
    return found


def stepped(tool: anyread.tools.Tool, step: Mapping[str, Any], directory: Path, where: str) -> list[str]:
    """Change a file, or ask whether it may be written; return what differs from the expectation."""
    if "write" in step:
        write_keeping_times(directory / step["write"], step["text"])
    elif "touch" in step:
        path = directory / step["touch"]
        moved = path.stat().st_mtime_ns + 10**10
        os.utime(path, ns=(moved, moved))
    elif "remove" in step:
        (directory / step["remove"]).unlink()
    else:
        refused = None
        try:
            tool.assert_fresh(filled(step["fresh"], directory))
        except anyread.StaleReadError as error:
            refused = error.message
        return Comparison(directory).differences(step["refused"], refused, where)
    return []


def write_keeping_times(path: Path, text: str) -> None:
    """Replace a file's text without changing its modification time."""
    before = path.stat()
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def as_on_linux(text: str) -> str:
    """Return a text of Windows with the separators of Linux, and without what Linux does not have."""
    text = re.sub(r"\b[A-Z]:(?=/(etc\b| ))", "", text.replace("\\", "/").replace("file:///", "file://"))
    # Windows does not tell these apart.
    words = {"ENOTDIR: ": "ENOENT: ", "not a directory": "no such file or directory"}
    for one, other in words.items():
        text = text.replace(one, other)
    return text


class Comparison:
    """Compares an answer with the recorded one; the answer may have additional fields."""

    def __init__(self, directory: Path, max_image_bytes: int | None = None) -> None:
        self.directory = directory
        self.max_image_bytes = max_image_bytes

    def differences(self, expected: Any, got: Any, where: str) -> list[str]:
        """Return one sentence for each difference."""
        return list(self.walk(expected, got, where))

    def walk(self, expected: Any, got: Any, where: str) -> Iterator[str]:
        if isinstance(expected, dict):
            yield from self.walk_object(expected, got, where)
        elif isinstance(expected, list):
            if not isinstance(got, list) or len(got) != len(expected):
                yield f"{where}: expected {len(expected)} items, got {got!r:.200}"
                return
            for index, (one, other) in enumerate(zip(expected, got, strict=True)):
                yield from self.walk(one, other, f"{where}[{index}]")
        else:
            value = filled(expected, self.directory)
            if os.name == "nt" and isinstance(value, str) and isinstance(got, str):
                value, got = as_on_linux(value), as_on_linux(got)
            if value != got or isinstance(value, bool) is not isinstance(got, bool):
                yield f"{where}: expected {value!r:.400}, got {got!r:.400}"

    def walk_object(self, expected: dict[str, Any], got: Any, where: str) -> Iterator[str]:
        if "$long" in expected:
            yield from self.long_text(expected["$long"], got, where)
        elif "$begins" in expected:
            begins = filled(expected["$begins"], self.directory)
            if os.name == "nt" and isinstance(got, str):
                begins, got = as_on_linux(begins), as_on_linux(got)
            if not isinstance(got, str) or not got.startswith(begins) or got == begins:
                yield f"{where}: expected {begins!r} and more, got {got!r:.200}"
        elif "$text" in expected:
            if not isinstance(got, str) or not got.strip():
                yield f"{where}: expected some text, got {got!r:.200}"
        elif "$image" in expected:
            yield from self.image(expected, got, where)
        elif not isinstance(got, dict):
            yield f"{where}: expected an object, got {got!r:.200}"
        else:
            for key, value in expected.items():
                if key in got:
                    yield from self.walk(value, got[key], f"{where}.{key}")
                else:
                    yield f"{where}.{key}: missing, expected {value!r:.200}"

    def long_text(self, expected: dict[str, Any], got: Any, where: str) -> Iterator[str]:
        """Compare a text of which only the ends, the length and the digest were recorded."""
        if not isinstance(got, str):
            yield f"{where}: expected a text, got {got!r:.200}"
            return
        native = os.path.normpath(self.directory) + os.sep
        text = got.replace(native, "${DIR}/").replace(str(self.directory), "${DIR}")
        for source in recipes():
            if source in str(expected):
                text = text.replace(base64.b64encode(content(source)).decode(), f"${{base64:{source}}}")
        facts = {
            "begins": text[: len(expected["begins"])],
            "ends": text[-len(expected["ends"]) :],
            "length": len(text),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
        for name, value in facts.items():
            if value != expected[name]:
                yield f"{where}: {name!r} is {value!r}, expected {expected[name]!r}"

    def image(self, expected: dict[str, Any], got: Any, where: str) -> Iterator[str]:
        """Compare the type, the size and the content of an image whose bytes depend on the encoder."""
        data = base64.b64decode(got) if isinstance(got, str) else b""
        try:
            image = Image.open(io.BytesIO(data))
            image.load()
        except OSError as error:
            yield f"{where}: not an image: {error}"
            return
        if Image.MIME[image.format or ""] != expected["$image"]:
            yield f"{where}: expected {expected['$image']}, got {image.format}"
        if self.max_image_bytes is not None and len(data) > self.max_image_bytes:
            yield f"{where}: {len(data)} bytes, the model takes {self.max_image_bytes}"
        if "page" in expected:
            width, height = expected["page"]
            if abs(image.width - width) > 1 or abs(image.height - height) > 1:
                yield f"{where}: the page has {image.size} pixels, expected {expected['page']}"
            if len(set(thumbnail(image))) == 1:
                yield f"{where}: the page is blank"
            return
        original = ImageOps.exif_transpose(Image.open(io.BytesIO(content(expected["of"]))))
        if abs(image.width / image.height * original.height / original.width - 1) > 0.03:
            yield f"{where}: {image.size} pixels distort an image of {original.size}"
        pairs = zip(thumbnail(image), thumbnail(original), strict=True)
        if sum(abs(one - other) for one, other in pairs) > 14 * len(thumbnail(original)):
            yield f"{where}: the image does not show what `{expected['of']}` shows"


def thumbnail(image: Image.Image) -> bytes:
    """Return an image reduced to 8 by 8 pixels of RGB."""
    return image.convert("RGB").resize((8, 8), Image.Resampling.BOX).tobytes()
