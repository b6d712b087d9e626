"""What a PDF has besides the text that its pages draw: comments, layers, attached files, hidden text."""

from __future__ import annotations

from pathlib import Path

import pytest

import anyread
from helpers.command_line import run
from helpers.media import HELVETICA, drawing, encoded, one_page, stream, text_at, text_pdf

READERS = [anyread.Reader(), anyread.Reader(model="text-only")]


def text_of(tmp_path: Path, data: bytes, reader: anyread.Reader = READERS[0]) -> str:
    (tmp_path / "a.pdf").write_bytes(data)
    return reader.read_sync(tmp_path / "a.pdf", kind="pdf", pages="1-").pages[0].text


# -- comments


def annotated(*annotations: bytes) -> bytes:
    numbers = b" ".join(b"%d 0 R" % (5 + index) for index in range(len(annotations)))
    objects = (b"<</Type/Annot/Rect[72 500 300 540]" + annotation + b">>" for annotation in annotations)
    return one_page(text_at(72, 700, "The body of it"), *objects, page=b"/Annots[" + numbers + b"]")


@pytest.mark.parametrize("reader", READERS, ids=["images", "text-only"])
@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("Text", "note by Ada"),
        ("Highlight", "highlight by Ada"),
        ("Caret", "insertion by Ada"),
        ("Stamp", "stamp by Ada"),
        ("Ink", "drawing by Ada"),
        ("Redact", "redaction by Ada"),
        ("Popup", "note by Ada"),
        ("FileAttachment", "attached file by Ada"),
    ],
)
def test_comment_has_its_kind_author_and_text(
    tmp_path: Path, reader: anyread.Reader, kind: str, label: str
) -> None:
    """The text of a comment was nowhere, and of a note the picture has only an icon."""
    comment = f"/Subtype/{kind}/Contents(Is this\\rright?)/T(Ada)".encode()
    assert text_of(tmp_path, annotated(comment), reader) == f"The body of it\n[{label}] Is this\nright?"


def test_comment_quotes_what_it_marks_and_replies_are_named(tmp_path: Path) -> None:
    marked = b"/Subtype/Highlight/Contents(Why?)/T(Ada)/QuadPoints[94 712 122 712 94 696 122 696]"
    reply = b"/Subtype/Text/Contents(Because.)/T(Ben)/IRT 5 0 R"
    hidden = b"/Subtype/Text/Contents(Gone.)/F 2"
    silent = b"/Subtype/Highlight/T(Ada)/QuadPoints[94 712 122 712 94 696 122 696]"
    assert text_of(tmp_path, annotated(marked, reply, hidden, silent)).splitlines() == [
        "The body of it",
        '[highlight of "body" by Ada] Why?',
        "[reply by Ben] Because.",
    ]


@pytest.mark.parametrize("reader", READERS, ids=["images", "text-only"])
def test_text_box_without_an_appearance_is_text(tmp_path: Path, reader: anyread.Reader) -> None:
    """It was missing for a model that accepts images, because drawing the page gives it an appearance."""
    box = b"/Subtype/FreeText/Contents(A box)/DA(/Helv 12 Tf)"
    assert text_of(tmp_path, annotated(box), reader) == "The body of it\nA box"


# -- layers

FORM = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F " + HELVETICA + b">>>>"
RESOURCES = b"/Properties<</ON 5 0 R/OFF 6 0 R>>/XObject<</A 7 0 R/B 8 0 R/C 9 0 R>>"
CATALOG = b"/OCProperties<</OCGs[5 0 R 6 0 R]/D<</OFF[6 0 R]>>>>"


@pytest.mark.parametrize("reader", READERS, ids=["images", "text-only"])
@pytest.mark.parametrize("note", [b"", b"/Annots[10 0 R]"])
def test_text_of_layers_that_are_off_is_left_out(tmp_path: Path, reader: anyread.Reader, note: bytes) -> None:
    """A switched-off draft stamp was read as text of the page, which its picture does not have."""
    content = (
        text_at(72, 700, "always")
        + b"/OC/ON BDC " + text_at(72, 680, "layer on") + b"EMC "
        + b"/OC/OFF BDC " + text_at(72, 660, "layer off") + b"EMC "
        + b"/A Do /B Do /C Do 0 0 0 rg 60 560 200 20 re f "
    )  # fmt: skip
    inner = b"/OC/OFF BDC " + text_at(72, 540, "inner off") + b"EMC " + text_at(72, 520, "inner on")
    objects = (
        b"<</Type/OCG/Name(On)>>",
        b"<</Type/OCG/Name(Off)>>",
        stream(text_at(72, 600, "form off"), FORM + b"/OC 6 0 R"),
        # White text, and text under a rectangle, are hidden in another way.
        stream(b"1 g " + text_at(72, 580, "form white") + b"0 g " + text_at(72, 565, "covered"), FORM),
        stream(inner, FORM.replace(b"/Font", b"/Properties<</OFF 6 0 R>>/Font", 1)),
        b"<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(Hm)>>",
    )
    data = one_page(content, *objects, page=note, catalog=CATALOG, resources=RESOURCES)
    shown = ["always", "layer on", "form white", "covered", "inner on", *(["[note] Hm"] if note else [])]
    assert text_of(tmp_path, data, reader).splitlines() == shown


# -- the document


@pytest.mark.parametrize("scanned", [False, True])
def test_attached_files_are_named_on_the_first_page(tmp_path: Path, scanned: bool) -> None:
    files = b"/Names<</EmbeddedFiles<</Names[(factur-x.xml)5 0 R]>>>>"
    attached = b"<</Type/Filespec/F(factur-x.xml)/EF<</F 6 0 R>>>>", stream(b"<a/>", b"/Type/EmbeddedFile")
    content = b"0.5 g 100 100 200 200 re f" if scanned else text_at(72, 700, "The invoice")
    path = tmp_path / "a.pdf"
    path.write_bytes(one_page(content, *attached, catalog=files))
    result = anyread.read_sync(path, kind="pdf")
    assert result.pages[0].text.endswith('[attached file "factur-x.xml"]')
    # It is no text layer.
    assert [notice.code for notice in result.notices] == (["no_text_layer"] if scanned else [])
    assert anyread.info_sync(path).facts == {"attached": ["factur-x.xml"]}
    assert "\nattached:    factur-x.xml\n" in run("info", path).stdout


@pytest.mark.parametrize("is_dynamic", [True, False])
def test_dynamic_form_is_named(tmp_path: Path, *, is_dynamic: bool) -> None:
    """Of a dynamic XFA form, only its placeholder "Please wait…" was shown, without a notice."""
    form = b"/AcroForm<</XFA 5 0 R/Fields[]>>" + (b"/NeedsRendering true" if is_dynamic else b"")
    path = tmp_path / "a.pdf"
    path.write_bytes(one_page(text_at(72, 700, "Please wait"), stream(b"<xdp/>"), catalog=form))
    result = anyread.read_sync(path, kind="pdf")
    assert [notice.code for notice in result.notices] == (["xfa_form"] if is_dynamic else [])


def test_page_that_is_cut_out_of_nothing_is_shown_whole(tmp_path: Path) -> None:
    """A page whose crop box is outside of it had neither text nor image."""
    path = tmp_path / "a.pdf"
    path.write_bytes(one_page(text_at(72, 700, "inside"), page=b"/CropBox[1000 1000 1200 1200]"))
    (page,) = anyread.read_sync(path, kind="pdf").pages
    assert page.text == "inside"
    assert page.image is not None


def test_tiny_page_has_no_missing_font(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(one_page(text_at(0, 0, "dot", size=0.1), page=b"/CropBox[0 0 0.5 0.5]"))
    notices = anyread.read_sync(path, kind="pdf").notices
    assert [notice.code for notice in notices] == ["hidden_text"]


# -- hidden text


@pytest.mark.parametrize("reader", READERS, ids=["images", "text-only"])
@pytest.mark.parametrize(
    ("content", "ways"),
    [
        (text_at(72, 700, "plain"), []),
        (b"3 Tr " + text_at(72, 600, "hidden"), ["invisible"]),
        (b"1 g " + text_at(72, 600, "hidden"), ["white"]),
        (text_at(72, 600, "hidden", size=0.3), ["tiny"]),
        (text_at(72, 600, "hidden", matrix="0.05 0 0 0.05"), ["tiny"]),
        (text_at(72, 900, "hidden"), ["outside"]),
        (b"1 g " + text_at(72, 900, "hidden") + text_at(72, 600, "hidden"), ["white", "outside"]),
        # Text in a picture or on a dark ground is seen, and invisible text over a scan is its text layer.
        (b"0 0 1 rg 50 500 300 200 re f 1 g " + text_at(72, 600, "seen"), []),
        (b"q 600 0 0 700 0 0 cm /I Do Q 3 Tr " + text_at(72, 600, "layer"), []),
        (b"3 Tr " + text_at(72, 600, "   "), []),
    ],
)
def test_hidden_text_is_reported(
    tmp_path: Path, reader: anyread.Reader, content: bytes, ways: list[str]
) -> None:
    """Text that nobody sees, such as an instruction for models, came without a notice."""
    image = stream(
        b"\x80", b"/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8"
    )
    path = tmp_path / "a.pdf"
    content = text_at(72, 720, "The body of it") + content
    path.write_bytes(one_page(content, image, resources=b"/XObject<</I 5 0 R>>"))
    notices = reader.read_sync(path, kind="pdf", pages="1").notices
    assert [notice.data for notice in notices if notice.code == "hidden_text"] == (
        [{"pages": [1], "ways": ways}] if ways else []
    )


def test_label_of_a_page_is_beside_its_number(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    for label, shown in ((b"/S/r/St 3", ' "iii"'), (b"/S/D/P(A-)", ' "A-1"'), (b"/S/D", "")):
        labels = b"/PageLabels<</Nums[0<<" + label + b">>]>>"
        path.write_bytes(one_page(text_at(72, 700, "preface"), catalog=labels))
        assert anyread.read_sync(path, kind="pdf").text == f"[page 1{shown} of 1]\npreface"


def test_page_is_chosen_by_its_label(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    data = text_pdf(5).replace(b"/Type/Catalog", b"/Type/Catalog/PageLabels<</Nums[0<</S/r>>3<</S/D>>]>>")
    path.write_bytes(data)
    result = anyread.read_sync(path, kind="pdf", pages="iii")
    assert (result.first, result.last, result.next) == (3, 3, None)
    # A number counts pages, also if another page has it as its label.
    assert anyread.read_sync(path, kind="pdf", pages="1").first == 1
    for label in ("iv", "III", "all"):
        with pytest.raises(anyread.BadArgumentError, match="the label of one page"):
            anyread.read_sync(path, pages=label)
    (tmp_path / "a.tif").write_bytes(encoded(drawing(9, 9), "TIFF"))
    with pytest.raises(anyread.BadArgumentError):
        anyread.read_sync(tmp_path / "a.tif", pages="iii")
