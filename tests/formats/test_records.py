"""JSON records, judged by Python's `json` over random values, budgets and damage."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from anyread import errors, info_sync, read_sync
from anyread.results.records import RecordsPage
from anyread.tools import tool
from helpers.waiting import until

SEEDS = range(40)
KEYS = ["a", "type", "", "x/y", "t~0", "ключ", 'q"', "k" * 70, "\n", "0", "😀"]
TEXTS = [
    "",
    "word",
    "two\nlines\n",
    "Grüße 字 😀",
    "tab\there",
    "x" * 300,
    '\\ " /',
    "a\r\nb",
    "\u2028",
    "line\n" * 90,
]
NUMBERS = ["0", "-1", "3.25", "1e400", "-0.0", "12345678901234567890123", "7E-3", "9" * 400]
MARK = re.compile(r"…\([^()]*\)|…[\d,]+ (?:keys?|items?)")


def value(rng: random.Random, depth: int = 0) -> str:
    """Return the source of a random value, without blanks."""
    choice = rng.randrange(10 if depth < 5 else 6)
    if choice < 3:
        return json.dumps(rng.choice(TEXTS), ensure_ascii=rng.random() < 0.5)
    if choice < 5:
        return rng.choice(NUMBERS)
    if choice < 6:
        return rng.choice(["true", "false", "null"])
    count = rng.choice([0, 1, 2, 5, 40 if depth < 2 else 3])
    if choice < 8:
        return f"[{','.join(value(rng, depth + 1) for _ in range(count))}]"
    keys = rng.sample(KEYS, min(count, len(KEYS)))
    fields = (f"{json.dumps(key)}:{value(rng, depth + 1)}" for key in keys)
    return f"{{{','.join(fields)}}}"


def spread(rng: random.Random, source: str, blanks: str) -> str:
    """Put blanks between the tokens of a value."""
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|[^"\[\]{},:]+|[\[\]{},:]', source)
    return "".join(f"{token}{rng.choice(blanks) * rng.choice([0, 0, 1, 3])}" for token in tokens)


def made(rng: random.Random, form: str, path: Path) -> dict[int, str]:
    """Write a file; return the sources of its records, by number."""
    count = rng.choice([1, 2, 3, 17, 200])
    records = [value(rng) for _ in range(count)]
    if form == "sequence":
        # Otherwise it has another form.
        records[0] = '{"first":[1]}'
    if form == "lines":
        lines, numbered = [], {}
        for record in records:
            lines += [rng.choice(["", "  ", "\t"])] * rng.choice([0, 0, 0, 1])
            numbered[len(lines) + 1] = record
            lines.append(spread(rng, record, " \t"))
        end = rng.choice(["", "\n"])
        path.write_text("\n".join(lines) + end, encoding="utf-8", newline="")
        return numbered
    if form == "list":
        between = ",\n" if rng.random() < 0.5 else ", "
        text = f"[{between.join(spread(rng, record, ' ' + chr(10)) for record in records)}]"
    else:
        # Numbers need something between them.
        rest = "".join(f"\n\n{spread(rng, record, ' ' + chr(10))}" for record in records[1:])
        text = f'{{\n"first": [1]}}{rest}\n'
    path.write_text(text, encoding="utf-8", newline="")
    return dict(enumerate(records, 1))


def page_of(path: Path, **call: Any) -> RecordsPage:
    page = read_sync(path, **call)
    assert isinstance(page, RecordsPage)
    return page


def walk(path: Path, budget: dict[str, int], **call: Any) -> list[RecordsPage]:
    """Read all pages from a call on."""
    pages, following = [], call
    while True:
        page = page_of(path, **following, **budget)
        assert len(page.text.encode()) <= budget.get("max_bytes", 1 << 60)
        assert page.token_estimate <= budget.get("max_tokens", 1 << 60)
        pages.append(page)
        if page.next is None:
            return pages
        assert dict(page.next.arguments) != following
        following = dict(page.next.arguments)
        for name in budget:
            following.pop(name, None)


def budget_of(rng: random.Random) -> dict[str, int]:
    return rng.choice(
        [{"max_bytes": rng.randint(2_400, 9_000)}, {"max_tokens": rng.randint(1_700, 4_000)}, {}]
    )


def judge_row(text: str, source: str, *, is_clipped: bool) -> None:
    """Compare a row with the source of its record, which has no blanks."""
    if not is_clipped:
        assert text == source
        return
    assert len(text) <= 2_000
    assert len(source) > 2_000
    assert "…" in text
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    # What is left beside the marks is of the source, in order.
    at = 0
    for piece in MARK.split(text):
        for token in re.findall(r'"(?:[^"\\]|\\.)*|[^"\[\]{},:()+]+', piece):
            assert token in source[at:] or token in source, token


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("form", ["lines", "list", "sequence"])
def test_following_next_shows_each_record_once(tmp_path: Path, form: str, seed: int) -> None:
    rng = random.Random(f"{form} {seed}")
    path = tmp_path / ("a.jsonl" if form == "lines" else "a.json")
    records = made(rng, form, path)
    shown: dict[int, str] = {}
    for page in walk(path, budget_of(rng), kind="records"):
        for record in page.records:
            assert record.wrong_at is None
            assert record.number not in shown
            shown[record.number] = record.text
            judge_row(record.text, records[record.number], is_clipped=record.is_clipped)
    assert list(shown) == list(records)
    # Random access gives the same.
    for number in rng.sample(list(records), min(5, len(records))):
        page = page_of(path, kind="records", offset=number, limit=1)
        assert page.records[0].text == shown[number]
        last = page_of(path, kind="records", ranges=[(number, number)])
        assert [record.text for record in last.records] == [shown[number]]


BANNERS = [
    'Loading profile "dev',
    "Starting [server",
    "> build",
    "2026-11-28 12:00:00 INFO {",
    "[INFO] ready",
    "12 files",
]


def of_form(rng: random.Random, form: str) -> tuple[str, list[str | None]]:
    """Return the text of a file, and what is wanted of each record; `None` if it is not JSON."""

    def line(least: int = 0) -> str:
        """Return a list or an object on one line."""
        some = [{"i": rng.randrange(99), "s": rng.choice(TEXTS)}, [rng.choice(TEXTS), None], {}, []]
        return json.dumps([0] * (least // 3) if least else rng.choice(some), separators=(",", ":"))

    lines = [line() for _ in range(rng.randint(7, 40))]
    if form == "banner":
        banner = rng.choices(BANNERS, k=rng.randint(1, 4))
        return "\n".join([*banner, *lines]), [*(None for _ in banner), *lines]
    if form == "prefix":
        return "\n".join(f"web-1 | {text}" for text in lines), [None] * len(lines)
    if form == "long":
        lines[rng.randrange(2)] = line(1_200_000)
        return "\n".join(lines), [*lines]
    if form == "torn":
        wanted: list[str | None] = [*lines]
        for at in rng.sample(range(len(lines)), len(lines) // 4):
            lines[at], wanted[at] = '{"a": "b', None
        return "\n".join(lines) + "\n", wanted
    # Values on several lines, after one that is on a line, or after a long list.
    first = line(1_200_000) if form == "list" else line()
    begin = first.replace(",", ",\n") if form == "list" else first
    others = [json.dumps({"b": [number, {}]}, indent=2) for number in range(rng.randint(1, 30))]
    return "\n".join([begin, *others]), [first, *(re.sub(r"\s", "", other) for other in others)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("form", ["banner", "prefix", "long", "torn", "values", "list"])
def test_records_are_lines_or_values_as_the_first_lines_say(tmp_path: Path, form: str, seed: int) -> None:
    """The first value alone said it: the rest of a file was words, damaged or lost."""
    text, wanted = of_form(random.Random(f"{form} {seed}"), form)
    path = tmp_path / "a.log"
    path.write_text(text, encoding="utf-8")
    records = [record for page in walk(path, {}, kind="records") for record in page.records]
    assert [record.number for record in records] == list(range(1, len(wanted) + 1))
    for record, source in zip(records, wanted, strict=True):
        assert (record.wrong_at is None) == (source is not None)
        if source is not None:
            judge_row(record.text, source, is_clipped=record.is_clipped)


def places(found: Any, at: str = "") -> list[tuple[str, Any]]:
    """Return all addresses in a value, with what is there."""
    inside: list[tuple[str, Any]] = [(at, found)]
    if isinstance(found, list):
        for index, item in enumerate(found):
            inside += places(item, f"{at}/{index}")
    elif isinstance(found, dict):
        for key, item in found.items():
            inside += places(item, f"{at}/{key.replace('~', '~0').replace('/', '~1')}")
    return inside


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("form", ["lines", "list", "sequence"])
def test_address_leads_to_what_a_parser_finds(tmp_path: Path, form: str, seed: int) -> None:
    rng = random.Random(f"at {form} {seed}")
    path = tmp_path / ("a.jsonl" if form == "lines" else "a.json")
    records = made(rng, form, path)
    number = rng.choice(list(records))
    parsed = json.loads(records[number], parse_float=str, parse_int=str)
    for at, wanted in rng.sample(found := places(parsed), min(8, len(found))):
        address = f"{number}{at}"
        pages = walk(path, budget_of(rng), at=address)
        if form == "list" and at:
            again = page_of(path, at=f"/{number - 1}{at}")
            assert again.records == page_of(path, at=address).records
        if isinstance(wanted, str) and pages[0].value == "string":
            assert joined(pages) == "\n".join(line.removesuffix("\r") for line in lines_of(wanted))
        elif isinstance(wanted, dict | list):
            names = [record.name for page in pages for record in page.records]
            assert pages[0].value == ("list" if isinstance(wanted, list) else "object")
            if isinstance(wanted, dict):
                assert names == [key.replace("~", "~0").replace("/", "~1") for key in wanted]
            else:
                assert [record.number for page in pages for record in page.records] == list(
                    range(1, len(wanted) + 1)
                )
        else:
            text = pages[0].records[0].text
            assert pages[0].value == "scalar"
            assert text == (wanted if isinstance(wanted, str) else json.dumps(wanted))


def lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


def joined(pages: list[RecordsPage]) -> str:
    """Join the lines of a string, of which pages may show one in several parts."""
    lines: dict[int, str] = {}
    for page in pages:
        for record in page.records:
            lines[record.number] = lines.get(record.number, "") + record.text
    return "\n".join(lines.values())


def test_no_address_is_an_error_that_says_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"steps": [1, 2], "name/x": "text"}')
    for at, last, kind, near in [
        ("/steps/2", "/steps", "list", ()),
        ("/steps/x", "/steps", "list", ()),
        ("/steps/01", "/steps", "list", ()),
        ("/none", "", "object", ("steps", "name/x")),
        ("/name~1x/y", "/name~1x", "string", ()),
        ("2", "", "records", ()),
    ]:
        with pytest.raises(errors.NoSuchPartError) as caught:
            page_of(path, at=at)
        error = caught.value
        assert (error.last, error.kind, error.near) == (last, kind, near)
    for at in ["1.5", "$..steps", "steps[*]", "/a~2", "-1/steps", "0/steps", "#/%zz"]:
        with pytest.raises(errors.BadArgumentError):
            page_of(path, at=at)
    assert page_of(path, at="#/name~1x").text == "1\ttext"
    with pytest.raises(errors.NoSuchNameError):
        page_of(path, at="/steps", kind="text")


MUTANTS = 3_000


def test_damage_is_shown_as_in_the_file(tmp_path: Path) -> None:
    """What Python's parser accepts is never called damaged; the other records of the file are as before."""
    rng = random.Random(7)
    path = tmp_path / "a.jsonl"
    good = '{"good": [1, "two", {"three": null}]}'
    for _ in range(MUTANTS // 30):
        lines = [good]
        for _ in range(30):
            damaged = bytearray(value(rng).encode()[:3_000])
            for _ in range(rng.choice([1, 1, 2, 5])):
                at = rng.randrange(len(damaged) + 1)
                new = rng.choice(b'"\\{}[],:/*u0e-+.NaI \x01\xff\x80')
                damaged[at : at + rng.choice([0, 1, 4])] = bytes([new])
            lines.append(damaged.decode("utf-8", "replace").replace("\n", " ").replace("\r", " "))
        lines.append(good)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        rows: dict[int, Any] = {}
        for page in walk(path, {}, kind="records"):
            rows |= {record.number: record for record in page.records}
        assert rows[1].text == rows[32].text == good.replace(" ", "")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                assert number not in rows
                continue
            row = rows[number]
            try:
                json.loads(line)
            except ValueError:
                continue
            assert row.wrong_at is None, line
            if not row.is_clipped:
                assert json.loads(row.text) == json.loads(line) or "NaN" in line


def test_forms_are_detected(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for text, form, count in [
        ('{"a": 1}\n{"b": 2}\n', "lines", 2),
        ('{"a": 1}\n\n{"b": 2}', "lines", 3),
        ('{"a": 1}{"b": 2}', "sequence", 2),
        ('{"a":\n1}\n{"b": 2}', "sequence", 2),
        ("[1, 2, 3]", "list", 3),
        ("[1, 2, 3]\n", "list", 3),
        ("[1, 2]\n[3]\n", "lines", 2),
        ('{"a": 1}', "sequence", 1),
        ("\ufeff[1]", "list", 1),
        ("1\n2\n3\n", "lines", 3),
        ('{"a": tru\n{"b": 1}\n', "lines", 2),
        ('// comment\n{"a": [1, 2,],}\n', "sequence", 1),
        ('\x1e{"a": 1}\n\x1e{"a":\n 2}\n', "sequence", 2),
        ("  \n ", "sequence", 0),
    ]:
        path.write_text(text, encoding="utf-8")
        page = page_of(path, kind="records")
        assert (page.form, page.count) == (form, count), text


def test_what_parsers_accept_beyond_json_is_shown_with_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": NaN, // why\n "b": [-Infinity, 1,], /* x */ "c": "a\tb", "a": 2}')
    page = page_of(path, kind="records")
    assert page.records[0].text == ('{"a":NaN/* why*/,"b":[-Infinity,1,]/* x */,"c":"a\\u0009b","a":2}')
    assert [notice.code for notice in page.notices] == ["not_strict"]
    page = page_of(path, at="/a")
    assert page.text == "2"
    assert [notice.code for notice in page.notices] == ["duplicate_key"]


def test_torn_last_record_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"b": "half of')
    page = page_of(path, kind="records")
    assert page.text == '1\t{"a":1}\n2\t{"b": "half of\n[records 1-2 of 2 · the last record is torn]'
    assert [notice.code for notice in page.notices] == ["torn_record"]


def test_levels_and_lengths_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for text in [
        "[" * 200_000,
        "[" * 50_000 + "]" * 50_000,
        '{"a":' * 90_000,
        '"' + "x" * 3_000_000 + '"',
        '["' + "\\" * 1_000_001,
        "1" * 2_000_000,
        "[" + "1," * 500_000 + "1]",
        "{" + ",".join(f'"{number}":{{}}' for number in range(100_000)) + "}",
    ]:
        path.write_text(text)
        page = page_of(path, kind="records")
        assert all(len(record.text) <= 2_000 for record in page.records)


def settled(path: Path) -> Path:
    """Wait until what is found in a file is kept."""
    until(lambda: bool(info_sync(path).version))
    return path


def texts(path: Path, **call: Any) -> list[str]:
    return [record.text for page in walk(path, {}, **call) for record in page.records]


def test_what_is_kept_of_a_list_is_not_that_of_the_file_which_begins_there(tmp_path: Path) -> None:
    """A list and the file that begins with it shared the number of elements, so entries were missing."""
    path = tmp_path / "a.json"
    numbers = list(range(3_000))
    path.write_text(f"{json.dumps(numbers)} [1]")
    settled(path)
    for _ in range(2):
        assert len(texts(path, kind="records")) == 2
        assert texts(path, at="1") == [str(number) for number in numbers]
    path.write_text(json.dumps({f"k{number}": number for number in numbers}))
    settled(path)
    for _ in range(2):
        assert len(texts(path, kind="records")) == 1
        assert texts(path, at="1") == [str(number) for number in numbers]


def test_address_stays_in_its_line(tmp_path: Path) -> None:
    """Blanks or a byte order mark before a value hid it, and a damaged line went on in the next one."""
    path = tmp_path / "a.jsonl"
    path.write_text('\ufeff {"a": "x"}\n\t{"a": 2}\n\n{"a": "no end\n{"a": [1\n{"b": 4}\n', encoding="utf-8")
    assert texts(path, at="1/a") == ["x"]
    assert texts(path, at="2/a") == ["2"]
    assert texts(path, at="4/a") == ["no end"]
    assert texts(path, at="5/a") == ["1"]
    assert [record.name for record in page_of(path, at="5").records] == ["a"]
    for at in ["3", "3/a", "5/b", f"{1 << 60}", f"{(1 << 64) - 1}/a"]:
        with pytest.raises(errors.NoSuchPartError):
            page_of(path, at=at)


def test_file_with_several_lists_is_a_sequence(tmp_path: Path) -> None:
    """Only the first of several lists with line breaks was shown."""
    path = tmp_path / "a.json"
    path.write_text("[\n1\n]\n[\n2\n]\n")
    assert texts(path, kind="records") == ["[1]", "[2]"]


def test_torn_value_is_shown(tmp_path: Path) -> None:
    """A torn value was empty, and a torn string or list looked complete."""
    path = tmp_path / "a.json"
    for text, at, shown in [
        ('{"a": tru', "/a", ["tru"]),
        ('{"a": "half of', "/a", ["half of"]),
        ('{"a": [1, 2', "/a", ["1", "2"]),
        ("[1, 2, 12", None, ["1", "2", "12"]),
        ('[{"a": 1}, {"b', None, ['{"a":1}', '{"b']),
    ]:
        path.write_text(text)
        page = page_of(path, kind="records", at=at)
        assert [record.text for record in page.records] == shown
        assert [notice.code for notice in page.notices] == ["torn_record"], text


def test_long_and_unusual_keys_keep_the_page_in_its_budget(tmp_path: Path) -> None:
    """A long key made a page of 60 kB for a budget of 2.4 kB, and one with a line break made two entries."""
    path = tmp_path / "a.json"
    keys = ["k" * 60_000, "a\n/b\t1", "", '\\"']
    path.write_text(json.dumps(dict.fromkeys(keys, 1)))
    pages = walk(path, {"max_bytes": 2_400}, at="1")
    assert [record.name for page in pages for record in page.records] == [
        key.replace("/", "~1") for key in keys
    ]
    lines = "\n".join(page.text for page in pages).split("\n")
    assert lines == [f"/{'k' * 200}…(60,000 chars)\t1", "/a\\n~1b\\t1\t1", "/\t1", '/\\"\t1']
    with pytest.raises(errors.NoSuchPartError) as caught:
        page_of(path, at="/none")
    assert len(str(caught.value)) < 1_000
    path.write_text("{a: 1}")
    with pytest.raises(errors.NoSuchPartError):
        page_of(path, at="/")


def test_bytes_that_are_not_utf8_are_shown_and_bounded(tmp_path: Path) -> None:
    """Bytes that begin no character were not counted: strings of them were empty, and rows had no bound."""
    path = tmp_path / "a.jsonl"
    for strange in [b"\x80" * 50, b"a\xe2\x82", b"\xf0\x9f\x98\xe2\x82\xac", b"\xff" * 3, b"\xed\xa0\x80"]:
        for before in [0, 8_170, *range(8_180, 8_192)]:
            source = b"x" * before + strange + b"y"
            path.write_bytes(b'{"a":"' + source + b'"}\n')
            pages = walk(path, {}, at="1/a")
            if pages[0].clipped:
                pages += walk(path, {}, **pages[0].clipped[0].arguments)
            shown = "".join(record.text for page in pages for record in page.records)
            assert re.sub(r"… \(\+.*\)", "", shown) == source.decode("utf-8", "replace")
            assert any(notice.code == "lossy" for page in pages for notice in page.notices)
    for text in [
        b'{"a":"' + b"\x80" * 500_000,
        b'{"a":1' + b"\x80" * 500_000,
        b'{"a":1/*' + b"\x80" * 500_000,
    ]:
        path.write_bytes(text + b"\n1\n")
        assert len(page_of(path, kind="records").text) < 80_000


def test_encodings_of_two_bytes_are_refused(tmp_path: Path) -> None:
    """They were shown as damaged."""
    path = tmp_path / "a.json"
    for encoding in ["utf-16", "utf-16-le", "utf-16-be", "utf-32"]:
        path.write_text('{"a": "text"}', encoding=encoding)
        for call in [{"kind": "records"}, {"at": "/a"}]:
            with pytest.raises(errors.WrongKindError, match="utf-"):
                page_of(path, **call)


def test_what_separates_records_is_judged(tmp_path: Path) -> None:
    """Missing and needless commas, comments between records, and text after a list were not noticed."""
    path = tmp_path / "a.json"
    numbers = list(range(3_000))
    for text, is_odd in [
        ("[1, 2, 3]", False),
        ("[\n]", False),
        (json.dumps(numbers), False),
        (json.dumps(numbers).replace(" ", "\n"), False),
        ("[1,, 2]", True),
        ("[, 1]", True),
        ("[1 2]", True),
        ("[1, 2,]", True),
        ("[1, 2}", True),
        ("[}", True),
        ("// one\n[1]", True),
        ("[1, /* two */ 2]", True),
        ('{"a": 1}, {"b": 2}', True),
        ("[1] x", True),
        ("[" + f"{json.dumps('x' * 2_000)}, {'1,' * 20}" * 600 + "1]\n[2]", False),
    ]:
        path.write_text(text)
        settled(path)
        first = page_of(path, kind="records").count or 1
        pages = walk(path, {}, kind="records", offset=max(1, first - 1_500))
        codes = {notice.code for page in pages for notice in page.notices}
        assert ("not_strict" in codes or "not_json" in codes) == is_odd, text[:20]


def test_nuls_do_not_hide_the_other_records(tmp_path: Path) -> None:
    """A power cut leaves NULs in a log; the file was refused as binary."""
    path = tmp_path / "a.log"
    path.write_text("".join(f'{{"i":{number}}}\n' for number in range(9)) + "\0" * 9 + '\n{"i":10}\n')
    rows = page_of(path, kind="records").records
    assert [row.number for row in rows if row.wrong_at is not None] == [10]
    assert page_of(path, at="11/i").text == "10"


@pytest.mark.posix("/proc")
def test_empty_file_has_no_records(tmp_path: Path) -> None:
    """It was refused as text."""
    for name in ["a.json", "a.jsonl"]:
        path = tmp_path / name
        path.touch()
        page = page_of(path, kind="records")
        assert (page.text, page.count, page.next) == ("", 0, None)
        for at in ["1", "/a"]:
            with pytest.raises(errors.NoSuchPartError):
                page_of(path, at=at)
        with pytest.raises(errors.WrongKindError):
            page_of(path, kind="image")
    with pytest.raises(errors.WrongKindError):
        page_of(Path("/proc/self/status"), kind="records")


def test_address_in_a_binary_file_is_refused_by_its_name(tmp_path: Path) -> None:
    """The error named `kind`, which was not passed, and the tool failed when it left that out."""
    path = tmp_path / "data.bin"
    path.write_bytes(bytes(range(256)) * 8)
    with pytest.raises(errors.WrongKindError) as caught:
        page_of(path, at="1")
    assert caught.value.argument == "at"
    assert "binary" in str(tool(cwd=tmp_path).call_sync({"path": "data.bin", "at": "1"}))
