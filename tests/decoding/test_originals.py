"""When a decoder sends the file unchanged, and when it encodes the image again."""

from __future__ import annotations

import pytest
from PIL import Image

from anyread.decoding.child import encoding, images, pages
from anyread.decoding.child.damage import RefusalError
from anyread.results.blocks import inspected
from helpers.media import decoded, difference, drawing, encoded, noise, pdf, text_pdf

WANTED = encoding.Wanted(tuple(encoding.MEDIA_TYPES.values()), None, None, None, 50_000_000, 80)
SOUND = WANTED._replace(original="sound")
NEVER = WANTED._replace(original="never")


def rotated() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return encoded(noise(60, 40), "JPEG", exif=exif)


def animated(frames: int = 3) -> bytes:
    first, *more = [noise(40, 30) for _ in range(frames)]
    return encoded(first, "GIF", save_all=True, append_images=more)


@pytest.mark.parametrize("data", [rotated(), animated()], ids=["turned", "moving"])
def test_rotated_or_animated_file_is_sent_unchanged_if_sound_is_enough(data: bytes) -> None:
    assert images.fit(data, SOUND).data == data
    assert images.fit(data, WANTED).data != data


def test_limits_apply_to_a_sound_file() -> None:
    fitted = images.fit(rotated(), SOUND._replace(max_edge=30))
    assert decoded(fitted.data).size == (20, 30)


def is_sound_gif(data: bytes, cut: int) -> bool:
    """Return whether the bytes up to `cut` plus a trailer are an undamaged GIF."""
    try:
        return bool(inspected(data[:cut] + b"\x3b"))
    except ValueError:
        return False


def test_animated_file_is_not_sent_unchanged_if_a_later_frame_is_damaged() -> None:
    """A cut in a frame's header was not detected, because the frames before it decode."""
    data = animated(6)
    frame = next(cut for cut in range(len(data) // 2, len(data)) if is_sound_gif(data, cut))
    for cut in [*range(frame + 1, frame + 24), frame + 300, len(data) - 100]:
        broken = data[:cut] + b"\x3b"
        try:
            fitted = images.fit(broken, SOUND)
        except RefusalError:
            continue
        assert fitted.data != broken, cut - frame


def test_png_with_a_wrong_checksum_is_encoded_again() -> None:
    data = encoded(drawing(20, 10), "PNG")
    pixels = data.index(b"IDAT")
    checksum = pixels + 4 + int.from_bytes(data[pixels - 4 : pixels], "big")
    broken = data[:checksum] + bytes(4) + data[checksum + 4 :]
    assert images.fit(data, WANTED).data == data
    fitted = images.fit(broken, WANTED)
    assert fitted.data != broken
    assert difference(decoded(fitted.data), drawing(20, 10)) <= 1


def test_plain_file_is_encoded_again_if_originals_are_never_sent() -> None:
    data = encoded(noise(60, 40), "JPEG", quality=95)
    assert images.fit(data, WANTED).data == data
    fitted = images.fit(data, NEVER)
    assert fitted.data != data
    assert len(fitted.data) < len(data)


def test_uniform_transparency_does_not_bleach_a_jpeg() -> None:
    source = drawing(30, 20)
    transparent = source.copy()
    transparent.putalpha(90)
    fitted = images.fit(encoded(transparent, "PNG"), NEVER._replace(media_types=("image/jpeg",)))
    assert difference(decoded(fitted.data), source) < 12


def test_transparent_areas_become_white() -> None:
    transparent = Image.new("RGBA", (16, 16), (0, 0, 0, 0))
    transparent.putpixel((3, 3), (0, 0, 0, 255))
    fitted = images.fit(encoded(transparent, "PNG"), NEVER._replace(media_types=("image/jpeg",)))
    assert min(decoded(fitted.data).getpixel((12, 12))) > 240  # type: ignore[arg-type]


@pytest.mark.parametrize("is_blank_drawn", [True, False])
def test_blank_page_is_rendered_if_requested(is_blank_drawn: bool) -> None:
    document = pages.PdfFile(pdf([b""]), passwords=[])
    page = document.page(pages.WantedPage(1, 1_000, 100, WANTED, is_blank_drawn=is_blank_drawn))
    assert bool(page.image) is is_blank_drawn
    assert page.header["blank"] is True
    document.close()


def test_page_with_text_is_always_rendered() -> None:
    document = pages.PdfFile(text_pdf(1), passwords=[])
    one, other = (
        document.page(pages.WantedPage(1, 1_000, 100, WANTED, is_blank_drawn=drawn))
        for drawn in (True, False)
    )
    assert one.image == other.image != b""
    document.close()
