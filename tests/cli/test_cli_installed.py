"""The manual page and the completion scripts of the wheel, which `make manual` writes."""

from __future__ import annotations

import pytest
from website import manual

FILES = manual.files()


@pytest.mark.parametrize("name", FILES)
def test_installed_file_is_what_the_tools_make(name: str) -> None:
    assert (manual.SHARE / name).read_text("utf-8") == FILES[name], "run `make manual`"


def test_every_installed_file_is_compared() -> None:
    files = (path for path in manual.SHARE.parents[1].rglob("*") if path.is_file())
    assert {path.relative_to(manual.SHARE).as_posix() for path in files} == set(FILES)
