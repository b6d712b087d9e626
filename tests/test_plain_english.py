"""Words that the glossary or plain English replaces, in docs, messages, docstrings and comments.

This finds the most common slips only; it cannot tell whether a sentence reads well.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "anyread"

REPLACED = {
    r"folders?": "directory",
    r"pictures?": "image",
    r"anew": "again",
    r"for ever": "forever",
    r"in vain": "without success",
    r"by and by": "gradually",
    r"as it stands": "unchanged",
    r"asked for": "requested",
    r"otherwise than": "different from",
    r"for who": "for callers that",
    r"what is to be known": "what a caller should know",
    r"gives? it up": "give up",
    r"colours?": "color",
    r"licences?": "license",
}
BANNED = re.compile(rf"\b(?:{'|'.join(REPLACED)})\b", re.IGNORECASE)
# Names, code and quoted text are not prose.
# An argument in a docstring is a name too.
QUOTED = re.compile(r"^ +\w+:|```.*?```|`[^`]*`|\"[^\"\n]*\"|\S*[_/.]\w\S*", re.DOTALL | re.MULTILINE)

ALLOWED = {
    # It lists the words that the project does not use.
    ROOT / "docs" / "glossary.md",
    Path(__file__),
}
CONFORMANCE = ROOT / "python" / "anyread-conformance"
READMES = (ROOT / "benches" / "README.md", CONFORMANCE / "README.md")
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *READMES})
SOURCES = sorted([*PACKAGE.rglob("*.py"), *(CONFORMANCE / "anyread_conformance").rglob("*.py")])
TESTS = sorted([*(ROOT / "tests").rglob("*.py"), *(CONFORMANCE / "tests").rglob("*.py")])
RUST = sorted((ROOT / "rust").glob("*/src/**/*.rs"))


def slips(text: str) -> list[str]:
    """Return the banned words of a text, outside names and quotes."""
    return [found[0].lower() for found in BANNED.finditer(QUOTED.sub(" ", text))]


def prose_of_python(source: str, *, has_recorded_answers: bool = False) -> Iterator[tuple[int, str]]:
    """Yield comments, docstrings and, unless other agents worded them, messages, each with its line."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not has_recorded_answers:
            # A string without a space is a name.
            yield node.lineno, node.value if " " in node.value.strip() else ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Lists a folder of Pictures anew.", ["folder", "pictures", "anew"]),
        ('Reads `picture.png` in "a folder" of tests/picture_files.', []),
        ("A directory with an image.", []),
    ],
)
def test_slips_are_found_in_prose_only(text: str, found: list[str]) -> None:
    assert slips(text) == found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_is_in_plain_english(page: Path) -> None:
    if page not in ALLOWED and page.name != "THIRD_PARTY_LICENSES.md":
        assert slips(page.read_text("utf-8")) == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.relative_to(ROOT)))
def test_python_prose_is_in_plain_english(source: Path) -> None:
    if source not in ALLOWED:
        pieces = prose_of_python(source.read_text("utf-8"), has_recorded_answers="tools" in source.parts)
        assert [(line, slips(prose)) for line, prose in pieces if slips(prose)] == []


@pytest.mark.parametrize("source", TESTS, ids=lambda source: str(source.relative_to(ROOT)))
def test_comments_of_tests_are_in_plain_english(source: Path) -> None:
    if source not in ALLOWED:
        pieces = prose_of_python(source.read_text("utf-8"), has_recorded_answers=True)
        assert [(line, slips(prose)) for line, prose in pieces if slips(prose)] == []


def test_rust_comments_are_in_plain_english() -> None:
    found = [
        (source.name, number, slips(line))
        for source in RUST
        for number, line in enumerate(source.read_text("utf-8").splitlines(), start=1)
        if line.lstrip().startswith("//") and slips(line)
    ]
    assert found == []
