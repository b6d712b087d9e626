"""Searches in texts of 12 encodings, compared with ripgrep on the same text in UTF-8."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from anyread import Limits, Reader
from anyread._native import Pattern
from anyread.results import TextPage

if TYPE_CHECKING:
    from collections.abc import Iterator

IS_FULL = os.environ.get("ANYREAD_TORTURE") == "1"
PATTERNS = int(os.environ.get("ANYREAD_FIND_PATTERNS", "60" if IS_FULL else "3"))
"""How many patterns are looked for in each file."""
LATIN = "the Error error naïve café Straße über été 12 x"
CYRILLIC = "ошибка Ошибка журнал строка ЁЛКА ёлка 404 log"
WORDS = {
    "utf-8": f"{LATIN} λόγος Λόγος 日志 错误 k K \u212a ſ {CYRILLIC}",
    "utf-8-sig": f"{LATIN} λόγος ΛΌΓΟΣ 日志",
    "utf-16-le": f"{LATIN} λόγος 日志 𝒳 𝒳y",
    "utf-16-be": f"{LATIN} {CYRILLIC} 𝒳y",
    "cp1252": f"{LATIN} “quoted” €",
    "cp1251": CYRILLIC,
    "koi8-r": CYRILLIC,
    "shift_jis": "エラー ログ 表示 ソート 能力 error Error アイウ",
    "euc-jp": "エラー ログ 表示 ソート 能力 error Error アイウ",
    "gb18030": "错误 日志 文件 啊 error Error 3 𝒳",
    "big5": "錯誤 記錄 檔案 功能 許蓋 error Error",
    "euc-kr": "오류 로그 파일 error Error 한글",
}
MARKS = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
SEPARATORS = (" ", " ", "  ", "\t", ", ", "=", "/", "-")

rg = pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep (`rg`) is not installed")


@dataclass(frozen=True)
class File:
    """A file, and the same text for ripgrep."""

    path: Path
    judged: Path
    lines: list[str]
    encoding: str | None


def text_of(words: list[str], random_: random.Random, size: int) -> list[str]:
    """Return lines of words; some are empty, and some go over several windows."""
    lines = []
    length = 0
    while length < size:
        count = random_.choice((0, 1, 2, 3, 5, 8, 13))
        if random_.random() < 0.002:
            # Each hit in a long line of several bytes a character is looked for from its start.
            count = random_.choice((700, 9_000, 40_000) if IS_FULL else (700, 4_000))
        parts = random_.choices(words, k=count)
        line = "".join(part + random_.choice(SEPARATORS) for part in parts)
        lines.append(line if random_.random() < 0.3 else line.rstrip())
        length += len(lines[-1]) + 1
    return lines


def make(directory: Path, encoding: str, newline: str, random_: random.Random) -> File:
    size = random_.choice((2_000, 100_000, 300_000, 1_500_000) if IS_FULL else (2_000, 80_000))
    lines = text_of(WORDS[encoding].split(), random_, size)
    text = newline.join(lines) + random_.choice(("", newline))
    path, judged = directory / "a.txt", directory / "judged.txt"
    path.write_bytes(MARKS.get(encoding, b"") + text.encode(encoding))
    judged.write_bytes((text if newline == "\r\n" else text.replace("\r", "\n")).encode())
    # What begins with a mark is detected.
    is_detected = encoding.startswith("utf")
    return File(path, judged, lines, None if is_detected else encoding)


def patterns_of(words: list[str], random_: random.Random) -> Iterator[str]:
    """Yield patterns without end: words, and operators around them."""

    def word() -> str:
        whole = random_.choice(words)
        start = random_.randrange(len(whole))
        return whole if random_.random() < 0.6 else whole[start : start + random_.randint(1, 3)]

    forms = (
        "{0}", "{0}", "{0} {1}", "{0}|{1}", "{0}|{1}|{2}", "{0}.*{1}", r"\b{0}\b", r"\b{0}", "^{0}",
        "{0}$", r"^\s*{0}", r"{0}\s*$", r"{0}\s+{1}", r"\w{0}", "[^{0}]{1}", r"{0}\W", "{0}{1}?",
        "(?i){0}", "(?i:{0}){1}", r"\A{0}", r"{0}\z", r"\d{{2,}}", r"\p{{Greek}}\w+", r"\p{{Lu}}{0}",
        "{0}(", "[{0}", r"{0}\s", r"\S+{0}\S+", "(?s){0}.{1}", r"(?:{0}\b|^{1}).$", ".{{40,}}{0}",
        r"\B{0}", r"{0}[\s\S]{1}", "x{{0,2}}{0}+", "{0}.?$", r"\b{0}\b.*\b{1}\b", "(?m)^{0}|{1}$",
        r"\s{0}", r"{0}[^\w]", r"{0}.\b",
    )  # fmt: skip
    while True:
        yield random_.choice(forms).format(word(), word(), word())


def judged_lines(file: File, pattern: str, *, is_literal: bool) -> list[int]:
    """Return the numbers of the lines that ripgrep finds."""
    literal = ["-F"] if is_literal else []
    # In ripgrep, the end of the text that a line is comes after its line end.
    pattern = pattern.replace(r"\z", "$")
    options = ["-n", "--smart-case", "--crlf", "--no-config", "-a", "--no-filename", *literal]
    found = subprocess.run(
        ["rg", *options, "-e", pattern, str(file.judged)], capture_output=True, check=False
    )
    assert found.returncode in (0, 1), found.stderr.decode()
    return [int(line.split(b":", 1)[0]) for line in found.stdout.split(b"\n")[:-1]]


def compiled(text: str) -> Pattern | None:
    """Return a pattern; `None` if it matches every line."""
    try:
        return Pattern(text)
    except ValueError as error:
        if error.args == ("empty", ""):
            return None
        raise


def lines_found(file: File, pattern: str, **call: Any) -> list[int]:
    """Return the lines of all hits, page by page."""
    lines: list[int] = []
    chars = call.pop("max_line_chars", 2_000)
    # Pages end at `limit`, because many small ones of a long line would take minutes.
    reader = Reader(limits=Limits(max_line_chars=chars, max_lines=10**6, max_tokens=10**7, max_bytes=10**8))
    following: dict[str, Any] | None = {"find": pattern, "encoding": file.encoding, **call}
    while following is not None:
        page = reader.read_sync(file.path, **following)
        assert isinstance(page, TextPage)
        lines += page.hits
        following = None if page.next is None else dict(page.next.arguments)
    return list(dict.fromkeys(lines))


@rg
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("encoding", WORDS)
def test_lines_are_those_of_ripgrep(tmp_path: Path, encoding: str, newline: str) -> None:
    random_ = random.Random(f"{encoding} {newline!r} {os.environ.get('ANYREAD_FIND_SEED', '')}")
    file = make(tmp_path, encoding, newline, random_)
    patterns = patterns_of(WORDS[encoding].split(), random_)
    compared = 0
    while compared < PATTERNS:
        text = next(patterns)
        pattern = compiled(text)
        if pattern is None:
            continue
        compared += 1
        expected = judged_lines(file, text, is_literal=pattern.is_literal)
        limit = max(1, len(expected) // random_.choice((1, 3, 7)))
        max_line_chars = random_.choice((100_000, 2_000, 100))
        assert lines_found(file, text, limit=limit, max_line_chars=max_line_chars) == expected, text
        first, last = sorted(random_.choices(range(1, len(file.lines) + 1), k=2))
        part = lines_found(file, text, ranges=[(first, last)])
        assert part == [line for line in expected if first <= line <= last], (text, first, last)
