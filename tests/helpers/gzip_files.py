"""Writers of gzip files: Python's, those of programs if these are installed, and others by hand."""

from __future__ import annotations

import gzip
import shutil
import struct
import subprocess
import zlib
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any

Writer = Callable[[bytes, Random], bytes]
HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
EMPTY = gzip.compress(b"", mtime=0)
_END_OF_BGZF = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def member(text: bytes, *, header: bytes = HEADER, flush: int = 0, every: int = 0, **options: Any) -> bytes:
    """Return a member; `options` are those of zlib, which flushes after `every` bytes if it is set."""
    settings = {"level": 6, "wbits": -15, "memLevel": 8, "strategy": zlib.Z_DEFAULT_STRATEGY, **options}
    compressor = zlib.compressobj(method=zlib.DEFLATED, **settings)
    parts = [text[at : at + every] for at in range(0, len(text), every)] if every else [text]
    packed = b"".join(
        compressor.compress(part) + (compressor.flush(flush) if every else b"") for part in parts
    )
    return header + packed + compressor.flush() + struct.pack("<LL", zlib.crc32(text), len(text) % 2**32)


def header(rng: Random) -> bytes:
    """Return a header with all its fields."""
    extra, name = rng.randbytes(rng.randrange(70_000) % 65_536), b"n" * rng.randrange(9_000)
    fields = struct.pack("<H", len(extra)) + extra + name + b".log\0" + b"a comment\0"
    start = b"\x1f\x8b\x08\x1e\x01\x02\x03\x04\x02\x03" + fields
    return start + struct.pack("<H", zlib.crc32(start) & 0xFFFF)


def split(text: bytes, rng: Random, most: int) -> list[bytes]:
    """Return a text in parts of random sizes, some of which are empty."""
    parts, at = [], 0
    while at < len(text):
        size = rng.choice((0, rng.randrange(most)))
        parts.append(text[at : at + size])
        at += size
    return [*parts, b""]


def bgzf(text: bytes) -> bytes:
    """Return what bgzip writes: members of at most 64 KiB whose headers have their sizes."""
    blocks = []
    for at in range(0, len(text), 65_280):
        packed = member(text[at : at + 65_280], header=b"")
        extra = b"\x06\x00BC\x02\x00" + struct.pack("<H", len(packed) + 17)
        blocks.append(b"\x1f\x8b\x08\x04" + b"\0" * 5 + b"\xff" + extra + packed)
    return b"".join(blocks) + _END_OF_BGZF


def _program(*arguments: str) -> Writer:
    return lambda text, _: subprocess.run(arguments, input=text, capture_output=True, check=True).stdout


WRITERS: dict[str, Writer] = {
    "gzip.compress": lambda text, _: gzip.compress(text),
    "level 1": lambda text, _: member(text, level=1),
    "level 9": lambda text, _: member(text, level=9),
    "stored": lambda text, _: member(text, level=0),
    "huffman only": lambda text, _: member(text, strategy=zlib.Z_HUFFMAN_ONLY),
    "run lengths": lambda text, _: member(text, strategy=zlib.Z_RLE),
    "fixed codes": lambda text, _: member(text, strategy=zlib.Z_FIXED),
    "small window": lambda text, _: member(text, wbits=-9, memLevel=1),
    "full flushes": lambda text, _: member(text, flush=zlib.Z_FULL_FLUSH, every=128 << 10),
    "sync flushes": lambda text, _: member(text, flush=zlib.Z_SYNC_FLUSH, every=777),
    "bgzf": lambda text, _: bgzf(text),
    "members": lambda text, rng: b"".join(map(gzip.compress, split(text, rng, 200_000))),
    "empty members": lambda text, rng: EMPTY * 5_000 + b"".join(
        member(part) + EMPTY * rng.randrange(50) for part in split(text, rng, 100_000)
    ),
    "fields": lambda text, rng: b"".join(
        member(part, header=header(rng)) for part in split(text, rng, 900_000)
    ),
    "zeros after it": lambda text, rng: gzip.compress(text) + b"\0" * rng.randrange(100_000),
}  # fmt: skip
"""What writes a gzip file of a text."""
if shutil.which("gzip"):
    WRITERS |= {f"gzip {level}": _program("gzip", level) for level in ("-1", "-9")}
if find_spec("isal"):
    WRITERS["igzip"] = lambda text, _: import_module("isal.igzip").compress(text)
if find_spec("zopfli"):
    # It takes seconds for each MB.
    WRITERS["zopfli"] = lambda text, _: b"".join(
        import_module("zopfli.gzip").compress(part, numiterations=1) if at == 0 else gzip.compress(part)
        for at, part in ((at, text[at : at + 200_000]) for at in range(0, len(text) or 1, 200_000))
    )
if shutil.which("pigz"):
    WRITERS["pigz -i"] = _program("pigz", "-i")


def mutated(data: bytes, rng: Random) -> bytes:
    """Return a file with bytes changed, left out, put twice or cut off; its first three are kept."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        at = rng.randrange(3, len(found) + 1)
        size = rng.choice((1, 2, 8, 500))
        match rng.randrange(6):
            case 0 | 1 if at < len(found):
                found[at] ^= 1 << rng.randrange(8)
            case 2:
                found[at : at + size] = rng.randbytes(size)
            case 3:
                del found[at : at + size]
            case 4:
                found[at:at] = found[at : at + size] or b"\0"
            case _:
                del found[at:]
    return bytes(found)
