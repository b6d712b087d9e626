"""Pages that are made of parts, under all kinds of budgets: PDFs, notebooks and several files."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import anyread
from anyread import Limits, Model
from anyread._native import count_tokens
from anyread.formats.budget import footer_line, next_clause, without_next
from helpers.media import pdf, text_page


def test_footers_of_texts_and_of_parts_are_worded_alike(tmp_path: Path) -> None:
    """The core words the footer of a text, and Python all others, and removes the next call from either."""
    (tmp_path / "a").write_text("a\nb\n")
    footer = anyread.read_sync(tmp_path / "a", kind="text", limit=1).footer
    assert footer == footer_line("line 1 of 2", next_clause("offset=2"))
    assert without_next(footer) == "line 1 of 2"


def test_tokens_of_a_pdf_are_those_of_the_tokenizer_and_the_model(tmp_path: Path) -> None:
    """PDFs ignored `tokenizer`, `token_factor` and `over_budget`."""
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf([text_page(*["word number one two three four five"] * 45, size=6)] * 30))
    exact = anyread.Reader(limits=Limits(tokenizer="o200k_base"), model=Model.text_only()).read_sync(path)
    assert exact.token_estimate == count_tokens(exact.text, "o200k_base")
    shown = []
    for factor in (1.0, 2.0):
        model = dataclasses.replace(Model.text_only(), token_factor=factor)
        shown.append(anyread.Reader(limits=Limits(max_tokens=3_000), model=model).read_sync(path))
    assert 2 * shown[1].token_estimate <= 3_000
    assert shown[0].token_estimate > 1_500
    strict = anyread.Reader(limits=Limits(max_tokens=3_000, over_budget="error"), model=Model.text_only())
    with pytest.raises(anyread.OverBudgetError) as caught:
        strict.read_sync(path, pages="3-20")
    last = 2 + caught.value.largest_limit
    assert caught.value.hint == f'pass pages="3-{last}", the most pages that fit'
    assert strict.read_sync(path, pages=f"3-{last}").next is None
    assert strict.read_sync(path, pages="3-4", kind="pdf").last == 4
