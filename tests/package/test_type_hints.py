"""The annotations of every public name resolve at run time."""

from __future__ import annotations

import inspect
import subprocess
import sys
import typing
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import anyread
from anyread import adapters, errors, session, tools
from anyread.models import model

MODULES: list[ModuleType] = [
    anyread,
    errors,
    model,
    session,
    tools,
    import_module("anyread.tools.parts.contract"),
    import_module("anyread.reading.open_file"),
    *[getattr(adapters, name) for name in adapters.__all__],
    import_module("anyread.mcp_server"),
]


def public_values() -> Iterator[tuple[str, Any]]:
    for module in MODULES:
        for name in getattr(module, "__all__", vars(module)):
            value = getattr(module, name)
            own = getattr(value, "__module__", None) == module.__name__ or hasattr(module, "__all__")
            if not name.startswith("_") and own and not inspect.ismodule(value):
                yield f"{module.__name__}.{name}", value


def annotated() -> Iterator[tuple[str, Any]]:
    """Yield every public function, class, method and property, and the settings of the tools."""
    seen: set[int] = set()
    for name, value in public_values():
        parts = [(name, value)] if inspect.isroutine(value) or inspect.isclass(value) else []
        parts += [(f"{name}.{part}", function) for part, function in methods(value)]
        # A function that is inherited or exported again is found under several names.
        yield from (part for part in parts if id(part[1]) not in seen)
        seen |= {id(function) for _, function in parts}
    for name, target in tools.CONTRACTS.items():
        module_name, _, class_name = target.partition(":")
        settings = getattr(import_module(module_name), class_name).Settings
        yield f"the settings of {name}", settings
        yield f"the constructor of the settings of {name}", settings.__init__


def methods(value: Any) -> Iterator[tuple[str, Any]]:
    for base in value.__mro__ if inspect.isclass(value) else ():
        for name, member in vars(base).items() if base.__module__.startswith("anyread") else ():
            function = getattr(member, "__func__", getattr(member, "fget", member))
            is_public = not name.startswith("_") or name == "__init__"
            if is_public and inspect.isfunction(function):
                yield name, function


def test_annotations_resolve_at_run_time() -> None:
    """Frameworks that build a schema from a signature failed with NameError for 41 public names."""
    found = dict(annotated())
    assert {"anyread.read", "anyread.Reader.model", "the settings of forge"} <= set(found)
    for value in found.values():
        typing.get_type_hints(value)


def test_resolving_annotations_loads_only_the_named_classes() -> None:
    code = """
import sys, typing, anyread
reader = anyread.Reader
before = set(sys.modules)
typing.get_type_hints(reader.__init__)
print(*sorted(name for name in set(sys.modules) - before if name.startswith("anyread")))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout.split() == [
        "anyread.arguments.page_range",
        "anyread.arguments.places",
        "anyread.models",
        "anyread.models.image_tokens",
        "anyread.models.model",
        "anyread.registry",
        "anyread.session",
        "anyread.sources",
        "anyread.sources.store",
    ]
