"""The sources of the package and of the crates, and what they import, for tests of the architecture."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "anyread"

RUST_COMMENT_OR_LITERAL = re.compile(
    r"""
    //[^\n]* | /\*.*?\*/                                            # comments
    | b?r(?P<hashes>\#*)".*?"(?P=hashes) | b?"(?:\\.|[^"\\])*"      # strings
    | b?'(?:\\'|\\[^']+|[^\\'])'                                   # characters, not lifetimes
    """,
    re.DOTALL | re.VERBOSE,
)


def modules() -> Iterator[tuple[str, str]]:
    """Yield (dotted name below `anyread`, source) of every module; a package has its directory's name."""
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        yield name, path.read_text("utf-8")


def imported_names(name: str, source: str) -> Iterator[str]:
    """Yield every absolute dotted name that a module imports, inside functions and for type checkers too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = ["anyread", *name.split(".")]
                is_directory = (PACKAGE / name.replace(".", "/")).is_dir()
                kept = package[: len(package) - node.level + is_directory]
                base = ".".join([*kept, base]).rstrip(".")
            yield from (f"{base}.{alias.name}" for alias in node.names)


def module_behind(dotted: str) -> str | None:
    """Return the module below `anyread` that is or contains a dotted name; None if it is not in anyread."""
    root, _, rest = dotted.partition(".")
    if root != "anyread":
        return None
    parts = rest.split(".")
    while parts and parts[0]:
        path = PACKAGE.joinpath(*parts)
        if path.is_dir() or any(path.with_suffix(suffix).exists() for suffix in (".py", ".pyi")):
            return ".".join(parts)
        parts.pop()
    return "__init__"


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
