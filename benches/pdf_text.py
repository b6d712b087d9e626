"""How much of the text of PDF pages anyread extracts, compared with poppler; run by hand.

Word recall is the share of poppler's words that anyread also has, and word precision the share of anyread's
words that poppler also has. Words are compared as multisets per page, for pages of at least 20 words.

usage: python -m benches.pdf_text [DIRECTORY]   (default: the PDFs of ANYREAD_CORPUS; needs pdftotext)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import anyread

MIN_WORDS = 20
WORST = 10
CORPUS = Path(os.environ.get("ANYREAD_CORPUS", Path(__file__).parents[2] / "shared" / "corpus"))
LIMITS = anyread.Limits(
    max_pdf_pages=10_000, max_tokens=10**9, max_bytes=2**30, decode_timeout_s=60, max_pdf_file_bytes=2**30
)
UNSEEN = {"Cf"}
"""Directional marks and soft hyphens, which poppler may add or drop."""


class Judged(NamedTuple):
    """One page: how many words both have, poppler has, and anyread has."""

    name: str
    both: int
    expected: int
    found: int


def words(text: str) -> Counter[str]:
    """Count the words that have a letter or digit, with ligatures and full-width forms resolved."""
    plain = "".join(
        character
        for character in unicodedata.normalize("NFKC", text)
        if unicodedata.category(character) not in UNSEEN
    )
    return Counter(word for word in plain.split() if any(map(str.isalnum, word)))


def judged(path: Path, reader: anyread.Reader) -> list[Judged]:
    """Judge the pages of one PDF; return an empty list if poppler or anyread cannot read it."""
    result = subprocess.run(["pdftotext", "-q", "-enc", "UTF-8", path, "-"], capture_output=True, check=False)
    if result.returncode:
        return []
    try:
        read = reader.read_sync(path)
    except anyread.ReadError:
        return []
    pages = result.stdout.decode("utf-8", "replace").split("\f")
    compared = []
    for page, text in zip(getattr(read, "pages", ()), pages, strict=False):
        expected, found = words(text), words(page.text)
        if expected.total() >= MIN_WORDS:
            both = (expected & found).total()
            compared.append(Judged(f"{path.name} {page.number}", both, expected.total(), found.total()))
    return compared


def main(directory: Path) -> tuple[float, float]:
    """Judge all PDFs below a directory, print the results, and return recall and precision."""
    if shutil.which("pdftotext") is None:
        sys.exit("pdftotext is not installed: it is part of poppler-utils")
    reader = anyread.Reader(model=anyread.Model.text_only(), limits=LIMITS)
    pages = [page for path in sorted(directory.rglob("*.pdf")) for page in judged(path, reader)]
    if not pages:
        sys.exit(f"no PDF with a page of {MIN_WORDS} words below {directory}")
    both = sum(page.both for page in pages)
    recall = both / sum(page.expected for page in pages)
    precision = both / sum(page.found for page in pages)
    print(f"{len(pages):,} pages: word recall {recall:.4f}, word precision {precision:.4f}")
    by_page = fmean(page.both / page.expected for page in pages)
    found = fmean(page.both / page.found if page.found else 0 for page in pages)
    print(f"mean of pages: word recall {by_page:.4f}, word precision {found:.4f}")
    print("worst pages: both, poppler, anyread")
    for page in sorted(pages, key=lambda page: 2 * page.both - page.expected - page.found)[:WORST]:
        print(f"  {page.name}: {page.both:,}, {page.expected:,}, {page.found:,}")
    return recall, precision


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS / "files" / "pdfs")
