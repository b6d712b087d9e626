"""The public names of `anyread`, and the modules that importing and using it must not load."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import anyread
from helpers.media import drawing, encoded

pytestmark = pytest.mark.usefixtures("no_coverage_of_processes")

PUBLIC = [
    "AccessError",
    "BadArgumentError",
    "BinaryFileError",
    "DeniedError",
    "DocumentBlock",
    "Failed",
    "Gutter",
    "ImageBlock",
    "ImageView",
    "Info",
    "Limits",
    "Model",
    "NotFoundError",
    "NotShown",
    "NotebookPage",
    "OffsetPastEndError",
    "OutsideRootError",
    "Page",
    "PdfPages",
    "ReadError",
    "ReadTimeoutError",
    "Reader",
    "Session",
    "TextBlock",
    "TextPage",
    "Tool",
    "Unchanged",
    "__version__",
    "adapters",
    "batch",
    "clear_caches",
    "errors",
    "files",
    "follow",
    "follow_sync",
    "info",
    "info_sync",
    "integrations",
    "pages",
    "pages_sync",
    "places",
    "read",
    "read_many",
    "read_many_sync",
    "read_sync",
    "results",
    "tool",
    "tools",
]
ARGUMENTS = [
    "offset",
    "limit",
    "around",
    "ranges",
    "column",
    "pages",
    "encoding",
    "region",
    "at",
    "find",
    "values",
    "max_tokens",
    "max_bytes",
    "since_version",
    "gutter",
    "kind",
    "unless_version",
]
FORBIDDEN = {"anyio", "trio", "sniffio", "PIL", "pypdfium2", "mcp", "pydantic", "argparse", "json", "pathlib"}


# Runs each loop once, because its first run loads modules of its own.
IDLE = {
    "asyncio.run(main())": "asyncio.run(asyncio.sleep(0))",
    "trio.run(main)": "trio.run(trio.sleep, 0)",
}


def modules_after(code: str) -> set[str]:
    result = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(result.stdout.split())


def test_public_names_are_listed_here() -> None:
    assert sorted(anyread.__all__) == sorted(PUBLIC) == sorted(dir(anyread))


def test_public_names_have_docstrings() -> None:
    assert [name for name in PUBLIC if not inspect.getdoc(getattr(anyread, name))] == []


def test_import_loads_no_heavy_module() -> None:
    # Modules that the interpreter loads by itself (`.pth` files) do not count.
    added = modules_after("import anyread") - modules_after("import dataclasses")
    assert not added & FORBIDDEN
    assert not any(
        name.startswith(("asyncio", "anyread.models.model", "anyread.cli", "anyread.reading.many"))
        for name in added
    )


def test_version_loads_neither_the_reader_nor_typing() -> None:
    """`anyread --version` took five times as long as starting Python."""
    added = modules_after(
        "sys.argv[1:] = ['-V']; from anyread.cli import main; main(['-V'])"
    ) - modules_after("pass")
    assert not added & {
        "typing",
        "inspect",
        "argparse",
        "anyread.reader",
        "anyread.errors",
        "anyread.cli.parser",
    }


def test_synchronous_read_loads_no_event_loop() -> None:
    added = modules_after("import anyread; anyread.read_sync(sys.executable, kind='text', limit=1)")
    assert not added - modules_after("import dataclasses") & {"asyncio", "anyio", "trio"}


@pytest.mark.parametrize("run", ["asyncio.run(main())", "trio.run(main)"])
@pytest.mark.parametrize("limits", ["", "inline_bytes=1", "inline_bytes=1, timeout_s=9"])
def test_first_waits_of_a_process_import_nothing(run: str, limits: str) -> None:
    """The first wait for a turn, for a thread or with a deadline delayed the event loop by up to 5 ms."""
    code = f"""
import asyncio, trio, anyread
{IDLE[run]}
reader = anyread.Reader(limits=anyread.Limits({limits}))
before = {{*sys.modules}}
async def main():
    for _ in range(100):
        await reader.read(sys.executable, kind="text", limit=1)
{run}
assert not {{*sys.modules}} - before, {{*sys.modules}} - before
"""
    modules_after(code)


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


@pytest.mark.slow
@pytest.mark.parametrize("run", ["asyncio.run(main())", "trio.run(main)"])
@pytest.mark.parametrize(
    "way",
    ["anyread.read(path)", "anyread.info(path)", "anyread.tool('codelet').call({'file_path': path})"],
)
@pytest.mark.parametrize("name", ["a.png", "a.ipynb"])
def test_first_file_of_a_format_loads_its_modules_in_a_thread(
    tmp_path: Path, run: str, way: str, name: str
) -> None:
    """The modules that a first image or notebook needs held the event loop for 10 ms."""
    file = tmp_path / name
    file.write_bytes(encoded(drawing(16, 16), "PNG") if name == "a.png" else b'{"cells": [], "nbformat": 4}')
    code = f"""
import asyncio, sys, threading, trio, anyread
path = {str(file)!r}
{IDLE[run]}
{'anyread.tool("codelet")' if "codelet" in way else ""}
on_loop = []
class Watch:
    def find_spec(self, name, *_):
        if threading.current_thread() is threading.main_thread():
            on_loop.append(name)
sys.meta_path.insert(0, Watch())
async def main():
    await {way}
{run}
print(*on_loop)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    heavy = (
        "anyio",
        "anyread.decoding",
        "anyread.formats.",
        "anyread.models.model",
        "anyread.results.",
        "socket",
        "logging",
    )
    assert [name for name in result.stdout.split() if name.startswith(heavy)] == []
