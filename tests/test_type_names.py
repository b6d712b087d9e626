"""Each type name has one meaning in Python and Rust together.

One thing may have a type of the same name in the core, in the binding and in Python.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from sources import modules, rust_sources

SHARED: set[str] = {
    "Cell",
    "CellOutput",
    "Content",
    "DirectoryEntry",
    "Engine",
    "Gutter",
    "Kind",
    "Layout",
    "Limits",
    "Notebook",
    "Page",
    "Request",
    "ShownCell",
    "ShownPart",
    "ShownImage",
    "Window",
}
"""Types of the same thing in at least two of the core, the binding and Python."""

OF_SYSTEMS = {
    "AsDescriptor",
    "BorrowedDescriptor",
    "Descriptor",
    "MappedWindow",
    "ScanThread",
}
"""Types that each operating system's part of the core defines for itself, of which one is compiled."""

_RUST_TYPE = re.compile(
    r"^(?:    )?(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union) (\w+)|^(?:pub(?:\([^)]*\))? )?type (\w+)",
    re.MULTILINE,
)


def rust_types(code: str) -> Iterator[str]:
    """Yield the names of the types that a file defines, without associated types."""
    yield from (found[1] or found[2] for found in _RUST_TYPE.finditer(code))


def python_types(source: str) -> Iterator[str]:
    """Yield the names of the classes and type aliases that a module defines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            alias = ast.unparse(node.annotation).rpartition(".")[2] == "TypeAlias"
            yield from [node.target.id] * alias


def definitions() -> dict[str, list[str]]:
    """Return the type names of each crate and of Python, each once per Rust file."""
    sides = {
        crate: [name for code in rust_sources(crate).values() for name in set(rust_types(code))]
        for crate in ("anyread-core", "anyread-python")
    }
    # The stub repeats what the binding defines.
    python = [source for module, source in modules() if module != "_native"]
    return sides | {"python": [name for source in python for name in python_types(source)]}


def test_type_names_are_unique() -> None:
    sides = definitions()
    of_side = {side: Counter(names) for side, names in sides.items()}
    twice = {(side, name) for side, names in of_side.items() for name, number in names.items() if number > 1}
    assert {name for _, name in twice} == OF_SYSTEMS
    everywhere = Counter(name for names in of_side.values() for name in names)
    assert {name for name, number in everywhere.items() if number > 1} - SHARED == set()


def test_shared_names_are_defined_at_least_twice() -> None:
    sides = definitions()
    assert {name for name in SHARED if sum(name in names for names in sides.values()) < 2} == set()


def test_types_are_found_in_both_languages() -> None:
    code = (
        "pub struct A<'a>;\n    pub(crate) enum B {}\nimpl X for Y {\n    type Output = Z;\n}\ntype C = u8;"
    )
    assert list(rust_types(code)) == ["A", "B", "C"]
    source = "class A:\n    class B: ...\nC: TypeAlias = int\nD: typing.TypeAlias = str\ne: int = 1"
    assert sorted(python_types(source)) == ["A", "B", "C", "D"]
