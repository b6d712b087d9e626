"""`anyread-conformance locate`: the policy, the scores, the sources and readers that cheat."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anyread
import cheating_readers
from anyread_conformance.locate import generated, options, policy, running, scores, sources
from anyread_conformance.locate.callers import Caller
from anyread_conformance.locate.conversation import Conversation, Outcome
from anyread_conformance.locate.known import KNOWN
from anyread_conformance.locate.reader import Reader
from anyread_conformance.locate.shell import Shell
from anyread_conformance.locate.tokens import TokenCounter
from anyread_conformance.locate.truth import Truth, digest
from anyread_conformance.reply import Reply, reply_of

CHEATERS = Path(cheating_readers.__file__)
LOCATE = Path(policy.__file__).parent
MADE: list[dict[str, Any]] = [
    {"path": "gen.py", "make": "long function", "arguments": {"statements": 900, "seed": "t"}},
    {"path": "job.log", "make": "log", "arguments": {"lines": 3_000}},
    {"path": "grow.log", "make": "log", "arguments": {"lines": 400, "step": 3}},
    {"path": "trace.jsonl", "make": "trace", "arguments": {"records": 30, "seed": "t"}},
    {"path": "manual.docx", "make": "document", "arguments": {"sections": 6, "seed": "t"}},
    {"path": "orders.xlsx", "make": "workbook", "arguments": {"rows": 60, "seed": "t"}},
    {"path": "deck.pptx", "make": "slides", "arguments": {"slides": 5, "seed": "t"}},
    {"path": "trial.ipynb", "make": "notebook", "arguments": {"cells": 12, "seed": "t"}},
    {"path": "manual.pdf", "make": "pdf", "arguments": {"pages": 4, "seed": "t"}},
]


def _tasks(root: Path) -> list[dict[str, Any]]:
    """A task for each way of asking; the gold of lines is where the files were made with it."""
    more = [generated.log_line(3 * n + 1) for n in range(400, 410)]
    lines: dict[str, dict[str, Any]] = {
        "at-1": {"kind": "line", "path": "gen.py", "line": 60, "gold": [[55, 70]]},
        "at-2": {"kind": "line", "path": "gen.py", "line": 700, "gold": [[690, 720]]},
        "range-1": {"kind": "lines", "path": "job.log", "first": 900, "last": 919, "gold": [[900, 919]]},
        "tail-1": {"kind": "tail", "path": "job.log", "count": 20, "gold": [[2_981, 3_000]]},
        "mistake-1": {
            "kind": "lines", "path": "job.log", "given": "job.lgo", "first": 10, "last": 20,
            "gold": [[10, 20]],
        },
        "past-1": {
            "kind": "lines", "path": "job.log", "first": 9_000, "last": 9_019, "total": 3_000, "near": 2_981,
            "gold": [[2_981, 3_000]],
        },
        "find-1": {"kind": "find", "path": "job.log", "pattern": "bytes=60000", "gold": [[1, 1]]},
    }  # fmt: skip
    texts: dict[str, dict[str, Any]] = {
        "docx-1": {"kind": "heading", "path": "manual.docx", "heading": "1.2", "gold": ["7"]},
        "jsonl-1": {
            "kind": "record",
            "path": "trace.jsonl",
            "record": 2,
            "pointer": "/tool",
            "gold": ["2#/tool/id"],
        },
        "pptx-1": {"kind": "slide", "path": "deck.pptx", "page": 3, "gold": ["3/1", "3/notes"]},
        "xlsx-1": {
            "kind": "rows",
            "path": "orders.xlsx",
            "sheet": "Orders",
            "first": 9,
            "last": 9,
            "gold": ["Orders!B9"],
        },
        "notebook-run-1": {"kind": "run", "path": "trial.ipynb", "run": 3, "gold": ["4/1", "4/2"]},
        "pdf-1": {"kind": "page", "path": "manual.pdf", "page": 2, "gold": ["2/3"]},
    }
    known = {
        each["path"]: generated.write(root / each["path"], each["make"], each["arguments"]) for each in MADE
    }
    job = (root / "job.log").read_text().split("\n")
    pattern = re.search(r"req-\w+", job[1_500])
    assert pattern is not None
    lines["find-1"] |= {"pattern": pattern[0], "gold": [[1_501, 1_501]]}
    docx = known["manual.docx"]
    heading = next(address for address, text in docx.items() if text.startswith("1.2 "))
    texts["docx-1"] |= {"heading": docx[heading], "gold": [str(int(heading) + 1)]}
    truth = Truth(root, known, {})
    tasks: list[dict[str, Any]] = []
    for name, want in (lines | texts).items():
        want["sha256"] = digest(text for _, text in truth.found(want))
        tasks.append(
            {
                "id": name,
                "family": name.rpartition("-")[0],
                "said": f"look at /w/{want['path']}",
                "wants": [want],
            }
        )
    after = {"kind": "from", "path": "grow.log", "first": 401, "last": None, "append": more, "gold": [[0, 0]]}
    grows: dict[str, Any] = {"id": "grow-1", "family": "grow", "said": "it grows"}
    tasks.append({**grows, "wants": [after], "stages": True})
    return tasks


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of tasks over files that are made here."""
    directory = tmp_path_factory.mktemp("tasks")
    made = [{**each, "sha256": ""} for each in MADE]
    found = _tasks(directory)
    for each in made:
        each["sha256"] = sources.sha256_of(directory / each["path"])
    header = {"version": 1, "seed": 0, "sources": [], "trees": [], "edits": [], "generated": made}
    path = directory / "tasks.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(json.dumps(each) for each in (header, *found)).encode()))
    return path


@pytest.fixture(scope="module")
def workspace(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[running.Workspace]:
    cache = tmp_path_factory.mktemp("cache")
    _vocabulary(cache / "o200k_base.json")
    made = running.Workspace(tasks, cache)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made.root)
        yield made


def _vocabulary(path: Path, merges: tuple[bytes, ...] = ()) -> None:
    """Write a vocabulary of single bytes, so that tokens are bytes, and of some merges."""
    import base64

    tokens = [bytes([code]) for code in range(256)] + list(merges)
    path.write_text(
        "".join(f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(tokens))
    )


def _run(workspace: running.Workspace, name: str, **more: Any) -> scores.Run:
    shell = Shell(workspace.root, workspace.truth.lines)
    asked = {"name": name} if name in {"shell", *KNOWN} else {"function": f"{CHEATERS.stem}:{name}"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{CHEATERS.parent}:{':'.join(filter(None, sys.path))}")
        reader = running.opened(workspace, shell, **asked, **more)
    try:
        outcomes = running.run(workspace, reader, shell)
    finally:
        (reader.caller if isinstance(reader, Reader) else reader).close()
    return scores.Run(name, 100, outcomes)


# Readers


def test_anyread_does_every_task_alone_and_without_a_wrong_line(workspace: running.Workspace) -> None:
    found = _run(workspace, "anyread")
    assert [each.task for each in found.outcomes if not each.alone] == []
    row = scores.summary(found)
    assert (row["wrong"], row["swallowed"], row["missing"]) == (0, 0, 0)
    again = _run(workspace, "anyread")
    assert [each.cost() for each in again.outcomes] == [each.cost() for each in found.outcomes]


@pytest.mark.parametrize("name", ["honest", "plain", "cline", "openhands"])
def test_an_honest_reader_is_right_and_uses_the_shell_for_what_it_has_no_words_for(
    workspace: running.Workspace, name: str
) -> None:
    found = _run(workspace, name)
    row = scores.summary(found)
    assert (row["wrong"], row["swallowed"]) == (0, 0)
    alone = {each.task for each in found.outcomes if each.alone}
    assert {"at-1", "at-2", "range-1", "grow-1"} <= alone
    assert not alone & {"docx-1", "pdf-1", "xlsx-1", "find-1"}
    assert not [fault for fault in scores.faults(row) if "unfinished" not in fault]


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("whole", "whole files"),
        ("inventing", "do not have at their numbers"),
        ("shifting", "do not have at their numbers"),
        ("swallowing", "leaves out"),
        ("swallowing_plain", "do not have at their numbers"),
    ],
)
def test_a_reader_that_cheats_scores_badly_and_is_named(
    workspace: running.Workspace, name: str, fault: str
) -> None:
    honest, cheat = _run(workspace, "honest"), _run(workspace, name)
    cost = {
        run.reader: scores.mean([*run.of(family="at"), *run.of(family="range")]) for run in (honest, cheat)
    }
    assert any(fault in each for each in scores.faults(scores.summary(cheat))), scores.summary(cheat)
    assert not any(fault in each for each in scores.faults(scores.summary(honest)))
    assert cost[name] >= cost["honest"]
    if name == "whole":
        assert cost[name] > 10 * cost["honest"]


def test_the_shell_does_every_task_that_a_reader_refuses(workspace: running.Workspace) -> None:
    outcomes = _run(workspace, "refusing").outcomes
    assert not [each.task for each in outcomes if each.missing or each.alone]
    assert all(each.rounds <= 8 for each in outcomes)


class Partial(Caller):
    """A reader that shows some part of what it is asked for, as a program decides."""

    def __init__(self, path: Path, part: Callable[[int, int], tuple[int, int]]) -> None:
        super().__init__("partial", None, [{"name": "read"}])
        self.properties = {"offset": {}, "limit": {}}
        self._lines = path.read_text().split("\n")
        self._part = part

    def _call(self, tool: str, arguments: dict[str, Any], timeout_s: float, memory_bytes: int) -> Reply:  # noqa: ARG002 - of a reader
        first = arguments["offset"]
        last = min(len(self._lines), first + arguments.get("limit", 10**6) - 1)
        if first > last:
            return Reply("nothing is there", outcome="refused")
        first, last = self._part(first, last)
        return Reply("\n".join(f"{n}\t{self._lines[n - 1]}" for n in range(first, last + 1)))


@settings(max_examples=60, deadline=None)
@given(data=st.data(), window=st.sampled_from([20, 60, 100, 200]))
def test_the_policy_ends_for_any_reader_that_shows_a_part(
    workspace: running.Workspace, data: st.DataObject, window: int
) -> None:
    """Every line that is shown is one more that is not missing, and what stays missing goes to the shell."""

    def part(first: int, last: int) -> tuple[int, int]:
        start = data.draw(st.integers(first, last))
        return start, data.draw(st.integers(start, last))

    caller = Partial(workspace.root / "gen.py", part)
    path = {"path": "{path}", "offset": "{first}"}
    forms = {"lines": [{**path, "limit": "{count}"}], "from": [path]}
    root, truth = workspace.root, workspace.truth
    reader = Reader(caller, forms, truth.lines, re.compile(r"(\d+)\t(.*)"), root=str(root))
    task = next(each for each in workspace.tasks if each["id"] == "at-2")
    facts: dict[str, Any] = {"truth": truth, "tokens": workspace.tokens, "root": root, "window": window}
    outcome = Conversation(task, reader, Shell(root, truth.lines), **facts).run()
    assert outcome.rounds <= policy.MOST_ROUNDS
    assert outcome.wrong == outcome.missing == 0 or outcome.rounds == policy.MOST_ROUNDS


_LINES = [f"line {number}" for number in range(1, 41)]
_LINES[9:11] = ["", ""]


@pytest.mark.parametrize(
    ("gutter", "text", "place", "numbers"),
    [
        (None, "Lines 10-12.\n\n---\n\n\n\nline 12\n\n[end]", {"first": 10, "last": 12}, [10, 11, 12]),
        (None, "line 39\nline 40\n", {"kind": "tail", "count": 3}, [39, 40]),
        (None, "line 40\n[end of file]", {"kind": "tail", "count": 2}, [40]),
        (r"(\d+)?\t(.*)", "\tline 8\n\tline 9\n10\t\n[lines 11-20 not shown]\n\tline 21", {}, [8, 9, 10, 21]),
        (r"(\d+)?\t(.*)", "==> a · lines 38-39 of 40 <==\n\tline 38\n\tline 39\n[the end]", {}, [38, 39]),
    ],
)  # fmt: skip
def test_lines_of_an_answer_are_those_of_the_file(
    gutter: str | None, text: str, place: dict[str, Any], numbers: list[int]
) -> None:
    caller = Partial(Path(__file__), lambda first, last: (first, last))
    heading = re.compile(r"==> (\S+).*")
    reader = Reader(caller, {}, lambda _: _LINES, re.compile(gutter) if gutter else None, "", heading, "/w")
    found = reader.lines(text, [{"kind": "lines", "path": "/w/a", **place}])
    assert found == [("/w/a", number, _LINES[number - 1]) for number in numbers]


def test_ranges_are_calls_of_their_own_and_places_are_not(workspace: running.Workspace) -> None:
    caller = Partial(workspace.root / "gen.py", lambda first, last: (first, last))
    place = {"kind": "lines", "path": "/w/a"}
    for form, calls in ((["{first}", "{last}"], 2), (["{path}:{first}-{last}"], 1)):
        caller._call = lambda *_: Reply()  # type: ignore[method-assign]
        reader = Reader(caller, {"lines": [{"x": form}]}, workspace.truth.lines)
        exchanges = reader.ask([{**place, "first": 1, "last": 5}, {**place, "first": 9, "last": 12}])
        assert len(exchanges) == calls


def test_json_counts_as_a_model_reads_it() -> None:
    reply = reply_of('{"content": "1\\tone"}')
    assert (reply.text, reply.read_text) == ("1\tone", '{"content": "1\\tone"}')


# Policy, scores and the command


@pytest.mark.parametrize("module", ["policy", "conversation", "scores", "shell", "truth", "tokens"])
def test_no_reader_is_named_where_readers_are_judged(module: str) -> None:
    text = (LOCATE / f"{module}.py").read_text()
    names = {name.partition(",")[0] for name in KNOWN} - {"pi", "forge", "strands"}
    code = text.replace("anyread_conformance", "").replace("anyread-conformance", "")
    assert not [name for name in names if name in code]
    assert not re.search(r"\b(pi|forge|strands|claude|gemini|deepagents)\b", code, re.IGNORECASE)


def test_every_rule_of_the_policy_has_its_sentence() -> None:
    for rule in policy.RULES:
        assert re.match(r"[A-Z][^.]+[.:;]", rule.__doc__ or "")


def test_costs_are_tokens_times_the_turns_that_still_see_them() -> None:
    from anyread_conformance.locate.conversation import Call

    outcome = Outcome("x", "x", 50)
    for turn, asked, shown in ((1, 10, 90), (1, 10, 40), (2, 5, 45)):
        outcome.calls.append(Call(turn, asked, shown, turn == 2, 0, 0))
    assert outcome.cost() == 100 * 2 + 50 * 2 + 50
    assert outcome.cost(serial=True) == 100 * 3 + 50 * 2 + 50
    assert outcome.cost(shell=False) == 100 * 2 + 50 * 2
    assert (outcome.rounds, outcome.alone) == (2, False)
    assert scores.mean([outcome]) == pytest.approx(7)
    assert scores.mean([outcome], base=1_000) == pytest.approx((350 + 2 * 100) / 50)


def test_explain_prints_the_exchange_with_the_root_as_w(
    tasks: Path, workspace: running.Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = str(workspace.root.parents[1])
    assert (
        options.main(
            ["--tasks", str(tasks), "--cache", cache, "--reader", "anyread", "--explain", "mistake-1"]
        )
        == 0
    )
    shown = capsys.readouterr().out
    assert "[turn 1, call]" in shown
    assert "/w/job.lgo" in shown
    assert cache not in shown


def test_the_command_prints_a_table_and_json(
    tasks: Path, workspace: running.Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--tasks", str(tasks), "--cache", str(workspace.root.parents[1]), "--family", "at"]
    sed = ["--command", "sed -n {offset},{end}p {path}", "--whole-command", "cat {path}"]
    assert options.main([*words, *sed, "--reader", "shell"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split()[:2] == ["reader", "calls"]
    assert options.main([*words, "--reader", "anyread", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["tasks"] == row["alone"] == 2
    with pytest.raises(SystemExit, match="2"):
        options.main([*words, "--reader", "anyread", "--explain", "nothing-1"])
    assert "there is no task or family `nothing-1`" in capsys.readouterr().err


# Tokens


@given(st.text(max_size=60), st.lists(st.binary(min_size=2, max_size=4), max_size=40))
def test_tokens_are_those_of_the_slow_merge(
    tmp_path_factory: pytest.TempPathFactory, text: str, merges: list[bytes]
) -> None:
    path = tmp_path_factory.getbasetemp() / "vocabulary"
    _vocabulary(path, tuple(dict.fromkeys([*merges, b"in", b"an", b"ing", b" a"])))
    counter = TokenCounter(path)

    def slow(data: bytes) -> int:
        parts = [data[index : index + 1] for index in range(len(data))]
        while True:
            ranks = [counter._ranks.get(a + b, 10**9) for a, b in pairwise(parts)]
            if not ranks or min(ranks) == 10**9:
                return len(parts)
            at = ranks.index(min(ranks))
            parts[at : at + 2] = [parts[at] + parts[at + 1]]

    data = text.encode("utf-8", "surrogatepass")
    if data:
        assert counter._merged(data) == (1 if data in counter._ranks else slow(data))


# Sources and files


def test_a_text_is_changed_from_its_end() -> None:
    changes = [
        {"line": 2, "pattern": "= .*", "with": r"= \new"},
        {"line": 1, "insert": ["zero"]},
        {"line": 3, "insert": ["between"]},
    ]
    assert sources.edited("one\na = b\nthree\n", changes) == "zero\none\na = \\new\nbetween\nthree\n"


def _archives() -> dict[str, bytes]:
    packed, zipped = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name in ("x-1.0/src/a.py", "x-1.0/src/tests/b.py"):
            member = tarfile.TarInfo(name)
            member.size = 5
            tar.addfile(member, io.BytesIO(b"text\n"))
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("src/a.py", "text\n")
        archive.writestr("src/../../outside.py", "text\n")
    return {"x-1.0.tar.gz": packed.getvalue(), "x-1.0.whl": zipped.getvalue()}


def test_members_of_an_archive_are_unpacked_by_name(tmp_path: Path) -> None:
    archive = tmp_path / "x-1.0.tar.gz"
    archive.write_bytes(_archives()[archive.name])
    tree = {"base": "src/", "files": ["*.py"], "without": ["tests/*"]}
    sources.unpack(archive, tmp_path / "to", tree)
    assert [path.name for path in (tmp_path / "to").rglob("*.py")] == ["a.py"]


def test_an_archive_cannot_write_elsewhere(tmp_path: Path) -> None:
    archive = tmp_path / "x-1.0.whl"
    archive.write_bytes(_archives()["x-1.0.whl"])
    with pytest.raises(sources.SourceError, match="outside"):
        sources.unpack(archive, tmp_path / "to", {"base": "src/", "files": ["*"]})


def test_an_archive_with_another_hash_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = _archives()["x-1.0.tar.gz"]
    monkeypatch.setattr(sources, "_downloaded", lambda _: data)
    right = hashlib.sha256(data).hexdigest()
    source = sources.Source("crates", "x", "1.0", "x-1.0.tar.gz", right)
    assert sources.fetched(source, tmp_path).read_bytes() == data
    with pytest.raises(sources.SourceError, match="SHA-256"):
        sources.fetched(sources.Source("crates", "x", "1.0", "x-1.0.tar.gz", "0" * 64), tmp_path)


def test_gold_that_changed_is_refused(tasks: Path, workspace: running.Workspace) -> None:
    want = {**workspace.tasks[0]["wants"][0], "gold": [[1, 2]]}
    with pytest.raises(sources.SourceError, match="not what the tasks were made with"):
        workspace.truth.gold(want)


@pytest.mark.parametrize("name", sorted(path.name for path in LOCATE.glob("*.jsonl.gz")))
def test_the_published_tasks_are_data_and_their_files_are_made_with_the_same_bytes(
    tmp_path: Path, name: str
) -> None:
    """The logs of more than ten megabytes are compared by whoever runs the tasks."""
    path = LOCATE / name
    header, found = sources.load(path)
    assert path.stat().st_size <= 200_000
    assert len(found) >= 300
    assert len({task["family"] for task in found}) >= 40
    assert all(re.fullmatch(r"[0-9a-f]{64}", each["sha256"]) for each in header["sources"])
    assert all("/w/" in task["said"] or "." in task["said"] for task in found)
    for each in header["generated"]:
        arguments = each["arguments"]
        if arguments.get("lines", 0) <= 40_000 and arguments.get("rows", 0) <= 20_000:
            target = tmp_path / Path(each["path"]).name
            generated.write(target, each["make"], arguments)
            assert sources.sha256_of(target) == each["sha256"], each["path"]
            target.unlink()


@pytest.mark.parametrize("made", MADE[3:], ids=lambda made: str(made["path"]))
def test_what_a_made_file_says_is_what_a_reader_of_its_format_shows(
    tmp_path: Path, made: dict[str, Any]
) -> None:
    path = tmp_path / made["path"]
    truth = generated.write(path, made["make"], made["arguments"])
    more: dict[str, Any] = {"at": "Orders", "values": "formulas"} if path.suffix == ".xlsx" else {}
    shown = "\n".join(page.text for page in anyread.pages_sync(str(path), **more))
    shown = "".join(re.sub(r"(?m)^\d+\t", "", shown).split())
    for address, text in truth.items():
        if not address.startswith(("Costs", "Notes")) and not address.endswith("/count"):
            assert "".join(text.split()) in shown, address
