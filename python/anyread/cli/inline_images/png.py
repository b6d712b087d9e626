"""The pixels of a PNG, in pure Python.

Images are decoded only in sandboxed processes, with Pillow; those return PNGs, which this module unpacks.
Source: the PNG specification, third edition (w3.org/TR/png-3).
"""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_MAX_PIXELS = 4_000_000
_OPAQUE = 255


class NotSupportedError(Exception):
    """The PNG is interlaced, too large or damaged."""


class Pixels(NamedTuple):
    """An image as three bytes for each pixel, and its opacity."""

    width: int
    height: int
    colors: bytes
    """Red, green and blue of each pixel, row by row."""
    opacity: bytes
    """0 to 255 for each pixel."""


def pixels(png: bytes) -> Pixels:
    """Decode a PNG.

    Raises:
        NotSupportedError: It is interlaced, has over 4 million pixels, or is damaged.
    """
    try:
        return _decoded(png)
    except (struct.error, zlib.error, IndexError, KeyError) as error:
        raise NotSupportedError(str(error)) from error


def _decoded(png: bytes) -> Pixels:
    chunks: dict[bytes, bytes] = {}
    position = 8
    while position + 8 <= len(png):
        size, name = struct.unpack(">I4s", png[position : position + 8])
        chunks[name] = chunks.get(name, b"") + png[position + 8 : position + 8 + size]
        position += size + 12
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if interlaced or not 0 < width * height <= _MAX_PIXELS:
        raise NotSupportedError(f"{width}×{height} pixels, interlaced: {interlaced}")
    channels = _CHANNELS[kind]
    stride = (width * channels * depth + 7) // 8
    size = (stride + 1) * height
    data = zlib.decompressobj().decompress(chunks[b"IDAT"], size)
    if len(data) < size:
        raise NotSupportedError("the data ends early")
    rows = _unfiltered(data, stride, max(1, channels * depth // 8))
    samples = b"".join(_samples(row, depth, width * channels) for row in rows)
    # Gray levels become bytes; palette indexes stay as they are.
    if kind in {0, 4} and depth < 8:
        factor = _OPAQUE // ((1 << depth) - 1)
        samples = samples.translate(bytes(min(_OPAQUE, value * factor) for value in range(256)))
    return Pixels(width, height, *_colors(samples, kind, chunks))


def _unfiltered(data: bytes, stride: int, step: int) -> list[bytearray]:
    """Undo the filter of each row; `step` is the distance to the same byte of the pixel to the left."""
    rows: list[bytearray] = []
    above = bytearray(stride)
    for start in range(0, len(data), stride + 1):
        method, row = data[start], bytearray(data[start + 1 : start + 1 + stride])
        if method == 1:
            for index in range(step, stride):
                row[index] = row[index] + row[index - step] & 255
        elif method == 2:
            row = bytearray((value + up) & 255 for value, up in zip(row, above, strict=True))
        elif method == 3:
            for index in range(stride):
                left = row[index - step] if index >= step else 0
                row[index] = row[index] + (left + above[index] >> 1) & 255
        elif method == 4:
            _undo_paeth(row, above, step)
        rows.append(row)
        above = row
    return rows


def _undo_paeth(row: bytearray, above: bytearray, step: int) -> None:
    for index in range(min(step, len(row))):
        row[index] = row[index] + above[index] & 255
    for index in range(step, len(row)):
        left, up, corner = row[index - step], above[index], above[index - step]
        by_left, by_up, by_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
        near = up if by_up <= by_corner else corner
        if by_left <= by_up and by_left <= by_corner:
            near = left
        row[index] = row[index] + near & 255


def _samples(row: bytearray, depth: int, count: int) -> bytes:
    """Return one byte for each sample of a row."""
    if depth == 8:
        return bytes(row)
    if depth == 16:
        return bytes(row[::2])
    mask, per_byte = (1 << depth) - 1, 8 // depth
    shifts = range(8 - depth, -1, -depth)
    return bytes(byte >> shift & mask for byte in row for shift in shifts)[: min(count, len(row) * per_byte)]


def _colors(samples: bytes, kind: int, chunks: dict[bytes, bytes]) -> tuple[bytes, bytes]:
    """Return red, green and blue of each pixel, and its opacity."""
    if kind == 3:
        palette = chunks[b"PLTE"].ljust(768, b"\0")
        opaque = chunks.get(b"tRNS", b"").ljust(256, b"\xff")[:256]
        red, green, blue = (samples.translate(palette[channel:768:3]) for channel in range(3))
        return _interleaved(red, green, blue), samples.translate(opaque)
    channels = _CHANNELS[kind]
    count = len(samples) // channels
    opacity = samples[channels - 1 :: channels] if kind in {4, 6} else bytes([_OPAQUE]) * count
    if kind in {0, 4}:
        gray = samples[::channels]
        return _interleaved(gray, gray, gray), opacity
    if kind == 2:
        return samples, opacity
    return _interleaved(samples[::4], samples[1::4], samples[2::4]), opacity


def _interleaved(red: bytes, green: bytes, blue: bytes) -> bytes:
    colors = bytearray(3 * len(red))
    colors[::3], colors[1::3], colors[2::3] = red, green, blue
    return bytes(colors)
