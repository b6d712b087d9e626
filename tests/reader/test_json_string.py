"""The core's JSON strings, compared with Python's."""

from __future__ import annotations

from json.encoder import encode_basestring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyread._native import json_string


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.text('\n"\\ab', max_size=50))
def test_text_is_written_as_python_does(text: str) -> None:
    assert json_string(text) == encode_basestring(text)


def test_unusual_characters_are_written_as_python_does() -> None:
    for code in [*range(0x21), 0x22, 0x5C, 0x7F, 0x80, 0x2028, 0xFFFF, 0x10FFFF]:
        text = f"{chr(code)}a\n{chr(code)}"
        assert json_string(text) == encode_basestring(text)


def test_lone_surrogate_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        json_string("\ud800")
