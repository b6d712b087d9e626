"""PDFs: what the model receives of their pages, within which budgets, and notices about the rest."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from anyread.arguments.limits import Limits
from anyread.decoding.host.pdf import OpenPdf
from anyread.decoding.host.pool import Pool
from anyread.errors import (
    BadArgumentError,
    DamagedFileError,
    FileChangedError,
    PasswordRequiredError,
)
from anyread.models.model import Model
from anyread.running import threads
from helpers import media
from helpers.media import (
    decoded,
    encoded,
    file_of,
    noise,
    object_stream_pdf,
    opened,
    pdf,
    read_sync,
    request_of,
    stream,
    text_page,
    text_pdf,
)


def written(tmp_path: Path, data: bytes, name: str = "a.pdf") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


GRAY_JPEG = (
    b"/Type/XObject/Subtype/Image/Width 60/Height 80/ColorSpace/DeviceGray/BitsPerComponent 8"
    b"/Filter/DCTDecode"
)


def scanned(pages: int = 1) -> bytes:
    """Return a PDF whose pages are images."""
    jpeg = encoded(noise(60, 80).convert("L"), "JPEG")
    resources = b"<</XObject<</I %d 0 R>>>>" % (3 + 2 * pages)
    return pdf([b"600 0 0 790 0 0 cm /I Do"] * pages, resources=resources, more=(stream(jpeg, GRAY_JPEG),))


def encrypted(tmp_path: Path, *, user: str, owner: str) -> Path:
    """Write a PDF that is encrypted with 40-bit RC4."""
    import hashlib

    padding = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")

    def rc4(key: bytes, data: bytes) -> bytes:
        state, j = list(range(256)), 0
        for i in range(256):
            j = (j + state[i] + key[i % len(key)]) % 256
            state[i], state[j] = state[j], state[i]
        out, i, j = bytearray(), 0, 0
        for byte in data:
            i = (i + 1) % 256
            j = (j + state[i]) % 256
            state[i], state[j] = state[j], state[i]
            out.append(byte ^ state[(state[i] + state[j]) % 256])
        return bytes(out)

    def padded(password: str) -> bytes:
        return (password.encode("latin-1") + padding)[:32]

    permissions, identity = -4, b"0123456789abcdef"
    owner_entry = rc4(hashlib.md5(padded(owner)).digest()[:5], padded(user))
    key = hashlib.md5(
        padded(user) + owner_entry + permissions.to_bytes(4, "little", signed=True) + identity
    ).digest()[:5]
    content_key = hashlib.md5(key + (4).to_bytes(3, "little") + b"\0\0").digest()[:10]
    content = rc4(content_key, text_page("the secret of the sea"))
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    data = file_of(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F "
            + font
            + b">>>>>>",
            stream(content),
            b"<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P %d>>"
            % (owner_entry.hex().encode(), rc4(key, padding).hex().encode(), permissions),
        ],
        b"/Encrypt 5 0 R/ID[<%s><%s>]" % (identity.hex().encode(), identity.hex().encode()),
    )
    return written(tmp_path, data)


def verify(result: Any) -> None:
    """Check the blocks and the totals of a result independently."""
    for block in result.blocks:
        if hasattr(block, "page_count"):
            assert len(pypdfium2.PdfDocument(block.data)) == block.page_count
        elif hasattr(block, "data"):
            shown = decoded(block.data)
            assert shown.size == (block.width, block.height)
            assert max(shown.size) <= 1_568
        else:
            assert block.text.strip()
    assert result.token_estimate <= 25_000
    assert result.first == result.pages[0].number
    assert result.last == result.pages[-1].number


def codes(result: Any) -> list[str]:
    return [notice.code for notice in result.notices]


def test_text_and_image_of_each_page_are_returned(tmp_path: Path) -> None:
    result = read_sync(written(tmp_path, text_pdf(2)))
    verify(result)
    assert (result.kind, result.mode, result.count, result.degraded) == ("pdf", "both", 2, None)
    assert result.pages[0].text.splitlines()[0] == "line 1 of page 1 tells of the sea"
    assert [type(block).__name__ for block in result.blocks] == ["TextBlock", "ImageBlock"] * 2
    assert result.text.startswith("[page 1 of 2]\nline 1 of page 1")
    assert "\n\n[page 2 of 2]\nline 1 of page 2" in result.text
    assert (result.next, result.truncated, result.footer, codes(result)) == (None, False, "", [])
    assert decoded(result.pages[0].image.data).size == (952, 1_232)


@pytest.mark.parametrize(
    ("pages", "shown", "following"),
    [
        (None, (1, 5), "6-"),
        ("", (1, 5), "6-"),
        ("3", (3, 3), None),
        ("2-4", (2, 4), None),
        ("8-", (8, 11), "12-"),
        ("2-9", (2, 6), "7-9"),
        ("3-8", (3, 7), "8"),
        ("12", (12, 12), None),
    ],
)
def test_requested_pages_are_shown_and_continued(
    tmp_path: Path, pages: str | None, shown: tuple[int, int], following: str | None
) -> None:
    limits = Limits(max_pdf_pages=4 if pages == "8-" else 5)
    result = read_sync(written(tmp_path, text_pdf(12)), request_of(pages=pages), limits=limits)
    verify(result)
    assert (result.first, result.last) == shown
    if following is None:
        assert result.next is None
        assert not result.truncated
    else:
        assert result.next.arguments == {"pages": following, "since_version": result.version}
        assert result.text.endswith(f'of 12 · next: pages="{following}"]')
        assert result.truncated


def test_range_past_the_last_page_ends_there(tmp_path: Path) -> None:
    """A range that ended one page past the last one was refused."""
    path = written(tmp_path, text_pdf(12))
    for pages in ("11-13", "11-900"):
        result = read_sync(path, request_of(pages=pages))
        assert ([page.number for page in result.pages], result.next) == ([11, 12], None)
        (notice,) = result.notices
        assert (notice.code, notice.message) == (
            "pages_clamped",
            "the requested pages end with the last page, 12",
        )
        assert notice.data == {"page_count": 12}


@pytest.mark.parametrize("pages", ["13", "13-14", "900-"])
def test_pages_past_the_last_are_refused_with_the_count(tmp_path: Path, pages: str) -> None:
    with pytest.raises(BadArgumentError, match="12 pages") as caught:
        read_sync(written(tmp_path, text_pdf(12)), request_of(pages=pages))
    assert (caught.value.argument, caught.value.value) == ("pages", pages)


# ---------------------------------------------------------------------------------------------------------


def test_images_are_limited_by_model_and_limits(tmp_path: Path) -> None:
    path = written(tmp_path, text_pdf(6))
    for limits, model in ((Limits(max_images=2), Model.any()), (Limits(), Model(max_images=2))):
        result = read_sync(path, limits=limits, model=model)
        assert sum(page.image is not None for page in result.pages) == 2
        assert result.next.arguments["pages"] == "3-"


def test_page_of_any_size_fits_the_model(tmp_path: Path) -> None:
    for box in (b"[0 0 14400 14400]", b"[0 0 1000000000 1000000000]", b"[0 0 10000 3]", b"[0 0 1 1]"):
        path = written(tmp_path, pdf([b"0 0 100 100 re f", text_page("x")], box=box))
        verify(read_sync(path, limits=Limits(decode_timeout_s=60)))


# ---------------------------------------------------------------------------------------------------------


def test_model_that_accepts_pdfs_gets_the_document(tmp_path: Path) -> None:
    data = text_pdf(3)
    result = read_sync(written(tmp_path, data), model=Model.anthropic())
    verify(result)
    assert (result.mode, result.document.data, result.document.name) == ("document", data, "a.pdf")
    assert [type(block).__name__ for block in result.blocks] == ["TextBlock", "DocumentBlock"]
    assert [page.text.splitlines()[0] for page in result.pages] == [
        f"line 1 of page {number} tells of the sea" for number in (1, 2, 3)
    ]
    assert result.degraded is None
    assert result.token_estimate > 3 * 1_000


def test_pdf_that_changes_before_it_is_sent_is_a_typed_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A decoder sent the PDF: one that a file had taken over could send other bytes, a ValueError."""
    path = written(tmp_path, text_pdf(3))
    original = OpenPdf.original

    def changed(pdf: OpenPdf, *, max_bytes: int) -> bytes:
        path.write_bytes(b"no longer a PDF")
        return original(pdf, max_bytes=max_bytes)

    monkeypatch.setattr(OpenPdf, "original", changed)
    with pytest.raises(FileChangedError):
        read_sync(path, model=Model.anthropic())


@pytest.mark.parametrize(
    ("limits", "model", "reason"),
    [
        (Limits(max_pdf_pages=2), Model.anthropic(), "3 pages exceed the limit of 2"),
        (
            Limits(),
            Model(inputs=frozenset({"text", "image", "pdf"}), max_pdf_bytes=100),
            "bytes exceed the limit of 100",
        ),
        (Limits(max_tokens=3_000), Model.anthropic(), "tokens exceed the limit of 2,500"),
        (
            Limits(),
            Model(inputs=frozenset({"text", "image", "pdf"}), max_pdf_pages=1),
            "3 pages exceed the limit of 1",
        ),
    ],
)
def test_document_that_does_not_fit_becomes_pages(
    tmp_path: Path, limits: Limits, model: Model, reason: str
) -> None:
    result = read_sync(written(tmp_path, text_pdf(3)), limits=limits, model=model)
    assert result.mode == "both"
    assert result.document is None
    assert reason in result.degraded
    assert codes(result) == ["degraded"]


def test_unreadable_text_layer_is_reported_and_the_image_is_sent(tmp_path: Path) -> None:
    """A text layer of private-use characters was sent to the model without a notice."""
    private = stream(
        b"begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        b"1 beginbfrange <20> <7E> <E020> endbfrange endcmap"
    )
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 7 0 R>>"
    resources = b"<</Font<</F " + font + b">>>>"
    data = pdf([text_page("one"), text_page("two")], resources=resources, more=(private,))
    path = written(tmp_path, data)
    result = read_sync(path)
    verify(result)
    assert codes(result) == ["unreadable_text"]
    assert result.notices[0].data["pages"] == [1, 2]
    assert result.pages[0].shown_text == "[page 1 of 2: its text layer is unreadable; see the image]"
    assert all(page.image is not None for page in result.pages)
    text_only = read_sync(path, model=Model.text_only())
    assert "unreadable_text" in codes(text_only)
    assert text_only.pages[0].text.startswith("\ue06f")


def test_requested_pages_are_not_a_degradation(tmp_path: Path) -> None:
    result = read_sync(written(tmp_path, text_pdf(3)), request_of(pages="2"), model=Model.anthropic())
    assert (result.mode, result.degraded, codes(result)) == ("both", None, [])


def test_text_only_model_gets_text(tmp_path: Path) -> None:
    result = read_sync(written(tmp_path, text_pdf(3)), model=Model.text_only())
    assert (result.mode, result.degraded) == ("text", "the model accepts no images")
    assert all(page.image is None and page.text for page in result.pages)


def test_scan_is_shown_as_an_image(tmp_path: Path) -> None:
    result = read_sync(written(tmp_path, scanned(2)))
    verify(result)
    assert (result.mode, codes(result)) == ("images", ["no_text_layer"])
    assert result.notices[0].data == {"pages": [1, 2]}
    assert result.text == "[page 1 of 2: no text layer]\n\n[page 2 of 2: no text layer]"


def test_scan_for_a_text_only_model_is_a_sentence(tmp_path: Path) -> None:
    result = read_sync(written(tmp_path, scanned()), model=Model.text_only())
    assert (result.mode, codes(result)) == ("text", ["no_text_layer", "degraded"])
    assert result.text == "[page 1 of 1: no text layer; it can only be shown as an image]"


@pytest.mark.parametrize("content", [b"1 g 0 0 612 792 re f", b"/G gs 1 g 9 9 300 300 re f"])
def test_page_drawn_white_on_white_is_blank(tmp_path: Path, content: bytes) -> None:
    resources = b"<</ExtGState<</G<</ca .5/BM/Multiply>>>>>>"
    result = read_sync(written(tmp_path, pdf([content], resources=resources)))
    assert result.text == "[page 1 of 1: blank]"


@pytest.mark.parametrize("media_type", ["image/jpeg", "image/png", "image/webp", "image/gif"])
def test_page_has_the_colors_of_the_file_in_every_image_type(tmp_path: Path, media_type: str) -> None:
    content = b"1 0 0 rg 0 0 306 792 re f 0 0 1 rg 306 396 306 396 re f"
    model = dataclasses.replace(Model.any(), image_types=(media_type,))
    (page,) = read_sync(written(tmp_path, pdf([content])), model=model).pages
    assert page.image.media_type == media_type
    shown: Any = decoded(page.image.data).convert("RGB")
    for point, color in (((100, 500), (255, 0, 0)), ((700, 100), (0, 0, 255)), ((700, 1_000), (255,) * 3)):
        assert max(abs(a - b) for a, b in zip(shown.getpixel(point), color, strict=True)) <= 4


CJK = [
    ("SimSun", "GBK-EUC-H", "GB1", "关于浙江", "gbk"),
    ("STSong-Light", "UniGB-UCS2-H", "GB1", "关于浙江", "utf-16-be"),
    ("MSung-Light", "ETen-B5-H", "CNS1", "關於浙江", "big5"),
    ("HeiseiMin-W3", "UniJIS-UCS2-H", "Japan1", "道路を横", "utf-16-be"),
    ("HYSMyeongJo-Medium", "UniKS-UCS2-H", "Korea1", "대한민국", "utf-16-be"),
]


@pytest.mark.parametrize(("font", "encoding", "order", "text", "codec"), CJK)
@pytest.mark.parametrize("is_visible", [True, False])
@pytest.mark.posix("a font that is missing")
def test_single_characters_in_a_missing_font_are_found(
    tmp_path: Path, *, font: str, encoding: str, order: str, text: str, codec: str, is_visible: bool
) -> None:
    """pdfium gave them no size and left them out: the page was "blank"."""
    resources = (
        f"<</Font<</F<</Type/Font/Subtype/Type0/BaseFont/{font}/Encoding/{encoding}/DescendantFonts[<</Type"
        f"/Font/Subtype/CIDFontType0/BaseFont/{font}/CIDSystemInfo<</Registry(Adobe)/Ordering({order})"
        f"/Supplement 2>>/DW 1000/FontDescriptor<</Type/FontDescriptor/FontName/{font}/Flags 4>>>>]>>>>>>"
    )
    shown = " ".join(f"<{character.encode(codec).hex()}> Tj 24 0 Td" for character in text)
    page = f"BT {'' if is_visible else '3 Tr '}/F 24 Tf 72 700 Td {shown} ET".encode()
    result = read_sync(written(tmp_path, pdf([page], resources=resources.encode())))
    if result.pages[0].image is not None:
        pytest.skip("needs a machine without such a font")
    assert result.pages[0].text == text
    assert codes(result) == (["missing_font"] if is_visible else ["hidden_text"])


def test_text_without_characters_is_a_missing_font_and_not_blank(tmp_path: Path) -> None:
    resources = (
        b"<</Font<</F<</Type/Font/Subtype/Type0/BaseFont/Odd/Encoding/Identity-H/DescendantFonts[<</Type/Font"
        b"/Subtype/CIDFontType2/BaseFont/Odd/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
        b"/Supplement 0>>/FontDescriptor<</Type/FontDescriptor/FontName/Odd/Flags 4>>>>]>>>>>>"
    )
    text = b"BT /F 24 Tf 72 700 Td <0123> Tj ET"
    drawn = b" 1 0 0 rg 100 100 200 200 re f"
    result = read_sync(written(tmp_path, pdf([text, text + drawn], resources=resources)))
    assert [page.missing_fonts for page in result.pages] == [("Odd",), ("Odd",)]
    assert [page.image is not None for page in result.pages] == [False, True]
    assert "its text cannot be shown, because its fonts are missing" in result.text
    assert codes(result) == ["missing_font"]


def test_visible_text_in_a_substituted_font_is_not_missing(tmp_path: Path) -> None:
    resources = b"<</Font<</F<</Type/Font/Subtype/TrueType/BaseFont/Garamond/Encoding/WinAnsiEncoding>>>>>>"
    result = read_sync(written(tmp_path, pdf([text_page("Seen in another font")], resources=resources)))
    assert codes(result) == []
    assert result.mode == "both"


# ---------------------------------------------------------------------------------------------------------


def test_user_password_is_required_and_accepted(tmp_path: Path) -> None:
    path = encrypted(tmp_path, user="open", owner="own")
    with pytest.raises(PasswordRequiredError):
        read_sync(path)
    with pytest.raises(PasswordRequiredError):
        read_sync(path, passwords=["wrong", "é"])
    result = read_sync(path, passwords=["wrong", "open"])
    assert result.pages[0].text == "the secret of the sea"


def test_owner_password_alone_does_not_prevent_reading(tmp_path: Path) -> None:
    path = encrypted(tmp_path, user="", owner="own")
    assert read_sync(path).pages[0].text == "the secret of the sea"
    result = read_sync(path, model=Model.anthropic())
    assert (result.mode, result.degraded) == ("both", "models do not accept encrypted PDFs")


def test_file_without_pages_is_damaged_even_after_another_error(tmp_path: Path) -> None:
    """pdfium sets no error for it, so the error of an earlier file was reported: a password was required."""
    protected = encrypted(tmp_path, user="open", owner="own")
    empty = file_of([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>"])
    path = written(tmp_path, empty, "empty.pdf")
    pool = Pool(1)
    try:
        with pytest.raises(PasswordRequiredError):
            read_sync(protected, pool=pool)
        with pytest.raises(DamagedFileError, match="no pages"):
            read_sync(path, pool=pool)
    finally:
        pool.close()


def test_pdf_with_a_wrong_table_offset_is_recovered(tmp_path: Path) -> None:
    data = text_pdf(2).replace(b"startxref\n", b"startxref\n9")
    result = read_sync(written(tmp_path, data))
    assert result.pages[1].text.startswith("line 1 of page 2")


@pytest.mark.parametrize("declared", [5_000, 1_000_000])
def test_pages_that_only_the_count_of_a_file_has_are_none(tmp_path: Path, declared: int) -> None:
    """A file with three pages had `[page 1 of 5,000]`, and `next` went on through damaged pages."""
    data = text_pdf(3).replace(b"/Count 3", b"/Count %d" % declared)
    result = read_sync(written(tmp_path, data), model=Model.text_only())
    assert result.text.startswith("[page 1 of 3]")
    assert (len(result.pages), result.next) == (3, None)


def test_page_that_is_lost_is_counted(tmp_path: Path) -> None:
    data = text_pdf(3).replace(b"/Count 3", b"/Count 4")
    result = read_sync(written(tmp_path, data), model=Model.text_only())
    assert "[page 4 of 4: it is damaged" in result.text


@pytest.mark.parametrize("model", [Model.any(), Model.anthropic()])
def test_object_streams_are_not_encryption(tmp_path: Path, model: Model) -> None:
    result = read_sync(written(tmp_path, object_stream_pdf(b"packed")), model=model)
    assert (result.count, result.degraded, result.notices) == (1, None, ())
    assert result.mode == ("document" if "pdf" in model.inputs else "both")
    assert result.mode == "document" or result.pages[0].text == "packed"


def test_file_that_changes_during_a_read_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path, text_pdf(1))
    for data in (text_pdf(2), b"%PDF-1.4 no more"):
        with opened(path) as file:
            path.write_bytes(data)
            os.utime(path, ns=(1, file.modified_ns + 1))
            with pytest.raises(FileChangedError):
                threads.run(lambda: media.read_opened(file, request_of()))


# ---------------------------------------------------------------------------------------------------------
