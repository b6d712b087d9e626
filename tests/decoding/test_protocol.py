"""Frames between host and decoders: complete, split anywhere, too large, and malformed."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyread.decoding.host.fitting import _fitted, block
from anyread.decoding.protocol import (
    MAX_HEADER_BYTES,
    PREFIX,
    Descriptors,
    Frame,
    MalformedError,
    field,
    receive,
    text_field,
)
from helpers.media import drawing, encoded


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    one, other = socket.socketpair()
    one.settimeout(5)
    other.setblocking(False)
    yield one, other
    one.close()
    other.close()


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def soon() -> float:
    return time.monotonic() + 2


def framed(header: Any, payload: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return PREFIX.pack(len(text), len(payload)) + text + payload


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (PREFIX.pack(MAX_HEADER_BYTES + 1, 0), "65,537 header bytes"),
        (PREFIX.pack(2, 11) + b"{}", "and 11 payload bytes"),
        (PREFIX.pack(3, 0) + b"{]}", "not valid JSON"),
        (PREFIX.pack(2, 0) + b"[]", "not a JSON object"),
        (PREFIX.pack(3, 0) + b"\xff\xff\xff", "not valid JSON"),
        (PREFIX.pack(60_000, 0) + b"[" * 60_000, "not valid JSON"),
    ],
)
def test_malformed_frame_is_refused(
    ends: tuple[socket.socket, socket.socket], data: bytes, reason: str
) -> None:
    one, other = ends
    one.sendall(data)
    with pytest.raises(MalformedError, match=reason):
        receive(other, max_payload_bytes=10, deadline=soon())


def test_descriptors_of_a_refused_frame_are_closed(ends: tuple[socket.socket, socket.socket]) -> None:
    one, other = ends
    before = open_descriptors()
    with Path(os.devnull).open("rb") as file:
        socket.send_fds(one, [PREFIX.pack(2, 99) + b"{}"], [file.fileno()])
    with pytest.raises(MalformedError):
        receive(other, max_payload_bytes=1, with_descriptors=True, deadline=soon())
    assert open_descriptors() == before


def test_unexpected_descriptors_are_discarded(ends: tuple[socket.socket, socket.socket]) -> None:
    one, other = ends
    before = open_descriptors()
    with Path(os.devnull).open("rb") as file:
        socket.send_fds(one, [framed({})], [file.fileno()] * 3)
    assert receive(other, max_payload_bytes=0, deadline=soon()).header == {}
    assert open_descriptors() == before


@pytest.mark.parametrize(
    ("value", "kind", "maximum"),
    [
        ("1", int, 10),
        (True, int, 10),
        (-1, int, 10),
        (11, int, 10),
        (10**400, int, sys.maxsize),
        (None, str, 10),
        (1.0, int, 10),
    ],
)
def test_malformed_field_is_refused(value: Any, kind: type, maximum: int) -> None:
    with pytest.raises(MalformedError, match="`a`"):
        field({"a": value}, "a", kind, maximum=maximum)
    with pytest.raises(MalformedError, match="`b`"):
        field({"a": value}, "b", kind, maximum=maximum)


JOB = {
    "media_types": ["image/png"],
    "max_bytes": 10_000,
    "max_edge": 100,
    "max_view_pixels": 5_000,
    "max_pixels": 10**9,
}


@pytest.mark.parametrize(
    ("media_type", "size", "extra"),
    [
        ("image/jpeg", (8, 8), b""),
        ("image/png", (8, 9), b""),
        ("image/png", (101, 1), b""),
        ("image/png", (90, 90), b""),
        ("image/png", (8, 8), b"x" * 10_000),
    ],
)
def test_image_that_was_not_requested_is_refused(
    media_type: str, size: tuple[int, int], extra: bytes
) -> None:
    """Only the type was compared: a decoder could send 20,000 × 20,000 pixels to any model."""
    real = (8, 8) if size == (8, 9) else size
    data = encoded(drawing(*real), "PNG") + extra
    with pytest.raises(MalformedError):
        block(data, media_type, *size, JOB)
    assert block(encoded(drawing(8, 8), "PNG"), "image/png", 8, 8, JOB).width == 8


@pytest.mark.parametrize("number", [10**400, float("nan"), float("-inf")])
def test_impossible_numbers_are_refused(number: float) -> None:
    """They ended a read with `OverflowError` or `ZeroDivisionError`, or in a result that JSON cannot hold."""
    numbers = {
        "shown_width": 8,
        "shown_height": 8,
        "width": 8,
        "height": 8,
        "frames": 1,
        "page": 1,
        "pages": 1,
    }
    flags = {"orientation_applied": False, "repaired": False}
    header = {"media_type": "image/png", "format": "PNG", **numbers, **flags, "spread": [0, 255.5]}
    payload = encoded(drawing(8, 8), "PNG")
    assert _fitted(Frame(header, b"", payload, Descriptors()), JOB).spread == (0.0, 255.5)
    wrong = [
        ("spread", [0, number]),
        *((name, value) for name in numbers for value in (number, 0, 2**31 + 1)),
    ]
    wrong += [("region", [0, 0, 0, 1]), ("region", [0, 0, 1, 2**31 + 1])]
    for name, value in wrong:
        with pytest.raises(MalformedError):
            _fitted(Frame({**header, name: value}, b"", payload, Descriptors()), JOB)


def test_texts_of_a_decoder_are_printable_and_on_one_line() -> None:
    header = {"reason": "\x1b]0;x\x07\u202e\n" + "long " * 200}
    text = text_field(header, "reason", 100)
    assert text.isprintable()
    assert len(text) < 200
