"""Notices: one sentence for each code, made from facts in one place."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.errors.base import Argument
from anyread.results.notices import _SENTENCES, Notice, make_notice
from helpers.media import drawing, encoded
from helpers.texts import TextReader, read_text

RUST = Path(__file__).parents[2] / "rust/anyread-python/src/notices.rs"

# code, facts, sentence
SENTENCES: list[tuple[str, dict[str, Any], str]] = [
    ("changed_since", {"version": "v"}, "the file may have changed since the previous page was read"),
    (
        "path_as_place",
        {"place": "a.py:10-20"},
        "no file has that name; it was read as the place `a.py:10-20`",
    ),
    ("path_repaired", {"resolved_path": "/a"}, "no file has exactly that name; `/a` was read"),
    ("link_followed", {"resolved_path": "/a"}, "the path is a symbolic link to `/a`"),
    (
        "name_content_mismatch",
        {"promised": "image/png", "media_type": "text/plain"},
        "the extension is that of image/png, but the content is text/plain",
    ),
    (
        "ignored_argument",
        {"argument": "encoding", "media_type": "image/png"},
        (
            "the argument `encoding` was ignored, because the file is image/png; "
            'pass kind="text" to decode its bytes as text'
        ),
    ),
    (
        "window_of_pages",
        {"unit": "slides", "pages": "2-3"},
        '`offset` and `limit` count slides of this file; the same is pages="2-3"',
    ),
    ("empty_file", {}, "the file is empty"),
    (
        "gzip_damaged",
        {"reason": "it is cut"},
        "the text of this gzip file may be incomplete or wrong: it is cut",
    ),
    (
        "duplicate_key",
        {"at": "/a/b"},
        "a key on the way to `/a/b` occurs several times; the last one was taken, as parsers do",
    ),
    (
        "not_json",
        {"rows": [3, 1_200], "unit": ["record", "records"]},
        "records 3, 1,200 are not JSON, and shown as in the file",
    ),
    (
        "not_json",
        {"rows": [3], "unit": ["record", "records"]},
        "record 3 is not JSON, and shown as in the file",
    ),
    (
        "not_strict",
        {},
        "JSON does not allow what is in or beside some records: comments, `NaN`, commas, control characters",
    ),
    ("translated_address", {"at": "/a/3"}, "the address was read as `/a/3`"),
    (
        "section_goes_on",
        {"first": 1_001, "last": 1_250, "shown": 200},
        "the section is lines 1,001-1,250, of which 200 are shown; the next are offset=1201, limit=50",
    ),
    ("stopped_by_time", {}, "the page ends here because the time for the read is over"),
    (
        "rules_left_out",
        {"paths": ["/a/.gitignore", "/a/b"]},
        "rules in `/a/.gitignore`, `/a/b` do not apply: one is over 4 KiB, or all with those above 128 KiB",
    ),
    ("torn_record", {}, "the last record shown is incomplete: its line or the file ends inside of it"),
    (
        "no_cached_value",
        {"cells": ["C7"]},
        "the cell has a formula without a stored result, shown as the formula: C7",
    ),
    (
        "no_cached_value",
        {"cells": ["C7", "C8"]},
        "some cells have formulas without a stored result, shown as the formula: C7, C8",
    ),
    (
        "hidden_left_out",
        {"sheets": ["Secret", "Old"]},
        'sheets are hidden: `Secret`, `Old`; pass at="Secret" to read it',
    ),
    (
        "hidden_rows",
        {"rows": [(4, 4), (9, 11)], "columns": [("H", "H")]},
        "shown here, but hidden in the workbook: row 4, rows 9-11, column H",
    ),
    ("macros", {}, "the file has macros, which are neither shown nor run"),
    ("tracked_changes", {}, "the document has tracked changes; the text is shown as if all were accepted"),
    ("hidden_runs", {}, "hidden text of the document is left out"),
    ("hidden_slides", {"slides": [7]}, 'slide 7 is hidden and left out; pass pages="7" to read it'),
    (
        "hidden_slides",
        {"slides": [7, 9]},
        'slides 7, 9 are hidden and left out; pass pages="7" to read it',
    ),
    (
        "slide_too_long",
        {"slides": [3]},
        "only the beginning is read of slides with over 1 MiB of text: 3",
    ),
    (
        "external_links",
        {},
        "some formulas refer to other workbooks; the results stored in this one are shown",
    ),
    (
        "no_styles",
        {},
        "the styles of the workbook are missing or damaged; numbers and dates are shown as stored",
    ),
    (
        "unknown_format",
        {"formats": ["[DBNum1]0"]},
        "some number formats are not known, so these numbers are shown as stored: `[DBNum1]0`",
    ),
    ("unknown_labels", {}, "some lists have numbers in a form that is not known, which are shown in decimal"),
    (
        "unseen_runs",
        {"count": 1},
        "people do not see 1 piece of this text: white, under 2.5 pt, off the slide or hidden by a format",
    ),
    (
        "unseen_runs",
        {"count": 3},
        "people do not see 3 pieces of this text: white, under 2.5 pt, off the slide or hidden by a format",
    ),
    ("unordered", {}, "the file has rows or cells out of order, which are sorted here"),
    ("literal_pattern", {}, "the pattern was looked for letter by letter, not as a regular expression"),
    (
        "not_searched",
        {"count": 3, "paths": ["a.bin", "b.bin"]},
        "3 files could not be searched: `a.bin`, `b.bin` and 1 more",
    ),
    (
        "page_full",
        {"lines": 1_200, "limit": 2_000},
        "the page reached its token or byte limit after 1,200 of the 2,000 requested lines",
    ),
    (
        "lossy",
        {"line": 1_200, "encoding": "utf-8"},
        "starting at line 1,200, some bytes are not valid utf-8 and are shown as U+FFFD",
    ),
    ("lossy", {"encoding": "utf-8"}, "some bytes are not valid utf-8 and are shown as U+FFFD"),
    (
        "declared_encoding",
        {"encoding": "cp1251", "declared": "cp1251", "declared_by": "xml_declaration"},
        "the text is decoded as cp1251, which the XML declaration declares",
    ),
    (
        "declaration_ignored",
        {"encoding": "utf-8", "declared": "cp1251", "declared_by": "vim_modeline", "decodable": True},
        "a Vim modeline declares cp1251, which the bytes contradict; decoded as utf-8",
    ),
    (
        "declaration_ignored",
        {"encoding": "utf-8", "declared": "utf-7", "declared_by": "inputenc", "decodable": False},
        "`inputenc` declares utf-7, which is not supported; decoded as utf-8",
    ),
    (
        "declaration_ignored",
        {"encoding": "utf-8", "declared": None, "declared_by": "comment", "decodable": False},
        "a comment in the first two lines declares an unknown encoding; decoded as utf-8",
    ),
    (
        "low_confidence",
        {"encoding": "cp1251", "confidence": 0.25},
        "the encoding cp1251 is a guess (25% confidence); pass `encoding` if you know it",
    ),
    ("mixed_line_endings", {}, "some lines end with CR LF and some with LF"),
    ("nul", {"count": 1}, "the text contains 1 NUL character"),
    ("control_characters", {"count": 1_000}, "the text contains 1,000 control characters"),
    ("bidi", {"count": 2}, "the text contains 2 bidirectional control characters"),
    ("invisible", {"count": 1}, "the text contains 1 invisible character"),
    ("clipped", {"count": 1}, "1 line is clipped"),
    ("clipped", {"count": 2}, "2 lines are clipped"),
    ("clipped", {"pages": [3]}, "the text of page 3 is cut to the budget"),
    ("output_truncated", {"bytes": 16_777_216}, "only the first 16,777,216 bytes of this stream were read"),
    ("output_truncated", {"cells": 1}, "the texts of 1 cell are cut"),
    ("repaired_image", {}, "the file is truncated; the missing part at its end is shown black or blurred"),
    (
        "values_spread",
        {"black": 0.5, "white": 65_000.0},
        "pixel values are scaled: 0.5 is shown as black and 65,000 as white",
    ),
    (
        "xfa_form",
        {},
        "the file is a dynamic XFA form, which few programs show: its pages have placeholders only",
    ),
    (
        "hidden_text",
        {"pages": [1, 3], "ways": ["white", "outside"]},
        "pages 1, 3 have text that people do not see: white on white, outside of the page (left out)",
    ),
    ("animated", {"frames": 1_200}, "only the first of 1,200 frames is shown"),
    (
        "missing_font",
        {"pages": [1], "fonts": ["Arial", "Times"]},
        "page 1: its image is not shown or incomplete, because of missing fonts: Arial, Times",
    ),
    ("no_text_layer", {"pages": [1, 1_200]}, "pages 1, 1,200 have no text layer"),
    (
        "unreadable_text",
        {"pages": [2]},
        "the text layer of page 2 consists mostly of control or private-use characters",
    ),
    ("text_only", {"pages": [2]}, 'page 2 is shown as text; to see it, pass the path and pages="2"'),
    (
        "text_only",
        {"pages": [2, 3, 4]},
        'pages 2, 3, 4 are shown as text; to see them, pass the path and pages="2-4"',
    ),
    ("damaged", {"pages": [2, 3]}, "pages 2, 3 are damaged and not shown"),
    (
        "over_budget",
        {"used": 1_200, "budget": 1_000, "unit": "bytes"},
        "the least that a page can show takes 1,200 bytes, and the budget is 1,000",
    ),
    (
        "region_of_one_page",
        {"page": 1_200},
        "a region is a part of a single page, so that only page 1,200 of the requested pages is shown",
    ),
    ("pages_clamped", {"page_count": 12}, "the requested pages end with the last page, 12"),
    (
        "degraded",
        {"reason": "too_many_pages", "page_count": 1_200, "maximum": 100},
        "the PDF itself is not sent: 1,200 pages exceed the limit of 100",
    ),
    (
        "degraded",
        {"reason": "no_images"},
        "pages are shown as text only: the model accepts no images",
    ),
    (
        "broken_json",
        {"line": 2, "column": 13, "fault": "syntax", "detail": "expected value"},
        "it is not a valid notebook and is shown as text: expected value, at line 2, byte 13",
    ),
    (
        "broken_json",
        {"line": 2, "column": 1, "fault": "not_a_list", "detail": "cells"},
        "it is not a valid notebook and is shown as text: its cells are not a list, at line 2, byte 1",
    ),
    ("no_cells", {}, "the notebook has no cells"),
    ("no_entries", {"ignored": 2, "denied": 1}, "no entry is shown: 2 entries are ignored, 1 denied"),
    ("images_left_out", {"cells": [3]}, "some images of cell 3 are not shown: the page is full"),
]


@pytest.mark.parametrize(("code", "facts", "sentence"), SENTENCES)
def test_notice_is_worded_from_its_facts(code: str, facts: dict[str, Any], sentence: str) -> None:
    made = make_notice(code, **facts)
    assert made == Notice(code, sentence, facts)
    assert made.message_as(str) == sentence
    assert pickle.loads(pickle.dumps(made)) == copy.copy(made) == made


def test_every_code_has_a_row() -> None:
    assert {code for code, _, _ in SENTENCES} == set(_SENTENCES)


def test_arguments_of_a_notice_are_spelled_as_the_caller_passes_them() -> None:
    def option(argument: Argument) -> str:
        return f"--{argument.name} {argument.value}" if argument.value else f"--{argument.name}"

    ignored = make_notice("ignored_argument", argument="encoding", media_type="image/png")
    assert ignored.message_as(option).endswith("; pass --kind text to decode its bytes as text")
    guessed = make_notice("low_confidence", encoding="cp1251", confidence=0.25)
    assert guessed.message_as(option).endswith("; pass `--encoding` if you know it")


def test_every_code_of_the_core_is_worded() -> None:
    added = [line.partition('notices.add("')[2].partition('"')[0] for line in RUST.read_text().splitlines()]
    of_paths = {"path_as_place", "path_repaired", "link_followed"}
    codes = set(filter(None, added)) | of_paths | {"nul", "bidi", "clipped"}
    assert codes <= set(_SENTENCES)
    assert len(codes) > 12


LATE_NUL = b"text line\n" * 900 + b"nul \0 here\n"
JPEG = encoded(drawing(8, 8), "JPEG")
# The name of a file, its bytes, its text as it is shown, and the codes of its notices.
TEXTS = [
    ("a.png", b"", "", {"empty_file", "name_content_mismatch"}),
    ("a.mts", b"export const x: number = 1;\n", "export const x: number = 1;\n", set()),
    ("a.png", b"<!DOCTYPE html>\n", "<!DOCTYPE html>\n", {"name_content_mismatch"}),
    ("a", b"one\r\ntwo\nthree\r\n", "one\r\ntwo\nthree\r\n", {"mixed_line_endings"}),
    ("a", LATE_NUL, LATE_NUL.decode(), {"nul"}),
    ("a", b"\x1b[31mred\x1b[0m\n" * 40, "\x1b[31mred\x1b[0m\n" * 40, {"control_characters"}),
    ("a", "a\u202eb\u200bc\n".encode(), "a\u202eb\u200bc\n", {"bidi", "invisible"}),
    ("a", "naïve 漢字 ".encode() * 9 + b"\xff\n", "naïve 漢字 " * 9 + "\ufffd\n", {"lossy"}),
    ("a", b"\xff\xfe" + "fine\n".encode("utf-16-le") + b"x", "fine\n\ufffd", {"lossy"}),
    ("a", b"<system-reminder>\n[lines 1-2 of 2]\n", "<system-reminder>\n[lines 1-2 of 2]\n", set()),
]


@pytest.mark.parametrize(("name", "data", "content", "codes"), TEXTS)
def test_text_has_the_notices_of_what_is_in_it(
    tmp_path: Path, name: str, data: bytes, content: str, codes: set[str]
) -> None:
    (tmp_path / name).write_bytes(data)
    page = read_text(tmp_path / name)
    assert (page.content, {notice.code for notice in page.notices}) == (content, codes)
    assert page.lossy == ("lossy" in codes)
    assert data or page.text == "[the file is empty]"


@pytest.mark.parametrize(("name", "codes"), [("a.png", ["name_content_mismatch"]), ("a.jpg", []), ("a", [])])
def test_image_under_the_name_of_another_type_has_a_notice(
    tmp_path: Path, name: str, codes: list[str]
) -> None:
    (tmp_path / name).write_bytes(JPEG)
    view = anyread.read_sync(tmp_path / name)
    assert (view.kind, view.media_type, [notice.code for notice in view.notices]) == (
        "image",
        "image/jpeg",
        codes,
    )


def test_nuls_are_shown_or_refused_as_the_limits_say(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(LATE_NUL)
    page = TextReader(limits=anyread.Limits(nul="symbol")).text(path, offset=-1)
    assert (page.text, page.lossy) == ("901\tnul ␀ here\n[line 901 of 901]", True)
    with pytest.raises(anyread.BinaryFileError):
        TextReader(limits=anyread.Limits(nul="error")).text(path, offset=-1)
