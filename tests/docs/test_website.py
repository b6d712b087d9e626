"""The site of the documentation: its pages, its reference, and the checks of `make docs`."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from website import reference, stage

import anyread
from anyread import adapters, batch, errors, integrations, results


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("site") / "docs"
    stage.stage(directory)
    return directory


def test_navigation_lists_every_page(staged: Path) -> None:
    configuration = stage.CONFIGURATION.read_text("utf-8")
    listed = re.findall(r"(?:- |: )([\w/-]+\.md)$", configuration, re.MULTILINE)
    pages = [path.relative_to(staged).as_posix() for path in staged.rglob("*.md")]
    assert sorted(listed) == sorted(pages)


OTHERS = [
    "arguments.request.ReadArguments",
    "reading.following.Follow",
    "reading.following.FollowSync",
    "reading.many.Many",
    "reading.many.ManySync",
    "reading.open_file.OpenFile",
    "reading.paging.Pages",
    "reading.paging.PagesSync",
    "session.Record",
    "session.Stamp",
    "tools.Contract",
    "tools.Definition",
]
"""The types of what is passed and returned, which few programs name."""


def test_reference_has_every_public_name() -> None:
    named = [name for part in reference.PARTS for name in part.names]
    for module, _, name in (each.rpartition(".") for each in OTHERS):
        assert name in vars(import_module(f"anyread.{module}")), module
    assert len(named) == len(set(named))
    modules = {"adapters", "batch", "errors", "integrations", "results", "tools", "__version__"}
    expected = {f"anyread.{name}" for name in anyread.__all__ if name not in modules}
    shorter = {"BasePage", *anyread.__all__}
    expected |= {f"anyread.results.{name}" for name in results.MODULES if name not in shorter}
    expected |= {f"anyread.{name}" for name in OTHERS}
    expected |= {f"anyread.adapters.{name}" for name in adapters.__all__}
    expected |= {f"anyread.integrations.{name}" for name in integrations.__all__}
    expected |= {f"anyread.batch.{name}" for name in batch.__all__}
    expected |= {f"anyread.errors.{name}" for name in vars(errors)["__all__"] if name not in anyread.__all__}
    assert set(named) == expected


# ------------------------------------------------------------------------------------------------------------
# The checks of the built site
