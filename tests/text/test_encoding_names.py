"""Python's names of encodings as `encoding=`: decoded as Python's own codec does, or refused."""

from __future__ import annotations

import codecs
import encodings
import pkgutil
import warnings
from encodings.aliases import aliases
from pathlib import Path

import pytest

from anyread import errors
from helpers.texts import read_text

# Multibyte encodings without a decoder, and codecs that are notations for single strings.
UNREADABLE = frozenset(
    {
        *(
            "euc_jis_2004",
            "euc_jisx0213",
            "hz",
            "iso2022_jp_1",
            "iso2022_jp_2",
            "iso2022_jp_2004",
            "iso2022_jp_3",
            "iso2022_jp_ext",
            "iso2022_kr",
        ),
        *("johab", "shift_jis_2004", "shift_jisx0213", "utf_7"),
        *("idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"),
    }
)


# What Python before 3.14 decodes to a control character; the tables have the character of newer versions.
CORRECTED = {("palmos", 0x9B): "\x9b"}


def text_codecs() -> list[str]:
    """Return the names of Python's text codecs on this system."""
    names = []
    for module in pkgutil.iter_modules(encodings.__path__):
        try:
            info = codecs.lookup(module.name)
        except LookupError:
            continue
        if info._is_text_encoding and module.name not in ("mbcs", "oem"):
            names.append(module.name)
    return names


def decoded(name: str, data: bytes) -> str:
    """Decode with Python's codec, with U+FFFD for bytes without a character."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return data.decode(name, "replace")


def single_byte_codecs() -> list[str]:
    """Return the names of the codecs in which every byte is one character."""
    return [
        name
        for name in text_codecs()
        if name not in UNREADABLE
        and not name.startswith("iso2022")
        and len(decoded(name, bytes(range(256)))) == 256
        and all(len(decoded(name, bytes([byte]))) == 1 for byte in range(256))
        and name not in ("ascii", "utf_8", "utf_8_sig")
    ]


def test_single_byte_codecs_decode_every_byte_as_python_does(tmp_path: Path) -> None:
    """40 of Python's codecs were refused, and KOI8-U had two letters in place of box drawings."""
    for name in single_byte_codecs():
        # Two letters between the bytes keep CR from becoming part of a line ending.
        known = [
            byte
            for byte in range(256)
            if decoded(name, bytes([byte])) not in ("\ufffd", CORRECTED.get((name, byte)))
        ]
        data = b"".join(bytes([byte]) + "ab".encode(name) for byte in known)
        path = tmp_path / name
        path.write_bytes(data)
        page = read_text(path, encoding=name, kind="text")
        assert page.content == data.decode(name), name
        assert not page.lossy, name
        assert data.decode(page.encoding) == page.content, name


def test_text_encoded_by_python_is_decoded(tmp_path: Path) -> None:
    text = "first line\nsecond line\n"
    for name in sorted(set(text_codecs()) - UNREADABLE):
        path = tmp_path / f"{name}.txt"
        path.write_bytes(text.encode(name))
        # UTF-32 without a BOM would otherwise count as binary.
        page = read_text(path, encoding=name, kind="text")
        assert (page.content, page.total_lines, page.lossy) == (text, 2, False), name


def test_every_python_alias_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"abc")
    readable = set(text_codecs()) - UNREADABLE
    for alias, name in aliases.items():
        if name in readable:
            read_text(path, encoding=alias)


@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_unsupported_codec_is_refused_without_suggesting_another(tmp_path: Path, name: str) -> None:
    """For `cp437` the hint was to pass `cp932`, which decodes the same bytes to other characters."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"abc")
    with pytest.raises(errors.BadArgumentError) as caught:
        read_text(path, encoding=name)
    message, hint = str(caught.value).split("\n")
    assert message.endswith(f"must be a supported encoding, which {name} is not: `{name}`")
    assert hint == "hint: convert the file to UTF-8 first, or leave encoding out to have it detected"


def test_ebcdic_lines_end_at_the_ebcdic_line_feed(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("HELLO\r\nWORLD\nEND".encode("cp037"))
    page = read_text(path, encoding="cp037", offset=2, limit=1)
    assert (page.content, page.total_lines, page.line_ending) == ("WORLD\n", 3, "mixed")
