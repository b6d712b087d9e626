"""Real files in known encodings, from other projects' own tests (`tests/helpers/corpus.py`).

`test_legacy_encodings.py` has samples for every machine.
"""

from __future__ import annotations

import difflib
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

# Directory names begin with the encoding; a language may follow it.
LANGUAGES = (
    *("arabic", "bulgarian", "croatian", "czech", "greek", "hebrew", "hungarian", "polish"),
    *("russian", "slovak", "slovene", "turkish"),
)
# Some files contain characters that the codec of their directory's name lacks.
SUPERSETS = {"gb2312": "gb18030", "euc-kr": "cp949", "shift_jis": "cp932", "big5": "big5hkscs"}
# The detector does not support these: their pages need a notice, unless the files declare the encoding.
UNKNOWN = frozenset({"EUC-TW", "IBM855", "Johab", "MacCyrillic", "iso-2022-kr"})
# A page in a wrong encoding must be lossy, or have a confidence below this.
SURE = 0.5
# Shorter texts are not enough to distinguish similar encodings.
MIN_CHARS = 200


def directories() -> list[str]:
    """Return the names of the directories of known encodings."""
    return sorted(path.name for path in KNOWN.iterdir() if path.is_dir()) if KNOWN.is_dir() else []


def codec_of(directory: str) -> str:
    """Return the Python codec of a directory's files."""
    name, _, last = directory.lower().rpartition("-")
    codec = name if last in LANGUAGES else directory.lower()
    return SUPERSETS.get(codec, codec)


def files(directory: str) -> list[Path]:
    """Return the files of a directory."""
    return sorted(path for path in (KNOWN / directory).iterdir() if path.is_file())


def expected_text(path: Path, directory: str) -> str:
    """Return the text of a file in the encoding of its directory, without a BOM."""
    text = path.read_bytes().decode(codec_of(directory), "replace")
    return text.removeprefix("\ufeff")


@cache
def reader() -> Any:
    """Return a reader that clips nothing."""
    return TextReader(
        limits=anyread.Limits(max_lines=PLENTY, max_line_chars=PLENTY, max_bytes=PLENTY, max_tokens=PLENTY)
    )


def agreement(text: str, expected: str) -> float:
    """Return the share of characters that are equal."""
    if len(text) == len(expected):
        same = sum(map(str.__eq__, text, expected))
    else:
        pairs = zip(text.split("\n"), expected.split("\n"), strict=False)
        same = sum(common(line, other) + 1 for line, other in pairs)
    return same / max(len(text), len(expected), 1)


def common(line: str, other: str) -> int:
    """Return how many characters two lines have in common, in order."""
    if line == other:
        return len(line)
    return sum(
        block.size for block in difflib.SequenceMatcher(None, line, other, False).get_matching_blocks()
    )


@pytest.mark.slow
def test_files_are_decoded_in_the_encoding_of_their_directory() -> None:
    wrong = []
    compared = 0
    for directory in directories():
        if directory in UNKNOWN:
            continue
        for path in files(directory):
            expected = expected_text(path, directory)
            if len(expected) < MIN_CHARS:
                continue
            compared += 1
            try:
                page = reader().text(path)
            except errors.BinaryFileError:
                # Files with NULs, and UTF-32 without a BOM, count as binary.
                wrong.append(f"{directory}/{path.name}: binary")
                continue
            if (share := agreement(page.content, expected)) < 0.99:
                wrong.append(f"{directory}/{path.name}: {page.encoding}, {share:.1%}")
    assert compared >= 200
    assert len(wrong) <= compared * 0.03, f"{len(wrong)} of {compared} differ:\n" + "\n".join(wrong)


@pytest.mark.parametrize("directory", sorted(UNKNOWN))
def test_unsupported_encoding_is_declared_lossy_or_uncertain(directory: str) -> None:
    for path in files(directory):
        page = reader().text(path)
        codes = {notice.code for notice in page.notices}
        if "declared_encoding" in codes:
            assert page.content == expected_text(path, directory)
            continue
        assert page.lossy or page.encoding_confidence < SURE, f"{path.name}: {page.encoding}"
        assert {"lossy", "low_confidence"} & codes


@pytest.mark.parametrize("directory", ["ascii", "utf-8", "utf-8-sig", "UTF-16", "UTF-32"])
def test_unicode_files_are_decoded_exactly_and_with_certainty(directory: str) -> None:
    for path in files(directory):
        if directory in ("ascii", "utf-8") and b"\0" in path.read_bytes()[:8_192]:
            with pytest.raises(errors.BinaryFileError):
                reader().text(path)
            continue
        page = reader().text(path)
        assert page.content == expected_text(path, directory)
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
            page = reader().text(path)
        except anyread.ReadError:
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
