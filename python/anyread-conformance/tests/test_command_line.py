"""The command `anyread-conformance`: its report, its JSON and its exit status."""

from __future__ import annotations

import doctest
import importlib.metadata
import json
import shlex
import subprocess
import sys

import pytest

import anyread_conformance
from anyread_conformance import all_rules
from anyread_conformance.options import main

MODULE = [sys.executable, "-m", "anyread_conformance"]
CAT = ["--command", "cat -n {path}"]


def test_status_is_0_if_all_rules_pass_or_do_not_apply(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CAT, "--rule", "lf", "--rule", "window"]) == 0
    shown = capsys.readouterr().out
    assert "1 passed, 0 failed, 1 not applicable" in shown
    assert "the reader has no windows" in shown


def test_status_is_1_if_a_rule_fails_and_the_command_repeats_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CAT, "--rule", "empty-file", "--rule=lf"]) == 1
    repeat = next(line for line in capsys.readouterr().out.splitlines() if "--rule empty-file" in line)
    assert repeat.strip() == "anyread-conformance --command 'cat -n {path}' --rule empty-file"
    again = subprocess.run([*MODULE, *shlex.split(repeat)[1:]], capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "the answer about an empty file is empty" in again.stdout


def test_json_has_every_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CAT, "--json", "--rule", "empty-file", "--rule", "lf"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["reader"] == "cat -n {path}"
    assert report["counts"] == {"passed": 1, "failed": 1, "not applicable": 0}
    passed, failed = report["findings"]
    assert (passed["rule"], passed["kind"], passed["verdict"], passed["why"]) == ("lf", "line", "passed", "")
    assert failed["repeat"].endswith("--rule empty-file")
    assert failed["catalogue"] == [61]


def test_list_shows_every_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(all_rules())


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "required"),
        ([*CAT, "--rule", "missing"], "there is no rule `missing`"),
        ([*CAT, "--tool", "x"], "--tool does not belong"),
        (["--command", "cat"], "the command needs {path}"),
        (["--command", "echo {path}"], "does not show a plain text file of 60 lines"),
        (["--command", "false {path}"], "refused"),
        (["--mcp", "cat", "--argument-names", "file=x"], "expected NAME=NAME"),
        (["--mcp", "cat", "--arguments", "[]"], "expected a JSON object"),
        (["--mcp", "cat", "--arguments", "{"], "not JSON"),
    ],
)
def test_status_is_2_if_the_reader_cannot_be_checked(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert why in capsys.readouterr().err


def test_command_is_installed() -> None:
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="anyread-conformance")
    assert script.load() is main


def test_example_of_the_package_runs() -> None:
    assert doctest.testmod(anyread_conformance) == doctest.TestResults(failed=0, attempted=2)
