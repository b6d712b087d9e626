//! UTF-8, valid or not.

use simdutf8::{basic, compat};

use super::as_count;

/// The longest piece that `skip_chars` processes at a time, in bytes.
const PIECE: usize = 64 * 1024;

/// How many bytes after a malformed piece are assumed to be damaged as well. For so few bytes the plain
/// validation is cheaper than starting the vectorized one.
const DAMAGED: usize = 256;

/// How many malformed pieces are enough evidence.
const ENOUGH_MALFORMED: u64 = 4096;

/// Whether a byte is not a continuation byte.
pub fn is_start(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// How many characters start in `bytes`; exact if they are valid.
///
/// The compiler vectorizes 8-bit sums over blocks of less than 256 bytes.
pub fn count_starts(bytes: &[u8]) -> u64 {
    bytes
        .chunks(192)
        .map(|block| block.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(u8::from(is_start(byte)))))
        .map(u64::from)
        .sum()
}

/// The length of the first character or malformed piece of `bytes`, and whether it is a character that is
/// only incomplete.
fn first_piece(bytes: &[u8]) -> (usize, bool) {
    let window = bytes.get(..4).unwrap_or(bytes);
    let Some(chunk) = window.utf8_chunks().next() else { return (0, false) };
    if let Some(character) = chunk.valid().chars().next() {
        return (character.len_utf8(), false);
    }
    let incomplete = std::str::from_utf8(window).is_err_and(|error| error.error_len().is_none());
    (chunk.invalid().len(), incomplete)
}

/// See [`super::Codec::decode_into`].
pub fn decode_into(bytes: &[u8], out: &mut String) -> bool {
    if let Ok(text) = basic::from_utf8(bytes) {
        out.push_str(text);
        return false;
    }
    out.reserve(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
    true
}

/// See [`super::Codec::count_chars`].
pub fn count_chars(bytes: &[u8]) -> u64 {
    let mut rest = bytes;
    let mut count = 0;
    loop {
        let Err(error) = compat::from_utf8(rest) else { return count + count_starts(rest) };
        let (valid, after) = rest.split_at(error.valid_up_to());
        let (damaged, after) = after.split_at(cut(after, DAMAGED));
        count += count_starts(valid) + count_damaged(damaged);
        rest = after;
    }
}

/// How many characters are in a short piece of damaged UTF-8.
fn count_damaged(bytes: &[u8]) -> u64 {
    bytes
        .utf8_chunks()
        .map(|chunk| count_starts(chunk.valid().as_bytes()) + u64::from(!chunk.invalid().is_empty()))
        .sum()
}

/// The last position up to `at` that splits no character; the length of `bytes` if that is not longer.
fn cut(bytes: &[u8], at: usize) -> usize {
    if bytes.len() <= at { bytes.len() } else { floor_boundary(bytes, at) }
}

/// See [`super::Codec::skip_chars`].
pub fn skip_chars(bytes: &[u8], chars: u64) -> (usize, u64) {
    let mut position = 0;
    let mut done = 0;
    while done < chars && position < bytes.len() {
        let rest = &bytes[position..];
        // A character takes at least one byte, so this many bytes cannot hold too many characters.
        let missing = usize::try_from(chars - done).unwrap_or(usize::MAX);
        let piece = &rest[..missing.min(PIECE).min(rest.len())];
        let valid = compat::from_utf8(piece).map_or_else(|error| error.valid_up_to(), str::len);
        if valid > 0 {
            position += valid;
            done += count_starts(&piece[..valid]);
            continue;
        }
        let damaged = cut(rest, missing.min(DAMAGED));
        if damaged > 0 {
            position += damaged;
            done += count_damaged(&rest[..damaged]);
        } else {
            position += first_piece(rest).0;
            done += 1;
        }
    }
    (position, done)
}

/// See [`super::Codec::boundary`].
///
/// A sequence has at most four bytes, so the fourth of four consecutive continuation bytes always starts a
/// malformed piece of its own.
pub fn boundary(bytes: &[u8], at: usize) -> usize {
    let start = bytes[at..].iter().take(3).position(|byte| is_start(*byte));
    start.map_or((at + 3).min(bytes.len()), |offset| at + offset)
}

/// See [`super::Codec::floor_boundary`].
pub fn floor_boundary(bytes: &[u8], at: usize) -> usize {
    let Some(back) = bytes[..at].iter().rev().take(3).position(|byte| is_start(*byte)) else { return at };
    let start = at - back - 1;
    let (length, incomplete) = first_piece(&bytes[start..]);
    if incomplete || start + length > at { start } else { at }
}

/// The evidence for and against UTF-8 in bytes that are not valid.
#[derive(Debug, Default, Clone, Copy)]
pub struct Evidence {
    /// Trail bytes of sequences that have the shape of UTF-8.
    pub trails: u64,
    /// Pieces that do not have it.
    pub malformed: u64,
}

/// Collects the evidence in `bytes`, or in as many of them as are enough; an incomplete sequence at the end
/// is not counted.
///
/// Surrogates, overlong forms and too large code points have the shape, because incorrect encoders of UTF-8
/// write them (WTF-8, CESU-8, Java).
pub fn evidence(bytes: &[u8]) -> Evidence {
    let mut evidence = Evidence::default();
    let mut rest = bytes;
    loop {
        let result = compat::from_utf8(rest);
        let (valid, after) = rest.split_at(result.map_or_else(|error| error.valid_up_to(), str::len));
        evidence.trails += as_count(valid.len()) - count_starts(valid);
        let Some(malformed) = result.err().and_then(|error| error.error_len()) else { return evidence };
        if evidence.malformed >= ENOUGH_MALFORMED {
            return evidence;
        }
        let length = shape(after);
        if length > 1 {
            evidence.trails += as_count(length - 1);
        } else {
            evidence.malformed += 1;
        }
        rest = after.get(length.max(malformed)..).unwrap_or_default();
    }
}

/// The length of the sequence that `bytes` starts with, if only its value is invalid; otherwise 0.
fn shape(bytes: &[u8]) -> usize {
    let length = match bytes.first() {
        Some(0xC0..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF7) => 4,
        _ => return 0,
    };
    let complete = bytes.get(1..length).is_some_and(|trails| trails.iter().all(|trail| !is_start(*trail)));
    if complete { length } else { 0 }
}
