"""Whether a file is binary, as JavaScript's package `isbinaryfile` decides it by the first bytes."""

from __future__ import annotations

from typing import Final

SNIFFED_BYTES: Final = 515
"""The first bytes that decide whether a file is binary; the last three only complete a character."""
_SCANNED_BYTES: Final = 512
_MARKS: Final = (b"\xef\xbb\xbf", b"\0\0\xfe\xff", b"\xff\xfe\0\0", b"\x84\x31\x95\x33")
_WIDE_MARKS: Final = (b"\xfe\xff", b"\xff\xfe")
_CONTROLS: Final = bytes([*range(7), *range(15, 32)])


def is_binary(head: bytes) -> bool:
    """Return whether a file is binary: it has a NUL, or over a tenth of its bytes is no text."""
    data = head[:SNIFFED_BYTES]
    if data.startswith(b"%PDF-"):
        return True
    is_plain = data.isascii() and data.translate(None, _CONTROLS) == data
    return not (is_plain or data.startswith((*_MARKS, *_WIDE_MARKS))) and _has_other_bytes(data)


def _has_other_bytes(data: bytes) -> bool:
    scanned = min(len(data), _SCANNED_BYTES)
    suspicious = index = 0
    while index < scanned:
        byte = data[index]
        if byte == 0:
            return True
        if not (7 <= byte <= 14 or 32 <= byte <= 127):
            consumed, is_character = _character(data, index)
            index += consumed
            if not is_character:
                suspicious += 1
                if index >= 32 and suspicious * 100 / scanned > 10:
                    return True
        index += 1
    return suspicious * 100 / scanned > 10 or (suspicious > 1 and _is_protobuf(data[:scanned]))


def _character(data: bytes, index: int) -> tuple[int, bool]:
    """Return how many bytes after the first were read, and whether they are a character of UTF-8."""
    length = 2 if 0xC0 <= data[index] <= 0xDF else 3 if 0xE0 <= data[index] <= 0xEF else 4
    if not 0xC0 <= data[index] <= 0xF7 or index + length > len(data):
        return 0, False
    if all(0x80 <= byte <= 0xBF for byte in data[index + 1 : index + length]):
        return length - 1, True
    return 1, False


def _is_protobuf(data: bytes) -> bool:
    """Return whether bytes are a sequence of fields of a protocol buffer, the last of which may be cut."""
    position = messages = 0
    while True:
        field, position = _varint(data, position)
        wire_type = field & 7
        if wire_type in {0, 2}:
            value, position = _varint(data, position)
            position += max(0, value) if wire_type == 2 else 0
        elif wire_type in {1, 5}:
            position += 8 if wire_type == 1 else 4
        elif position <= len(data):
            return False
        if position > len(data):
            return messages > 0
        messages += 1


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Return a number as 32 bits, and where it ends: past the end, if it is not complete."""
    value = 0
    for index in range(11):
        byte = data[position] if position < len(data) else None
        position += 1
        value |= ((0xFF if byte is None else byte) & 0x7F) << (7 * index % 32)
        if byte is None:
            return _signed(value), len(data) + 1
        if not byte & 0x80:
            return _signed(value), position
    return _signed(value), len(data) + 1


def _signed(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value
