"""Every page of a file in a store is the page of the local file, or a typed failure."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

import anyread
from helpers.stores import Files

FAULTS = ("honest", "short", "slow", "failing", "changing")
FAILURES = (anyread.errors.StoreError, anyread.errors.FileChangedError)


def line(draw: random.Random) -> str:
    return "x" * int(draw.expovariate(1 / 60)) + draw.choice(("", "é", "😀", "\t", "total price"))


def texts(draw: random.Random) -> dict[str, bytes]:
    lf = "\n".join(["é", *(line(draw) for _ in range(40_000))])
    long = "\n".join(["é", *(line(draw) * draw.choice((1, 1, 1, 4_000)) for _ in range(200))])
    records = "\n".join(f'{{"id": {number}, "text": "{line(draw)}"}}' for number in range(15_000))
    return {
        "lf.txt": lf.encode(),
        "crlf.txt": lf[:1_500_000].replace("\n", "\r\n").encode(),
        "long.txt": long.encode()[:3_000_000].decode("utf-8", "ignore").encode(),
        "utf16.txt": lf[:450_000].encode("utf-16"),
        "latin1.txt": lf[:400_000].encode("latin-1", "replace"),
        "nul.txt": f"{lf[:900_000]}{chr(0) * 100_000}{lf[:300_000]}".encode(),
        "code.py": "\n".join(f"def f{number}():\n    return {number}\n" for number in range(40_000)).encode(),
        "records.jsonl": records.replace("\t", " ").encode(),
        "small.txt": b"one\ntwo",
        "empty.txt": b"",
        "ends.txt": b"\n" * 1_200_000,
    }


def asked(draw: random.Random, lines: int, name: str) -> dict[str, Any]:
    number = draw.randint(1, lines + 3)
    window: dict[str, Any] = draw.choice(
        (
            {},
            {"offset": number},
            {"offset": -number},
            {"offset": number, "column": draw.randint(1, 5_000)},
            {"around": number},
            {"ranges": sorted({draw.randint(1, lines + 1) for _ in range(3)})},
            {"ranges": [(max(number - 5, 1), number), -1]},
            {"find": draw.choice(("total price", "xx+é", "no such text")), "limit": 3},
        )
    )
    if name == "records.jsonl" and draw.random() < 0.2:
        window = {"at": f"{number}/text"}
    if "limit" not in window and "around" not in window and "ranges" not in window:
        window["limit"] = draw.choice((1, 5, 60, None))
    return {**window, **draw.choice(({}, {}, {"max_bytes": 2_000}))}


def outcome(page: Any, arguments: dict[str, Any]) -> tuple[object, ...]:
    if isinstance(page, anyread.ReadError):
        return type(page), {name: value for name, value in page.data.items() if name != "near"}
    facts = [getattr(page, name, None) for name in ("start_line", "end_line", "encoding", "hits")]
    # After a search without a hit, it depends on earlier reads whether the lines are counted.
    if "find" not in arguments:
        facts.append(getattr(page, "total_lines", None))
    following = {name: value for name, value in (page.next or {}).items() if name != "since_version"}
    return page.kind, page.text, following, [notice.code for notice in page.notices], facts


async def judged(
    folder: Path, files: dict[str, bytes], fault: str, draw: random.Random, many: int
) -> dict[str, int]:
    """Compare pages, and return how many were the same, and how many failed."""
    counts = {"same": 0, "failed": 0}
    local = anyread.Reader(roots=folder)
    store = Files({f"/{name}": data for name, data in files.items()}, fault)
    far = anyread.Reader(mounts={"/far": store})
    for name, data in files.items():
        path = folder / name
        path.write_bytes(data)
        lines = data.count(b"\n") + 1
        for number in range(many):
            if number % 20 == 0:
                # Another version: another copy.
                store.version += 1
            arguments = asked(draw, lines, name)
            try:
                expected = await local.read(str(path), **arguments)
            except anyread.ReadError as error:
                expected = error
            try:
                found = await far.read(f"/far/{name}", **arguments)
            except FAILURES:
                counts["failed"] += 1
                continue
            except anyread.ReadError as error:
                found = error
            assert outcome(found, arguments) == outcome(expected, arguments), (name, arguments)
            counts["same"] += 1
    return counts


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.posix("a name that Windows refuses")
def test_pages_are_those_of_the_local_file(fault: str, tmp_path: Path) -> None:
    draw = random.Random(f"pages {fault}")
    counts = asyncio.run(judged(tmp_path, texts(draw), fault, draw, 40))
    if fault in {"failing", "changing"}:
        assert counts["same"] > counts["failed"] > 0
    else:
        assert not counts["failed"]
