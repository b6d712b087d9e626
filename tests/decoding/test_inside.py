"""The child's side of a decoder, run in this process: jobs over a socket, without limits or sandbox."""

from __future__ import annotations

import os
import resource
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import AvifImagePlugin, Image, PngImagePlugin

from anyread.decoding.child import images, preload, worker
from anyread.decoding.host.children import MAX_FILES
from anyread.decoding.protocol import Frame, receive, send
from anyread.running.threads import run as run_sync
from media import decoded, difference, drawing, encoded, noise, pdf, text_page, text_pdf

TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"]
WANTED = {
    "media_types": TYPES,
    "max_bytes": None,
    "max_edge": 100,
    "max_view_pixels": None,
    "max_pixels": 50_000_000,
    "jpeg_quality": 80,
    "region": None,
    "original": "plain",
    "page": 1,
    "in_strips": False,
}
BUDGET = {"timeout_s": 5, "memory_bytes": 1 << 30, "max_file_bytes": 1 << 24}

Call = Callable[..., Frame]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Serve one connection in a thread, and return a function that exchanges one request and response."""
    for module, name in (
        (Image, "_initialized"),
        (Image, "MAX_IMAGE_PIXELS"),
        (PngImagePlugin, "MAX_TEXT_CHUNK"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(AvifImagePlugin, "DEFAULT_MAX_THREADS", 0)
    monkeypatch.setattr(images, "_SAMPLES", [])
    # A process cannot undo these.
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    monkeypatch.setattr(signal, "alarm", lambda _: None)
    monkeypatch.setattr(os, "nice", lambda _: None)
    monkeypatch.setattr(worker, "enter_sandbox", lambda **_: ["files"])
    # This process has run other tests and may be larger than any decoder.
    monkeypatch.setattr(worker, "MAX_RESIDENT_BYTES", 1 << 40)
    preload.preload()
    host_end, child_end = socket.socketpair()
    thread = threading.Thread(target=worker.serve, args=(child_end,))
    thread.start()
    host_end.setblocking(False)

    def request(header: dict[str, Any], payload: bytes = b"", file: Path | None = None) -> Frame:
        descriptors = [] if file is None else [os.open(file, os.O_RDONLY)]
        run_sync(lambda: send(host_end, header, payload, descriptors=descriptors))
        for descriptor in descriptors:
            os.close(descriptor)
        return run_sync(lambda: receive(host_end, max_payload_bytes=1 << 30))

    yield request
    host_end.close()
    thread.join(10)
    child_end.close()
    assert not thread.is_alive()


def image_of(call: Call, data: bytes, **changes: Any) -> Frame:
    return call({"job": "image", **BUDGET, **WANTED, **changes}, data)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "ICO"])
@pytest.mark.parametrize("media_type", TYPES)
def test_every_format_becomes_every_type(call: Call, kind: str, media_type: str) -> None:
    source = drawing(160, 160)
    frame = image_of(call, encoded(source, kind), media_types=[media_type])
    shown = decoded(frame.payload)
    assert (frame.header["media_type"], frame.header["format"]) == (media_type, kind)
    assert shown.size == (frame.header["shown_width"], frame.header["shown_height"])
    assert difference(shown, source) <= 40
    assert frame.header["fit"]
    assert frame.header["walls"] == ["files"]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "YCbCr", "LAB", "I", "F"])
def test_every_mode_is_encoded(call: Call, mode: str) -> None:
    source = drawing(160, 120, "L").convert("RGB") if mode == "LAB" else drawing(160, 120, "L")
    if mode == "LAB":
        data = encoded(Image.merge("LAB", [drawing(160, 120, "L")] * 3), "TIFF")
    else:
        kind = "JPEG" if mode in {"CMYK", "YCbCr"} else "TIFF"
        data = encoded(source.convert(mode), kind)
    frame = image_of(call, data)
    assert decoded(frame.payload).size == (100, 75)


def test_image_over_a_limit_is_compressed_and_shrunk(call: Call) -> None:
    frame = image_of(call, encoded(noise(300, 300), "PNG"), max_bytes=1_000, max_edge=None)
    assert len(frame.payload) <= 1_000
    frame = image_of(call, encoded(drawing(300, 300), "PNG"), max_edge=None, max_view_pixels=10_000)
    assert (frame.header["shown_width"], frame.header["shown_height"]) == (100, 100)
    frame = image_of(call, encoded(noise(40, 40), "PNG"), max_bytes=10, max_edge=None)
    assert frame.header["error"] == "too_large"


def test_region_is_cropped(call: Call) -> None:
    data = encoded(drawing(160, 120), "PNG")
    assert image_of(call, data, region=[10, 10, 50, 40]).header["region"] == [10, 10, 50, 40]
    refused = image_of(call, data, region=[160, 0, 1, 1]).header
    assert (refused["error"], refused["width"], refused["height"]) == ("region", 160, 120)


@pytest.mark.parametrize("cut", [300, 2_000])
def test_truncated_image_is_repaired_or_refused(call: Call, cut: int) -> None:
    data = encoded(drawing(80, 80), "PNG", compress_level=0)
    header = image_of(call, data[: -cut if cut == 300 else cut]).header
    assert header.get("repaired") or header["error"] == "damaged"
    assert header["fit"] == (cut == 300)


def test_file_is_read_from_its_descriptor(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(drawing(30, 30), "PNG"))
    job = {"job": "image", **BUDGET, **WANTED}
    assert bytes(call(job, file=path).payload) == path.read_bytes()
    refused = call({**job, "max_file_bytes": 10}, file=path).header
    assert (refused["error"], refused["unit"]) == ("too_large", "bytes")


def test_pages_are_returned_one_by_one(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    chinese = b"BT /S 30 Tf 72 700 Td <4e2d6587> Tj ET"
    path.write_bytes(pdf([text_page("sea", "land"), chinese, b"", b"0 0 100 100 re f"]))
    opened = call({"job": "pdf", "passwords": [], **BUDGET}, file=path).header
    assert (opened["pages"], opened["encrypted"]) == (4, False)
    page_job = {"job": "page", "max_text_bytes": 3, "dpi": 50, "image": True, "blank": False, **WANTED}
    page_job["first_character"] = 1
    first = call({**page_job, "number": 1})
    assert first.text == b"sea"
    assert first.header["characters"] == 8
    assert decoded(first.payload).size == (77, 100)
    second = call({**page_job, "number": 2}).header
    assert second["missing_fonts"] in (["STSong-Light"], [])
    assert call({**page_job, "number": 3}).header["blank"]
    fourth = call({**page_job, "number": 4}).header
    assert (fourth["text_bytes"], fourth["blank"], fourth["width"]) == (0, False, 77)
    assert call({**page_job, "number": 5}).header["damaged"]
    text_only = call(
        {**page_job, "number": 1, "max_text_bytes": 99, "image": False, "region": None, "first_character": 5}
    )
    assert (text_only.text, text_only.header["characters"]) == (b"land", 8)
    upper = call({**page_job, "number": 1, "max_text_bytes": 99, "region": [0, 0, 612, 70]})
    assert upper.text == b"sea"
    assert (upper.header["width"], upper.header["height"]) == (100, 11)
    outside = call({**page_job, "number": 1, "region": [612, 0, 10, 10]}).header
    assert (outside["error"], outside["width"], outside["height"]) == ("region", 612, 792)


def test_broken_documents_are_refused(call: Call) -> None:
    for data in (b"%PDF-1.4", b"", text_pdf(1)[:80]):
        refused = call({"job": "pdf", "passwords": ["x"], **BUDGET}, data).header
        assert (refused["error"], refused["fit"]) == ("damaged", False)
    assert call({"job": "page", "number": 1, "max_text_bytes": 9, "dpi": 9, "image": False}).header["error"]


def test_process_is_unfit_after_its_maximum_number_of_jobs(call: Call) -> None:
    data = encoded(drawing(9, 9), "PNG")
    fit = [image_of(call, data).header["fit"] for _ in range(MAX_FILES)]
    assert fit == [True] * (MAX_FILES - 1) + [False]
