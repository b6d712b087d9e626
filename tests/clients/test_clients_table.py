"""How the cells of clients are judged; docs/mcp.md has the ones that `make clients` recorded."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from clients import cells, launchers, questions
from clients.questions import ERROR_WORDS, KINDS, PDF_WORDS, Kind, Truth

NUMBERED = "\n".join(f"{number}\tline" for number in range(1, 6_000))
TRUTH = Truth(text=NUMBERED, png=b"\x89PNG of the file")
DIRECTORY = cells.DIRECTORY
PINNED = sorted(
    [path.stem for path in (DIRECTORY / "requirements").glob("*.txt")]
    + [path.stem for path in (DIRECTORY / "node").glob("*.json")]
)
IMAGE = {"image": base64.b64encode(TRUTH.png).decode(), "media_type": "image/png"}


def text(value: str) -> dict[str, str]:
    return {"text": value}


@pytest.mark.parametrize(
    ("kind", "items", "is_error", "expected"),
    [
        ("text", [text(NUMBERED)], False, "complete"),
        ("text", [text(NUMBERED[:2_048])], False, "not complete"),
        ("text", [text(NUMBERED)], True, "error"),
        ("PNG", [text("[image: PNG 40×30]"), IMAGE], False, "image"),
        ("PNG", [{**IMAGE, "image": base64.b64encode(b"other").decode()}], False, "another image"),
        ("PNG", [text("[image: PNG 40×30]")], False, "described in text"),
        ("PNG", [{"other": "image as JSON"}], False, "not shown"),
        ("PDF", [text("\n".join(PDF_WORDS)), IMAGE, IMAGE], False, "text and 2 images"),
        ("PDF", [text(PDF_WORDS[0]), text(PDF_WORDS[1])], False, "text"),
        ("PDF", [text(PDF_WORDS[0])], False, "not shown"),
        ("error", [text(f"{ERROR_WORDS}\nhint: read it")], True, "marked as an error"),
        ("error", [text(ERROR_WORDS)], False, "text"),
        ("error", [text("the tool failed")], True, "not shown"),
    ],
)
def test_cell_says_what_is_shown(
    kind: Kind, items: list[dict[str, str]], is_error: bool, expected: str
) -> None:
    answer: dict[str, Any] = {"is_error": is_error, "items": items}
    assert cells.cell(kind, answer, TRUTH) == expected


def test_truth_is_what_the_files_contain(tmp_path: Path) -> None:
    truth = questions.write(tmp_path)
    assert (tmp_path / "chart.png").read_bytes() == truth.png
    lines = (tmp_path / "server.log").read_text("utf-8").splitlines()
    assert [line.partition("\t")[2] for line in truth.text.splitlines()] == lines
    for kind in KINDS:
        assert (tmp_path / questions.ARGUMENTS[kind]["path"]).exists() == (kind != "error")


def test_every_client_is_pinned_and_recorded() -> None:
    assert sorted(cells.load()) == PINNED
    for name in PINNED:
        assert tuple(cells.load()[name]) == KINDS
        assert cells.package(name)[1].replace(".", "").isdigit(), name
        assert list((DIRECTORY / "programs").glob(f"with_{name.replace('-', '_')}.*")), name


def test_table_of_the_page_is_the_record_of_make_clients() -> None:
    found = cells.TABLE.search(cells.DOCUMENT.read_text("utf-8"))
    assert found is not None
    assert found[0] == cells.table(cells.load())


def test_no_client_loses_text_or_errors() -> None:
    for name, shown in cells.load().items():
        assert shown["text"] == "complete", name
        assert shown["error"] in {"marked as an error", "text"}, name


def test_page_has_the_commands_that_make_clients_runs() -> None:
    blocks = re.findall(r"```json\n(.*?)```", cells.DOCUMENT.read_text("utf-8"), re.DOTALL)
    # Some hosts have another name for the list of servers.
    lists = [found for block in blocks if (found := json.loads(block).get("mcpServers"))]
    shown = [(servers["anyread"]["command"], servers["anyread"]["args"]) for servers in lists]
    assert ("uvx", launchers.uvx("WHEEL", "/home/user/project")) in shown
    assert ("npx", launchers.npx("http://127.0.0.1:8321/mcp")) in shown
