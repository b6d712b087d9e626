"""When a decoder sends the file unchanged, and when it encodes the image again."""

from __future__ import annotations

import pytest
from PIL import Image

from anyread.decoding.child import encoding, images, pages
from anyread.decoding.child.damage import RefusalError
from anyread.results.blocks import inspected
from helpers.media import decoded, difference, drawing, encoded, noise, pdf

WANTED = encoding.Wanted(tuple(encoding.MEDIA_TYPES.values()), None, None, None, 50_000_000, 80)
SOUND = WANTED._replace(original="sound")


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


@pytest.mark.parametrize("is_blank_drawn", [True, False])
def test_blank_page_is_rendered_if_requested(is_blank_drawn: bool) -> None:
    document = pages.PdfFile(pdf([b""]), passwords=[])
    page = document.page(pages.WantedPage(1, 1_000, 100, WANTED, is_blank_drawn=is_blank_drawn))
    assert bool(page.image) is is_blank_drawn
    assert page.header["blank"] is True
    document.close()
