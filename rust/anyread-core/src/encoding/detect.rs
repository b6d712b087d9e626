//! Which encoding a text is in.
//!
//! In this order: byte-order mark, UTF-16 by its NULs, ISO-2022 escapes, valid UTF-8, what the text declares if
//! its bytes decode so, damaged UTF-8, the statistics of `chardetng` with a second opinion, and at last
//! windows-1252 or ISO-8859-1, which lose nothing.
//! UTF-16 goes before UTF-8 because English in it is valid UTF-8 with a NUL in every other byte.
//! Valid UTF-8 goes before declarations because files are converted and keep theirs, while hardly any text in
//! another encoding is valid UTF-8 by accident.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, CoderResult, EUC_JP, EUC_KR, Encoding, GB18030, IBM866, ISO_2022_JP, ISO_8859_5, KOI8_R, KOI8_U,
    SHIFT_JIS, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, X_MAC_CYRILLIC,
};
use memchr::{memchr, memchr_iter, memmem};
use simdutf8::compat;

use super::declared::{self, Declaration};
use super::plausible::{self, assess};
use super::{Codec, labels, utf8};

/// How many bytes decide about UTF-16 without a mark: as many as decide between text and binary, so that both
/// come to the same answer.
const WIDE_WINDOW: usize = 8 * 1024;

/// So many ideographs of one row may occur in a short text.
const FEW_IDEOGRAPHS: usize = 32;

/// How many bytes of what is not ASCII are decoded for the second opinion.
const SAMPLE_BYTES: usize = 32 * 1024;

/// How many of these `chardetng` sees, which takes about a microsecond for each; more told nothing more on any of
/// 283 legacy files.
const DETECTOR_BYTES: usize = 8 * 1024;

/// Fewer bytes than this do not tell the encodings of Western and Central Europe apart.
const ENOUGH_TO_NAME: usize = 8;

/// How much ASCII around the other characters belongs to the sample, in bytes.
const CONTEXT_BYTES: usize = 32;

/// Below this confidence others are tried, and a notice is due.
const DOUBTFUL: f32 = 0.5;

/// The confidence in a declaration that the bytes do not contradict.
const DECLARED: f32 = 0.95;

/// So many times more that only UTF-8 looks like than what it cannot be contradicts any declaration.
const SURELY_UTF8: u64 = 9;

/// So many bytes are told by statistics in as short a time as a thread takes to start on them.
const QUICK_BYTES: usize = 256;

/// The confidence in bytes that look raw.
const RAW: f32 = 0.3;

/// The share of controls that no legacy text has, one in as many bytes.
const RAW_BYTES_A_CONTROL: usize = 1000;

/// Fewer bytes than this may repeat by chance.
const ENOUGH_TO_REPEAT: usize = 64;

/// So many bytes without a space or a line ending are no text, even of a script that has no spaces.
const LONGEST_PARAGRAPH: usize = 4096;

/// The share of controls that no text has but in the wide encodings, one in as many bytes.
const TEXT_BYTES_A_CONTROL: usize = 10;

/// The encodings of one byte that the detector knows for Cyrillic; what is in the one that it does not know
/// looks like these, except for its capitals.
static CYRILLIC: &[&Encoding] = &[WINDOWS_1251, KOI8_R, KOI8_U, IBM866, ISO_8859_5];

/// What is tried where the detector's guess is doubtful.
static OTHERS: &[&Encoding] =
    &[GB18030, BIG5, SHIFT_JIS, EUC_JP, EUC_KR, WINDOWS_1251, KOI8_R, IBM866, ISO_8859_5, X_MAC_CYRILLIC];

/// What was decided about a text from its first bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DetectedEncoding {
    /// How its bytes become characters.
    pub codec: Codec,
    /// From 0 to 1: 1 for what is certain (a mark, ASCII, valid UTF-8, an explicit encoding), at most 0.99 for
    /// what was found by statistics, under 0.5 for what deserves a notice.
    pub confidence: f32,
    /// The length of the byte-order mark to hide, in bytes.
    pub bom_len: usize,
    /// Whether no known encoding fits the text, and this one was chosen because it loses nothing.
    pub stands_in: bool,
    /// What the text itself says, if that is followed, or differs from what was found.
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

    /// What the text declares, in place of what was found.
    fn followed(declared: Declaration, found: Self) -> Self {
        let Some(codec) = declared.codec else { return found };
        let declared = Some(Declaration { followed: true, ..declared });
        Self { declared, ..Self::guess(codec, DECLARED) }
    }

    /// Notes what the text declares, if it declares something else.
    fn against(self, declared: Option<Declaration>) -> Self {
        Self { declared: declared.filter(|declared| declared.codec != Some(self.codec)), ..self }
    }
}

/// The byte-order marks; that of UTF-32 before the one of UTF-16 that it begins with.
static MARKS: &[(&[u8], Codec)] = &[
    (b"\xEF\xBB\xBF", Codec::Utf8),
    (b"\xFF\xFE\0\0", Codec::Utf32 { big_endian: false }),
    (b"\0\0\xFE\xFF", Codec::Utf32 { big_endian: true }),
    (b"\xFF\xFE", Codec::Utf16 { big_endian: false }),
    (b"\xFE\xFF", Codec::Utf16 { big_endian: true }),
    (b"\x84\x31\x95\x33", Codec::Legacy(GB18030)),
];

/// The byte-order mark at the start of a text: what it says and its length in bytes.
pub(crate) fn mark(head: &[u8]) -> Option<(Codec, usize)> {
    MARKS.iter().find(|(mark, _)| head.starts_with(mark)).map(|(mark, codec)| (*codec, mark.len()))
}

/// Decides for an encoding that the caller named: hides its mark, and lets the mark of UTF-16 and UTF-32 turn
/// the byte order round, since no text begins with the character that a mark would be in the other order.
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

/// Decides from the first bytes of a text; `complete` says that they are all of it, otherwise a character
/// that their end cuts is no evidence.
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

/// Whether a text whose first bytes are `start` declares that it is not in UTF-8.
pub(crate) fn declares_another(start: &[u8]) -> bool {
    declared::find(start, false).is_some_and(|declared| declared.codec != Some(Codec::Utf8))
}

/// Whether [`detect`] takes so long that an event loop had better not wait for it: about a microsecond for each
/// byte that is not ASCII.
#[must_use]
pub fn is_slow_to_detect(head: &[u8]) -> bool {
    head.len() > QUICK_BYTES && compat::from_utf8(head).is_err() && unicode(head, false).is_none()
}

/// The encoding, if byte order marks, NULs or valid UTF-8 decide it.
fn unicode(head: &[u8], complete: bool) -> Option<DetectedEncoding> {
    if let Some((codec, length)) = mark(head) {
        return Some(DetectedEncoding::certain(codec, length));
    }
    if let Some(big_endian) = wide_by_nul_parity(head) {
        return Some(DetectedEncoding::guess(Codec::Utf16 { big_endian }, 0.95));
    }
    let window = &head[..head.len().min(WIDE_WINDOW)];
    if memchr_iter(0, window).count() * TEXT_BYTES_A_CONTROL > window.len() {
        // Not text, or UTF-32 without a mark; whoever insists on text sees its NULs.
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

/// Whether `head` can be in a declared encoding: one that extends ASCII, since the declaration was read as ASCII,
/// and in which no byte is malformed.
fn reads_as(codec: Codec, head: &[u8], complete: bool) -> bool {
    match codec {
        Codec::Utf8 | Codec::Utf16 { .. } | Codec::Utf32 { .. } => false,
        Codec::Latin1 => true,
        Codec::CodePage(table) => table.extends_ascii() && table.has_all(head),
        Codec::Legacy(encoding) => decodes_cleanly(encoding, head, complete),
    }
}

/// Whether valid UTF-8 has C1 controls, which no text has: then it is valid by accident.
fn has_c1_controls(head: &[u8]) -> bool {
    memchr_iter(0xC2, head).any(|at| matches!(head.get(at + 1), Some(0x80..=0x9F)))
}

/// What valid UTF-8 is: ISO-2022 in disguise, or UTF-8.
fn seven_bit(head: &[u8], complete: bool) -> DetectedEncoding {
    if !head.is_ascii() || !has_iso_2022_shift(head) {
        return DetectedEncoding::certain(Codec::Utf8, 0);
    }
    if decodes_cleanly(ISO_2022_JP, head, complete) {
        return DetectedEncoding::guess(Codec::Legacy(ISO_2022_JP), 0.95);
    }
    // Korean, Chinese, or a set that the decoder does not have: never silently ASCII.
    DetectedEncoding::unknown(Codec::Utf8, 0.3)
}

/// Whether there is an escape that announces characters of several bytes (ISO 2022, 94×94 sets).
///
/// Terminal logs hold `ESC ( B` and the like, which announces ASCII and proves nothing.
pub(crate) fn has_iso_2022_shift(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"\x1B$").any(|escape| {
        matches!(
            bytes.get(escape + 2..),
            Some([b'@' | b'A' | b'B', ..] | [b'(' | b')' | b'*' | b'+', b'@'..=b'S', ..])
        )
    })
}

/// Whether `bytes` are all well-formed.
fn decodes_cleanly(encoding: &'static Encoding, bytes: &[u8], complete: bool) -> bool {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut units = [0; 1024];
    let mut rest = bytes;
    loop {
        let (result, read, _, malformed) = decoder.decode_to_utf16(rest, &mut units, complete);
        if malformed {
            return false;
        }
        if result == CoderResult::InputEmpty {
            return true;
        }
        rest = &rest[read..];
    }
}

/// Below so many bytes NULs alone are weak evidence of UTF-16.
const SHORT_WINDOW: usize = 16;

/// The byte order of UTF-16 without a mark, told by the NULs that are the high bytes of ASCII: whether it is
/// big-endian.
///
/// Spaces and newlines give such NULs to any language; what is found must then read as text in that order.
pub(crate) fn wide_by_nul_parity(head: &[u8]) -> Option<bool> {
    let window = &head[..head.len().min(WIDE_WINDOW)];
    if window.len() < 4 || memchr(0, window).is_none() {
        return None;
    }
    let is_utf8 = match std::str::from_utf8(window) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    // As text in UTF-8 it would have as many controls as no text has: NULs, or the high bytes of Cyrillic.
    let controls = window.iter().filter(|byte| **byte < 8).count();
    if is_utf8 && controls * TEXT_BYTES_A_CONTROL <= window.len() {
        return None;
    }
    // Pairs of ASCII look like ideographs.
    let most_ideographs = |ascii: usize| if is_utf8 { ascii / 2 } else { usize::MAX };
    let least_ascii = window.len().div_ceil(200);
    // In a few characters a line feed that would be half of another one (U+0A62 in `a NUL b LF`) speaks against it.
    let splits_lf = |big_endian: bool| {
        let lf = if big_endian { [0, b'\n'] } else { [b'\n', 0] };
        let has_lf = || window.as_chunks::<2>().0.contains(&lf);
        window.len() < SHORT_WINDOW && memchr(b'\n', window).is_some() && !has_lf()
    };
    [false, true].into_iter().filter(|big_endian| !splits_lf(*big_endian)).find(|big_endian| {
        reads_as_text(window, *big_endian)
            .is_some_and(|seen| seen.ascii >= least_ascii && seen.ideographs <= most_ideographs(seen.ascii))
    })
}

/// How many characters of a text are of a sort.
#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    ascii: usize,
    ideographs: usize,
}

/// What UTF-16 is made of, if it is text: 98 in 100 characters are usual ones, and the ideographs are not all from
/// one row of 256, as small numbers would be.
fn reads_as_text(window: &[u8], big_endian: bool) -> Option<Seen> {
    let pairs = window.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    let units = pairs.map(if big_endian { u16::from_be_bytes } else { u16::from_le_bytes });
    let (mut seen, mut all, mut strange) = (Seen::default(), 0_usize, 0_usize);
    let mut rows = [0_usize; 256];
    for character in char::decode_utf16(units) {
        all += 1;
        let Some(character) = character.ok().filter(|character| plausible::is_usual(*character)) else {
            strange += 1;
            continue;
        };
        seen.ascii += usize::from(character.is_ascii());
        if let (true, Some(row)) = (character >= '\u{3400}', rows.get_mut(character as usize >> 8)) {
            seen.ideographs += 1;
            *row += 1;
        }
    }
    // One lone surrogate is a cut pair, or damage.
    let is_strange = strange * 50 > all && !(strange == 1 && seen.ascii * 2 > all);
    let in_one_row = rows.iter().any(|row| *row > FEW_IDEOGRAPHS && *row * 2 > seen.ideographs);
    (!is_strange && !in_one_row).then_some(seen)
}

/// UTF-8 with a few bad bytes: there is more of what only UTF-8 looks like than of what it cannot be.
///
/// A legacy text forms sequences of UTF-8 by accident, but with at most half as many trail bytes as it has malformed
/// pieces: 0.47 was the most in 283 files in 25 encodings (EUC-JP), and 0.44 in IBM866.
fn damaged_utf8(evidence: utf8::Evidence) -> Option<DetectedEncoding> {
    if evidence.trails <= evidence.malformed {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 24 bits")]
    let share = evidence.trails as f32 / (evidence.trails + evidence.malformed) as f32;
    Some(DetectedEncoding::guess(Codec::Utf8, share.min(0.99)))
}

/// The guess of the statistics, which is not believed of what is hardly text.
fn by_statistics(head: &[u8], complete: bool) -> DetectedEncoding {
    let found = by_language(head, complete);
    if looks_raw(head) { DetectedEncoding { confidence: found.confidence.min(RAW), ..found } } else { found }
}

/// Whether bytes are less like text than like pixels, sound or measurements, which some encoding always fits.
///
/// Legacy text has no controls but layout and escapes: none in 283 files. Its letters seldom repeat: at most 6 in
/// 100 bytes that are not ASCII equal the one before, and 7 the third before. And it has spaces or lines.
fn looks_raw(head: &[u8]) -> bool {
    let window = &head[..head.len().min(WIDE_WINDOW)];
    let controls = window.iter().filter(|byte| matches!(byte, 0..=7 | 14..=26 | 28..=31 | 127)).count();
    if controls * RAW_BYTES_A_CONTROL > window.len() {
        return true;
    }
    let high: Vec<u8> = window.iter().copied().filter(|byte| !byte.is_ascii()).collect();
    if high.len() < ENOUGH_TO_REPEAT || high.len() * 2 < window.len() {
        return false;
    }
    let repeats = |distance: usize| {
        let equal = high.iter().zip(&high[distance..]).filter(|(left, right)| left == right).count();
        equal * 3 > high.len()
    };
    let has_layout = window.iter().any(|byte| matches!(byte, b' ' | b'\n' | b'\r'));
    repeats(1) || repeats(3) || (!has_layout && window.len() > LONGEST_PARAGRAPH)
}

/// The guess of the statistics, checked by a second opinion, which may also overrule it.
fn by_language(head: &[u8], complete: bool) -> DetectedEncoding {
    let (sample, is_whole) = sample(head);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let fed = &sample[..sample.len().min(DETECTOR_BYTES)];
    detector.feed(fed, complete && is_whole && fed.len() == sample.len());
    let guessed = narrow(detector.guess(None, Utf8Detection::Deny), &sample);
    let first = assess(guessed, &sample);
    let second: &[&'static Encoding] = if first.confidence() < DOUBTFUL {
        // One malformed byte rules an encoding out for the detector, but not for us.
        OTHERS
    } else if CYRILLIC.contains(&guessed) {
        &[X_MAC_CYRILLIC]
    } else {
        &[]
    };
    let best = second
        .iter()
        .map(|encoding| (assess(encoding, &sample), *encoding))
        .filter(|(other, _)| other.confidence() > DOUBTFUL && first.is_beaten_by(*other))
        .max_by(|(a, _), (b, _)| a.confidence().total_cmp(&b.confidence()));
    if let Some(codec) = best.and_then(|(_, encoding)| labels::codec_of(encoding)) {
        // Nobody but ourselves says so.
        return DetectedEncoding::guess(codec, DOUBTFUL - 0.01);
    }
    match labels::codec_of(guessed) {
        Some(codec) if !first.is_hopeless() => DetectedEncoding::guess(codec, first.confidence()),
        _ => DetectedEncoding::unknown(stand_in(&sample), first.confidence().min(DOUBTFUL - 0.01)),
    }
}

/// What loses nothing of a text in no known encoding: windows-1252, or ISO-8859-1 where that lacks a byte.
///
/// A list of all letters looks like no language, and its bytes say more than U+FFFD would.
fn stand_in(sample: &[u8]) -> Codec {
    let is_missing = |byte: &u8| matches!(byte, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D);
    if sample.iter().any(is_missing) { Codec::Latin1 } else { Codec::Legacy(WINDOWS_1252) }
}

/// What the detector confuses, by the letters that are there.
///
/// A few letters that are the same in windows-1252 are in windows-1252.
/// KOI8-U becomes KOI8-R where no byte tells them apart, since that is what is usually meant.
/// windows-1252 becomes windows-1250 where the letters other than ASCII are those of the Hungarian alphabet and no
/// others, with its ő or ű, which the other has as õ and û: no language writes those beside á and ö or ü.
fn narrow(guessed: &'static Encoding, sample: &[u8]) -> &'static Encoding {
    let mut present = [false; 256];
    for byte in sample {
        present[usize::from(*byte)] = true;
    }
    let any = |letters: &[u8]| letters.iter().any(|letter| present[usize::from(*letter)]);
    let few = sample.iter().filter(|byte| !byte.is_ascii()).count() < ENOUGH_TO_NAME;
    if few && guessed.is_single_byte() {
        let usual = WINDOWS_1252.decode_without_bom_handling(sample).0;
        if guessed.decode_without_bom_handling(sample).0 == usual {
            return WINDOWS_1252;
        }
    }
    if guessed == KOI8_U && !any(b"\xA4\xA6\xA7\xAD\xB4\xB6\xB7\xBD") {
        return KOI8_R;
    }
    let is_hungarian = |letter: u8| b"\xC1\xC9\xCD\xD3\xD5\xD6\xDA\xDB\xDC".contains(&(letter & 0xDF));
    let fits = (0xC0..=0xFF).all(|letter| !present[usize::from(letter)] || is_hungarian(letter));
    if guessed == WINDOWS_1252 && fits && any(b"\xF5\xFB") && any(b"\xE1") && any(b"\xF6\xFC") {
        return WINDOWS_1250;
    }
    guessed
}

/// The parts of a text that are not ASCII, with some ASCII around them, and whether those are all.
fn sample(head: &[u8]) -> (Vec<u8>, bool) {
    let mut sample = Vec::new();
    let mut position = 0;
    loop {
        let start = position + Encoding::ascii_valid_up_to(&head[position..]);
        if start == head.len() {
            return (sample, true);
        }
        let from = start.saturating_sub(CONTEXT_BYTES).max(position);
        let most = head.len().min(start + SAMPLE_BYTES - sample.len());
        let mut end = start;
        // Up to a long run of ASCII, where no character can be cut.
        while end < most {
            if !head[end].is_ascii() {
                end += 1;
                continue;
            }
            let run = Encoding::ascii_valid_up_to(&head[end..most]);
            end += run.min(CONTEXT_BYTES);
            if run > 2 * CONTEXT_BYTES {
                break;
            }
            end += run.saturating_sub(CONTEXT_BYTES);
        }
        sample.extend_from_slice(&head[from..end]);
        position = end;
        if sample.len() >= SAMPLE_BYTES {
            return (sample, false);
        }
    }
}
