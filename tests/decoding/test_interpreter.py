"""Which Python runs the decoders."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import anyread
from anyread.decoding.host import interpreter
from anyread.decoding.host.interpreter import NoInterpreterError


def test_own_interpreter_is_used_without_its_site() -> None:
    program, *rest = interpreter.command("worker", 3)
    assert program == sys.executable
    assert rest[:3] == ["-I", "-S", "-c"]
    assert rest[4:6] == ["3", "worker"]


def test_chosen_interpreter_keeps_its_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYREAD_PYTHON", sys.executable)
    program, *rest = interpreter.command("worker", 3)
    assert program == sys.executable
    assert rest[:2] == ["-I", "-c"]


@pytest.mark.parametrize("chosen", ["/nonexistent/python", "/"])
def test_chosen_program_must_be_executable(monkeypatch: pytest.MonkeyPatch, chosen: str) -> None:
    monkeypatch.setenv("ANYREAD_PYTHON", chosen)
    with pytest.raises(NoInterpreterError, match="not an executable"):
        interpreter.command("worker", 3)


@pytest.mark.parametrize("executable", ["/usr/bin/uwsgi", "", None])
def test_host_that_is_not_an_interpreter_uses_the_one_in_its_prefix(
    monkeypatch: pytest.MonkeyPatch, executable: str | None
) -> None:
    name = "_base_executable" if sys.platform == "win32" else "executable"
    monkeypatch.setattr(sys, name, executable)
    directory = Path(sys.base_exec_prefix) if sys.platform == "win32" else Path(sys.exec_prefix, "bin")
    assert Path(interpreter.command("worker", 3)[0]).parent == directory


def test_frozen_host_never_starts_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "exec_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "base_exec_prefix", str(tmp_path))
    with pytest.raises(NoInterpreterError, match="not a Python interpreter"):
        interpreter.command("worker", 3)
    monkeypatch.setenv("ANYREAD_PYTHON", "/usr/bin/env")
    # Another interpreter cannot use the modules packed into the application.
    assert interpreter.command("worker", 3)[6:] == [str(Path(anyread.__file__).resolve().parents[1])]
