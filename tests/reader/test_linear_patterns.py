"""Every regular expression of the package takes a time in proportion to the text, whatever the text is."""

from __future__ import annotations

import ast
import importlib
import math
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from re import _parser  # type: ignore[attr-defined] # nothing else knows the parts of a pattern
from types import ModuleType
from typing import Any, TypeAlias

import pytest

import anyread

Pattern: TypeAlias = re.Pattern[Any]

ROOT = Path(anyread.__file__).parent
SHORT, LONGER, MOST = 1_000, 8, 16
"""The characters of a text, how many times longer another one is, and how many times slower it may be."""
FAST_S = 0.002
"""A pattern that is this fast on the longer text is not slow; the clock is too coarse to compare it."""
MEASURES = 9
DRAWS = 25
OF_FUNCTIONS = {
    "anyread.cli.parser",
    "anyread.cli.places",
    "anyread.cli.showing",
    "anyread.formats.text",
    "anyread.models.named",
    "anyread.reading.place_scanner",
}
"""Modules with a pattern made in a function: for the help, numbers, names, and models."""
CLASSES = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}


def applications() -> dict[tuple[Pattern, str], str]:
    """Return each pattern and the method that applies it, with the name of the module."""
    found: dict[tuple[Pattern, str], str] = {}
    for path in sorted(ROOT.rglob("*.py")):
        source = path.read_text("utf-8")
        if re.search(r"^ *import re$", source, re.MULTILINE) is None:
            continue
        name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
        module = importlib.import_module(name)
        applied = [each for node in ast.walk(ast.parse(source)) for each in applied_by(node, module)]
        known = {pattern for pattern, _ in applied}
        others = (value for value in vars(module).values() if isinstance(value, re.Pattern))
        for pattern, method in [*applied, *((each, "sub") for each in others if each not in known)]:
            found.setdefault(
                (pattern, method if method in {"match", "fullmatch", "search"} else "finditer"), name
            )
    return found


def applied_by(node: ast.AST, module: ModuleType) -> Iterator[tuple[Pattern, str]]:
    """Yield what an expression applies, such as `_NAME.match` or `re.match("a+", text)`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        value = getattr(module, node.value.id, None)
        if isinstance(value, re.Pattern):
            yield value, node.attr
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    if ast.unparse(node.func.value) == "re" and node.func.attr != "escape":
        given = ast.unparse(node.args[0])
        flags = next((ast.unparse(each.value) for each in node.keywords if each.arg == "flags"), "0")
        try:
            pattern = eval(f"re.compile({given}, {flags})", vars(module))
        except NameError:
            assert module.__name__ in OF_FUNCTIONS
        else:
            if node.func.attr != "compile":
                yield pattern, node.func.attr


def text_of(pattern: Pattern) -> str:
    written = pattern.pattern
    return written.decode("latin-1") if isinstance(written, bytes) else written


def tokens(pattern: Pattern) -> list[str]:
    """Return the characters and words that mean something to a pattern, and one of each class."""
    found = {"x", "\n"}

    def visit(items: Any) -> None:
        word = ""
        for item in [*items, None]:
            if isinstance(item, tuple) and str(item[0]) == "LITERAL":
                word += chr(item[1])
                continue
            found.update({word, *word} - {""})
            word = ""
            if isinstance(item, tuple) and str(item[0]) == "RANGE":
                found.update(map(chr, item[1]))
            elif isinstance(item, tuple | list | _parser.SubPattern):
                visit(item)
            elif str(item) in CLASSES:
                found.add(CLASSES[str(item)])

    visit(_parser.parse(text_of(pattern), pattern.flags & ~re.UNICODE))
    return sorted(found)


def texts(pattern: Pattern) -> Iterator[tuple[str, str, str]]:
    """Yield texts, each as a start, a part that is repeated, and an end."""
    alphabet = tokens(pattern)
    yield from (("", token, "\0") for token in alphabet)
    draw = random.Random(ascii(pattern.pattern))
    for number in range(DRAWS):
        sizes = draw.randint(0, 3), draw.randint(1, 4) if number % 10 else 200, draw.randint(0, 2)
        start, part, end = ("".join(draw.choices(alphabet, k=size)) for size in sizes)
        yield start, part, end


def seconds(pattern: Pattern, method: str, text: tuple[str, str, str], size: int) -> float:
    """Return the processor time of an application of a pattern to a text of about a size."""
    start, part, end = text
    whole: Any = start + part * (size // len(part) + 1) + end
    if isinstance(pattern.pattern, bytes):
        whole = whole.encode("latin-1")
    started = time.thread_time()
    found = getattr(pattern, method)(whole)
    if method == "finditer":
        for _ in found:
            pass
    return time.thread_time() - started


def is_slow(pattern: Pattern, method: str, text: tuple[str, str, str]) -> bool:
    """Return whether a longer text takes far longer, by the least times: other work only adds to them."""
    short_s = long_s = math.inf
    for _ in range(MEASURES):
        long_s = min(long_s, seconds(pattern, method, text, SHORT * LONGER))
        if long_s < FAST_S:
            return False
        short_s = min(short_s, seconds(pattern, method, text, SHORT))
    return long_s > MOST * short_s


@pytest.mark.no_cover
@pytest.mark.slow
def test_time_of_each_pattern_is_linear() -> None:
    """One call with places took 10 s, and a number of 100,000 digits a minute."""
    found = applications()
    assert len(found) > 40
    slow = []
    for (pattern, method), module in found.items():
        for text in texts(pattern):
            if is_slow(pattern, method, text):
                slow.append((module, method, text_of(pattern)[:80], text))
                break
    assert not slow, "\n".join(map(str, slow))
