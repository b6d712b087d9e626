//! How bytes become characters.
//!
//! [`detect`] decides once a file which [`Codec`] it is in; the codec then decodes, counts and cuts any piece
//! of it on its own, so that a window in the middle of a file costs no more than one at its start.
//!
//! All methods agree on what a character is: a Unicode scalar value, and one U+FFFD for each malformed piece.
//! Malformed UTF-8 is replaced per maximal subpart, as by `String::from_utf8_lossy` and by Python's
//! `errors="replace"`; UTF-16 per lone surrogate and for an odd last byte; UTF-32 per unit that is no scalar
//! value; everything else as the WHATWG Encoding Standard says.
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

pub use declared::{Declaration, DeclaredBy};
pub use detect::{DetectedEncoding, detect, is_slow_to_detect, with_codec};
pub(crate) use detect::{declares_another, has_iso_2022_shift, mark, wide_by_nul_parity};
pub use tables::CodePage;

/// How bytes become characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// UTF-8; ASCII is UTF-8.
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
    /// ISO-8859-1 proper: every byte is the character of that number, so that nothing is ever lost.
    ///
    /// Only when requested; the Web's "latin1" and every detected one is windows-1252.
    Latin1,
    /// An encoding of the WHATWG standard other than the Unicode ones.
    Legacy(&'static Encoding),
    /// An encoding of one byte that only Python has, or that Python decodes differently.
    CodePage(&'static CodePage),
}

impl Codec {
    /// The name of the Python codec that decodes the same.
    #[must_use]
    pub fn name(self) -> &'static str {
        labels::name(self)
    }

    /// The codec of a label: a name of the WHATWG standard or of Python, whatever its case, `-`, `_` and
    /// spaces.
    ///
    /// `utf-16` and `utf-32` without a byte order are little-endian; [`with_codec`] heeds the mark.
    /// `None` for names that are unknown, and for those of [`Codec::unreadable`].
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        labels::from_label(label)
    }

    /// Python's name of the encoding that `label` names, if it is one that cannot be decoded here (`utf-7`,
    /// `johab`, `hz`).
    #[must_use]
    pub fn unreadable(label: &str) -> Option<&'static str> {
        labels::unreadable(label)
    }

    /// Up to five known names that look like `label`, the nearest first.
    ///
    /// A name with another number is the name of another encoding, however alike the two look.
    #[must_use]
    pub fn near_labels(label: &str) -> Vec<&'static str> {
        labels::near(label)
    }

    /// The bytes of one code unit: 1, 2 or 4.
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

    /// Whether escapes carry over from one line to the next, so that a line decodes only from the start of
    /// the text: ISO-2022-JP.
    #[must_use]
    pub fn is_stateful(self) -> bool {
        matches!(self, Self::Legacy(encoding) if encoding == ISO_2022_JP)
    }

    /// The most bytes that one character takes; with its escape for ISO-2022-JP.
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

    /// Appends the decoded text of `bytes` to `out` and says whether anything had to be replaced by U+FFFD.
    ///
    /// `bytes` starts at a character; a byte-order mark is a character like any other.
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
    /// there were: fewer if `bytes` ends first.
    ///
    /// One more than requested where one sequence of bytes is two characters (four code points of Big5), so
    /// that a reader always advances.
    /// What follows decodes on its own, unless the codec [is stateful](Codec::is_stateful).
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

    /// The first position from `at` on that certainly starts a character, or the end of `bytes`.
    ///
    /// `bytes` may start anywhere between two units.
    /// `None` where that cannot be told without decoding from the line's start: encodings of several bytes
    /// whose trail bytes look like lead bytes, and stateful ones.
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

    /// The last position up to `at` where `bytes`, which starts at a character, can be cut in two that decode
    /// like the whole.
    ///
    /// A character that the end of `bytes` leaves incomplete counts as cut, so ask only where more follows.
    /// ISO-2022-JP is cut where it is in ASCII, so that what follows needs nothing from before; if it never
    /// is, between two characters.
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

/// `skip_chars` where a byte is a character.
fn skip_single(bytes: &[u8], chars: u64) -> (usize, u64) {
    let taken = usize::try_from(chars).unwrap_or(usize::MAX).min(bytes.len());
    (taken, as_count(taken))
}

/// A length as a count: no platform has a `usize` wider than 64 bits.
fn as_count(length: usize) -> u64 {
    length as u64
}
