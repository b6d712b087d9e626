"""`survey`: facts about whole files, and a budget that holds in the second pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread._native import count_tokens
from anyread.batch import SURVEY_TYPES, Histogram, ReadRows, level, read_rows, survey
from helpers import fleet
from helpers.media import text_pdf
from helpers.notebooks import code, write


def info_or_error(path: str) -> anyread.Info | anyread.ReadError:
    try:
        return anyread.info_sync(path)
    except anyread.ReadError as error:
        return error


def test_facts_are_those_of_info(tmp_path: Path) -> None:
    cases = fleet.write(tmp_path / "fleet", 40)
    (tmp_path / "a.pdf").write_bytes(text_pdf(2))
    write(tmp_path, code("1 + 1"))
    paths = [*(case.path for case in cases), str(tmp_path / "a.pdf"), str(tmp_path / "n.ipynb")]
    facts = survey(paths)
    for index, path in enumerate(paths):
        if facts["error"][index] == "damaged":
            continue
        info = info_or_error(path)
        if isinstance(info, anyread.ReadError):
            assert (facts["error"][index], facts["error_message"][index]) == (info.code, str(info))
            continue
        assert facts["error"][index] == ""
        for name in ("kind", "media_type", "size_bytes"):
            assert facts[name][index] == getattr(info, name), name
        assert facts["lines"][index] == (-1 if info.lines is None else info.lines)
        assert facts["encoding"][index] == (info.encoding or "")
        assert facts["line_ending"][index] == (info.line_ending or "")


def test_types_are_the_same_for_every_file(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(fleet.PNG)
    (tmp_path / "a.txt").write_text("one\n")
    for name in ("a.png", "a.txt", "gone"):
        facts = survey([tmp_path / name])
        del facts["path"]
        assert {column: {type(values[0])} for column, values in facts.items()} == {
            column: {type_} for column, type_ in SURVEY_TYPES.items()
        }


def test_other_columns_are_returned_unchanged(tmp_path: Path) -> None:
    facts = survey({"path": [tmp_path], "id": [4]})
    assert (facts["id"], facts["error"]) == ([4], ["is_a_directory"])


def test_empty_survey_has_all_columns() -> None:
    assert survey([]) == {"path": [], **{name: [] for name in SURVEY_TYPES}}


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
def test_tokens_of_a_long_file_are_extrapolated(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "long.txt"
    text = f"the quick brown fox jumps over the lazy dog{ending or ' '}" * 20_000
    path.write_bytes(text.encode())
    (tokens,) = survey([path], gutter=anyread.Gutter.NONE)["tokens"]
    assert tokens == pytest.approx(count_tokens(text, None), rel=0.1)


def test_tokens_of_long_documents_are_extrapolated(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf(40))
    write(tmp_path, *(code(f"x = {number}") for number in range(100)))
    paths = [tmp_path / "a.pdf", tmp_path / "n.ipynb"]
    whole = survey(paths, limits=anyread.Limits(max_pdf_pages=40))["tokens"]
    limits = anyread.Limits(max_pdf_pages=10, max_lines=40, max_tokens=400)
    assert survey(paths, limits=limits)["tokens"] == pytest.approx(whole, rel=0.4)


def test_lines_of_a_file_that_is_not_counted_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("line\n" * 300_000)
    assert survey([path], limits=anyread.Limits(count_bytes=1))["lines"] == [300_000]


def test_second_pass_stays_within_the_budget_if_files_are_longer_than_a_page(tmp_path: Path) -> None:
    cases = fleet.write(tmp_path / "fleet", 60)
    paths = [case.path for case in cases]
    histogram = Histogram.of(survey(paths, limits=anyread.Limits(max_lines=300))["tokens"])
    for share in (0.1, 0.5, 0.9, 1):
        budget = int(histogram.tokens * share)
        limits = anyread.Limits(max_lines=300)
        rows = read_rows({"path": paths}, max_tokens=level(histogram, budget), limits=limits)
        assert 0 < sum(rows["tokens"]) <= budget


@pytest.mark.parametrize("gutter", [anyread.Gutter.TAB, anyread.Gutter.NONE])
@pytest.mark.parametrize("tokenizer", [None, "o200k_base"])
@pytest.mark.parametrize("share", [0.001, 0.5, 0.999])
def test_second_pass_stays_within_the_budget(
    tmp_path: Path, share: float, tokenizer: Any, gutter: anyread.Gutter
) -> None:
    cases = fleet.write(tmp_path / "fleet", 60)
    (tmp_path / "a.pdf").write_bytes(text_pdf(30))
    write(tmp_path, *(code(f"x = {number}\n" * 20) for number in range(50)))
    paths = [*(case.path for case in cases), str(tmp_path / "a.pdf"), str(tmp_path / "n.ipynb")]
    # Each file fits a page.
    limits = anyread.Limits(
        tokenizer=tokenizer,
        max_lines=10_000,
        max_line_chars=1_000_000,
        max_bytes=10_000_000,
        max_tokens=1_000_000,
        max_pdf_pages=50,
    )
    facts = ReadRows(limits=limits, gutter=gutter).survey(paths)
    histogram = Histogram.of(facts["tokens"])
    budget = int(histogram.tokens * share)
    rows = read_rows(
        {"path": paths}, max_tokens=level(histogram, budget), limits=limits, gutter=gutter, select=["tokens"]
    )
    assert 0 < sum(rows["tokens"]) <= budget
    # Short files are complete.
    assert [
        (path, tokens, shown)
        for path, tokens, shown in zip(paths, facts["tokens"], rows["tokens"], strict=True)
        if tokens <= level(histogram, budget) and shown != tokens
    ] == []
