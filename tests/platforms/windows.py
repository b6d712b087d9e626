r"""The suite on Windows: the plugin that `tests/conftest.py` loads there.

A test that uses what only POSIX has is skipped with the reason, and so is one that needs what anyread does
not have on Windows. If the package itself calls something of POSIX, the test fails. Paths of tests have `/`,
and their texts LF, as in results.
"""

from __future__ import annotations

import ctypes
import json
import pathlib
import re
import sys
import traceback
from collections.abc import Generator, Iterator
from functools import partialmethod
from types import ModuleType
from typing import Any

import pytest

import anyread
import helpers.waiting
from anyread.decoding.host import pool, starters
from helpers.recorded_calls import Row, sources

REFUSED_NAMES = re.compile('[\x01-\x1f<>:"|?*\x7f\ud800-\udfff]|[ .](?=[/\\\\]|$)')
VERSIONS = r"has no version|until\(.*version|assert 'text' == 'unchanged'|class 'anyread.*Unchanged'"
"""What the report of a test has that waits for a version, or for what depends on one."""
TRIO = r"trio\.run\(.*WinError 10045|CalledProcessError.*trio\.run\("
"""What the report of a test has in which another program cannot start trio."""
ROWS = {
    "deepagents/media:others": "the system's table of types",
    "mcp-filesystem/random/7-0-em.txt": "how long a name may be",
    "deepagents/path:two-slashes": "two slashes at the beginning of a path",
    "pilotdeck/path_is_shown_relative_to_the_workspace": "two slashes at the beginning of a path",
    "pilotdeck/only_the_first_invalid_value_is_an_issue:12": "devices",
    "mcp-filesystem/path:forms": "a file in place of a directory",
    "cline/agents/path:forms": "a URL in place of a path",
    "copilot-cli/agents/path:forms": "a URL in place of a path",
    "opencode/missing:no-folder": "a file in place of a directory",
    "opencode/random/2-4-x.bmp": "a file in place of a directory",
    "text-editor/swe-agent/folder:tree": "the order of a directory",
    "opencode/folder:root": "a path that Windows changes",
    "opencode/path:relative": "a path that Windows changes",
    "opencode/random/2-0-z.ts": "a name that Windows changes",
    "text-editor/openhands/path:as-given": "a `..` after a directory that does not exist",
    **{
        f"pilotdeck/device:/{name}": "devices"
        for name in ("dev/zero", "dev/random", "dev/tty", "dev/fd/0", "proc/1/fd/2")
    },
}
"""Further recorded calls whose answers depend on the system, and on what."""
MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "termios")
TESTS = pathlib.Path(__file__).parents[1]
IS_WINE = sys.platform == "win32" and hasattr(ctypes.windll.ntdll, "wine_get_version")


class PosixOnlyError(AttributeError):
    """A test uses a module that Windows lacks."""


class PosixModule(ModuleType):
    """In place of a module that Windows lacks: tests can import it, but not use it."""

    def __getattr__(self, name: str) -> Any:
        raise PosixOnlyError(f"module {self.__name__!r} has no attribute {name!r}")


class SlashPath(type(pathlib.Path())):  # type: ignore[misc] # a class of this system
    """A path that tests can compare with those of results."""

    __slots__ = ()

    def __str__(self) -> str:
        shown: str = super().__str__().replace("\\", "/")
        return shown


def _linked(path: pathlib.Path, *arguments: Any, **named: Any) -> None:
    _link(path, *arguments, **named)
    is_of_test = pathlib.Path(sys._getframe(1).f_code.co_filename).is_relative_to(TESTS)
    if is_of_test and not path.is_symlink():
        pytest.skip("Wine: makes no symbolic link, and says that it did")


def _set(patch: pytest.MonkeyPatch, name: str, value: str, prepend: str | None = None) -> None:
    _setenv(patch, name, value, prepend)
    if name == "HOME":
        _setenv(patch, "USERPROFILE", value)


def _no_descriptors(path: pathlib.Path) -> int:
    pytest.skip("POSIX: /proc")


def _library(name: str | None, *arguments: Any, **named: Any) -> Any:
    return PosixModule("libc") if name is None else _load(name, *arguments, **named)


_load, ctypes.CDLL = ctypes.CDLL, _library  # type: ignore[assignment, misc]
_link, _setenv = pathlib.Path.symlink_to, pytest.MonkeyPatch.setenv
pathlib.Path.symlink_to = _linked  # type: ignore[assignment, method-assign]
pytest.MonkeyPatch.setenv = _set  # type: ignore[assignment, method-assign]
helpers.waiting.PROMPTLY_S = 10
helpers.waiting.descriptors_of = _no_descriptors
if IS_WINE:
    # It takes ten times as long to start a program.
    pool.RESTART_S = starters.START_S  # type: ignore[attr-defined]
for _name in MODULES:
    sys.modules[_name] = PosixModule(_name)
pathlib.Path.write_text = partialmethod(pathlib.Path.write_text, newline="\n")  # type: ignore[assignment, method-assign]
pathlib.Path.rename = pathlib.Path.replace  # type: ignore[method-assign]


@pytest.fixture
def tmp_path(tmp_path: pathlib.Path) -> pathlib.Path:
    """Return the directory of a test, with slashes."""
    found: pathlib.Path = SlashPath(tmp_path)
    return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests with the marker `posix`."""
    for item in items:
        mark, call = item.get_closest_marker("posix"), getattr(item, "callspec", None)
        reason = mark and mark.args[0]
        if call is not None and {"contract", "row"} <= set(call.params):
            reason = row_of_posix(call.params["contract"], call.params["row"])
        if reason:
            item.add_marker(pytest.mark.skip(reason=f"POSIX: {reason}"))


def row_of_posix(contract: str, row: Row) -> str | None:
    """Return why a recorded call of Linux has another answer here; `None`: it has not."""
    calls = json.dumps(row["calls"], ensure_ascii=False)
    for name in sources(row):
        if REFUSED_NAMES.search(name) or re.fullmatch(r"(.*/)?(nul|con|aux|prn)(\..*)?", name, re.IGNORECASE):
            return "a name that Windows refuses"
        if any(each != name for each in re.findall(re.escape(name), calls, re.IGNORECASE)):
            return "names that differ in case"
    if contract == "deepagents" and "${DIR}" in calls:
        return "its original refuses the paths of Windows"
    return ROWS.get(f"{contract}/{row['id']}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip a test that failed because this system, or anyread on it, lacks something."""
    report = yield
    if report.failed and call.excinfo is not None:
        reason = next(filter(None, map(reason_of, chain(call.excinfo.value))), None)
        if re.search(VERSIONS, report.longreprtext):
            reason = "POSIX: versions"
        if IS_WINE and re.search(TRIO, report.longreprtext, re.DOTALL):
            reason = "Wine: trio cannot poll"
        if IS_WINE and re.search("DID NOT RAISE.*DecoderMemoryError", report.longreprtext):
            reason = "Wine: a job limits no memory"
        if reason is not None:
            report.outcome = "skipped"
            report.longrepr = (str(report.location[0]), report.location[1] or 0, f"Skipped: {reason}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a module that uses what this system lacks when it is imported."""
    report = yield
    call: Any = getattr(report, "call", None)
    if report.failed and call.excinfo is not None:
        reason = next(filter(None, map(reason_of, chain(call.excinfo.value))), None)
        if reason is not None:
            report.outcome = "skipped"
            report.longrepr = (report.nodeid, 0, f"Skipped: {reason}")
    return report


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception, what it is a group of, and what led to it, each once."""
    found = [error]
    for each in found:
        if each is not None:
            yield each
            led = (*getattr(each, "exceptions", ()), each.__cause__ or each.__context__)
            found += [one for one in led if not any(one is other for other in found)]


def reason_of(error: BaseException) -> str | None:
    """Return why a test cannot run here; `None`: its failure counts."""
    frames = traceback.extract_tb(error.__traceback__)
    library = r"[\\/](pathlib|subprocess|os\.py)\b|<frozen "
    own = [frame.filename for frame in frames if not re.search(library, frame.filename)]
    is_of_test = bool(own) and pathlib.Path(own[-1]).is_relative_to(TESTS)
    missing = re.fullmatch(r"(module '\w+' has no attribute '\w+').*", str(error))
    imported = re.fullmatch(rf"(cannot import name '\w+' from '({'|'.join(MODULES)})').*", str(error))
    name = str(getattr(error, "filename", ""))
    if isinstance(error, anyread.DecoderUnavailableError) and not error.sandboxed:
        return "decoders: no sandbox on Windows"
    reasons = {
        "Wine: trio cannot poll": IS_WINE and getattr(error, "winerror", 0) == 10045,
        f"POSIX: {missing and missing[1]}": missing and (is_of_test or isinstance(error, PosixOnlyError)),
        f"POSIX: {imported and imported[1]}": imported,
        "POSIX: waiting for a pipe": is_of_test and getattr(error, "winerror", 0) == 10038,
        "POSIX: a name that is not UTF-8": is_of_test and isinstance(error, UnicodeDecodeError),
        "POSIX: /proc": is_of_test and "/proc" in name.replace("\\", "/"),
        "POSIX: a name that Windows refuses": is_of_test and REFUSED_NAMES.search(name[2:]),
        "POSIX: a program": is_of_test and "subprocess" in frames[-1].filename and "WinError 2" in str(error),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)
