"""Rows of docs/catalogue.md about encodings, and about telling text from binary data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import errors
from helpers.texts import TextReader, read_text


def write(directory: Path, name: str, data: bytes | str) -> Path:
    path = directory / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def codes(page: Any) -> set[str]:
    """Return the codes of a result's notices."""
    return {notice.code for notice in page.notices}


@pytest.mark.parametrize("ascii_bytes", [511, 999, 1_023, 4_095, 8_190, 8_191, 65_535])
def test_character_across_the_sniffed_window_is_text(tmp_path: Path, ascii_bytes: int) -> None:
    page = read_text(write(tmp_path, "x.txt", "a" * ascii_bytes + "—"))
    assert (page.encoding, page.lossy) == ("utf-8", False)


def test_utf16_from_notepad_is_decoded(tmp_path: Path) -> None:
    text = "first\r\nзвук\r\n"
    page = read_text(write(tmp_path, "x.txt", b"\xff\xfe" + text.encode("utf-16-le")))
    assert (page.content, page.encoding, page.bom) == (text, "utf-16-le", True)
    assert page.line_ending == "crlf"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_bom_is_detected(tmp_path: Path, encoding: str) -> None:
    text = "// a source file\nint main() { return 0; }\n"
    page = read_text(write(tmp_path, "x.c", text.encode(encoding)))
    assert (page.content, page.encoding, page.bom) == (text, encoding, False)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_latin_and_cjk_in_utf16_without_bom_is_detected(tmp_path: Path, encoding: str) -> None:
    text = "name: 文件读取器 version 3\nauthor: 山田太郎 <yamada@example.org>\n" * 5
    page = read_text(write(tmp_path, "x.txt", text.encode(encoding)))
    assert (page.content, page.encoding) == (text, encoding)


@pytest.mark.parametrize("damage", [b"x", b"\x00\xdc\n\x00"])
def test_utf16_with_an_odd_byte_or_lone_surrogate_is_lossy(tmp_path: Path, damage: bytes) -> None:
    data = b"\xff\xfe" + "fine line\n".encode("utf-16-le") + damage
    page = read_text(write(tmp_path, "x.txt", data))
    assert page.content.startswith("fine line\n\ufffd")
    assert page.lossy
    assert "lossy" in codes(page)


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-32-be"])
def test_utf32_is_detected_by_its_bom(tmp_path: Path, encoding: str) -> None:
    page = read_text(write(tmp_path, "x.txt", "\ufeffå 😀\n漢\n".encode(encoding)))
    assert (page.content, page.encoding, page.bom) == ("å 😀\n漢\n", encoding, True)


@pytest.mark.parametrize("name", ["a.ts", "a.mts", "a.cts", "a.S", "Makefile", "noextension"])
def test_source_code_is_text_under_any_name(tmp_path: Path, name: str) -> None:
    page = read_text(write(tmp_path, name, "export const x: number = 1;\n"))
    assert page.kind == "text"
    assert codes(page) == set()


def test_nul_after_the_sniffed_window_is_kept_with_a_notice(tmp_path: Path) -> None:
    data = b"text line\n" * 900 + b"nul \0 here\n"
    page = read_text(write(tmp_path, "x.txt", data), offset=-1)
    assert page.content == "nul \0 here\n"
    assert "nul" in codes(page)
    assert not page.lossy


def test_nul_shown_as_symbol_is_lossy(tmp_path: Path) -> None:
    path = write(tmp_path, "x.txt", b"text line\n" * 900 + b"nul \0 here\n")
    page = TextReader(limits=anyread.Limits(nul="symbol")).text(path, offset=-1)
    assert page.text.startswith("901\tnul ␀ here\n")
    assert page.lossy


def test_nul_is_refused_if_it_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, "x.txt", b"text line\n" * 900 + b"nul \0 here\n")
    with pytest.raises(errors.BinaryFileError):
        TextReader(limits=anyread.Limits(nul="error")).text(path, offset=-1)


def test_nul_padding_after_a_crash_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "crash.log", b"2026-01-01 event\n" * 1_000 + bytes(4_096))
    page = read_text(path, offset=-2)
    assert page.content == "2026-01-01 event\n" + "\0" * 2_000
    assert "nul" in codes(page)


def test_ansi_color_is_unchanged(tmp_path: Path) -> None:
    text = "\x1b[31mred\x1b[0m\n\x1b(Bplain\n" * 40
    page = read_text(write(tmp_path, "x.log", text))
    assert page.content == text
    assert page.encoding == "utf-8"
    assert "control_characters" in codes(page)


SENTENCES = {
    "gb18030": "全世界无产者，联合起来！这个文件是用国家标准编码保存的，读取的时候不能出现乱码。",
    "big5": "這個檔案是用大五碼儲存的，讀取的時候不能出現亂碼，否則使用者會看不懂內容。",
    "cp932": "このファイルはシフトJISで保存されています。読み込むときに文字化けしてはいけません。",
    "cp949": "이 파일은 확장 완성형 인코딩으로 저장되어 있으며 읽을 때 글자가 깨지면 안 됩니다.",
    "koi8-r": "Этот файл сохранён в кодировке КОИ-8, и при чтении буквы не должны испортиться.",
    "windows-1252": "L’été dernier, déjà à Noël, le garçon – très naïf – a mangé des œufs « brouillés ».",
    "windows-1251": "Этот файл сохранён в кодировке Windows, и при чтении буквы не должны испортиться.",
    "euc-jp": "このファイルは日本語ＥＵＣで保存されています。読み込むときに文字化けしてはいけません。",
}


@pytest.mark.parametrize("encoding", SENTENCES)
def test_legacy_encoding_is_detected(tmp_path: Path, encoding: str) -> None:
    text = f"{SENTENCES[encoding]}\n" * 8
    page = read_text(write(tmp_path, "x.txt", text.encode(encoding)))
    assert page.content == text
    assert not page.lossy
    assert text.encode(page.encoding) == text.encode(encoding)


def test_one_accent_in_a_megabyte_of_ascii_is_decoded(tmp_path: Path) -> None:
    data = b"plain ascii line\n" * 61_000 + b"caf\xe9\n"
    page = read_text(write(tmp_path, "x.txt", data), offset=-1)
    assert page.content == "café\n"


def test_one_bad_byte_in_utf8_is_one_replacement(tmp_path: Path) -> None:
    good = "Ein Satz mit Umlauten: Äpfel, Öl, Übung — und 漢字.\n"
    data = good.encode() * 40 + b"bad \xff byte\n" + good.encode() * 40
    page = read_text(write(tmp_path, "x.txt", data))
    assert page.encoding == "utf-8"
    assert page.content == good * 40 + "bad \ufffd byte\n" + good * 40
    assert page.lossy
    assert page.encoding_confidence < 1
    assert "lossy" in codes(page)


def test_unknown_encoding_suggests_similar_names(tmp_path: Path) -> None:
    with pytest.raises(errors.BadArgumentError) as caught:
        read_text(write(tmp_path, "x.txt", "a\n"), encoding="bg18030")
    assert caught.value.argument == "encoding"
    assert "gb18030" in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["cp1252", "gbk", "ascii"])
def test_output_is_utf8_whatever_the_console_encoding(tmp_path: Path, codec: str) -> None:
    path = write(tmp_path, "x.txt", "check ✓ 😀\n")
    run = subprocess.run(
        [sys.executable, "-m", "anyread", "read", path],
        env=os.environ | {"PYTHONIOENCODING": codec, "LC_ALL": "C", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout == "1\tcheck ✓ 😀\n".encode()


def test_wtf8_is_replaced_and_flagged(tmp_path: Path) -> None:
    page = read_text(write(tmp_path, "w.txt", "naïve 漢字 ".encode() * 9 + b"\xed\xa0\xbd\n"))
    assert page.content.endswith("\ufffd\ufffd\ufffd\n")
    assert page.lossy
    page.text.encode("utf-8")
