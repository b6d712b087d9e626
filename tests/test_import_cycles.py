"""No import cycles of any length in Rust; `make check` finds those in Python.

A file and those in its own directory are a module and its submodules: a submodule may use names of
its parent, which is not counted as an import.
"""

from __future__ import annotations

import re
from typing import TypeAlias

import pytest

from sources import ROOT, rust_sources

Graph: TypeAlias = dict[str, set[str]]

_START = re.compile(r"(?<![\w:])(?:crate|super|self)\s*::\s*")
_NAME = re.compile(r"\s*(\w+|\*)\s*")
_BETWEEN = re.compile(r"\s*(?:as\s+\w+\s*)?,?\s*")


def named_paths(code: str) -> list[list[str]]:
    """Return every path that begins with `crate`, `self` or `super`; a group has one path for each member."""
    return [path for start in _START.finditer(code) for path in _paths_at(code, start.start())[0]]


def _paths_at(code: str, start: int) -> tuple[list[list[str]], int]:
    """Return the paths that begin at `start`, and the position after them."""
    found = _NAME.match(code, start)
    if found is None:
        return [], start + 1
    name, end = found[1], found.end()
    if not code.startswith("::", end):
        return [[name]], end
    end += 2
    rest: list[list[str]] = []
    group = re.compile(r"\s*\{\s*").match(code, end)
    if group is None:
        if _NAME.match(code, end) is None:
            return [[name]], end
        rest, end = _paths_at(code, end)
    else:
        end = group.end()
        while end < len(code) and code[end] != "}":
            members, end = _paths_at(code, end)
            rest += members
            between = _BETWEEN.match(code, end)
            assert between is not None
            end = between.end()
        end += 1
    return [[name, *path] for path in rest] or [[name]], end


def rust_imports(crate: str) -> Graph:
    """Return for each file of a crate the files whose items it uses; a file is named by its module path."""
    source = ROOT / "rust" / crate / "src"
    codes: dict[tuple[str, ...], str] = {}
    for path, code in rust_sources(crate).items():
        parts = path.relative_to(source).with_suffix("").parts
        codes[() if parts == ("lib",) else parts] = code
    return {
        "::".join(module) or "lib": {"::".join(target) for target in _targets(module, code, set(codes))}
        for module, code in codes.items()
    }


def _targets(module: tuple[str, ...], code: str, files: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    found = set()
    for segments in named_paths(code):
        base = () if segments[0] == "crate" else module
        while segments and segments[0] in {"crate", "self", "super"}:
            base = base[:-1] if segments[0] == "super" else base
            segments = segments[1:]
        full = (*base, *segments)
        while full and full not in files:
            full = full[:-1]
        found.add(full)
    children = {file for file in files if module and file[:-1] == module}
    found |= {child for child in children if re.search(rf"(?<![\w:]){child[-1]}::", code)}
    # Items of a module's parents are not counted, and neither are those of the crate's root.
    return {target for target in found if target and target != module[: len(target)]}


def cycles(graph: Graph) -> list[list[str]]:
    """Return the groups of files that import one another, directly or through other files, sorted."""
    reachable = {name: _reachable(graph, name) for name in graph}
    groups = {
        frozenset(other for other in reachable[name] if name in reachable.get(other, set())) for name in graph
    }
    return sorted(sorted(group) for group in groups if group)


def _reachable(graph: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [*graph[start]]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph.get(name, ())
    return seen


@pytest.mark.parametrize("crate", ["anyread-core", "anyread-python"])
def test_rust_files_have_no_import_cycles(crate: str) -> None:
    graph = rust_imports(crate)
    expected = {"anyread-core": ("engine", "open"), "anyread-python": ("result", "notices")}[crate]
    assert expected[1] in graph[expected[0]]
    assert cycles(graph) == []


def test_cycle_of_any_length_is_found() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == [["b", "c"]]
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == [["a", "b", "c"]]
    assert cycles({"a": {"b"}, "b": set()}) == []


def test_paths_of_rust_are_read_through_groups_and_renames() -> None:
    code = "use crate::a::{self, B, c::{D as E, *}, }; fn f(x: super::g::H) { self::i::j::<K>() }"
    assert named_paths(code) == [
        ["crate", "a", "self"],
        ["crate", "a", "B"],
        ["crate", "a", "c", "D"],
        ["crate", "a", "c", "*"],
        ["super", "g", "H"],
        ["self", "i", "j"],
    ]


def test_submodule_and_sibling_are_distinguished() -> None:
    files = {("a",), ("a", "b"), ("a", "c"), ("d",)}
    assert _targets(("a", "b"), "use super::X; use super::c::Y; use crate::d::Z;", files) == {
        ("a", "c"),
        ("d",),
    }
    assert _targets(("a",), "use b::X; mod c;", files) == {("a", "b")}
