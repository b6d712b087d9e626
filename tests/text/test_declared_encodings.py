"""An encoding that a text declares is used if the bytes permit it, always with a notice."""

from __future__ import annotations

import tokenize
from pathlib import Path
from typing import Any

import pytest

from helpers.texts import read_text


def write(directory: Path, name: str, data: bytes) -> Path:
    path = directory / name
    path.write_bytes(data)
    return path


def notices(page: Any) -> dict[str, Any]:
    """Return the notices of a result by their codes."""
    return {notice.code: notice for notice in page.notices}


DECLARING = {
    "pep263.py": ("# coding: iso-8859-5\n", "iso-8859-5"),
    "second.py": ("#!/usr/bin/python\n# -*- coding: iso-8859-5 -*-\n", "iso-8859-5"),
    "vim.py": ("# vim: set fileencoding=iso-8859-5 :\n", "iso-8859-5"),
    "magic.rb": ("# frozen_string_literal: true\n# encoding: ISO-8859-5\n", "iso-8859-5"),
    "emacs.el": (";; -*- mode: lisp; coding: iso-8859-5-unix -*-\n", "iso-8859-5"),
    "modeline.c": ("/* vim: ts=8 fenc=iso-8859-5\n */\n", "iso-8859-5"),
    "script.vim": ('" a plugin\nscriptencoding iso-8859-5\n', "iso-8859-5"),
    "data.xml": ('<?xml version="1.0" encoding="ISO-8859-5"?>\n<a>\n', "iso-8859-5"),
    "quotes.xml": ("<?xml version='1.0' encoding='ISO-8859-5'?>\n<a>\n", "iso-8859-5"),
    "page.html": ("<!DOCTYPE html>\n<html><head><META CharSet=ISO-8859-5>\n", "iso-8859-5"),
    "old.html": (
        '<html><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-5">\n',
        "iso-8859-5",
    ),
    "style.css": ('@charset "ISO-8859-5";\n', "iso-8859-5"),
    "paper.tex": ("\\documentclass{article}\n\\usepackage[iso-8859-5]{inputenc}\n", "iso-8859-5"),
    "ru.po": ('msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=ISO-8859-5\\n"\n', "iso-8859-5"),
    "dos.py": ("# coding: cp855\n", "cp855"),
}


@pytest.mark.parametrize("name", DECLARING)
def test_declaration_is_used_with_a_notice(tmp_path: Path, name: str) -> None:
    """A file that declares iso-8859-5 was decoded as Big5, without a notice."""
    start, encoding = DECLARING[name]
    text = start + "Ўт№Ф\n"
    page = read_text(write(tmp_path, name, text.encode(encoding)))
    assert (page.content, page.encoding, page.lossy) == (text, encoding, False)
    assert 0.9 <= page.encoding_confidence < 1
    notice = notices(page)["declared_encoding"]
    assert notice.data == {
        "encoding": encoding,
        "declared": encoding,
        "declared_by": notice.data["declared_by"],
    }
    assert notice.message.startswith(f"the text is decoded as {encoding}, which ")


@pytest.mark.parametrize(
    "last", ["# vim: fileencoding=iso-8859-5", "# Local Variables:\n# coding: iso-8859-5\n# End:"]
)
def test_declaration_in_the_last_lines_is_used(tmp_path: Path, last: str) -> None:
    text = "first\nsecond\nthird\n" * 9 + f"Ўт№Ф\n{last}\n"
    page = read_text(write(tmp_path, "x", text.encode("iso-8859-5")))
    assert (page.content, page.encoding) == (text, "iso-8859-5")


@pytest.mark.parametrize(
    "data",
    [
        b"# coding: iso-8859-15\n\xa4\n",
        b"#!/bin/sh\n# coding=latin-1\n\xa4\n",
        b"# vim:fileencoding=koi8-r\n\xd1\xc2\n",
        b"\n# coding: cp1251\n\xd1\xc2\n",
        b"# -*- coding: utf-8-unix -*-\n\xc3\xa9\n",
        b"# -*- coding: latin-1-unix -*-\n\xe9\n",
        b"# coding : koi8-r\n\xd1\xc2\xd1\xc2\n",
        b"\x0c# coding: cp866\n\x8e\xaa\n",
    ],
)
def test_declaration_is_used_where_python_uses_it(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path, "x.py", data)
    page = read_text(path)
    try:
        with path.open("rb") as file:
            expected, _ = tokenize.detect_encoding(file.readline)
    except SyntaxError:
        # Without a declaration Python expects UTF-8, which this is not.
        assert "declared_encoding" not in notices(page)
        return
    assert page.content == data.decode(expected)


def test_declaration_does_not_override_valid_utf8(tmp_path: Path) -> None:
    text = "# coding: latin-1\nnaïve café — “quoted”\n"
    for data in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.encode() * 50_000):
        page = read_text(write(tmp_path, "x.py", data), limit=2)
        assert (page.content, page.encoding, page.encoding_confidence) == (text, "utf-8", 1.0)
        notice = notices(page)["declaration_ignored"]
        assert notice.data == {
            "encoding": "utf-8",
            "declared": "iso-8859-1",
            "declared_by": "comment",
            "decodable": True,
        }
        assert notice.message == (
            "a comment in the first two lines declares iso-8859-1, which the bytes contradict; "
            "decoded as utf-8"
        )


@pytest.mark.parametrize("label", ["ascii", "US-ASCII"])
def test_declaration_of_ascii_is_ignored_with_a_notice_in_other_text(tmp_path: Path, label: str) -> None:
    """It was taken for one of UTF-8."""
    for text, ignored in (("größe", True), ("size", False)):
        page = read_text(write(tmp_path, "x.py", f"# coding: {label}\n{text}\n".encode()))
        notice = notices(page).get("declaration_ignored")
        assert (notice is not None) is ignored
        assert notice is None or (notice.data["encoding"], notice.data["declared"]) == ("utf-8", "ascii")


def test_contradicted_declaration_is_ignored_with_a_notice(tmp_path: Path) -> None:
    text = "# coding: %s\nL’été dernier, déjà à Noël, le garçon très naïf a mangé des œufs.\n"
    for declared, name in (("utf-8", "utf-8"), ("euc-jp", "euc-jp"), ("utf-16", "utf-16-le")):
        data = (text % declared).encode("cp1252")
        page = read_text(write(tmp_path, "x.py", data))
        assert (page.encoding, page.content) == ("windows-1252", data.decode("cp1252"))
        assert notices(page)["declaration_ignored"].data == {
            "encoding": "windows-1252",
            "declared": name,
            "declared_by": "comment",
            "decodable": True,
        }


@pytest.mark.parametrize(
    ("label", "name", "words"),
    [
        ("johab", "johab", "johab, which is not supported"),
        ("klingon", None, "an unknown encoding"),
    ],
)
def test_unsupported_declared_encoding_is_named_in_a_notice(
    tmp_path: Path, label: str, name: str | None, words: str
) -> None:
    page = read_text(
        write(tmp_path, "x.py", f"# coding: {label}\n".encode() + b"caf\xe9, tr\xe8s na\xefve\n")
    )
    notice = notices(page)["declaration_ignored"]
    assert notice.message == f"a comment in the first two lines declares {words}; decoded as {page.encoding}"
    assert notice.data["declared"] == name


@pytest.mark.parametrize(
    "data",
    [
        b"# coding: latin-1\nascii\n",
        '# coding: utf-8\n"é"\n'.encode(),
        '# -*- coding: undecided -*-\n"é"\n'.encode(),
        'text = "coding: latin-1"\n"é"\n'.encode(),
        'html = "<meta charset=latin-1>"\n"é"\n'.encode(),
        'x = 1\n# coding: latin-1\n"é"\n'.encode(),
    ],
)
def test_redundant_or_missing_declaration_gives_no_notice(tmp_path: Path, data: bytes) -> None:
    page = read_text(write(tmp_path, "x.py", data))
    assert (page.content, notices(page)) == (data.decode(), {})


def test_encoding_argument_overrides_the_declaration(tmp_path: Path) -> None:
    path = write(tmp_path, "x.py", b"# coding: koi8-r\n\xd1\n")
    page = read_text(path, encoding="cp1251")
    assert page.encoding == "windows-1251"
    assert notices(page) == {}
