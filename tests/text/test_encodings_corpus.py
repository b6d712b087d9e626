"""Real files in known encodings, from other projects' own tests (`tests/corpus.py`).

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
from corpus import CORPUS, MISSING

# A declared result is any kind of page; these tests know that theirs are text.
from texts import TextReader

PLENTY = 10**9
TEXTS = CORPUS / "files" / "text"
KNOWN = TEXTS / "chardet-5.2.0"

pytestmark = pytest.mark.skipif(not TEXTS.is_dir(), reason=MISSING)

# Folder names begin with the encoding; a language may follow it.
LANGUAGES = (
    *("arabic", "bulgarian", "croatian", "czech", "greek", "hebrew", "hungarian", "polish"),
    *("russian", "slovak", "slovene", "turkish"),
)
# What the files hold that the folder's own codec does not know.
SUPERSETS = {"gb2312": "gb18030", "euc-kr": "cp949", "shift_jis": "cp932", "big5": "big5hkscs"}
# The detector does not know these: their files must be loud, or declare it themselves.
UNKNOWN = frozenset({"EUC-TW", "IBM855", "Johab", "MacCyrillic", "iso-2022-kr"})
# What "loud" means: not lossy, and so silent, at this confidence or above is a lie.
SURE = 0.5
# A known answer needs some text to be told from its neighbours.
LEAST_CHARS = 200


def folders() -> list[str]:
    """Return the names of the folders of known encodings."""
    return sorted(path.name for path in KNOWN.iterdir() if path.is_dir()) if KNOWN.is_dir() else []


def codec_of(folder: str) -> str:
    """Return the Python codec of a folder's files."""
    name, _, last = folder.lower().rpartition("-")
    codec = name if last in LANGUAGES else folder.lower()
    return SUPERSETS.get(codec, codec)


def files(folder: str) -> list[Path]:
    """Return the files of a folder."""
    return sorted(path for path in (KNOWN / folder).iterdir() if path.is_file())


def answer(path: Path, folder: str) -> str:
    """Return a file's text by its folder's encoding, without a BOM."""
    text = path.read_bytes().decode(codec_of(folder), "replace")
    return text.removeprefix("\ufeff")


@cache
def reader() -> Any:
    """A reader that shows everything."""
    return TextReader(
        limits=anyread.Limits(max_lines=PLENTY, max_line_chars=PLENTY, max_bytes=PLENTY, max_tokens=PLENTY)
    )


def agreement(text: str, expected: str) -> float:
    """Return the share of characters that are the same."""
    if len(text) == len(expected):
        same = sum(map(str.__eq__, text, expected))
    else:
        pairs = zip(text.split("\n"), expected.split("\n"), strict=False)
        same = sum(common(line, other) + 1 for line, other in pairs)
    return same / max(len(text), len(expected), 1)


def common(line: str, other: str) -> int:
    """Return how many characters of a line are the same, in order."""
    if line == other:
        return len(line)
    return sum(
        block.size for block in difflib.SequenceMatcher(None, line, other, False).get_matching_blocks()
    )


@pytest.mark.slow
def test_known_encodings_decode_as_their_folder_says() -> None:
    wrong = []
    asked = 0
    for folder in folders():
        if folder in UNKNOWN:
            continue
        for path in files(folder):
            expected = answer(path, folder)
            if len(expected) < LEAST_CHARS:
                continue
            asked += 1
            try:
                page = reader().text(path)
            except errors.BinaryFileError:
                # NULs, and UTF-32 without its BOM, are what the rule calls binary.
                wrong.append(f"{folder}/{path.name}: binary")
                continue
            if (share := agreement(page.content, expected)) < 0.99:
                wrong.append(f"{folder}/{path.name}: {page.encoding}, {share:.1%}")
    assert asked >= 200
    assert len(wrong) <= asked * 0.03, f"{len(wrong)} of {asked} differ:\n" + "\n".join(wrong)


@pytest.mark.parametrize("folder", sorted(UNKNOWN))
def test_unknown_encoding_is_never_silent(folder: str) -> None:
    for path in files(folder):
        page = reader().text(path)
        codes = {notice.code for notice in page.notices}
        if "declared_encoding" in codes:
            assert page.content == answer(path, folder)
            continue
        assert page.lossy or page.encoding_confidence < SURE, f"{path.name}: {page.encoding}"
        assert {"lossy", "low_confidence"} & codes


@pytest.mark.parametrize("folder", ["ascii", "utf-8", "utf-8-sig", "UTF-16", "UTF-32"])
def test_unicode_folder_is_certain_and_exact(folder: str) -> None:
    for path in files(folder):
        if folder in ("ascii", "utf-8") and b"\0" in path.read_bytes()[:8_192]:
            with pytest.raises(errors.BinaryFileError):
                reader().text(path)
            continue
        page = reader().text(path)
        assert page.content == answer(path, folder)
        assert not page.lossy
        assert page.encoding_confidence == 1.0


@pytest.mark.slow
def test_whole_corpus_reads_and_encodes_back() -> None:
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
            # East Asian sets have characters with two codes, ISO-2022 spells its escapes in several ways.
            inexact.append(path.name)
            assert page.encoding in ("big5hkscs", "cp932", "euc-jp", "iso2022_jp"), path
            assert encoded.decode(page.encoding) == text, path
    assert read >= 400
    assert len(inexact) <= read // 100, inexact
