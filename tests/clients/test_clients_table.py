"""How the cells of clients are judged; docs/mcp.md has the ones that `make clients` recorded."""

from __future__ import annotations

import json
import re

from clients import cells, launchers
from clients.questions import KINDS

DIRECTORY = cells.DIRECTORY
PINNED = sorted(
    [path.stem for path in (DIRECTORY / "requirements").glob("*.txt")]
    + [path.stem for path in (DIRECTORY / "node").glob("*.json")]
)


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
