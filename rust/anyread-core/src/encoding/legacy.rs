//! The encodings of the WHATWG standard, decoded by `encoding_rs`.
//!
//! The difficulty is to find where characters end: trail bytes look like lead bytes, so that the text must be
//! decoded from a position that is known to start a character.
//! [`clean_prefix`] quickly decodes up to the first malformed piece, [`first_piece`] exactly one character.

use encoding_rs::{BIG5, DecoderResult, EUC_JP, Encoding, GB18030, ISO_2022_JP};
use memchr::memrchr;

use super::as_count;

/// The maximum number of bytes decoded at a time to find a position, and of UTF-16 units that they become.
const PIECE: usize = 1024;
const UNITS: usize = PIECE + 16;

/// A byte that is never a trail byte; it ends an incomplete character as the next line would.
///
/// At the end of its input, the standard's GB18030 decoder replaces an incomplete sequence by one U+FFFD, but
/// by two or three characters if any other byte follows. A piece must decode as it does in the whole text.
const TERMINATOR: u8 = b'\n';

/// The length of an escape sequence of ISO-2022-JP.
const ESCAPE_BYTES: usize = 3;
/// The escape of ISO-2022-JP that selects ASCII.
const TO_ASCII: &[u8] = b"\x1B(B";

/// Whether a decoder met bytes that are shown as U+FFFD.
///
/// The WHATWG standard also rejects an escape sequence of ISO-2022-JP directly after another, as where two
/// files were joined. Python's codec accepts it; the decoder is in the state that it selects.
pub fn is_malformed(result: &DecoderResult) -> bool {
    const REPEATED_ESCAPE: DecoderResult = DecoderResult::Malformed(3, 3);
    matches!(result, DecoderResult::Malformed(..)) && *result != REPEATED_ESCAPE
}

/// How many characters there are in valid UTF-16.
fn chars_of(units: &[u16]) -> u64 {
    as_count(units.iter().filter(|unit| **unit & 0xFC00 != 0xDC00).count())
}

/// See [`super::Codec::decode_into`].
pub fn decode_into(encoding: &'static Encoding, bytes: &[u8], out: &mut String) -> bool {
    let start = out.len();
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut replaced = false;
    for (mut rest, last) in ends(encoding, bytes) {
        loop {
            // Most legacy text grows by at most half; if it grows more, the loop reserves again.
            out.reserve(rest.len() + rest.len() / 2 + 16);
            let (result, read) = decoder.decode_to_string_without_replacement(rest, out, last);
            rest = &rest[read..];
            if result == DecoderResult::InputEmpty {
                break;
            }
            if is_malformed(&result) {
                out.push(char::REPLACEMENT_CHARACTER);
                replaced = true;
            }
        }
    }
    if encoding == GB18030 {
        out.pop();
    }
    as_python_decodes(encoding, out, start);
    replaced
}

/// The inputs of a decoder, each with whether it is the last: `bytes`, and for GB18030 the terminator.
fn ends<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> impl Iterator<Item = (&'a [u8], bool)> {
    let terminated = encoding == GB18030;
    let terminator: &[u8] = &[TERMINATOR];
    [(bytes, !terminated), (terminator, true)].into_iter().take(1 + usize::from(terminated))
}

/// Replaces characters of `out` from byte `start` on by those that Python's codec decodes, one for one.
///
/// For a few signs the WHATWG standard follows Microsoft's mapping and Python that of the national standard.
/// Python's codec cannot encode the characters of the former.
fn as_python_decodes(encoding: &'static Encoding, out: &mut String, start: usize) {
    let python: fn(char) -> char = if encoding == EUC_JP || encoding == ISO_2022_JP {
        jis_sign
    } else if encoding == BIG5 {
        big5_sign
    } else {
        return;
    };
    if out[start..].chars().any(|character| python(character) != character) {
        let tail = out.split_off(start);
        out.extend(tail.chars().map(python));
    }
}

/// See [`as_python_decodes`]: `euc_jp` and `iso2022_jp`.
fn jis_sign(character: char) -> char {
    match character {
        '～' => '〜',
        '∥' => '‖',
        '－' => '−',
        '￠' => '¢',
        '￡' => '£',
        '￢' => '¬',
        _ => character,
    }
}

/// See [`as_python_decodes`]: `big5hkscs`.
fn big5_sign(character: char) -> char {
    match character {
        '‧' => '•',
        '﹑' => '､',
        '¯' => '‾',
        '～' => '∼',
        '⊕' => '♁',
        '⊙' => '☉',
        '∕' => '／',
        '﹨' => '＼',
        '￥' => '¥',
        '￠' => '¢',
        '￡' => '£',
        _ => character,
    }
}

/// See [`super::Codec::count_chars`].
pub fn count_chars(encoding: &'static Encoding, bytes: &[u8]) -> u64 {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut units = [0; UNITS];
    let mut count = 0;
    for (mut rest, last) in ends(encoding, bytes) {
        loop {
            let (result, read, written) = decoder.decode_to_utf16_without_replacement(rest, &mut units, last);
            count += chars_of(&units[..written]) + u64::from(is_malformed(&result));
            rest = &rest[read..];
            if result == DecoderResult::InputEmpty {
                break;
            }
        }
    }
    count - u64::from(encoding == GB18030)
}

/// The bytes and characters before the first malformed or incomplete piece, at most [`PIECE`] bytes.
fn clean_prefix(encoding: &'static Encoding, bytes: &[u8]) -> (usize, u64) {
    let piece = &bytes[..bytes.len().min(PIECE)];
    let mut units = [0; UNITS];
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (result, read, written) = decoder.decode_to_utf16_without_replacement(piece, &mut units, true);
    let chars = chars_of(&units[..written]);
    match result {
        DecoderResult::InputEmpty => (read, chars),
        DecoderResult::Malformed(malformed, after) => {
            (read.saturating_sub(usize::from(malformed) + usize::from(after)), chars)
        }
        // Impossible, as there are more units than bytes; the end of a character would be unknown.
        DecoderResult::OutputFull => (0, 0),
    }
}

/// The byte length of the first character or malformed piece of `bytes`, and how many characters it is,
/// usually one. `None` if it is incomplete, unless `is_end` says that nothing follows.
fn first_piece(encoding: &'static Encoding, bytes: &[u8], is_end: bool) -> Option<(usize, u64)> {
    let mut units = [0; 16];
    let mut window = [TERMINATOR; 9];
    let available = bytes.len().min(8);
    window[..available].copy_from_slice(&bytes[..available]);
    for length in 1..=available + usize::from(is_end) {
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let (result, _, written) =
            decoder.decode_to_utf16_without_replacement(&window[..length], &mut units, false);
        if written > 0 {
            return Some((length, chars_of(&units[..written])));
        }
        if let DecoderResult::Malformed(malformed, _) = result {
            return Some((usize::from(malformed), 1));
        }
    }
    None
}

/// See [`super::Codec::skip_chars`].
pub fn skip_chars(encoding: &'static Encoding, bytes: &[u8], chars: u64) -> (usize, u64) {
    if encoding == ISO_2022_JP {
        return skip_stateful(encoding, bytes, chars, true);
    }
    let mut position = 0;
    let mut done = 0;
    while done < chars && position < bytes.len() {
        let rest = &bytes[position..];
        // A character takes at least one byte, so this many bytes cannot hold too many characters.
        let missing = usize::try_from(chars - done).unwrap_or(usize::MAX).min(rest.len());
        let (length, found) = clean_prefix(encoding, &rest[..missing]);
        let (length, found) =
            if length > 0 { (length, found) } else { first_piece(encoding, rest, true).unwrap_or((1, 1)) };
        position += length;
        done += found;
    }
    (position, done)
}

/// `skip_chars` for an encoding with state, one byte at a time.
///
/// Escape sequences after the last character are passed with it.
fn skip_stateful(encoding: &'static Encoding, bytes: &[u8], chars: u64, is_end: bool) -> (usize, u64) {
    if chars == 0 {
        return (0, 0);
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut units = [0; 16];
    let mut consumed = 0;
    let mut done = 0;
    let mut end = 0;
    loop {
        let input = &bytes[consumed..bytes.len().min(consumed + 1)];
        let last = is_end && consumed + input.len() == bytes.len();
        let (result, read, written) = decoder.decode_to_utf16_without_replacement(input, &mut units, last);
        consumed += read;
        let malformed = is_malformed(&result);
        if done >= chars && (written > 0 || malformed) {
            break;
        }
        if written > 0 {
            done += chars_of(&units[..written]);
            end = consumed;
        }
        match result {
            DecoderResult::Malformed(_, after) if malformed => {
                done += 1;
                end = consumed.saturating_sub(usize::from(after));
            }
            DecoderResult::InputEmpty | DecoderResult::Malformed(..) => {
                if written == 0 && consumed - end == ESCAPE_BYTES && bytes[end] == 0x1B {
                    end = consumed;
                }
                if consumed == bytes.len() {
                    break;
                }
            }
            DecoderResult::OutputFull => break,
        }
    }
    (if done < chars && is_end { bytes.len() } else { end }, done)
}

/// See [`super::Codec::last_escape`].
pub fn last_escape(bytes: &[u8]) -> Option<&[u8]> {
    let escape = &bytes[memrchr(0x1B, bytes)?..];
    let escape = &escape[..escape.len().min(ESCAPE_BYTES)];
    Some(if escape == TO_ASCII { &[] } else { escape })
}

/// See [`super::Codec::floor_boundary`].
pub fn floor_boundary(encoding: &'static Encoding, bytes: &[u8], at: usize) -> usize {
    if encoding == ISO_2022_JP {
        return floor_stateful(encoding, bytes, at);
    }
    let mut position = 0;
    while position < at {
        let (length, _) = clean_prefix(encoding, &bytes[position..at]);
        if length > 0 {
            position += length;
            continue;
        }
        match first_piece(encoding, &bytes[position..], false) {
            Some((length, _)) if position + length <= at => position += length,
            _ => break,
        }
    }
    position
}

/// The last position up to `at` in the ASCII state; if there is none, the end of the last character.
fn floor_stateful(encoding: &'static Encoding, bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    // Search backward for an escape to ASCII. Text is ASCII after one and before the first of any kind.
    while let Some(escape) = memrchr(0x1B, &bytes[..end]) {
        if bytes[escape..end].starts_with(TO_ASCII) {
            return end;
        }
        end = escape;
    }
    if end > 0 || at == 0 { end } else { skip_stateful(encoding, &bytes[..at], u64::MAX, false).0 }
}
