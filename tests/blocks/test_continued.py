"""However small the answers are, following `next` shows each line of the blocks once."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Limits, Reader, Session
from anyread._native import count_tokens

ROW = re.compile(r"^(\d+)\t(.*)$")


def code(chance: random.Random) -> str:
    """Make up a program: functions, classes and statements at random indentations, some of them damaged."""
    lines: list[str] = []
    depth = 0
    for number in range(chance.choice([5, 60, 300, 700])):
        pick = chance.random()
        indent = ("\t" if chance.random() < 0.02 else "    ") * depth
        if pick < 0.12:
            word = chance.choice(
                ["def f(a):", "class A:", "if a:", "function f(a) {", "fn f() {", "x => {", "f([", "[a]"]
            )
            lines.append(f"{indent}{word}")
            depth += 1
        elif pick < 0.2:
            depth = max(0, depth - chance.choice([1, 1, 3]))
            lines.append(("    " * depth) + chance.choice(["}", "});", "]", "end", ""]))
        elif pick < 0.24:
            lines.append(chance.choice(["", "# a comment", '"""', "@decorator", "/** a", " */", "# Heading"]))
        else:
            lines.append(f"{indent}statement {number} " + "x" * chance.choice([0, 5, 40, 300]))
    return "\n".join(lines) + "\n"


def rows(text: str) -> list[tuple[int, str]]:
    return [(int(found[1]), found[2]) for found in map(ROW.match, text.split("\n")) if found]


def places(chance: random.Random, total: int) -> list[int]:
    return sorted({chance.randint(1, total) for _ in range(chance.choice([1, 2, 6]))})


@pytest.mark.parametrize("seed", range(60))
def test_ranges_are_followed_to_their_end(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path = tmp_path / chance.choice(["a.py", "a.js", "a.md"])
    path.write_text(code(chance))
    lines = path.read_text().split("\n")
    named = places(chance, len(lines) - 1)
    whole = Reader(limits=Limits(max_tokens=10**9, max_bytes=10**9)).read_sync(
        path, ranges=named, kind="text"
    )
    expected = [number for first, last in whole.ranges for number in range(first, last + 1)]
    assert whole.next is None
    assert set(named) <= set(expected)
    assert len(expected) <= 200 * len(named)
    size = chance.choice([700, 1_500, 5_000])
    session = Session()
    reader = Reader(limits=Limits(max_bytes=size, max_tokens=size), session=session)
    arguments: dict[str, Any] = {"ranges": named}
    seen: list[tuple[int, str]] = []
    for _ in range(300):
        page = reader.read_sync(path, **arguments)
        assert len(page.text.encode()) <= size
        new = rows(page.text)
        assert new, "each answer shows something new"
        if "column" in arguments and seen and new[0][0] == seen[-1][0]:
            seen[-1] = seen[-1][0], seen[-1][1] + new.pop(0)[1]
        seen += new
        if page.next is None:
            break
        assert dict(page.next) != arguments
        arguments = dict(page.next)
    assert [number for number, _ in seen] == expected


@pytest.mark.parametrize("seed", range(60))
def test_places_are_followed_to_their_end(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    expected: dict[str, list[int]] = {}
    wanted: list[str] = []
    for name in ("a.py", "b.js", "c.ini")[: chance.randint(1, 3)]:
        path = tmp_path / name
        path.write_text(code(chance))
        named = places(chance, path.read_text().count("\n"))
        whole = Reader(limits=Limits(max_tokens=10**9, max_bytes=10**9)).read_sync(
            path, ranges=named, kind="text"
        )
        expected[name] = [number for first, last in whole.ranges for number in range(first, last + 1)]
        wanted += [f"{name}:{line}" for line in named]
    chance.shuffle(wanted)
    tokens = chance.choice([500, 1_200, 4_000])
    tool = anyread.tool(cwd=tmp_path, reader=Reader(roots=[tmp_path], limits=Limits(max_tokens=tokens)))
    seen: dict[str, list[int]] = {name: [] for name in expected}
    call: dict[str, Any] = {"places": wanted}
    for _ in range(300):
        output = tool.call_sync(call)
        text = output["content"][0]["text"]
        assert count_tokens(text, None) <= tokens
        name = ""
        is_new = False
        for row in text.split("\n"):
            if heading := re.match(r"==> (\S+)", row):
                name = heading[1]
            elif found := ROW.match(row):
                # A line that was cut goes on in the next answer.
                if not seen[name] or seen[name][-1] != int(found[1]):
                    seen[name].append(int(found[1]))
                is_new = True
        assert is_new, "each answer shows something new"
        if output["next"] is None:
            break
        assert output["next"] != call
        call = output["next"]
    assert seen == expected
