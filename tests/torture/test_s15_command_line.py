"""S15: the command line prints valid JSON and UTF-8 in a pipe, and nothing that controls a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anyread.registry import ADAPTERS
from anyread.tools import CONTRACTS
from torture.naughty_strings import printable_name
from torture.output_samples import Sample, Tally, strictly_decoded, write_samples

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

TESTS = Path(__file__).parents[1]
# Controls except TAB and LF, and characters that reorder text or separate lines.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# The colors of the command line itself; no sample contains one of them.
COLORS = re.compile(r"\x1b\[(?:1|2|33|36|1;31)?m")
EXIT_CODES = {0, 1, 2}
OPTIONS = ("--encoding", "--kind", "--pages", "--region", "--tool", "--root", "--arguments")


def passable(text: str) -> bool:
    """Return whether the system can pass a string as an argument of a process."""
    return "\0" not in text and not any(
        "\ud800" <= c <= "\udfff" and not "\udc80" <= c <= "\udcff" for c in text
    )


def commands(samples: list[Sample], directory: Path) -> list[tuple[str, list[str]]]:
    """Return the arguments of each command, and the string that it is about."""
    made = []
    options = [["read"], ["read", "--json"], ["info"], ["info", "--json"]]
    options += [["read", "--for", target] for target in ADAPTERS]
    options += [["read", "--tool", name, "--root", str(directory)] for name in CONTRACTS]
    for number, sample in enumerate(samples):
        text = sample.text
        files = [str(sample.file), str(sample.notebook)]
        if passable(text):
            files += [text, f"{sample.file}{text}"]
        # Each sample is shown in the four plain forms, in two of the others, and passed to three options.
        shown = options[:4] + rotated(options[4:], 2 * number, 2)
        made += [(text, [*option, "--", *files]) for option in shown]
        if passable(text):
            called = json.dumps({text: text, "pages": text})
            refused = [["read", f"{option}={text}", "--", files[1]] for option in OPTIONS]
            refused.append(["read", "--tool", "pilotdeck", "--arguments", called, "--", files[0]])
            refused.append(["read", f"--save={directory}/saved-{text}", "--", files[1]])
            made += [(text, command) for command in rotated(refused, 3 * number, 3)]
    return made


def rotated(items: list[Any], start: int, count: int) -> list[Any]:
    """Return `count` items from index `start` on, as if the list were repeated forever."""
    return [items[index % len(items)] for index in range(start, start + count)]


def served(samples: list[Sample]) -> list[tuple[str, list[str]]]:
    """Return commands that would start a server, if one of their arguments were not invalid."""
    commands = []
    for text in [sample.text for sample in samples if passable(sample.text)][:100]:
        commands.append((text, ["mcp", "--root", f"{samples[0].file}{text}"]))
        commands.append((text, ["mcp", "--root", "/", f"--http={text}:x"]))
    return commands


def start(file: Path, calls: list[list[str]], **streams: Any) -> subprocess.Popen[bytes]:
    file.write_text(json.dumps(calls))
    # With colors, which could let text through that is escaped without them.
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "TERM": "xterm-256color", "NO_COLOR": ""}
    command = [sys.executable, "-m", "torture.naughty_commands", str(file)]
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, **streams)


def run_in_pipes(file: Path, calls: list[list[str]]) -> tuple[bytes, bytes]:
    """Run commands; return what they wrote to standard output and to standard error."""
    with start(file, calls, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        return process.communicate()


def run_on_terminal(file: Path, calls: list[list[str]]) -> bytes:
    """Run commands with both outputs on a terminal; return what it shows."""
    primary, secondary = pty.openpty()
    process = start(file, calls, stdout=secondary, stderr=secondary)
    os.close(secondary)
    parts = []
    while True:
        try:
            parts.append(part := os.read(primary, 65_536))
        except OSError:
            # The process that had opened the other end has ended.
            break
        if not part:
            break
    os.close(primary)
    assert process.wait() == 0
    # The terminal itself ends lines with CR LF.
    return b"".join(parts).replace(b"\r\n", b"\n")


def check_exit_codes(tally: Tally, file: Path, made: list[tuple[str, list[str]]]) -> None:
    done = json.loads(Path(f"{file}.done").read_text())
    assert len(done) == len(made)
    for (text, command), code in zip(made, done, strict=True):
        tally.checked += 1
        if code not in EXIT_CODES:
            tally.note(f"{command[:3]} with {printable_name(text)} ended with {code}")


def test_pipes_get_valid_json_and_utf8(tmp_path: Path, scale: Callable[..., int], score: Any) -> None:
    tally = Tally()
    directory = tmp_path / "files"
    directory.mkdir()
    samples = write_samples(directory, scale(3, 1_000))
    made = commands(samples, directory)
    if len(samples) > 100:
        made += served(samples)
    is_json = ["--json" in command for _, command in made]
    for name, wanted in (("json", True), ("plain", False)):
        chosen = [each for each, json_wanted in zip(made, is_json, strict=True) if json_wanted is wanted]
        output, errors = run_in_pipes(tmp_path / name, [command for _, command in chosen])
        check_exit_codes(tally, tmp_path / name, chosen)
        errors.decode("utf-8")
        output.decode("utf-8")
        if wanted:
            lines = output.split(b"\n")
            assert lines.pop() == b""
            # Each file that was read or failed has one line.
            assert len(lines) >= len(chosen)
            for line in lines:
                tally.checked += 1
                try:
                    strictly_decoded(line)
                except ValueError as error:
                    tally.note(f"{line[:200]!r}: {error}")
    print("\n".join(tally.failures[:40]))
    score("S15", "command line in pipes", failures=len(tally.failures), of=tally.checked, unit="outputs")


def test_terminal_gets_no_control_characters(tmp_path: Path, scale: Callable[..., int], score: Any) -> None:
    tally = Tally()
    directory = tmp_path / "files"
    directory.mkdir()
    made = commands(write_samples(directory, scale(3, 1_000)), directory)
    shown = run_on_terminal(tmp_path / "tty", [command for _, command in made]).decode("utf-8")
    check_exit_codes(tally, tmp_path / "tty", made)
    assert shown.count("\n") > len(made)
    uncolored = COLORS.sub("", shown)
    assert uncolored != shown
    for found in CONTROLS.finditer(uncolored):
        tally.note(f"{found[0]!a} in {uncolored[max(0, found.start() - 80) : found.end() + 20]!a}")
    print("\n".join(tally.failures[:40]))
    score(
        "S15", "command line on a terminal", failures=len(tally.failures), of=tally.checked, unit="commands"
    )
