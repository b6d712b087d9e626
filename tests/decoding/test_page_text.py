"""The text of PDF pages: lines, rows, form values and annotations, from generated files."""

from __future__ import annotations

from typing import Any

import pytest

from anyread.decoding.child import page_text
from anyread.decoding.child.pages import PdfFile, WantedPage
from helpers.media import HELVETICA, file_of, stream

FORM = b"/Type/XObject/Subtype/Form/BBox[0 0 200 24]/Resources<</Font<</F " + HELVETICA + b">>>>"


def page_pdf(
    content: bytes, *more: bytes, page: bytes = b"", catalog: bytes = b"", font: bytes = HELVETICA
) -> bytes:
    """Return a PDF of one page; `more` are objects from number 5 on."""
    resources = b"/Resources<</Font<</F " + font + b">>>>"
    return file_of(
        [
            b"<</Type/Catalog/Pages 2 0 R" + catalog + b">>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R" + resources + page + b">>",
            stream(content),
            *more,
        ]
    )


def described(data: bytes) -> tuple[str, dict[str, Any]]:
    document = PdfFile(data, passwords=[])
    try:
        page = document.page(WantedPage(1, 100_000, 50, None))
    finally:
        document.close()
    return page.text.decode(), page.header


def text_of(data: bytes) -> str:
    return described(data)[0]


def at(x: float, y: float, text: str, matrix: str = "1 0 0 1") -> bytes:
    return f"BT /F 12 Tf {matrix} {x} {y} Tm ({text}) Tj ET ".encode("latin-1")


def mapped_font(*characters: str) -> bytes:
    """Return a ToUnicode map in which the letters A, B, … mean other characters."""
    lines = b"".join(
        b"<%02X> <%s>\n" % (0x41 + index, character.encode("utf-16-be").hex().encode())
        for index, character in enumerate(characters)
    )
    return stream(
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n"
        b"%d beginbfchar\n%sendbfchar endcmap end end" % (len(characters), lines)
    )


MAPPED = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 5 0 R>>"


# -- lines


@pytest.mark.parametrize("step", [14, 100])
def test_single_characters_in_a_column_are_separate_lines(step: int) -> None:
    """A column of single digits was joined into one number."""
    content = b"".join(at(72, 700 - step * line, digit) for line, digit in enumerate("1345"))
    assert text_of(page_pdf(content)) == "1\n3\n4\n5"


def test_slanted_text_is_one_line() -> None:
    """Every letter of slanted text became a line."""
    content = at(100, 300, "Saint-Sauveur", "0.866 0.5 -0.5 0.866") + at(72, 700, "a map")
    assert sorted(text_of(page_pdf(content)).splitlines()) == ["Saint-Sauveur", "a map"]


def test_line_drawn_twice_is_returned_once() -> None:
    """Text drawn twice with a small shift, to look bold, was returned twice."""
    content = at(72, 700, "Chapter one") + at(72.4, 700.2, "Chapter one") + at(72, 600, "Chapter one")
    assert text_of(page_pdf(content)) == "Chapter one\nChapter one"


def test_text_beyond_the_edges_of_the_page_is_left_out() -> None:
    content = at(72, 700, "shown") + at(700, 650, "right") + at(72, 900, "above") + at(72, -20, "below")
    assert text_of(page_pdf(content + at(600, 100, "cut off"))) == "shown\ncut off"


def test_hyphenated_words_are_joined() -> None:
    """A word hyphenated over two lines kept its hyphen, and the two lines were joined."""
    lines = ["the implemen-", "tation of non-", "Euclidean spaces"]
    content = b"".join(at(72, 700 - 14 * number, line) for number, line in enumerate(lines))
    assert text_of(page_pdf(content)) == "the implementation\nof non-Euclidean\nspaces"


def test_vertical_writing_is_one_line() -> None:
    content = b"".join(at(72, 700 - 12 * number, letter) for number, letter in enumerate("ABC"))
    assert text_of(page_pdf(content, mapped_font("日", "本", "語"), font=MAPPED)) == "日本語"


NAMED = b"/Encoding<</Type/Encoding/Differences[65/u1D465/two/u1F600]>>"


@pytest.mark.parametrize(
    "font",
    [
        MAPPED,
        pytest.param(
            HELVETICA.replace(b">>", NAMED + b">>"),
            marks=pytest.mark.posix("more than 16 bits of a character in pdfium"),
        ),
    ],
)
def test_characters_beyond_16_bits_are_kept(font: bytes) -> None:
    text = text_of(page_pdf(at(72, 700, "AB CB"), mapped_font("𝑥", "2", "😀"), font=font))
    assert text == "𝑥2 😀2"


# -- tables


# -- forms and annotations


def widget(fields: bytes, *, box: str = "120 690 320 714") -> bytes:
    return b"<</Type/Annot/Subtype/Widget/P 3 0 R/F 4/Rect[%s]%s>>" % (box.encode(), fields)


def appearance(text: str) -> bytes:
    return stream(b"/Tx BMC BT /F 12 Tf 2 7 Td (%s) Tj ET EMC" % text.encode(), FORM)


def form_pdf(content: bytes, *fields: bytes, form: bytes = b"") -> bytes:
    """Return a page with form fields; pass the appearances after the fields."""
    shown = [field for field in fields if field.startswith(b"<</Type/Annot")]
    kids = b" ".join(b"%d 0 R" % (5 + number) for number in range(len(shown)))
    resources = b"/DA(/F 12 Tf 0 g)/DR<</Font<</F " + HELVETICA + b">>>>"
    catalog = b"/AcroForm<</Fields[" + kids + b"]" + resources + form + b">>"
    return page_pdf(content, *fields, page=b"/Annots[" + kids + b"]", catalog=catalog)


def test_form_values_are_on_the_lines_of_their_labels() -> None:
    """The values of form fields were missing."""
    data = form_pdf(
        at(72, 697, "Name:") + at(72, 667, "Born:"),
        widget(b"/FT/Tx/T(n)/V(Ada Lovelace)/AP<</N 7 0 R>>"),
        widget(b"/FT/Tx/T(b)/V(1815)/AP<</N 8 0 R>>", box="120 660 320 684"),
        appearance("Ada Lovelace"),
        appearance("1815"),
    )
    assert text_of(data) == "Name:  Ada Lovelace\nBorn:  1815"


def test_form_values_without_an_appearance_are_returned() -> None:
    field = widget(b"/FT/Tx/T(n)/V(Ada Lovelace)")
    with_drawing = text_of(form_pdf(at(72, 697, "Name:"), field, form=b"/NeedAppearances true"))
    assert with_drawing.split() == ["Name:", "Ada", "Lovelace"]
    assert text_of(form_pdf(at(72, 697, "Name:"), field)).split() == ["Name:", "Ada", "Lovelace"]


def test_passwords_and_hidden_fields_are_not_shown() -> None:
    secret = widget(b"/FT/Tx/T(p)/V(hunter2)/Ff 8192")
    hidden = widget(b"/FT/Tx/T(h)/V(unseen)/AP<</N 7 0 R>>").replace(b"/F 4", b"/F 2")
    text = text_of(form_pdf(at(72, 697, "Login"), secret, hidden, appearance("unseen")))
    assert text.strip("* ") == "Login"


@pytest.mark.parametrize("is_drawn", [True, False])
def test_text_boxes_are_returned(is_drawn: bool) -> None:
    """Notes typed onto a page (FreeText) were missing."""
    fields = b"/Type/Annot/Subtype/FreeText/F 4/DA(/F 12 Tf)/Contents(see page 9)/Rect[120 600 320 624]"
    note = b"<<" + fields + (b"/AP<</N 6 0 R>>" if is_drawn else b"") + b">>"
    data = page_pdf(at(72, 700, "a report"), note, appearance("see page 9"), page=b"/Annots[5 0 R]")
    assert text_of(data) == "a report\nsee page 9"


def test_text_extraction_does_not_change_the_image_of_an_annotated_page() -> None:
    """Flattening annotations for the text must not change the rendered page."""
    data = form_pdf(at(72, 697, "Name:"), widget(b"/FT/Tx/T(n)/V(x)/AP<</N 6 0 R>>"), appearance("x"))
    document = PdfFile(data, passwords=[])
    first, second = (document.page(WantedPage(1, 1_000, 50, None)) for _ in range(2))
    assert first == second
    document.close()


# -- unreadable text


@pytest.mark.parametrize(
    ("characters", "expected"), [("\ue000\ue001\ue002", True), ("\x01\x02\x03", True), ("abc", False)]
)
def test_unreadable_text_layer_is_detected(characters: str, expected: bool) -> None:
    """A text layer of private-use or control characters was shown as if it were readable."""
    text, header = described(page_pdf(at(72, 700, "ABC"), mapped_font(*characters), font=MAPPED))
    assert header["unreadable"] is expected
    assert text or characters == "\x01\x02\x03"


def test_text_with_a_few_odd_characters_is_readable() -> None:
    bullets = "\n".join(f"\uf0b7 item {number}" for number in range(9))
    assert not page_text.is_unreadable(bullets)
    assert not page_text.is_unreadable("col one\tcol two\n")
    assert page_text.is_unreadable("\x03\x04 \x05\x06 ok")
