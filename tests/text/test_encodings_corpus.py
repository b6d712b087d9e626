"""Real files in known encodings, from other projects' own tests (`tests/helpers/corpus.py`).

`detection.rs` has samples for every machine, and `corpus.rs` judges the encodings other than Unicode.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import errors
from helpers.corpus import CORPUS, MISSING
from helpers.texts import TextReader

PLENTY = 10**9
TEXTS = CORPUS / "files" / "text"
KNOWN = TEXTS / "chardet-5.2.0"

pytestmark = pytest.mark.skipif(not TEXTS.is_dir(), reason=MISSING)


@cache
def reader() -> Any:
    """Return a reader that clips nothing."""
    return TextReader(
        limits=anyread.Limits(max_lines=PLENTY, max_line_chars=PLENTY, max_bytes=PLENTY, max_tokens=PLENTY)
    )


@pytest.mark.parametrize("directory", ["ascii", "utf-8", "utf-8-sig", "UTF-16", "UTF-32"])
def test_unicode_files_are_decoded_exactly_and_with_certainty(directory: str) -> None:
    for path in sorted(filter(Path.is_file, (KNOWN / directory).iterdir())):
        if directory in ("ascii", "utf-8") and b"\0" in path.read_bytes()[:8_192]:
            with pytest.raises(errors.BinaryFileError):
                reader().text(path)
            continue
        page = reader().text(path)
        assert page.content == path.read_bytes().decode(directory).removeprefix("\ufeff")
        assert not page.lossy
        assert page.encoding_confidence == 1.0


@pytest.mark.slow
def test_whole_corpus_round_trips() -> None:
    read = 0
    inexact = []
    for path in sorted(TEXTS.rglob("*")):
        if not path.is_file():
            continue
        try:
            page = reader().read_sync(path)
        except anyread.ReadError:
            continue
        if not isinstance(page, anyread.TextPage):
            # A workbook and a document are among them.
            continue
        read += 1
        page.text.encode("utf-8")
        if page.lossy:
            assert "lossy" in {notice.code for notice in page.notices}, path
            continue
        text = "\ufeff" * page.bom + page.content
        encoded = text.encode(page.encoding)
        if encoded != path.read_bytes():
            # East Asian encodings have two codes for some characters, and ISO-2022 redundant escapes.
            inexact.append(path.name)
            assert page.encoding in ("big5hkscs", "cp932", "euc-jp", "iso2022_jp"), path
            assert encoded.decode(page.encoding) == text, path
    assert read >= 400
    assert len(inexact) <= read // 100, inexact
