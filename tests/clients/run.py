"""Run clients against `anyread mcp` and record what they show: `python -m clients.run NAME…`.

Each client connects over standard input and output, and over HTTP; both must show the same.
The exit status is 1 if a client fails, or shows something else than the record had; the new cells are
written, so that their difference can be reviewed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clients import cells, node_packages, questions
from clients.questions import ARGUMENTS, KINDS

TESTS = Path(__file__).parents[1]
PROGRAMS = Path(__file__).parent / "programs"
TIMEOUT_S = 240
"""Seconds for all calls of one client over one transport; some take 20 s to start."""


class ClientError(Exception):
    """A client failed, or its transports differ."""


def program(name: str) -> tuple[list[str], Path]:
    """Return the command of a client, and the directory in which it runs."""
    found = next(PROGRAMS.glob(f"with_{name.replace('-', '_')}.*"))
    directory = node_packages.directory(name)
    if found.suffix == ".mjs":
        return [str(node_packages.NODE), str(found)], directory
    if directory.exists():
        return [sys.executable, str(found)], directory
    return [str(node_packages.ROOT / ".venv-clients" / name / "bin" / "python"), str(found)], PROGRAMS


@contextmanager
def listening(command: list[str]) -> Iterator[str]:
    """Start the server on a free port, and yield its URL."""
    with subprocess.Popen([*command, "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield process.stderr.readline().split()[-1]
        finally:
            process.terminate()
            process.communicate(timeout=10)


def shown(name: str, command: list[str], url: str | None, truth: questions.Truth) -> dict[str, str]:
    """Return the cells of a client over one transport."""
    start, directory = program(name)
    with tempfile.TemporaryDirectory() as temporary:
        request, answers = Path(temporary, "request.json"), Path(temporary, "answers.json")
        request.write_text(json.dumps({"command": command, "url": url, "calls": ARGUMENTS}), "utf-8")
        environment = {**node_packages.environment(), "PYTHONPATH": str(TESTS)}
        result = subprocess.run(
            [*start, str(request), str(answers)],
            cwd=directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        if result.returncode != 0:
            raise ClientError(
                f"{name} failed with status {result.returncode}:\n{result.stdout}{result.stderr}"
            )
        found = json.loads(answers.read_text("utf-8"))
    return {kind: cells.cell(kind, found[kind], truth) for kind in KINDS}


def measured(name: str) -> dict[str, str]:
    """Return the cells of a client, which are the same over both transports."""
    with tempfile.TemporaryDirectory() as files:
        truth = questions.write(Path(files))
        command = [sys.executable, "-m", "anyread", "mcp", "--root", files]
        over_stdio = shown(name, command, None, truth)
        with listening(command) as url:
            over_http = shown(name, command, url, truth)
    if over_stdio != over_http:
        raise ClientError(f"{name} shows {over_stdio} over stdio, and {over_http} over HTTP")
    return over_stdio


def main(names: list[str]) -> int:
    """Measure clients, write the record and the table, and report what changed."""
    record = cells.load()
    status = 0
    for name in names:
        try:
            found = measured(name)
        except (ClientError, subprocess.TimeoutExpired) as error:
            print(f"clients: {error}", file=sys.stderr)
            status = 1
            continue
        print(f"{name}: {', '.join(f'{kind}: {found[kind]}' for kind in KINDS)}", flush=True)
        if found != record.get(name):
            print(f"clients: the record had {record.get(name)}", file=sys.stderr)
            status = 1
        record[name] = found
    cells.save(record)
    cells.publish()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
