"""Rules for imports, for the places of libraries, locks and `unsafe`, and for the text of every file."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sources import ROOT, imported_names, module_behind, modules, rust_code, rust_sources

# A layer imports the ones above it in this list, never one below.
LAYERS = (
    {
        "_native",
        "argument_types",
        "arguments",
        "errors",
        "forks",
        "gutter",
        "image_tokens",
        "json_values",
        "limits",
        "model",
        "named_models",
        "one_waiter",
        "page_range",
        "paths",
        "registry",
        "results",
        "session",
        "settings",
        "subinterpreters",
    },
    {"running"},
    {"decoding"},
    {"formats"},
    {"describing", "following", "many", "paging"},
    {"lazy"},
    {"reader"},
    {"tools", "adapters", "batch"},
    {"__init__"},
    {"mcp_server"},
    {"integrations"},
    {"cli"},
    {"__main__"},
)
# In these directories no module imports its neighbor; the directory's own `__init__` may import each of them.
SEPARATE = {"formats", "tools", "adapters", "integrations"}
# Modules that neighbors may import.
SHARED = {
    "adapters.content",
    "adapters.history",
    "formats.fallback",
    "integrations.callable_tool",
    "integrations.fetching",
    "integrations.langchain",
    "integrations.requirements",
    "tools.attachments",
    "tools.binary_detection",
    "tools.coercion",
    "tools.collation",
    "tools.decoders",
    "tools.directories",
    "tools.files",
    "tools.ignore_files",
    "tools.image_headers",
    "tools.instructions",
    "tools.javascript",
    "tools.json_pieces",
    "tools.media_types",
    "tools.profile",
    "tools.registered_types",
    "tools.utf8",
    "tools.schemas",
    "tools.system_errors",
    "tools.zod",
}

# Where a library may be named, by area of the package.
LIBRARY_AREAS = {
    "anyio": {"mcp_server", "following"},
    # The connections of the HTTP server are protocols of asyncio.
    "asyncio": {"running", "mcp_server"},
    "trio": {"running"},
    # smolagents passes images to a model as objects of Pillow.
    "PIL": {"decoding", "integrations"},
    "mcp": {"mcp_server"},
    "mcp_types": {"mcp_server"},
    "uvicorn": {"mcp_server"},
    "pypdfium2": {"decoding"},
}

UNSAFE_CORE_FILES = {"guard.rs", "line_feeds.rs", "sandbox.rs", "vectors.rs"}
UNSAFE_CORE_DIRECTORIES = {"guard", "linux", "windows"}
UNSAFE_BINDING_FILES = {"calls.rs", "fill.rs"}

# Where a lock of the standard library may be named, and where the binding may attach to the interpreter.
LOCK_FILES = {"lock.rs"}
ATTACHING_FILES = {"cancel.rs", "counter.rs", "faulthandler.rs", "notebook.rs"}

# What may run Python code, and where: `calls.rs` says why. `fork.rs` does so only during the import.
RUNNING_PYTHON = re.compile(
    r"\.(?:call[01]?|call_method[01]?|import)\(|\bcheck_signals\(\)|\bPyModule::import\b"
)
CALLING_FILES = {"calls.rs", "fork.rs"}

# Each pattern is spelled so that it does not find itself.
REGISTRY_HOST = re.compile(
    r"crates[.]io|pypi[.]org|pythonhosted[.]org|npmjs[.]org|proxy[.]golang[.]org|repo1?[.]maven",
    re.IGNORECASE,
)
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:r[o]ot|home/(?!user\b)\w+|Users/\w+)/")


# ------------------------------------------------------------------------------------------------------------
# Python


def layer_of(name: str) -> int:
    area = name.partition(".")[0]
    layers = [number for number, areas in enumerate(LAYERS) if area in areas]
    assert layers, f"`{area}` is missing from LAYERS"
    return layers[0]


def wrong_import(importer: str, imported: str) -> str | None:
    """Return what is wrong with one import, or None."""
    area, target = importer.partition(".")[0], imported.partition(".")[0]
    if area == target:
        # A neighbor may be a directory, whose modules may import one another.
        is_same = importer.split(".")[:2] == imported.split(".")[:2]
        is_wrong = area in SEPARATE and importer != area and not is_same and imported not in SHARED
        return f"`{importer}` imports its neighbor `{imported}`" if is_wrong else None
    layer, target_layer = layer_of(importer), layer_of(imported)
    if target_layer < layer or target_layer == 0:
        return None
    return f"`{importer}` imports `{imported}` from its own or a later layer"


def wrong_imports(name: str, source: str) -> list[str]:
    targets = (module_behind(dotted) for dotted in imported_names(name, source))
    return [wrong for target in targets if target is not None and (wrong := wrong_import(name, target))]


def misplaced_libraries(name: str, source: str) -> list[str]:
    area = name.partition(".")[0]
    libraries = sorted({dotted.partition(".")[0] for dotted in imported_names(name, source)})
    misplaced = [library for library in libraries if area not in LIBRARY_AREAS.get(library, {area})]
    return [f"`{name}` names `{library}`" for library in misplaced]


def test_imports_follow_the_layers() -> None:
    found = dict(modules())
    assert {"__init__", "reader", "results"} <= {name.partition(".")[0] for name in found}
    assert [wrong for name, source in found.items() for wrong in wrong_imports(name, source)] == []


def test_lists_name_only_existing_modules_and_files() -> None:
    """The lists allowed modules that did not exist."""
    found = {name for name, _ in modules()} | {"__init__"}
    areas = {name.partition(".")[0] for name in found}
    assert {area for layer in LAYERS for area in layer} - areas == set()
    assert SEPARATE - areas == set()
    assert SHARED - found == set()
    assert {area for allowed in LIBRARY_AREAS.values() for area in allowed} - areas == set()
    core = list(rust_sources("anyread-core"))
    binding = list(rust_sources("anyread-python"))
    assert (UNSAFE_CORE_FILES | LOCK_FILES) - {path.name for path in core} == set()
    assert UNSAFE_CORE_DIRECTORIES - {path.parent.name for path in core} == set()
    assert UNSAFE_BINDING_FILES - {path.name for path in binding} == set()


def test_libraries_stay_in_their_areas() -> None:
    assert [wrong for name, source in modules() for wrong in misplaced_libraries(name, source)] == []


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        ("results", "from anyread.reader import Reader"),
        ("results", "from anyread import reader"),
        ("limits", "import anyread"),
        ("running.loop", "def late():\n    from anyread.formats import text"),
        ("running.loop", "from ..reader import Reader"),
        ("reader", "from anyread.cli import main"),
    ],
)
def test_import_of_a_later_layer_is_found(importer: str, source: str) -> None:
    assert wrong_imports(importer, source)


@pytest.mark.parametrize(
    ("importer", "imported", "is_wrong"),
    [
        ("formats.pdf", "formats.text", True),
        ("formats.pdf", "formats", True),
        ("formats", "formats.text", False),
        ("formats.notebook.wording", "formats.notebook", False),
        ("formats.notebook.wording", "formats.pdf", True),
        ("tools.forge", "tools.profile", False),
        ("tools.forge", "tools.files", False),
        ("tools.forge", "tools.mycode", True),
        ("tools.forge", "tools", True),
        ("tools", "tools.forge", False),
        ("tools.pilotdeck.arguments", "tools.pilotdeck.answers", False),
        ("tools.pilotdeck.arguments", "tools.codelet", True),
        ("tools.forge", "adapters.mcp", True),
        ("running.loop", "decoding.host.pool", True),
        ("errors", "results", False),
        ("cli", "mcp_server", False),
        ("__init__", "cli", True),
    ],
)
def test_import_of_a_neighbor_is_found(importer: str, imported: str, is_wrong: bool) -> None:
    assert (wrong_import(importer, imported) is not None) == is_wrong


def test_conformance_imports_nothing_of_anyread() -> None:
    sources = list((ROOT / "python" / "anyread-conformance" / "anyread_conformance").rglob("*.py"))
    assert sources
    importing = re.compile(r"(?m)^\s*(?:from|import) anyread\b")
    assert [path.name for path in sources if importing.search(path.read_text("utf-8"))] == []


def test_misplaced_library_is_found() -> None:
    assert misplaced_libraries("formats.image", "def f():\n    from PIL import Image")
    assert misplaced_libraries("results", "import anyio.to_thread")
    assert not misplaced_libraries("running.loop", "import trio")


# ------------------------------------------------------------------------------------------------------------
# Rust


def may_be_unsafe(path: Path) -> bool:
    if "anyread-python" in path.parts:
        return path.name in UNSAFE_BINDING_FILES
    return path.name in UNSAFE_CORE_FILES or path.parent.name in UNSAFE_CORE_DIRECTORIES


@pytest.mark.parametrize("crate", ["anyread-core", "anyread-python"])
def test_unsafe_stays_in_its_files(crate: str) -> None:
    code = rust_sources(crate)
    assert [path for path in code if not may_be_unsafe(path) and re.search(r"\bunsafe\b", code[path])] == []


@pytest.mark.parametrize("crate", ["anyread-core", "anyread-python"])
def test_locks_of_the_standard_library_stay_in_their_file(crate: str) -> None:
    code = rust_sources(crate)
    lock = re.compile(r"\b(?:Mutex|RwLock|Condvar|ReentrantLock)\b")
    assert [path for path in code if path.name not in LOCK_FILES and lock.search(code[path])] == []


def test_binding_attaches_only_where_no_lock_can_be_held() -> None:
    code = rust_sources("anyread-python")
    attaching = {path.name for path in code if re.search(r"\bPython::(?:try_)?attach\b", code[path])}
    assert attaching == ATTACHING_FILES
    assert [
        name for name in attaching for path in code if path.name == name and "NoLockHeld" not in code[path]
    ] == []


def test_binding_calls_python_code_only_where_the_interpreter_may_exit() -> None:
    code = rust_sources("anyread-python")
    assert {path.name for path in code if RUNNING_PYTHON.search(code[path])} <= CALLING_FILES


@pytest.mark.parametrize("crate", ["anyread-core", "anyread-python"])
def test_nothing_unwraps_outside_tests(crate: str) -> None:
    code = rust_sources(crate)
    assert [path for path in code if re.search(r"\.(?:unwrap|expect)(?:_err)?\(", code[path])] == []


def test_pyo3_stays_in_the_binding() -> None:
    assert "pyo3" not in (ROOT / "rust" / "anyread-core" / "Cargo.toml").read_text("utf-8")
    assert [path for path, code in rust_sources("anyread-core").items() if re.search(r"\bpyo3\b", code)] == []


def test_rust_code_has_no_comments_literals_or_tests() -> None:
    source = """
    // unsafe in a comment
    fn a<'a>(b: &'a str) -> char { let c = "unsafe { \\" }"; let d = r#"unsafe " "#; '"' }
    #[cfg(test)]
    mod tests { fn t() { x.unwrap() } }
    fn last() { y.expect("why") }
    """
    code = rust_code(source)
    assert "unsafe" not in code
    assert ".unwrap(" not in code
    assert ".expect(" in code
    assert "fn a<'a>(b: &'a str)" in code


# ------------------------------------------------------------------------------------------------------------
# Every file


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Yield (path, text) of every file that is or would be committed, except lock files."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs a git checkout to list the tracked files")
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT)]
    command = [*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.suffix != ".lock" and path.is_file():
            yield name, path.read_text("utf-8", errors="replace")


def test_no_file_names_a_registry_host() -> None:
    assert [name for name, text in tracked_texts() if REGISTRY_HOST.search(text)] == []


def test_no_file_names_a_path_of_one_machine() -> None:
    here = re.escape(str(ROOT)) + r"(?![\w-])"
    found = [name for name, text in tracked_texts() if MACHINE_PATH.search(text) or re.search(here, text)]
    assert found == []


def test_hosts_and_machine_paths_are_found() -> None:
    assert REGISTRY_HOST.search("https://static.crates" + ".io/x")
    assert MACHINE_PATH.search("see /home" + "/anna/code")
    assert MACHINE_PATH.search('"/ro' + 'ot/.cargo"')
    assert not MACHINE_PATH.search("docs/home/" + "index.md")
