"""The programs in `examples` on small directories."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from examples.document_set import documents
from examples.judge_traces import judged, last_line_judge
from examples.triage_logs import triage

from helpers import fleet
from helpers.media import text_pdf
from helpers.notebooks import code, write

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


def output(*arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def test_triage_finds_the_bad_logs_and_counts_what_cannot_be_read(tmp_path: Path) -> None:
    calm = "INFO fine\n" * 500
    (tmp_path / "calm.log").write_text(calm)
    (tmp_path / "old.log").write_text("ERROR long ago\n" + calm)
    (tmp_path / "bad.log").write_text(calm + "ERROR one\nINFO fine\nFATAL two\n")
    (tmp_path / "latin.log").write_bytes((calm + "ERROR für Größe\n").encode("cp1252"))
    (tmp_path / "core").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(100))
    found = triage(tmp_path)
    assert [(count, Path(path).name) for count, path, _ in found.suspects] == [
        (2, "bad.log"),
        (1, "latin.log"),
    ]
    assert found.suspects[0][2] == f"{tmp_path}/bad.log:503: FATAL two"
    assert (found.logs, found.unread) == (4, {"binary": 1})
    assert "files not read: binary" in output("examples.triage_logs", str(tmp_path))


def test_document_set_has_clean_texts(tmp_path: Path) -> None:
    long = "".join(f"line {number} {'x' * 3_000}\n" for number in range(3_000))
    (tmp_path / "long.txt").write_text(long)
    (tmp_path / "utf16.txt").write_bytes("zwei Größen\n".encode("utf-16"))
    (tmp_path / "a.pdf").write_bytes(text_pdf(2))
    (tmp_path / "a.png").write_bytes(fleet.PNG)
    (tmp_path / ".env").write_text("KEY=1\n")
    write(tmp_path, code("1 + 1"))
    found = {Path(document["path"]).name: document for document in documents(tmp_path)}
    assert sorted(found) == ["a.pdf", "long.txt", "n.ipynb", "utf16.txt"]
    assert found["long.txt"]["content"] == long
    assert not found["long.txt"]["truncated"]
    assert found["utf16.txt"]["content"] == "zwei Größen\n"
    assert (found["utf16.txt"]["encoding"], found["utf16.txt"]["total_lines"]) == ("utf-16-le", 1)
    assert "1 + 1" in found["n.ipynb"]["content"]
    lines = output("examples.document_set", str(tmp_path)).splitlines()
    assert sorted(json.loads(line)["path"] for line in lines) == sorted(
        document["path"] for document in found.values()
    )


def test_traces_are_judged_under_one_budget(tmp_path: Path) -> None:
    for number in range(20):
        steps = "called a tool\n" * (10 if number % 2 else 3_000)
        (tmp_path / f"{number:02}.trace").write_text(f"{steps}{'PASS' if number % 3 else 'FAIL'}\n")
    verdicts = list(judged(tmp_path, 20_000, last_line_judge))
    assert sorted(Path(verdict.path).name for verdict in verdicts) == [
        f"{number:02}.trace" for number in range(20)
    ]
    assert 15_000 < sum(verdict.tokens for verdict in verdicts) <= 20_000
    short = [verdict for verdict in verdicts if verdict.tokens < 200]
    assert {(int(Path(path).stem) % 3 > 0, answer) for path, _, answer in short} == {
        (True, "PASS"),
        (False, "FAIL"),
    }
    assert output("examples.judge_traces", str(tmp_path), "20000").count("PASS") == sum(
        verdict.answer == "PASS" for verdict in verdicts
    )
