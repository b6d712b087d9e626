"""The sources of the crates, for tests of the architecture."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]

RUST_COMMENT_OR_LITERAL = re.compile(
    r"""
    //[^\n]* | /\*.*?\*/                                            # comments
    | b?r(?P<hashes>\#*)".*?"(?P=hashes) | b?"(?:\\.|[^"\\])*"      # strings
    | b?'(?:\\'|\\[^']+|[^\\'])'                                   # characters, not lifetimes
    """,
    re.DOTALL | re.VERBOSE,
)


def rust_code(source: str) -> str:
    """Return Rust source without comments, literals and items under `#[cfg(test)]`."""
    code = RUST_COMMENT_OR_LITERAL.sub(" ", source)
    while (start := code.find("#[cfg(test)]")) >= 0:
        code = code[:start] + code[end_of_item(code, start) :]
    return code


def end_of_item(code: str, start: int) -> int:
    """Return the position after the semicolon or closing brace of the item that begins at `start`."""
    depth = 0
    for position in range(start, len(code)):
        depth += (code[position] == "{") - (code[position] == "}")
        if depth == 0 and code[position] in "};":
            return position + 1
    return len(code)


def rust_sources(crate: str) -> dict[Path, str]:
    directory = ROOT / "rust" / crate / "src"
    paths = [path for path in directory.rglob("*.rs") if path.name != "tests.rs"]
    assert paths, f"{directory} has no sources"
    return {path: rust_code(path.read_text("utf-8")) for path in paths}
