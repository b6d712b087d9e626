"""No import cycles between the top-level modules of each crate; `make check` finds those in Python.

A top-level module of a crate is a file and the directory of the same name.
"""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter

import pytest

from helpers.sources import ROOT, rust_sources


def rust_imports(crate: str) -> dict[str, set[str]]:
    """Return the top-level modules that each of them names, comments and tests apart."""
    graph: dict[str, set[str]] = {}
    for path, code in rust_sources(crate).items():
        name = path.relative_to(ROOT / "rust" / crate / "src").with_suffix("").parts[0]
        assert not re.search(r"crate::[{*]", code), f"{path}: write one `use` per module"
        if name != "lib":
            graph.setdefault(name, set()).update(set(re.findall(r"crate::(\w+)", code)) - {name})
    return graph


@pytest.mark.parametrize(("crate", "example"), [("anyread-core", "open"), ("anyread-python", "errors")])
def test_top_level_modules_of_crates_have_no_import_cycles(crate: str, example: str) -> None:
    graph = rust_imports(crate)
    assert example in set().union(*graph.values())
    TopologicalSorter(graph).prepare()


def test_cycle_is_found() -> None:
    with pytest.raises(CycleError, match="cycle"):
        TopologicalSorter({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}}).prepare()
