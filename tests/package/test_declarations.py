"""Lists that name the same things agree; a failure says which line is missing in which file."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_overloads, get_type_hints

import anyread
from anyread import _native, errors, kinds, lazy, results
from anyread.arguments.request import ARGUMENTS, DEFAULTS, Request
from anyread.arguments.types import Kind
from anyread.cli import demo
from anyread.cli.hints import READ_OPTIONS
from anyread.cli.parser import make_parser
from anyread.errors.from_core import CLASSES

ROOT = Path(__file__).parents[2]
PACKAGE = "python/anyread"


def require(missing: Iterable[str]) -> None:
    """Fail with one line for each thing that is missing."""
    lines = list(missing)
    assert not lines, "\n".join(["missing:", *lines])


def test_every_error_of_the_core_has_a_class() -> None:
    """An error without a class passed all tests, and the first such error was a `KeyError`."""
    builtin = {"cancelled", "would_block"}
    require(
        f"{PACKAGE}/errors: a class with `code = {code!r}`, or a case in from_core.py and its line in CLASSES"
        for code in _native.ERROR_CODES
        if code not in CLASSES and code not in builtin
    )
    own = {getattr(kind, "code", None) for kind in CLASSES.values()}
    require(
        f"rust/anyread-core/src/error.rs: the code {code!r}, which CLASSES of from_core.py has"
        for code in CLASSES
        if code not in _native.ERROR_CODES and code not in own
    )


def test_every_kind_is_complete() -> None:
    require(_missing_of_kinds())


def _missing_of_kinds() -> Iterator[str]:
    known = {page.kind: page.__name__ for page in get_args(results.Page)}
    for form in (kinds.TEXT, *kinds.ALL):
        kind = form.kind
        if kind not in get_args(Kind):
            yield f"{PACKAGE}/arguments/types.py: {kind!r} in Kind"
        if kind not in known:
            yield f"{PACKAGE}/results/any_page.py: a page with `kind = {kind!r}` in Page"
        for name in ("read", "read_sync", "pages", "pages_sync"):
            # What a type checker shows for `kind="text"` and so on.
            overloads = [each.__annotations__ for each in get_overloads(getattr(anyread.Reader, name))]
            (shown,) = [each["return"] for each in overloads if each.get("kind") == f"Literal[{kind!r}]"] or [
                ""
            ]
            if known.get(kind, "?") not in shown:
                yield f"{PACKAGE}/reader.py: an overload of `{name}` with `kind: Literal[{kind!r}]`"
        module = form.module or kind
        if form is not kinds.TEXT and not hasattr(import_module(f"anyread.formats.{module}"), "parts_of"):
            yield f"{PACKAGE}/formats/{module}.py: `parts_of`"
        hint = errors.WrongKindError("a", argument="encoding", kind=kind).hint
        if not any(f"{argument}=" in hint for argument in form.takes):
            yield f"{PACKAGE}/errors/arguments.py: the line of {kind!r} in _RIGHT_ARGUMENT"
        for argument in sorted(form.takes - ARGUMENTS.keys()):
            yield f"{PACKAGE}/arguments/request.py: {argument!r}, which kinds.py declares for {kind!r}"
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    title = "Formats import no other format"
    (independent,) = [each["modules"] for each in settings["contracts"] if each["name"] == title]
    wanted = {f"anyread.formats.{form.module or form.kind}" for form in kinds.ALL}
    for module in wanted.symmetric_difference(independent):
        yield f"pyproject.toml, under `{title}`: add or remove {module!r}"
    for kind in {*get_args(Kind), *known} - kinds.BY_KIND.keys():
        yield f"{PACKAGE}/kinds.py: a line for {kind!r} in ALL"


# The pages that people and models see first.
DOORS = """README.md docs/index.md docs/start/install.md docs/start/library.md docs/start/framework.md
docs/start/mcp.md docs/start/command-line.md docs/batch.md docs/command-line.md docs/integrations.md
docs/mcp.md docs/media.md docs/other-frameworks.md python/anyread/__init__.py website/mkdocs.yml"""


def test_every_kind_is_named_wherever_kinds_are() -> None:
    """Start pages, the help and the tool of an agent spoke of text, images, PDFs and notebooks only."""
    require(_silent_doors())


def _silent_doors() -> Iterator[str]:
    doors = {name: (ROOT / name).read_text("utf-8") for name in DOORS.split()}
    (definition,) = anyread.tool().definitions()
    doors[f"{PACKAGE}/tools/anyread_tool.py: the description"] = definition.description
    parser = make_parser()
    doors[f"{PACKAGE}/cli/descriptions.py: the help"] = parser.format_help()
    doors[f"{PACKAGE}/cli/descriptions.py: the help of `read`"] = parser.commands["read"].format_help()
    for where, text in doors.items():
        words = " ".join(text.lower().split())
        for form in kinds.BY_KIND.values():
            # In the singular, too.
            if form.files.lower().removesuffix("s").removesuffix("ie") not in words:
                yield f"{where}: {form.files!r}"
    for form in kinds.BY_KIND.values():
        file = re.split("[:#]", form.example)[0]
        if file != "." and file not in demo.FILES:
            yield f"{PACKAGE}/cli/demo.py: {file!r}"
        for name in ("README.md", "docs/index.md"):
            if f'"{form.example}"' not in doors[name]:
                yield f"{name}: {form.example!r}; `make docs` writes it, with website/tables.py"


def test_lists_of_kinds_in_prose_are_complete() -> None:
    """Five docstrings and three pages listed the kinds of an earlier version."""
    require(_incomplete_lists())


def _incomplete_lists() -> Iterator[str]:
    # A contract has the kinds of its own tool; a list of three may be what a model accepts.
    contracts = {*(ROOT / PACKAGE / "tools").rglob("*.py"), *(ROOT / "docs" / "contracts").glob("*.md")}
    files = {ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / PACKAGE).rglob("*.py")}
    name = f"""["`](?:{"|".join(kinds.BY_KIND)})["`]"""
    listed = re.compile(rf"{name}(?:,\s+{name})+(?:,?\s+(?:or|and)\s+{name})?")
    for file in sorted(files - contracts):
        for found in listed.finditer(file.read_text("utf-8")):
            missing = kinds.BY_KIND.keys() - set(re.findall(r"\w+", found[0]))
            if missing and len(re.findall(name, found[0])) > 3:
                yield f"{file.relative_to(ROOT)}: {sorted(missing)} after {found[0]!r}, or a link to the list"


def test_every_argument_is_complete() -> None:
    """Frameworks that build a schema from a signature need every argument instead of `**arguments`."""
    require(_missing_of_arguments())


def _missing_of_arguments() -> Iterator[str]:
    hints = get_type_hints(Request)
    for name in ("read", "read_sync"):
        for owner, where in ((anyread, name), (anyread.Reader, f"Reader.{name}")):
            function: Any = getattr(owner, name)
            parameters = inspect.signature(function).parameters
            listed = {each: parameters[each].default for each in parameters if each not in {"self", "path"}}
            types = get_type_hints(function)
            for argument, default in DEFAULTS.items():
                if argument not in listed:
                    yield f"{PACKAGE}/reader.py: the parameter `{argument}` of {where}"
                elif listed[argument] != default or types[argument] != hints[argument]:
                    yield f"{PACKAGE}/reader.py: the type and default of `{argument}` of {where}"
            for argument in listed.keys() - DEFAULTS.keys():
                yield f"{PACKAGE}/arguments/request.py: `{argument}`, a parameter of {where}"
            if listed.keys() == DEFAULTS.keys() and list(listed) != list(DEFAULTS):
                yield f"{PACKAGE}/reader.py: the order of the parameters of {where}, as in request.py"
    for command in ("read", "places"):
        # Without one, each call of the command ended in an `AttributeError`.
        for name in set(READ_OPTIONS) - vars(make_parser().parse_args([command, "a.txt"])).keys():
            yield f"{PACKAGE}/cli/options.py: {name!r} in the options of `anyread {command}`"
    for name, declared in ARGUMENTS.items():
        if not declared.kinds:
            yield f"{PACKAGE}/kinds.py: {name!r} in COMMON, or in `takes` of the formats that accept it"


def test_every_public_name_is_found() -> None:
    require(_missing_names())


def _missing_names() -> Iterator[str]:
    declared = f"{PACKAGE}/results/__init__.py: the line of "
    for name, module in results.MODULES.items():
        if not hasattr(import_module(f"anyread.results.{module}"), name):
            yield f"{declared}{name} names the module {module!r}, which has no such name"
    for file in (ROOT / PACKAGE / "results").glob("[a-z]*.py"):
        found = import_module(f"anyread.results.{file.stem}")
        for name, value in vars(found).items():
            is_own = (
                inspect.isclass(value) and value.__module__ == found.__name__ and not name.startswith("_")
            )
            is_base = is_own and value.__subclasses__()
            if is_own and not is_base and name not in results.MODULES:
                yield f'{declared}"{name}": "{file.stem}" in MODULES'
    for name, module in lazy.MODULES.items():
        if not hasattr(import_module(f"anyread.{module}"), name):
            yield f"{PACKAGE}/lazy.py: the line of {name} names {module!r}, which has no such name"
    for name in anyread.__all__:
        if not hasattr(anyread, name):
            yield f"{PACKAGE}/lazy.py: the module of {name!r} in MODULES, because __all__ has it"
    for name in vars(errors)["__all__"]:
        if getattr(anyread, name, None) is not getattr(errors, name):
            yield f"{PACKAGE}/__init__.py: {name!r} of `errors`"
