"""Settings of a wrong type are refused at once, before any file is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Gutter, Model, Session
from anyread.tools import tool

WRONG: list[tuple[Any, dict[str, Any]]] = [
    (anyread.Reader, {"roots": 5}),
    (anyread.Reader, {"roots": [5]}),
    (anyread.Reader, {"roots": None}),
    (anyread.Reader, {"deny": "**/.env"}),
    (anyread.Reader, {"deny": 5}),
    (anyread.Reader, {"deny": [b"**/.env"]}),
    (anyread.Reader, {"pdf_passwords": "secret"}),
    (anyread.Reader, {"pdf_passwords": [b"secret"]}),
    (anyread.Reader, {"limits": {"max_lines": 5}}),
    (anyread.Reader, {"limits": 5}),
    (anyread.Reader, {"model": {"inputs": {"text"}}}),
    (anyread.Reader, {"session": True}),
    (anyread.Reader, {"gutter": "tab"}),
    (anyread.Reader, {"notebook": True}),
    (anyread.Reader, {"mmap": True}),
    (Model, {"inputs": "text"}),
    (Model, {"max_images": True}),
    (Session, {"max_records": "5"}),
    (Session, {"on_read": "print"}),
    (Gutter, {"width": 1.5}),
    (Gutter, {"separator": 5}),
    (tool, {"name": "forge", "reader": 5}),
    (tool, {"name": "forge", "model": True}),
    (tool, {"name": "forge", "session": 5}),
    (tool, {"name": "forge", "validate_media": "no"}),
]


def test_setting_of_the_wrong_type_is_a_type_error_that_names_it() -> None:
    """A model of another type was accepted, and the first image failed with an AttributeError."""
    for make, settings in WRONG:
        name, value = list(settings.items())[-1]
        with pytest.raises(TypeError, match=name) as caught:
            make(**settings)
        assert "must be " in str(caught.value)
        shown = value[0] if isinstance(value, list) and name != "tokenizer" else value
        assert str(caught.value).endswith(f": {shown!r}") or f"it contains {shown!r}" in str(caught.value)


@pytest.mark.parametrize("setting", [{"notebook": "markdown"}, {"mmap": "always"}])
def test_reader_refuses_other_words(setting: Any) -> None:
    with pytest.raises(ValueError, match=rf"Reader\({next(iter(setting))}=…\) must be "):
        anyread.Reader(**setting)


@pytest.mark.parametrize("paths", ["a.txt", b"a.txt", Path("a.txt"), 5])
def test_read_many_takes_a_list_of_paths(paths: Any) -> None:
    with pytest.raises(TypeError, match="takes a list of paths: "):
        anyread.read_many(paths)


def test_iterators_are_accepted_as_lists(tmp_path: Path) -> None:
    reader = anyread.Reader(
        roots=iter([tmp_path]), deny=iter(["**/.env"]), pdf_passwords=(text for text in ["a"])
    )
    assert (reader.deny, reader.pdf_passwords) == (("**/.env",), ("a",))
