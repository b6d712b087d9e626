//! How bytes become characters.
//!
//! [`detect`] chooses the [`Codec`] of a file once. The codec can then decode, count and cut any piece of the
//! file on its own, so that a window in the middle of a file costs no more than one at its start.
//!
//! All methods agree on what a character is: a Unicode scalar value, and one U+FFFD for each malformed piece.
//! Malformed UTF-8 is replaced per maximal subpart, as by `String::from_utf8_lossy` and by Python's
//! `errors="replace"`. In UTF-16, each lone surrogate and an odd last byte are replaced; in UTF-32, each unit
//! that is not a scalar value. All other encodings follow the WHATWG Encoding Standard.
//!
//! Source: <https://encoding.spec.whatwg.org/>, Unicode Standard 3.9 (U+FFFD substitution of maximal subparts).

mod declared;
mod detect;
mod labels;
mod legacy;
mod plausible;
mod tables;
mod utf8;
mod wide;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, ISO_2022_JP, SHIFT_JIS};

pub(crate) use declared::DECLARING_BYTES;
pub use declared::{Declaration, DeclaredBy};
pub use detect::{DetectedEncoding, detect, is_slow_to_detect, with_codec};
pub(crate) use detect::{declares_another, has_hz_shift, has_iso_2022_shift, mark, unmarked};
pub use tables::CodePage;
pub(crate) use utf8::{count_starts, is_start};

/// How bytes become characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// UTF-8, which includes ASCII.
    Utf8,
    /// UTF-16 in one of its byte orders.
    Utf16 {
        /// Whether the high byte comes first.
        big_endian: bool,
    },
    /// UTF-32 in one of its byte orders.
    Utf32 {
        /// Whether the high byte comes first.
        big_endian: bool,
    },
    /// ISO-8859-1 proper: every byte is the character with that code point, so that nothing is ever lost.
    ///
    /// Used if a caller requests it or windows-1252 lacks a byte; the Web's "latin1" is windows-1252.
    Latin1,
    /// An encoding of the WHATWG standard other than the Unicode ones.
    Legacy(&'static Encoding),
    /// A single-byte encoding that only Python has, or that Python decodes differently.
    CodePage(&'static CodePage),
}

impl Codec {
    /// The name of the equivalent Python codec.
    #[must_use]
    pub fn name(self) -> &'static str {
        labels::name(self)
    }

    /// The codec of a label, which is a name from the WHATWG standard or from Python; case, `-`, `_` and
    /// spaces do not matter.
    ///
    /// `utf-16` and `utf-32` without a byte order are little-endian; [`with_codec`] uses the byte-order mark.
    /// `None` for unknown names and for those of [`Codec::unreadable`].
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        labels::from_label(label)
    }

    /// Python's name of the encoding `label`, if this crate cannot decode it (`utf-7`, `johab`, `hz`).
    #[must_use]
    pub fn unreadable(label: &str) -> Option<&'static str> {
        labels::unreadable(label)
    }

    /// Up to five known names that look like `label`, nearest first.
    ///
    /// Names that contain another number (of two or more digits) are not listed; they belong to other encodings.
    #[must_use]
    pub fn near_labels(label: &str) -> Vec<&'static str> {
        labels::near(label)
    }

    /// The size of one code unit in bytes: 1, 2 or 4.
    #[must_use]
    pub fn unit(self) -> usize {
        match self {
            Self::Utf8 | Self::Latin1 | Self::Legacy(_) | Self::CodePage(_) => 1,
            Self::Utf16 { .. } => 2,
            Self::Utf32 { .. } => 4,
        }
    }

    /// Whether every byte is a character.
    #[must_use]
    pub fn is_single_byte(self) -> bool {
        match self {
            Self::Latin1 | Self::CodePage(_) => true,
            Self::Legacy(encoding) => encoding.is_single_byte(),
            Self::Utf8 | Self::Utf16 { .. } | Self::Utf32 { .. } => false,
        }
    }

    /// The value of the code unit that is a line feed: 10, except in EBCDIC.
    #[must_use]
    pub fn line_feed(self) -> u8 {
        match self {
            Self::CodePage(table) => table.byte_of('\n').unwrap_or(b'\n'),
            _ => b'\n',
        }
    }

    /// Whether escapes carry over from one line to the next, so that a line can be decoded only from the
    /// start of the text; true of ISO-2022-JP.
    #[must_use]
    pub fn is_stateful(self) -> bool {
        matches!(self, Self::Legacy(encoding) if encoding == ISO_2022_JP)
    }

    /// The escape sequence in effect after `bytes`: empty for ASCII, and `None` if `bytes` has no escape.
    #[must_use]
    pub fn last_escape(self, bytes: &[u8]) -> Option<&[u8]> {
        if self.is_stateful() { legacy::last_escape(bytes) } else { None }
    }

    /// The maximum number of bytes of one character, including its escape in ISO-2022-JP.
    #[must_use]
    pub fn max_char_bytes(self) -> usize {
        match self {
            Self::Utf8 | Self::Utf16 { .. } | Self::Utf32 { .. } => 4,
            Self::Latin1 | Self::CodePage(_) => 1,
            Self::Legacy(encoding) if encoding.is_single_byte() => 1,
            Self::Legacy(encoding) if encoding == GB18030 || encoding == GBK => 4,
            Self::Legacy(encoding) if encoding == EUC_JP => 3,
            Self::Legacy(encoding) if encoding == BIG5 || encoding == EUC_KR || encoding == SHIFT_JIS => 2,
            Self::Legacy(_) => 5,
        }
    }

    /// Appends the decoded text of `bytes` to `out` and returns whether anything was replaced by U+FFFD.
    ///
    /// `bytes` starts at a character; a byte-order mark is decoded like any other character.
    pub fn decode_into(self, bytes: &[u8], out: &mut String) -> bool {
        match self {
            Self::Utf8 => utf8::decode_into(bytes, out),
            Self::Utf16 { big_endian } => wide::decode_16_into(bytes, big_endian, out),
            Self::Utf32 { big_endian } => wide::decode_32_into(bytes, big_endian, out),
            Self::Latin1 => {
                out.push_str(&encoding_rs::mem::decode_latin1(bytes));
                false
            }
            Self::Legacy(encoding) => legacy::decode_into(encoding, bytes, out),
            Self::CodePage(table) => table.decode_into(bytes, out),
        }
    }

    /// How many characters [`Codec::decode_into`] would append, in constant memory.
    #[must_use]
    pub fn count_chars(self, bytes: &[u8]) -> u64 {
        match self {
            Self::Utf8 => utf8::count_chars(bytes),
            Self::Utf16 { big_endian } => wide::count_16(bytes, big_endian),
            Self::Utf32 { .. } => wide::count_32(bytes),
            Self::Latin1 | Self::CodePage(_) => as_count(bytes.len()),
            Self::Legacy(encoding) if encoding.is_single_byte() => as_count(bytes.len()),
            Self::Legacy(encoding) => legacy::count_chars(encoding, bytes),
        }
    }

    /// The byte length of the first `chars` characters of `bytes`, which starts at a character, and how many
    /// characters there were: fewer if `bytes` ends first.
    ///
    /// The count is one more than requested where one byte sequence is two characters (four sequences of
    /// Big5), so that a reader always advances.
    /// The rest can be decoded on its own, unless the codec [is stateful](Codec::is_stateful).
    #[must_use]
    pub fn skip_chars(self, bytes: &[u8], chars: u64) -> (usize, u64) {
        match self {
            Self::Utf8 => utf8::skip_chars(bytes, chars),
            Self::Utf16 { big_endian } => wide::skip_16(bytes, big_endian, chars),
            Self::Utf32 { .. } => wide::skip_32(bytes, chars),
            Self::Latin1 | Self::CodePage(_) => skip_single(bytes, chars),
            Self::Legacy(encoding) if encoding.is_single_byte() => skip_single(bytes, chars),
            Self::Legacy(encoding) => legacy::skip_chars(encoding, bytes, chars),
        }
    }

    /// The first position at or after `at` that certainly starts a character, or the end of `bytes`.
    ///
    /// `bytes` may start between any two code units.
    /// `None` if finding the position requires decoding from the start of the line: in multi-byte encodings,
    /// whose trail bytes look like lead bytes, and in stateful ones.
    #[must_use]
    pub fn boundary(self, bytes: &[u8], at: usize) -> Option<usize> {
        let at = at.min(bytes.len());
        match self {
            Self::Utf8 => Some(utf8::boundary(bytes, at)),
            Self::Utf16 { big_endian } => Some(wide::boundary_16(bytes, big_endian, at)),
            Self::Utf32 { .. } => Some(at.next_multiple_of(4).min(bytes.len())),
            Self::Latin1 | Self::CodePage(_) => Some(at),
            Self::Legacy(encoding) => encoding.is_single_byte().then_some(at),
        }
    }

    /// The last position up to `at` where `bytes`, which starts at a character, can be split into two parts
    /// that decode to the same text as the whole.
    ///
    /// An incomplete character at the end of `bytes` counts as split, so call this only if more follows.
    /// ISO-2022-JP is split in its ASCII state, so that the second part can be decoded on its own; if there
    /// is no such position, it is split between two characters.
    #[must_use]
    pub fn floor_boundary(self, bytes: &[u8], at: usize) -> usize {
        let at = at.min(bytes.len());
        match self {
            Self::Utf8 => utf8::floor_boundary(bytes, at),
            Self::Utf16 { big_endian } => wide::floor_16(bytes, big_endian, at),
            Self::Utf32 { .. } => at / 4 * 4,
            Self::Latin1 | Self::CodePage(_) => at,
            Self::Legacy(encoding) if encoding.is_single_byte() => at,
            Self::Legacy(encoding) => legacy::floor_boundary(encoding, bytes, at),
        }
    }
}

/// `skip_chars` for single-byte encodings.
fn skip_single(bytes: &[u8], chars: u64) -> (usize, u64) {
    let taken = usize::try_from(chars).unwrap_or(usize::MAX).min(bytes.len());
    (taken, as_count(taken))
}

/// A length as a count; no platform has a `usize` wider than 64 bits.
fn as_count(length: usize) -> u64 {
    length as u64
}
