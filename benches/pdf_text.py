"""How much of the text of PDF pages anyread extracts, compared with poppler; run by hand.

Word recall is the share of poppler's words that anyread also has, and word precision the share of anyread's
words that poppler also has. Words are compared as multisets per page, for pages of at least 20 words. The
order is the share of these words that are in the same order: the longest rising sequence of their places.

usage: python -m benches.pdf_text [DIRECTORY]   (default: the PDFs of ANYREAD_CORPUS; needs pdftotext)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import unicodedata
from bisect import bisect_left
from collections import Counter, deque
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
    """One page: how many words both have, poppler has, and anyread has, and how many are in one order."""

    name: str
    both: int
    expected: int
    found: int
    in_order: int


def words(text: str) -> list[str]:
    """Return the words that have a letter or digit, with ligatures and full-width forms resolved."""
    plain = "".join(
        character
        for character in unicodedata.normalize("NFKC", text)
        if unicodedata.category(character) not in UNSEEN
    )
    return [word for word in plain.split() if any(map(str.isalnum, word))]


def in_order(expected: list[str], found: list[str]) -> int:
    """Return how many words of both are in the same order."""
    places: dict[str, deque[int]] = {}
    for place, word in enumerate(expected):
        places.setdefault(word, deque()).append(place)
    ends: list[int] = []
    """The last place of the best rising sequence of each length."""
    for word in found:
        if places.get(word):
            place = places[word].popleft()
            at = bisect_left(ends, place)
            ends[at : at + 1] = [place]
    return len(ends)


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
        if len(expected) >= MIN_WORDS:
            both = (Counter(expected) & Counter(found)).total()
            name, same = f"{path.name} {page.number}", in_order(expected, found)
            compared.append(Judged(name, both, len(expected), len(found), same))
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
    print(f"mean of pages: order {fmean(page.in_order / max(1, page.both) for page in pages):.4f}")
    by_page = fmean(page.both / page.expected for page in pages)
    found = fmean(page.both / page.found if page.found else 0 for page in pages)
    print(f"mean of pages: word recall {by_page:.4f}, word precision {found:.4f}")
    print("worst pages: both, poppler, anyread")
    for page in sorted(pages, key=lambda page: 2 * page.both - page.expected - page.found)[:WORST]:
        print(f"  {page.name}: {page.both:,}, {page.expected:,}, {page.found:,}")
    return recall, precision


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS / "files" / "pdfs")
