"""Records that a search finds are those with a matching value, and each address leads to such a value."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Limits, Reader
from anyread.results.records import RecordsPage

STRINGS = (
    "needle",
    "a\nneedle here\nb",
    'say "needle"',
    "na\u00efve",
    "\U0001f600 needle",
    "hay",
    "",
    "tab\tneedle",
    "/a~b",
)
PATTERNS = (
    "needle",
    "^needle",
    "needle$",
    'say "n',
    "NAÏVE|naïve",
    r"\t",
    r"\d+\.5",
    "true",
    "/a~",
    "zzz",
    "key",
)


def value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.choice(["string", "string", "number", "literal", "list", "object", "long"])
    if depth > 3 or kind == "string":
        return chance.choice(STRINGS)
    if kind == "number":
        return chance.choice([1, 12.5, -3e20])
    if kind == "literal":
        return chance.choice([True, False, None])
    if kind == "long":
        # Longer than what is looked at together with the other values.
        text = "x" * chance.choice([70_000, 300_000]) + chance.choice([" needle ", "\nneedle\n", ""])
        return text + chance.choice(["", "y" * 70_000])
    if kind == "list":
        return [value(chance, depth + 1) for _ in range(chance.randint(0, 4))]
    names = chance.sample(["key", "a/b", "c~d", "needle", "é", ""], chance.randint(0, 4))
    return {name: value(chance, depth + 1) for name in names}


def texts_in(found: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts of a value with their addresses, and the names."""
    if isinstance(found, dict):
        for name, each in found.items():
            inner = f"{at}/{name.replace('~', '~0').replace('/', '~1')}"
            yield inner, name
            yield from texts_in(each, inner)
    elif isinstance(found, list):
        for index, each in enumerate(found):
            yield from texts_in(each, f"{at}/{index}")
    else:
        yield at, found if isinstance(found, str) else json.dumps(found)


def written(path: Path, records: list[Any], form: str, *, ascii_only: bool) -> None:
    dumped = [json.dumps(record, ensure_ascii=ascii_only) for record in records]
    text = f"[{', '.join(dumped)}]" if form == "list" else "\n".join(dumped) + "\n"
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("form", ["lines", "list"])
@pytest.mark.parametrize("seed", range(12))
def test_records_and_addresses_are_those_of_the_values(tmp_path: Path, form: str, seed: int) -> None:
    chance = random.Random(f"{form} {seed}")
    records = [value(chance) for _ in range(chance.randint(1, 30))]
    path = tmp_path / ("a.jsonl" if form == "lines" else "a.json")
    written(path, records, form, ascii_only=chance.random() < 0.5)
    for pattern in PATTERNS:
        case = 0 if re.search("[A-Z]", pattern) else re.IGNORECASE
        judge = re.compile(pattern, case | re.MULTILINE)
        expected = {
            f"{number}{at}"
            for number, record in enumerate(records, 1)
            for at, text in texts_in(record)
            if judge.search(text)
        }
        limits = Limits(exact_total=chance.random() < 0.5, max_bytes=chance.choice([3_000, 10**6]))
        arguments: Any = {"find": pattern, "kind": "records", "limit": chance.choice([1, 3, 50])}
        numbers: list[int] = []
        shown: set[str] = set()
        while True:
            page = Reader(limits=limits).read_sync(path, **arguments)
            assert isinstance(page, RecordsPage)
            numbers += page.hits
            if page.hits:
                lines = (line for record in page.records for line in record.text.split("\n"))
                shown |= {re.sub(r":\d+$", "", line.partition("\t")[0]) for line in lines if "\t" in line}
            if page.next is None:
                break
            arguments = page.next.arguments
        assert numbers == sorted({int(at.partition("/")[0]) for at in expected}), pattern
        assert shown == expected, pattern


def test_place_of_a_hit_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"steps": [{"output": "one\n" * 900 + "needle\n"}]}) + "\n")
    page = anyread.read_sync(path, kind="records", find="needle")
    address, line = page.text.split("\t")[0].split(":")
    assert anyread.read_sync(path, at=address, offset=int(line), limit=1).text.startswith("901\tneedle")
    assert anyread.read_sync(path, at=address, find="needle").text.startswith(
        "899\tone\n900\tone\n901\tneedle"
    )


def test_record_that_is_not_json_is_searched_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\nTraceback needle\n{"a": "needle", \n\n{"b": 2}\n')
    page = anyread.read_sync(path, kind="records", find="needle")
    assert page.hits == (2, 3)
