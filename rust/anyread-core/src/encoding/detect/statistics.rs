//! The encoding of a text that only its letters reveal: the statistics of `chardetng` with a second opinion.

use std::collections::BTreeSet;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, IBM866, ISO_8859_2, ISO_8859_5, KOI8_R, KOI8_U, MACINTOSH,
    SHIFT_JIS, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1257, X_MAC_CYRILLIC,
};

use memchr::memchr_iter;

use super::rivals::rival;
use super::{DetectedEncoding, WIDE_WINDOW};
use crate::encoding::plausible::assess;
use crate::encoding::{Codec, labels};

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

/// From how many places of a text the sample is taken.
const SAMPLE_PIECES: usize = 16;

/// The maximum confidence if the bytes look like raw data.
const RAW: f32 = 0.3;

/// More than one control character in this many bytes occurs in no legacy text.
const RAW_BYTES_PER_CONTROL: usize = 1000;

/// The odds at which a rival replaces the guess, as a difference of costs.
const CLEAR: f32 = 3.0;

/// How much of a sample is compared with rivals, in bytes.
const ENOUGH: usize = 1024;

/// Fewer bytes than this may repeat by chance.
const ENOUGH_TO_REPEAT: usize = 64;

/// More bytes than this without a space or a line ending are not text, even in a script without spaces.
const LONGEST_PARAGRAPH: usize = 4096;

/// The single-byte Cyrillic encodings that the detector knows. It mistakes text in the one that it does not
/// know for one of these; only the capitals are different.
static CYRILLIC: &[&Encoding] = &[WINDOWS_1251, KOI8_R, KOI8_U, IBM866, ISO_8859_5];

/// The encodings that are tried if the detector's guess is doubtful.
static OTHERS: &[&Encoding] =
    &[GB18030, BIG5, SHIFT_JIS, EUC_JP, EUC_KR, WINDOWS_1251, KOI8_R, IBM866, ISO_8859_5, X_MAC_CYRILLIC];

/// The guess of the statistics, with low confidence if the bytes look like raw data.
pub(super) fn by_statistics(head: &[u8], complete: bool) -> DetectedEncoding {
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
    let sample = distinct_words(&if is_whole { fed } else { sample(head, SAMPLE_BYTES).0 });
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
    let start = &sample[..sample.len().min(ENOUGH)];
    if let Some((assessed, encoding)) = best
        && let Some(codec) = labels::codec_of(encoding)
    {
        // Only the second opinion supports this encoding, which is enough among those of Cyrillic.
        let is_sure =
            CYRILLIC.contains(&guessed) && encoding == X_MAC_CYRILLIC && rival(encoding, start).is_none();
        let confidence = if is_sure { assessed.confidence() } else { DOUBTFUL - 0.01 };
        return DetectedEncoding::guess(codec, confidence);
    }
    // The start of a long text does not outweigh the rest, unless the guess is certainly wrong.
    let is_compared = (is_whole && start.len() == sample.len()) || first.is_hopeless();
    let nearest = if is_compared { rival(guessed, start) } else { None };
    let beaten_by = nearest.filter(|(encoding, advantage)| {
        // If the guess is hopeless, so are the other encodings that the detector knows.
        let is_possible =
            !first.is_hopeless() || *encoding == MACINTOSH && !assess(MACINTOSH, &sample).is_hopeless();
        guessed.is_single_byte() && *advantage > CLEAR && is_possible
    });
    let encoding = beaten_by.map_or(guessed, |(encoding, _)| encoding);
    let confidence = match nearest {
        None => first.confidence(),
        // The detector does not know it, so all its guesses have controls or signs within words.
        Some(_) if encoding == MACINTOSH && first.is_hopeless() && rival(encoding, start).is_none() => {
            assess(MACINTOSH, &sample).confidence()
        }
        Some(_) => first.confidence().min(DOUBTFUL - 0.01),
    };
    match labels::codec_of(encoding) {
        Some(codec) if encoding != guessed || !first.is_hopeless() => {
            DetectedEncoding::guess(codec, confidence)
        }
        _ => DetectedEncoding::unknown(stand_in(&sample), confidence.min(DOUBTFUL - 0.01)),
    }
}

/// A sample without repeated words, which are no further evidence.
fn distinct_words(sample: &[u8]) -> Vec<u8> {
    let mut seen = BTreeSet::new();
    let words = sample.split_inclusive(|byte| is_gap(*byte)).filter(|word| seen.insert(*word));
    words.flatten().copied().collect()
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
    // Latin-2 has Ť and ť where windows-1252 has guillemets, which come in pairs.
    let count = |letter: u8| memchr_iter(letter, sample).count();
    if guessed == ISO_8859_2 && count(0xAB) > 0 && count(0xAB) == count(0xBB) {
        let rest: Vec<u8> = sample.iter().copied().filter(|byte| !matches!(byte, 0xAB | 0xBB)).collect();
        let decoded = |encoding: &'static Encoding| encoding.decode_without_bom_handling(&rest).0;
        if decoded(guessed) == decoded(WINDOWS_1252) {
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
    if guessed == WINDOWS_1252 && any(b"\xF0\xFE") && count(0xF5) >= count(0xF0) + count(0xFE) {
        return WINDOWS_1257;
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
    let start = bytes.iter().position(|byte| is_gap(*byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| is_gap(*byte)).map_or(start, |end| end + 1);
    &bytes[start..end]
}

fn is_gap(byte: u8) -> bool {
    byte < 0x30
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
