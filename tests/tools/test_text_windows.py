"""Windows of text in five contracts, compared with slow readers that follow their descriptions."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import anyread
from anyread.tools.parts.javascript import spelled

PIECES = [
    b"",
    b"a",
    b"word " * 30,
    "é日".encode(),
    "🚀".encode(),
    b"\r",
    b"\r\r",
    b"\t",
    b"\n",
    b"\n\n",
    b"\r\n",
]
PIECES += [
    b"\xef\xbb\xbf",
    "\u2028".encode(),
    b"x" * 1_998,
    b"x" * 2_001,
    b"x " * 1_001,
    "🚀".encode() * 1_001,
]
NOT_UTF8 = [b"\xff", b"\xe2\x82", b"\xff\xfe"]
UNUSUAL = [b"", b"\n", b"\r", b"\r\n", b"a\rb\rc", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b"\n" * 10, b"a\n\n"]
LONG = [b"a\rb" * 30_000, b"x" * 200_000, ("🚀" * 1_500 + "\n").encode() * 20, b"bc\n" * 9_999]


class Reference(NamedTuple):
    """A slow reader of one contract."""

    window: Callable[[random.Random, int], tuple[dict[str, Any], dict[str, Any]]]
    """Choose arguments and settings for a file of so many line feeds."""
    shown: Callable[[Any], Any]
    """What is compared of an answer."""
    expected: Callable[[bytes, dict[str, Any], dict[str, Any]], Any]
    """The same of a file, or `None` if the answer has a sentence instead of lines."""
    takes_any_bytes: bool = True


def some(rng: random.Random, total: int) -> int:
    return rng.choice([1, 2, rng.randint(1, total + 3), total + 1])


def rust_lines(text: str) -> list[str]:
    """Split as Rust's `str::lines` does: at LF, with a CR before it; the last LF starts no further line."""
    *lines, last = text.split("\n")
    lines = [line.removesuffix("\r") for line in lines]
    return [*lines, last] if last else lines


def codelet(data: bytes, arguments: dict[str, Any], _: object) -> str:
    lines = rust_lines(data.decode())
    start = max(arguments["offset"], 1) - 1
    shown = []
    for number, line in enumerate(lines[start : start + min(arguments["limit"], 2_000)], start + 1):
        cut = line
        if len(line.encode()) > 2_000:
            cut = line.encode()[:1_997].decode(errors="ignore") + "..."
        shown.append(f"{number}: {cut}")
    left = max(0, len(lines) - start - len(shown))
    rest = f"\n... [{left} lines truncated - output truncated at 30000 chars] ..."
    return "\n".join(shown) + (rest if left else "")


def forge(data: bytes, arguments: dict[str, Any], settings: dict[str, Any]) -> tuple[str, int]:
    lines, maximum = rust_lines(data.decode()), settings["max_line_bytes"]
    start, last = arguments["start_line"], max(0, len(lines) - 1)
    out = []
    for line in lines[min(start - 1, last) : min(arguments["end_line"] - 1, last) + 1]:
        kept, size = "", 0
        for character in line:
            if size < maximum:
                kept += character
            size += len(character.encode())
        out.append(f"{kept}... [truncated, line exceeds {maximum} chars]" if size > maximum else line)
    text = "\n".join(out)
    if arguments["show_line_numbers"]:
        shown = rust_lines(text)
        width = len(str(start + len(shown) - 1))
        text = "\n".join(f"{number:{width}}:{line}" for number, line in enumerate(shown, start))
    return text, len(lines)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def llm_gateway(data: bytes, arguments: dict[str, Any], _: object) -> str:
    offset, limit = arguments["offset"], arguments["limit"]
    lines = data.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    shown, used, notice = [], 0, ""
    for index, line in enumerate(lines[int(offset) : int(offset + limit)]):
        cut = line
        if units(line) > 2_000:
            cut = line.encode("utf-16-le")[:4_000].decode("utf-16-le", "ignore") + " [truncated]"
        whole = f"{spelled(offset + index + 1).rjust(4)} | {cut}"
        used += units(whole)
        if used > 51_200:
            notice = "\n[Output truncated at 50KB. Use offset/limit to read more.]"
            break
        shown.append(whole)
    numbers = f"{spelled(offset + 1)}-{spelled(offset + len(shown))}"
    body = "\n".join(shown)
    return f'lines="{numbers}" total="{len(lines)}">\n{body}\n</file>{notice}'


def mycode(data: bytes, arguments: dict[str, Any], settings: dict[str, Any]) -> tuple[str, int, bool]:
    offset, limit, maximum = arguments["offset"], arguments["limit"], settings["max_line_units"]
    lines = data.decode("utf-8", "replace").split("\n")
    shown = lines[offset - 1 : offset - 1 + limit]
    width = len(str(len(lines)))
    out, is_cut = [], False
    for number, line in enumerate(shown, offset):
        text = line
        if units(line) > maximum:
            is_cut = True
            text = line.encode("utf-16-le")[: maximum * 2].decode("utf-16-le", "ignore") + "... (truncated)"
        out.append(f"{number:{width}}\t{text}")
    return "\n".join(out), len(shown), is_cut or offset - 1 + limit < len(lines)


def pilotdeck(data: bytes, arguments: dict[str, Any], _: object) -> tuple[str, int] | None:
    lines = re.split(r"\r?\n", data.decode("utf-8", "replace").removeprefix("\ufeff"))
    offset, limit = arguments["offset"], arguments.get("limit", len(lines))
    shown = lines[offset - 1 : offset - 1 + limit]
    text = "\n".join(f"{number}|{line}" for number, line in enumerate(shown, offset))
    return (text, len(lines)) if len(shown) > 1 or any(shown) else None


REFERENCES = {
    "codelet": Reference(
        lambda rng, total: (
            {"offset": rng.choice([0, some(rng, total)]), "limit": rng.choice([0, 1, 2, 2_000])},
            {"max_file_tokens": 10**9},
        ),
        lambda answer: json.loads(answer)["content"],
        codelet,
        takes_any_bytes=False,
    ),
    "forge": Reference(
        lambda rng, total: (
            {
                "start_line": (start := some(rng, total)),
                "end_line": start + rng.choice([0, 3, 1_999]),
                "show_line_numbers": rng.random() < 0.5,
            },
            {"max_line_bytes": rng.choice([5, 13, 2_000]), "max_read_lines": 100_000},
        ),
        lambda answer: (
            answer["values"][0]["text"].partition("CDATA[")[2].removesuffix("]]>\n</file>"),
            answer["total_lines"],
        ),
        forge,
        takes_any_bytes=False,
    ),
    "llm-gateway": Reference(
        lambda rng, total: (
            {
                "offset": rng.choice([0, 1, 0.5, rng.randint(-total - 2, total + 2)]),
                "limit": rng.choice([2_000, 1, 0, -1, 2.5, rng.randint(-3, total + 3)]),
            },
            {},
        ),
        lambda answer: answer["context"].partition(" ")[2].partition(" ")[2],
        llm_gateway,
    ),
    "mycode": Reference(
        lambda rng, total: (
            {"offset": some(rng, total), "limit": rng.choice([1, 3, 2_000, total, total + 1]) or 1},
            {"max_line_units": rng.choice([4, 9, 2_000])},
        ),
        lambda answer: (answer["content"], answer["lineCount"], answer["truncated"]),
        mycode,
    ),
    "pilotdeck": Reference(
        lambda rng, total: ({"offset": some(rng, total), "limit": rng.choice([1, 3, 200])}, {}),
        lambda answer: (answer["content"][0]["text"], answer["data"]["totalLines"]),
        pilotdeck,
    ),
}


def check(contract: str, data: bytes, rng: random.Random, directory: Path) -> None:
    reference = REFERENCES[contract]
    path = directory / "a.txt"
    path.write_bytes(data)
    for _ in range(8):
        arguments, settings = reference.window(rng, data.count(b"\n"))
        expected = reference.expected(data, arguments, settings)
        tool = anyread.tool(contract, cwd=directory, settings=settings)
        answer = tool.call_sync({**tool.arguments_for(path), **arguments})
        if expected is not None and not is_over_the_budget(contract, answer):
            assert reference.shown(answer) == expected, (arguments, settings)


def is_over_the_budget(contract: str, answer: Any) -> bool:
    """Return whether pilotdeck has refused or cut many long lines, which its own tests judge."""
    if contract != "pilotdeck":
        return False
    is_cut = answer.get("metadata", {}).get("truncated", False)
    return bool(is_cut or answer.get("error", {}).get("code") == "result_too_large")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("contract", REFERENCES)
def test_random_windows_agree_with_the_reference(contract: str, seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    pieces = PIECES + NOT_UTF8 * REFERENCES[contract].takes_any_bytes
    count = rng.choice([3, 80])
    data = b"".join(rng.choice(pieces) + b"\n" * (rng.random() < 0.5) for _ in range(count))
    check(contract, data, rng, tmp_path)


@pytest.mark.parametrize("contract", REFERENCES)
def test_unusual_and_long_files_agree_with_the_reference(contract: str, tmp_path: Path) -> None:
    rng = random.Random(1)
    for data in UNUSUAL + LONG:
        check(contract, data, rng, tmp_path)
