"""When a decoder sends the file itself, and when it makes a picture anew."""

from __future__ import annotations

import pytest
from PIL import Image

from anyread.decoding.child import images, pages
from anyread.decoding.child.damage import RefusalError
from anyread.results.blocks import inspected
from media import decoded, difference, encoded, noise, pdf, picture, text_pdf

WANTED = images.Wanted(tuple(images.MEDIA_TYPES.values()), None, None, None, 50_000_000, 80)
SOUND = WANTED._replace(original="sound")
NEVER = WANTED._replace(original="never")


def turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return encoded(noise(60, 40), "JPEG", exif=exif)


def moving(frames: int = 3) -> bytes:
    first, *more = [noise(40, 30) for _ in range(frames)]
    return encoded(first, "GIF", save_all=True, append_images=more)


@pytest.mark.parametrize("data", [turned(), moving()], ids=["turned", "moving"])
def test_turned_or_moving_file_is_sent_where_sound_is_enough(data: bytes) -> None:
    assert images.fit(data, SOUND).data == data
    assert images.fit(data, WANTED).data != data


def test_limits_hold_for_a_sound_file_too() -> None:
    fitted = images.fit(turned(), SOUND._replace(max_edge=30))
    assert decoded(fitted.data).size == (20, 30)


def ends_a_frame(data: bytes, cut: int) -> bool:
    """Tell whether the bytes up to `cut` and a trailer are a GIF of fewer frames, and no damaged one."""
    try:
        return bool(inspected(data[:cut] + b"\x3b"))
    except ValueError:
        return False


def test_moving_file_is_not_sent_if_a_later_frame_is_damaged() -> None:
    """A cut in the head of a frame was not seen: the frames before it decode, and a trailer was enough."""
    data = moving(6)
    frame = next(cut for cut in range(len(data) // 2, len(data)) if ends_a_frame(data, cut))
    for cut in [*range(frame + 1, frame + 24), frame + 300, len(data) - 100]:
        broken = data[:cut] + b"\x3b"
        try:
            fitted = images.fit(broken, SOUND)
        except RefusalError:
            continue
        assert fitted.data != broken, cut - frame


def test_png_with_a_wrong_checksum_is_made_anew() -> None:
    data = encoded(picture(20, 10), "PNG")
    pixels = data.index(b"IDAT")
    place = pixels + 4 + int.from_bytes(data[pixels - 4 : pixels], "big")
    broken = data[:place] + bytes(4) + data[place + 4 :]
    assert images.fit(data, WANTED).data == data
    fitted = images.fit(broken, WANTED)
    assert fitted.data != broken
    assert difference(decoded(fitted.data), picture(20, 10)) <= 1


def test_plain_file_is_made_anew_where_it_is_never_sent() -> None:
    data = encoded(noise(60, 40), "JPEG", quality=95)
    assert images.fit(data, WANTED).data == data
    fitted = images.fit(data, NEVER)
    assert fitted.data != data
    assert len(fitted.data) < len(data)


def test_even_transparency_does_not_bleach_a_jpeg() -> None:
    source = picture(30, 20)
    veiled = source.copy()
    veiled.putalpha(90)
    fitted = images.fit(encoded(veiled, "PNG"), NEVER._replace(media_types=("image/jpeg",)))
    assert difference(decoded(fitted.data), source) < 12


def test_shaped_transparency_becomes_white() -> None:
    veiled = Image.new("RGBA", (16, 16), (0, 0, 0, 0))
    veiled.putpixel((3, 3), (0, 0, 0, 255))
    fitted = images.fit(encoded(veiled, "PNG"), NEVER._replace(media_types=("image/jpeg",)))
    assert min(decoded(fitted.data).getpixel((12, 12))) > 240  # type: ignore[arg-type]


@pytest.mark.parametrize("is_blank_drawn", [True, False])
def test_blank_page_is_drawn_where_it_is_asked_for(is_blank_drawn: bool) -> None:
    document = pages.PdfFile(pdf([b""]), passwords=[])
    page = document.page(pages.WantedPage(1, 1_000, 100, WANTED, is_blank_drawn=is_blank_drawn))
    assert bool(page.picture) is is_blank_drawn
    assert page.header["blank"] is True
    document.close()


def test_page_with_text_is_drawn_either_way() -> None:
    document = pages.PdfFile(text_pdf(1), passwords=[])
    one, other = (
        document.page(pages.WantedPage(1, 1_000, 100, WANTED, is_blank_drawn=drawn))
        for drawn in (True, False)
    )
    assert one.picture == other.picture != b""
    document.close()
