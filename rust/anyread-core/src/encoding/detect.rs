//! Detection of the encoding of a text.
//!
//! The order is: byte-order mark, UTF-16 by its NULs, ISO-2022 escapes, valid UTF-8, the declared encoding if
//! the bytes are well-formed in it, damaged UTF-8, the statistics of `chardetng` with a second opinion, and
//! finally windows-1252 or ISO-8859-1, which lose nothing.
//! UTF-16 comes before UTF-8 because English text in it is valid UTF-8 with a NUL in every other byte.
//! Valid UTF-8 comes before declarations because converted files keep their old declaration, while hardly any
//! text in another encoding is valid UTF-8 by accident.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, CoderResult, EUC_JP, EUC_KR, Encoding, GB18030, IBM866, ISO_2022_JP, ISO_8859_5, KOI8_R, KOI8_U,
    SHIFT_JIS, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1257, X_MAC_CYRILLIC,
};
use memchr::{memchr, memchr_iter, memmem};
use simdutf8::compat;

use super::declared::{self, Declaration};
use super::plausible::{self, assess};
use super::{Codec, labels, utf8};

/// How many bytes are examined for UTF-16 without a mark: as many as distinguish text from binary, so that
/// the two decisions agree.
const WIDE_WINDOW: usize = 8 * 1024;

/// How many rows of 256 characters have at least four in five letters of a text.
const SCRIPT_ROWS: usize = 6;

/// How many ideographs of one row a short text may contain.
const FEW_IDEOGRAPHS: usize = 32;

/// The maximum size of the sample that is decoded for the second opinion, in bytes.
const SAMPLE_BYTES: usize = 32 * 1024;

/// How much of the sample `chardetng` reads, which takes about a microsecond per byte. More bytes changed the
/// guess for none of 283 legacy files.
const DETECTOR_BYTES: usize = 8 * 1024;

/// How many non-ASCII bytes are needed to distinguish the encodings of Western and Central Europe.
const ENOUGH_TO_NAME: usize = 8;

/// How much ASCII around other characters belongs to the sample, in bytes.
const CONTEXT_BYTES: usize = 32;

/// Below this confidence other encodings are tried, and the page carries a notice.
const DOUBTFUL: f32 = 0.5;

/// The confidence in a declaration that the bytes do not contradict.
const DECLARED: f32 = 0.95;

/// The ratio of UTF-8 trail bytes to malformed pieces above which a declaration is ignored.
const SURELY_UTF8: u64 = 9;

/// How many starts of HZ are examined, which bounds the time.
const HZ_SHIFTS: usize = 16;

/// From how many places of a text the sample is taken.
const SAMPLE_PIECES: usize = 16;

/// How many bytes the statistics can process in the time that it takes to start a thread.
const QUICK_BYTES: usize = 256;

/// The maximum confidence if the bytes look like raw data.
const RAW: f32 = 0.3;

/// More than one control character in this many bytes occurs in no legacy text.
const RAW_BYTES_PER_CONTROL: usize = 1000;

/// Fewer bytes than this may repeat by chance.
const ENOUGH_TO_REPEAT: usize = 64;

/// More bytes than this without a space or a line ending are not text, even in a script without spaces.
const LONGEST_PARAGRAPH: usize = 4096;

/// More than one control character in this many bytes occurs in no text, except in UTF-16 and UTF-32.
const TEXT_BYTES_PER_CONTROL: usize = 10;

/// The single-byte Cyrillic encodings that the detector knows. It mistakes text in the one that it does not
/// know for one of these; only the capitals are different.
static CYRILLIC: &[&Encoding] = &[WINDOWS_1251, KOI8_R, KOI8_U, IBM866, ISO_8859_5];

/// The encodings that are tried if the detector's guess is doubtful.
static OTHERS: &[&Encoding] =
    &[GB18030, BIG5, SHIFT_JIS, EUC_JP, EUC_KR, WINDOWS_1251, KOI8_R, IBM866, ISO_8859_5, X_MAC_CYRILLIC];

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
        Self { declared: declared.filter(|declared| declared.codec != Some(self.codec)), ..self }
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
    found.is_some_and(|declared| declared.codec != Some(Codec::Utf8))
}

/// Whether [`detect`] takes too long for an event loop: about a microsecond for each byte that is not ASCII.
#[must_use]
pub fn is_slow_to_detect(head: &[u8]) -> bool {
    head.len() > QUICK_BYTES && compat::from_utf8(head).is_err() && unicode(head, false).is_none()
}

/// The encoding, if a byte-order mark, NULs or valid UTF-8 determine it.
fn unicode(head: &[u8], complete: bool) -> Option<DetectedEncoding> {
    if let Some((codec, length)) = mark(head) {
        return Some(DetectedEncoding::certain(codec, length));
    }
    if let Some(big_endian) = wide_by_nul_parity(head) {
        return Some(DetectedEncoding::guess(Codec::Utf16 { big_endian }, 0.95));
    }
    let window = &head[..head.len().min(WIDE_WINDOW)];
    if memchr_iter(0, window).count() * TEXT_BYTES_PER_CONTROL > window.len() {
        // Not text, or UTF-32 without a mark; a caller that insists on text sees its NULs.
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

/// In fewer bytes than this, NULs alone are weak evidence of UTF-16.
const SHORT_WINDOW: usize = 16;

/// Whether UTF-16 without a mark is big-endian, which shows in the NULs that are the high bytes of ASCII;
/// `None` if this is not UTF-16.
///
/// Texts in all languages have such NULs, for spaces and newlines. The text must also look like text in that
/// byte order.
pub(crate) fn wide_by_nul_parity(head: &[u8]) -> Option<bool> {
    let window = &head[..head.len().min(WIDE_WINDOW)];
    if window.len() < 4 || memchr(0, window).is_none() {
        return None;
    }
    let is_utf8 = match std::str::from_utf8(window) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    // Read as UTF-8, it must have too many controls for a text: NULs, or the high bytes of Cyrillic. Those of
    // other scripts are tabs, line ends or letters, but most of them are the same byte.
    let controls = window.iter().filter(|byte| **byte < 8).count();
    let is_text = is_utf8 && controls * TEXT_BYTES_PER_CONTROL <= window.len();
    let is_possible = |big_endian: bool| !is_text || has_one_high_byte(window, big_endian);
    // Pairs of ASCII characters look like ideographs.
    let most_ideographs = |ascii: usize| if is_utf8 { ascii / 2 } else { usize::MAX };
    let least_ascii = window.len().div_ceil(200);
    // In a short text, a line feed that would be half of a character (U+0A62 in `a NUL b LF`) rules it out.
    let splits_lf = |big_endian: bool| {
        let lf = if big_endian { [0, b'\n'] } else { [b'\n', 0] };
        let has_lf = || window.as_chunks::<2>().0.contains(&lf);
        window.len() < SHORT_WINDOW && memchr(b'\n', window).is_some() && !has_lf()
    };
    let orders = [false, true].into_iter();
    orders.filter(|big_endian| is_possible(*big_endian) && !splits_lf(*big_endian)).find(|big_endian| {
        reads_as_text(window, *big_endian)
            .is_some_and(|seen| seen.ascii >= least_ascii && seen.ideographs <= most_ideographs(seen.ascii))
    })
}

/// Whether more than half of the high bytes of UTF-16 are the same, as in a text of one script.
fn has_one_high_byte(window: &[u8], big_endian: bool) -> bool {
    let mut counts = [0_usize; 256];
    for byte in window.iter().skip(usize::from(!big_endian)).step_by(2) {
        counts[usize::from(*byte)] += 1;
    }
    counts.iter().any(|count| *count * 4 > window.len())
}

/// How many characters of a text are in some classes.
#[derive(Debug, Default, Clone, Copy)]
struct CharacterCounts {
    ascii: usize,
    ideographs: usize,
}

/// The character counts of UTF-16, if it is text.
///
/// In text, 98 in 100 characters are usual ones, the ideographs are not all from one row of 256, and the others
/// are from few rows, unlike those that small integers would be.
fn reads_as_text(window: &[u8], big_endian: bool) -> Option<CharacterCounts> {
    let pairs = window.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    let units = pairs.map(if big_endian { u16::from_be_bytes } else { u16::from_le_bytes });
    let (mut seen, mut all, mut strange) = (CharacterCounts::default(), 0_usize, 0_usize);
    let (mut rows, mut other_rows) = ([0_usize; 256], [0_usize; 256]);
    for character in char::decode_utf16(units) {
        all += 1;
        let Some(character) = character.ok().filter(|character| plausible::is_usual(*character)) else {
            strange += 1;
            continue;
        };
        seen.ascii += usize::from(character.is_ascii());
        let is_ideograph = character >= '\u{3400}' && !matches!(character, '\u{A000}'..='\u{ABFF}');
        if is_ideograph {
            seen.ideographs += 1;
        }
        let rows = if is_ideograph { &mut rows } else { &mut other_rows };
        if let Some(row) = rows.get_mut(character as usize >> 8) {
            *row += 1;
        }
    }
    // A single lone surrogate may be a truncated pair or damage.
    let is_strange = strange * 50 > all && !(strange == 1 && seen.ascii * 2 > all);
    let in_one_row = rows.iter().any(|row| *row > FEW_IDEOGRAPHS && *row * 2 > seen.ideographs);
    other_rows.sort_unstable_by(|left, right| right.cmp(left));
    let others: usize = other_rows.iter().sum();
    let in_few_rows = other_rows.iter().take(SCRIPT_ROWS).sum::<usize>() * 5 >= others * 4;
    (!is_strange && !in_one_row && in_few_rows).then_some(seen)
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

/// The guess of the statistics, with low confidence if the bytes look like raw data.
fn by_statistics(head: &[u8], complete: bool) -> DetectedEncoding {
    let found = by_language(head, complete);
    if looks_raw(head) { DetectedEncoding { confidence: found.confidence.min(RAW), ..found } } else { found }
}

/// Whether bytes look more like pixels, sound or measurements than like text; some encoding fits any of them.
///
/// Legacy text has no controls except layout and escapes (there were none in 283 files). Its letters seldom
/// repeat: of 100 non-ASCII bytes, at most 6 equal the previous one, and 7 the third before. And it has
/// spaces or lines.
fn looks_raw(head: &[u8]) -> bool {
    let window = &head[..head.len().min(WIDE_WINDOW)];
    let controls = window.iter().filter(|byte| matches!(byte, 0..=7 | 14..=26 | 28..=31 | 127)).count();
    if controls * RAW_BYTES_PER_CONTROL > window.len() {
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

/// The guess of the statistics, unless the second opinion overrules it.
fn by_language(head: &[u8], complete: bool) -> DetectedEncoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let (fed, is_whole) = sample(head, DETECTOR_BYTES);
    detector.feed(&fed, complete && is_whole);
    let sample = if is_whole { fed } else { sample(head, SAMPLE_BYTES).0 };
    let guessed = narrow(detector.guess(None, Utf8Detection::Deny), &sample);
    let first = assess(guessed, &sample);
    let second: &[&'static Encoding] = if first.confidence() < DOUBTFUL {
        // The detector rejects an encoding for one malformed byte; the second opinion does not.
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
    if let Some((assessed, encoding)) = best
        && let Some(codec) = labels::codec_of(encoding)
    {
        // Only the second opinion supports this encoding, which is enough among those of Cyrillic.
        let is_cyrillic = CYRILLIC.contains(&guessed) && encoding == X_MAC_CYRILLIC;
        return DetectedEncoding::guess(
            codec,
            if is_cyrillic { assessed.confidence() } else { DOUBTFUL - 0.01 },
        );
    }
    match labels::codec_of(guessed) {
        Some(codec) if !first.is_hopeless() => DetectedEncoding::guess(codec, first.confidence()),
        _ => DetectedEncoding::unknown(stand_in(&sample), first.confidence().min(DOUBTFUL - 0.01)),
    }
}

/// The fallback for a text in no known encoding, which loses nothing: windows-1252, or ISO-8859-1 if
/// windows-1252 lacks one of its bytes.
///
/// A list of all letters, for example, looks like no language, but any letters are more useful than U+FFFD.
fn stand_in(sample: &[u8]) -> Codec {
    let is_missing = |byte: &u8| matches!(byte, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D);
    if sample.iter().any(is_missing) { Codec::Latin1 } else { Codec::Legacy(WINDOWS_1252) }
}

/// The detector's guess, corrected where the letters of the text allow a better one.
///
/// A few letters that are the same in windows-1252 are taken to be windows-1252.
/// KOI8-U becomes KOI8-R if no byte distinguishes them, since KOI8-R is more common.
/// windows-1252 becomes windows-1250 if all non-ASCII letters are in the Hungarian alphabet and ő or ű is
/// among them. These are õ and û in windows-1252, and no language uses those together with á and ö or ü.
/// windows-1257 becomes windows-1252 without ē, ė, š and ž, which the languages of the Baltic use often. Their
/// other vowels are those of Friulian and Welsh there.
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
    if guessed == WINDOWS_1257 && !any(b"\xC7\xCB\xD0\xDE\xE7\xEB\xF0\xFE") {
        return WINDOWS_1252;
    }
    guessed
}

/// At most `maximum` bytes of the non-ASCII parts of a text with some ASCII around them, from all over it, and
/// whether all of them are included.
fn sample(head: &[u8], maximum: usize) -> (Vec<u8>, bool) {
    let (start, is_whole) = sample_of_start(head, maximum);
    if is_whole {
        return (start, true);
    }
    let size = head.len() / SAMPLE_PIECES;
    let pieces = (0..SAMPLE_PIECES).map(|piece| &head[piece * size..(piece + 1) * size]);
    let samples = pieces.map(|piece| sample_of_start(between_gaps(piece), maximum / SAMPLE_PIECES).0);
    let spread: Vec<u8> = samples.flat_map(|sample| between_gaps(&sample).to_vec()).collect();
    // A text without gaps cannot be cut safely.
    (if spread.len() * 4 < maximum { start } else { spread }, false)
}

/// The part of some bytes between their first and last space, line end or sign, which are no part of another
/// character in any encoding.
fn between_gaps(bytes: &[u8]) -> &[u8] {
    let is_gap = |byte: &u8| *byte < 0x30;
    let start = bytes.iter().position(is_gap).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(is_gap).map_or(start, |end| end + 1);
    &bytes[start..end]
}

/// The first non-ASCII parts of a text, as for [`sample`].
fn sample_of_start(head: &[u8], maximum: usize) -> (Vec<u8>, bool) {
    let mut sample = Vec::new();
    let mut position = 0;
    loop {
        let start = position + Encoding::ascii_valid_up_to(&head[position..]);
        if start == head.len() {
            return (sample, true);
        }
        let from = start.saturating_sub(CONTEXT_BYTES).max(position);
        let most = head.len().min(start + maximum - sample.len());
        let mut end = start;
        // Stop only in a long run of ASCII, so that no character is split.
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
        if sample.len() >= maximum {
            return (sample, false);
        }
    }
}
