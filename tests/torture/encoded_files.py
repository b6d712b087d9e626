"""Files in every encoding that anyread decodes, and their text as Python's own codecs decode it.

Broken sequences are those for which the codec with `errors="replace"` and the WHATWG standard agree; for
UTF-8, UTF-16 and UTF-32 that is every kind. In the other multibyte encodings, the standard joins some invalid
pairs into one U+FFFD where Python has two; in windows-125x and cp874 it maps undefined bytes to C1 controls.
"""

from __future__ import annotations

import codecs
import encodings
import pkgutil
import random
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

KIB = 1024
MIB = 1024 * KIB

# Notations for single strings, and encodings that anyread refuses by name.
_REFUSED = frozenset(
    (
        *("euc_jis_2004", "euc_jisx0213", "hz", "iso2022_jp_1", "iso2022_jp_2", "iso2022_jp_2004"),
        *("iso2022_jp_3", "iso2022_jp_ext", "iso2022_kr", "johab", "shift_jis_2004", "shift_jisx0213"),
        *("utf_7", "idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"),
    )
)
_NEEDS_BOM = frozenset(("utf_16", "utf_32", "utf_8_sig"))
_UNDEFINED_ARE_CONTROLS = frozenset((*(f"cp125{number}" for number in range(9)), "cp874"))
# Names that anyread decodes as a superset; only characters that both decode alike are used.
_SUPERSETS = {
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
}
_BOMS = {
    "utf_8": codecs.BOM_UTF8,
    "utf_16_le": codecs.BOM_UTF16_LE,
    "utf_16_be": codecs.BOM_UTF16_BE,
    "utf_32_le": codecs.BOM_UTF32_LE,
    "utf_32_be": codecs.BOM_UTF32_BE,
    "gb18030": b"\x84\x31\x95\x33",
}
_CHARACTERS = (
    "abc XYZ 09 \t\v\f\x1c éüñß ąłż ěřů šđ ğış åæø αβΩ жйЯ ѓђ אבת ابت กขฃ "
    "漢字中文語国國 ぁあんアン ｱｲ 한글말 "
    "€“”—…·×÷ \u00a0\u00ad\u0085\u2028\u2029\u200b\ufeff\u0301\u202e\ufffd\u010a\u0a00\u0d0a\u0a0d "
    "😀👩\u200d💻𠀀"
)
_BROKEN_UTF8 = (
    *(
        b"\x80",
        b"\xbf",
        b"\xc0\xaf",
        b"\xc3",
        b"\xc3(",
        b"\xe0\x80\x80",
        b"\xe0\xa0",
        b"\xe1\x80",
        b"\xe1\x80A",
    ),
    *(b"\xed\xa0\xbd", b"\xed\xb0\x80", b"\xef", b"\xf0\x8f\x90\x80", b"\xf0\x9f\x98", b"\xf0\x9f", b"\xf0"),
    *(
        b"\xf4\x90\x80\x80",
        b"\xf5",
        b"\xf8\x88\x88",
        b"\xfe",
        b"\xff",
        b"\xff\xfe",
        b"\xc3\xc3\xa9",
        b"\x80" * 4,
    ),
    *(b"\xf0\x9f\x98\xf0\x9f\x98\x80", b"\xe2\x82\xe2\x82\xac"),
)
_UNIT_PAIRS_16 = (("\ud83d",), ("\ude00",), ("\ude00", "\ud83d"), ("\ud83d", "\ud83d", "\ude00"), ("\udfff",))
_UNITS_32 = (0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF, 0x0A000000, 0x0D000000)
_BROKEN_PAIRS = (b"\xc8 ", b"\x81 ", b'\xc8"', b"\xc8\n", b"\x81\n", b"\x80\xff")


@dataclass(frozen=True)
class Alphabet:
    """What files in one encoding consist of."""

    codec: str
    unit: int
    characters: tuple[bytes, ...]
    broken: tuple[bytes, ...]

    def encode(self, text: str) -> bytes:
        return text.encode(self.codec)


@dataclass(frozen=True)
class EncodedFile:
    """A file, and its text without byte order mark as Python decodes it."""

    data: bytes
    encoding: str | None
    """The encoding to pass; `None`: the byte order mark decides."""
    text: str


def names() -> list[str]:
    """Return the names of Python's text codecs that anyread decodes without a byte order mark."""
    found = []
    for module in pkgutil.iter_modules(encodings.__path__):
        try:
            info = codecs.lookup(module.name)
        except LookupError:
            continue
        is_ours = module.name not in _REFUSED | _NEEDS_BOM | {"mbcs", "oem"}
        if info._is_text_encoding and is_ours:
            found.append(module.name)
    return found


def decoded(codec: str, data: bytes) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return data.decode(codec, "replace")


@cache
def alphabet(codec: str) -> Alphabet:
    """Return the characters and the broken sequences for files in an encoding."""
    characters = [each.encode(codec) for each in _CHARACTERS if _survives(each, codec)]
    if codec == "utf_8":
        return Alphabet(codec, 1, tuple(characters), _BROKEN_UTF8)
    if codec.startswith("utf_16"):
        broken = ["".join(units).encode(codec, "surrogatepass") for units in _UNIT_PAIRS_16]
        return Alphabet(codec, 2, tuple(characters), tuple(broken))
    if codec.startswith("utf_32"):
        order: Literal["little", "big"] = "little" if codec.endswith("le") else "big"
        return Alphabet(codec, 4, tuple(characters), tuple(number.to_bytes(4, order) for number in _UNITS_32))
    if codec == "ascii":
        return Alphabet(codec, 1, tuple(characters), _BROKEN_PAIRS[-1:])
    if is_multibyte(codec):
        broken = [piece for piece in _BROKEN_PAIRS if codec != "cp932" or b"\xff" not in piece]
        if codec in ("shift_jis", "gb18030", "gb2312", "gbk"):
            broken.remove(b"\x80\xff")
        return Alphabet(codec, 1, tuple(characters), tuple(broken))
    every = [bytes([byte]) for byte in range(256)]
    endings = ("\r", "\n")
    defined = [byte for byte in every if decoded(codec, byte) not in ("\ufffd", *endings)]
    broken = [byte for byte in every if decoded(codec, byte) == "\ufffd"]
    return Alphabet(codec, 1, tuple(defined), () if codec in _UNDEFINED_ARE_CONTROLS else tuple(broken))


def is_multibyte(codec: str) -> bool:
    return codec.startswith(("big5", "cp932", "cp949", "cp950", "euc", "gb", "iso2022", "shift"))


def _survives(character: str, codec: str) -> bool:
    try:
        data = character.encode(codec)
        return data.decode(codec) == data.decode(_SUPERSETS.get(codec, codec)) == character
    except UnicodeError:
        return False


def random_file(
    rng: random.Random, codec: str, size: int, borders: list[int], line_chars: int
) -> EncodedFile:
    """Make a file of about `size` bytes.

    Args:
        rng: Chooses the line ending and the content.
        codec: The encoding; large files in encodings with state are in UTF-8 instead.
        size: The least size in bytes.
        borders: Offsets in bytes; a character, a broken sequence or a line ending lies across each of them.
        line_chars: About how many characters a line has at most.
    """
    if size > 64 * KIB and codec.startswith("iso2022"):
        codec = "utf_8"
    letters = alphabet(codec)
    bom = _BOMS.get(codec, b"") if rng.random() < 0.3 else b""
    endings = rng.choice((("\n",), ("\n",), ("\r\n",), ("\r",), ("\n", "\r\n", "\r", "\r\r\n", "\n\n")))
    ends = [letters.encode(ending) for ending in endings]
    pieces = [*letters.characters, *letters.broken * 3] if rng.random() < 0.6 else [*letters.characters]
    data = bytearray(bom + letters.encode("a"))
    for border in borders:
        _fill(data, border - 64 * letters.unit, rng, pieces, ends, line_chars)
        across = rng.choice([*pieces, *letters.broken, *ends])
        start = border - rng.randrange(0, len(across) + letters.unit, letters.unit)
        data += letters.encode("x") * ((start - len(data)) // letters.unit)
        data += across
    _fill(data, size, rng, pieces, ends, line_chars)
    if rng.random() < 0.5:
        data += rng.choice(ends)
    elif letters.broken and not is_multibyte(codec):
        data += letters.encode("z") + rng.choice(letters.broken)[: rng.randrange(1, 4)]
    odd = len(data) % letters.unit
    # Python joins an odd last byte and a lone surrogate before it into one U+FFFD; anyread has two.
    is_joined = odd and decoded(codec, bytes(data[:-odd])).endswith("\ufffd")
    content = bytes(data[:-odd] if is_joined else data)
    return EncodedFile(content, None if bom else codec, decoded(codec, content[len(bom) :]))


def random_codecs(rng: random.Random) -> Iterator[str]:
    """Yield encodings; every other one is of those with code units or sequences that a window can cut."""
    unicode = ("utf_8", "utf_8", "utf_8", "utf_16_le", "utf_16_be", "utf_32_le", "utf_32_be", "gb18030")
    while True:
        for codec in rng.sample(every := names(), len(every)):
            yield codec
            yield rng.choice(unicode)


def _fill(
    data: bytearray, size: int, rng: random.Random, pieces: list[bytes], ends: list[bytes], line_chars: int
) -> None:
    """Append lines until the file has `size` bytes, by repeating a few lines."""
    if len(data) >= size:
        return
    lines = bytearray()
    while len(lines) < min(size - len(data), 8 * KIB):
        lines += b"".join(rng.choices(pieces, k=rng.randrange(min(line_chars, KIB) + 1)))
        if line_chars < MIB:
            lines += rng.choice(ends)
    while len(data) < size:
        data += lines
