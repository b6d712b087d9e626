"""What `import anyread` brings, and what it must not."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

import anyread

PUBLIC = [
    "AccessError",
    "AmbiguousPathError",
    "BadArgumentError",
    "BadPathError",
    "BinaryFileError",
    "Continuation",
    "DamagedFileError",
    "DecoderCrashedError",
    "DecoderMemoryError",
    "DecoderTimeoutError",
    "DecoderUnavailableError",
    "DeniedError",
    "DirectoryError",
    "Failed",
    "FileChangedError",
    "FileSystemError",
    "Gutter",
    "Limits",
    "Model",
    "NotFoundError",
    "NotRegularFileError",
    "Notice",
    "OffsetPastEndError",
    "OutsideRootError",
    "OverBudgetError",
    "Page",
    "PasswordRequiredError",
    "ReadError",
    "ReadTimeoutError",
    "Reader",
    "StaleReadError",
    "TextBlock",
    "TextPage",
    "TooLargeError",
    "Unchanged",
    "UnsupportedFormatError",
    "WrongKindError",
    "__version__",
    "drop_indexes",
    "pages",
    "read",
    "read_many",
    "read_sync",
]
ARGUMENTS = [
    "offset",
    "limit",
    "column",
    "pages",
    "encoding",
    "kind",
    "region",
    "unless_version",
    "since_version",
    "gutter",
]
FORBIDDEN = {"anyio", "trio", "sniffio", "PIL", "pypdfium2", "mcp", "pydantic", "argparse", "json", "pathlib"}


def modules_after(code: str) -> set[str]:
    told = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(told.stdout.split())


def test_public_names_are_these() -> None:
    assert sorted(anyread.__all__) == sorted(PUBLIC) == sorted(dir(anyread))


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_has_a_docstring(name: str) -> None:
    value = getattr(anyread, name)
    if name != "__version__":
        assert inspect.getdoc(value)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Raeder"):
        anyread.Raeder  # noqa: B018


def test_import_brings_no_heavy_module() -> None:
    # What the interpreter has loaded by itself (`.pth` files) is not ours.
    added = modules_after("import anyread") - modules_after("import dataclasses")
    assert not added & FORBIDDEN
    assert not any(
        name.startswith(("asyncio", "anyread.model", "anyread.cli", "anyread.many")) for name in added
    )


def test_reader_outside_of_a_loop_loads_no_backend() -> None:
    assert "anyio" not in modules_after("import anyread; anyread.Reader()") - modules_after(
        "import dataclasses"
    )


def test_synchronous_read_loads_no_event_loop() -> None:
    added = modules_after("import anyread; anyread.read_sync(sys.executable, kind='text', limit=1)")
    assert not added - modules_after("import dataclasses") & {"asyncio", "anyio", "trio"}


@pytest.mark.parametrize(("loop", "backend"), [("asyncio", "_asyncio"), ("trio", "_trio")])
def test_reader_made_in_a_loop_loads_that_backend(loop: str, backend: str) -> None:
    code = f"import {loop}, anyread\nasync def main(): anyread.Reader()\n"
    run = "asyncio.run(main())" if loop == "asyncio" else "trio.run(main)"
    assert f"anyio._backends.{backend}" in modules_after(code + run)


def test_functions_of_the_module_are_methods_of_one_reader() -> None:
    functions: list[Any] = [anyread.read, anyread.read_sync, anyread.pages, anyread.read_many]
    owners = {id(function.__self__) for function in functions}
    assert len(owners) == 1
    assert next(iter(inspect.signature(anyread.read).parameters)) == "path"


@pytest.mark.parametrize("function", [anyread.read, anyread.read_sync])
def test_everything_after_the_path_is_keyword_only(function: object) -> None:
    assert callable(function)
    _, *rest = inspect.signature(function).parameters.values()
    assert {parameter.kind for parameter in rest} == {inspect.Parameter.KEYWORD_ONLY}
    assert [parameter.name for parameter in rest] == ARGUMENTS
