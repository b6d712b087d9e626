//! Detection of the encoding of a text.
//!
//! The order is: byte-order mark, UTF-32 and UTF-16 by their NULs, ISO-2022 escapes, valid UTF-8, the declared
//! encoding if the bytes are well-formed in it, damaged UTF-8, the statistics of `chardetng` with a second
//! opinion, and finally windows-1252 or ISO-8859-1, which lose nothing.
//! UTF-16 comes before UTF-8 because English text in it is valid UTF-8 with a NUL in every other byte.
//! Valid UTF-8 comes before declarations because converted files keep their old declaration, while hardly any
//! text in another encoding is valid UTF-8 by accident.

mod rivals;
mod statistics;
mod wide;

use encoding_rs::{DecoderResult, Encoding, GB18030, ISO_2022_JP};
use memchr::{memchr_iter, memmem};
use simdutf8::compat;

use super::declared::{self, Declaration};
use super::legacy::is_malformed;
use super::{Codec, utf8};
use statistics::by_statistics;

use wide::has_narrow_line;
pub(crate) use wide::unmarked;

/// How many bytes are examined for UTF-16 without a mark: as many as distinguish text from binary, so that
/// the two decisions agree.
const WIDE_WINDOW: usize = 8 * 1024;

/// The confidence in a declaration that the bytes do not contradict.
const DECLARED: f32 = 0.95;

/// The confidence in UTF-16 if some lines are ASCII, as after `>>` of PowerShell: no encoding fits all of them.
const MIXED: f32 = 0.3;

/// The ratio of UTF-8 trail bytes to malformed pieces above which a declaration is ignored.
const SURELY_UTF8: u64 = 9;

/// How many starts of HZ are examined, which bounds the time.
const HZ_SHIFTS: usize = 16;

/// How many bytes the statistics can process in the time that it takes to start a thread.
const QUICK_BYTES: usize = 256;

/// More than one control character in this many bytes occurs in no text, except in UTF-16 and UTF-32.
const TEXT_BYTES_PER_CONTROL: usize = 10;

/// The encoding of a text, detected from its first bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DetectedEncoding {
    /// The codec that decodes the text.
    pub codec: Codec,
    /// From 0 to 1: 1 if certain (a mark, ASCII, valid UTF-8, an explicit encoding), at most 0.99 if found by
    /// statistics, under 0.5 if it deserves a notice.
    pub confidence: f32,
    /// The length of the byte-order mark to hide, in bytes.
    pub bom_len: usize,
    /// Whether no known encoding fits the text, so that this one was chosen as a fallback.
    pub stands_in: bool,
    /// The encoding that the text declares, if it is used or differs from the detected one.
    pub declared: Option<Declaration>,
}

impl DetectedEncoding {
    fn certain(codec: Codec, bom_len: usize) -> Self {
        Self { codec, confidence: 1.0, bom_len, stands_in: false, declared: None }
    }

    fn guess(codec: Codec, confidence: f32) -> Self {
        Self { codec, confidence, bom_len: 0, stands_in: false, declared: None }
    }

    fn unknown(codec: Codec, confidence: f32) -> Self {
        Self { codec, confidence, bom_len: 0, stands_in: true, declared: None }
    }

    /// The declared encoding, in place of the one that was found.
    fn followed(declared: Declaration, found: Self) -> Self {
        let Some(codec) = declared.codec else { return found };
        let declared = Some(Declaration { followed: true, ..declared });
        Self { declared, ..Self::guess(codec, DECLARED) }
    }

    /// Records the declaration if it names a different encoding.
    fn against(self, declared: Option<Declaration>) -> Self {
        Self { declared: declared.filter(|declared| declared.name != Some(self.codec.name())), ..self }
    }
}

/// The byte-order marks; UTF-32 comes before UTF-16 because their little-endian marks begin alike.
static MARKS: &[(&[u8], Codec)] = &[
    (b"\xEF\xBB\xBF", Codec::Utf8),
    (b"\xFF\xFE\0\0", Codec::Utf32 { big_endian: false }),
    (b"\0\0\xFE\xFF", Codec::Utf32 { big_endian: true }),
    (b"\xFF\xFE", Codec::Utf16 { big_endian: false }),
    (b"\xFE\xFF", Codec::Utf16 { big_endian: true }),
    (b"\x84\x31\x95\x33", Codec::Legacy(GB18030)),
];

/// The codec of the byte-order mark at the start of a text, and the length of the mark in bytes.
pub(crate) fn mark(head: &[u8]) -> Option<(Codec, usize)> {
    MARKS.iter().find(|(mark, _)| head.starts_with(mark)).map(|(mark, codec)| (*codec, mark.len()))
}

/// The result for an encoding that the caller named.
///
/// Its mark is hidden. A mark of UTF-16 or UTF-32 also overrides the byte order, since no text begins with
/// the character that the mark would be in the other order.
#[must_use]
pub fn with_codec(codec: Codec, head: &[u8]) -> DetectedEncoding {
    let is_wide = |codec: Codec| codec.unit() > 1;
    MARKS
        .iter()
        .filter(|(_, marked)| *marked == codec || (is_wide(codec) && marked.unit() == codec.unit()))
        .find(|(mark, _)| head.starts_with(mark))
        .map_or(DetectedEncoding::certain(codec, 0), |(mark, marked)| {
            DetectedEncoding::certain(*marked, mark.len())
        })
}

/// Detects the encoding from the first bytes of a text.
///
/// `complete` means that they are the whole text; otherwise an incomplete last character is no evidence.
#[must_use]
pub fn detect(head: &[u8], complete: bool) -> DetectedEncoding {
    let unicode = unicode(head, complete);
    if let Some(found) = unicode
        && (found.codec != Codec::Utf8 || (head.is_ascii() && !found.stands_in))
    {
        return found;
    }
    let declared = declared::find(head, complete);
    let followed = declared.filter(|it| it.codec.is_some_and(|codec| reads_as(codec, head, complete)));
    match (unicode, followed) {
        (Some(found), Some(declared)) if found.bom_len == 0 && has_c1_controls(head) => {
            DetectedEncoding::followed(declared, found)
        }
        (Some(found), _) => found.against(declared),
        (None, followed) => {
            let evidence = utf8::evidence(head);
            match followed {
                Some(declared) if evidence.trails <= evidence.malformed * SURELY_UTF8 => {
                    DetectedEncoding::followed(declared, DetectedEncoding::unknown(Codec::Utf8, 0.0))
                }
                _ => {
                    damaged_utf8(evidence).unwrap_or_else(|| by_statistics(head, complete)).against(declared)
                }
            }
        }
    }
}

/// Whether a text declares that it is not in UTF-8; `ends` are its first bytes and, if it was examined
/// completely, its last ones, at least [`DECLARING_BYTES`] each or all that there are.
pub(crate) fn declares_another(ends: (&[u8], Option<&[u8]>)) -> bool {
    let found = match ends {
        (start, None) => declared::find(start, false),
        // Declarations are searched for only near both ends, so the bytes between them do not matter.
        (start, Some(end)) => declared::find(&[start, end].concat(), true),
    };
    found.is_some_and(|declared| declared.name != Some(Codec::Utf8.name()))
}

/// Whether [`detect`] takes too long for an event loop: about a microsecond for each byte that is not ASCII.
#[must_use]
pub fn is_slow_to_detect(head: &[u8]) -> bool {
    head.len() > QUICK_BYTES && compat::from_utf8(head).is_err() && unicode(head, false).is_none()
}

/// The encoding, if a byte-order mark, NULs or valid UTF-8 determine it.
fn unicode(head: &[u8], complete: bool) -> Option<DetectedEncoding> {
    if let Some((codec, length)) = mark(head) {
        let is_mixed = codec.unit() == 2 && has_narrow_line(head);
        let confidence = if is_mixed { MIXED } else { 1.0 };
        return Some(DetectedEncoding { confidence, ..DetectedEncoding::certain(codec, length) });
    }
    if let Some(codec) = unmarked(head) {
        let is_mixed = codec.unit() == 2 && has_narrow_line(head);
        return Some(DetectedEncoding::guess(codec, if is_mixed { MIXED } else { 0.95 }));
    }
    let window = &head[..head.len().min(WIDE_WINDOW)];
    if memchr_iter(0, window).count() * TEXT_BYTES_PER_CONTROL > window.len() {
        // Not text; a caller that insists on text sees its NULs.
        return Some(DetectedEncoding::unknown(Codec::Utf8, 0.3));
    }
    match compat::from_utf8(head) {
        Ok(_) => Some(seven_bit(head, complete)),
        Err(error) if error.error_len().is_none() && !complete => {
            Some(DetectedEncoding::certain(Codec::Utf8, 0))
        }
        Err(_) => None,
    }
}

/// Whether `head` can be in a declared encoding: no byte is malformed in it, and it extends ASCII, since the
/// declaration was read as ASCII.
fn reads_as(codec: Codec, head: &[u8], complete: bool) -> bool {
    match codec {
        Codec::Utf8 | Codec::Utf16 { .. } | Codec::Utf32 { .. } => false,
        Codec::Latin1 => true,
        Codec::CodePage(table) => table.extends_ascii() && table.has_all(head),
        Codec::Legacy(encoding) => decodes_cleanly(encoding, head, complete),
    }
}

/// Whether valid UTF-8 contains C1 controls, which occur in no text, so that it is valid only by accident.
fn has_c1_controls(head: &[u8]) -> bool {
    memchr_iter(0xC2, head).any(|at| matches!(head.get(at + 1), Some(0x80..=0x9F)))
}

/// The encoding of valid UTF-8, which is UTF-8 or ISO-2022.
fn seven_bit(head: &[u8], complete: bool) -> DetectedEncoding {
    if !head.is_ascii() || !has_iso_2022_shift(head) {
        let is_hz = head.is_ascii() && has_hz_shift(head);
        return if is_hz {
            DetectedEncoding::unknown(Codec::Utf8, 0.3)
        } else {
            DetectedEncoding::certain(Codec::Utf8, 0)
        };
    }
    if decodes_cleanly(ISO_2022_JP, head, complete) {
        return DetectedEncoding::guess(Codec::Legacy(ISO_2022_JP), 0.95);
    }
    // Korean, Chinese, or a character set that the decoder lacks: report it rather than show it as ASCII.
    DetectedEncoding::unknown(Codec::Utf8, 0.3)
}

/// Whether there is an escape that selects a multi-byte character set (ISO 2022, 94×94 sets).
///
/// Terminal logs contain `ESC ( B` and the like, which select ASCII and prove nothing.
pub(crate) fn has_iso_2022_shift(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"\x1B$").any(|escape| {
        matches!(
            bytes.get(escape + 2..),
            Some([b'@' | b'A' | b'B', ..] | [b'(' | b')' | b'*' | b'+', b'@'..=b'S', ..])
        )
    })
}

/// Whether 7-bit text has Chinese characters of HZ (RFC 1843), which has no decoder.
///
/// They are between `~{` and `~}`, in two bytes each: those of GB 2312 without the high bit. Code has such
/// braces too, but not with an even number of such bytes. Only the start is examined.
pub(crate) fn has_hz_shift(head: &[u8]) -> bool {
    let bytes = &head[..head.len().min(WIDE_WINDOW)];
    let is_text = |pairs: &[u8]| {
        let frequent =
            pairs.as_chunks::<2>().0.iter().filter(|pair| matches!(pair[0], 0x21..=0x23 | 0x30..=0x57));
        pairs.len() >= 4
            && pairs.len().is_multiple_of(2)
            && pairs.iter().all(u8::is_ascii_graphic)
            && frequent.count() * 10 >= pairs.len() / 2 * 9
    };
    memmem::find_iter(bytes, b"~{").take(HZ_SHIFTS).any(|start| {
        let inside = &bytes[start + 2..];
        memmem::find(inside, b"~}").is_some_and(|end| is_text(&inside[..end]))
    })
}

/// Whether `bytes` are all well-formed.
fn decodes_cleanly(encoding: &'static Encoding, bytes: &[u8], complete: bool) -> bool {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut units = [0; 1024];
    let mut rest = bytes;
    loop {
        let (result, read, _) = decoder.decode_to_utf16_without_replacement(rest, &mut units, complete);
        if is_malformed(&result) {
            return false;
        }
        if result == DecoderResult::InputEmpty {
            return true;
        }
        rest = &rest[read..];
    }
}

/// UTF-8 with a few bad bytes, if there are more UTF-8 trail bytes than malformed pieces.
///
/// A legacy text contains UTF-8 sequences by accident, but with at most half as many trail bytes as malformed
/// pieces: the maximum in 283 files in 25 encodings was 0.47 (EUC-JP), followed by 0.44 (IBM866).
fn damaged_utf8(evidence: utf8::Evidence) -> Option<DetectedEncoding> {
    if evidence.trails <= evidence.malformed {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 24 bits")]
    let share = evidence.trails as f32 / (evidence.trails + evidence.malformed) as f32;
    Some(DetectedEncoding::guess(Codec::Utf8, share.min(0.99)))
}
