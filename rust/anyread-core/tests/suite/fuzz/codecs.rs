//! Decoding, counting and cutting of characters in every encoding, compared with bytewise decoders.

use anyread_core::encoding::Codec;
use encoding_rs::{DecoderResult, Encoding, GB18030};

use super::run;
use super::texts::{encoded, text};
use crate::encodings::support::{chars, decode};
use crate::input::Input;

/// An encoding of each kind, and those whose trail bytes look like other characters.
const CODECS: [&str; 24] = [
    "utf-8",
    "utf-8",
    "utf-16-le",
    "utf-16-be",
    "utf-32-le",
    "utf-32-be",
    "latin-1",
    "windows-1252",
    "windows-1253",
    "iso-8859-8",
    "koi8-r",
    "mac-roman",
    "cp874",
    "cp437",
    "cp037",
    "gb18030",
    "gb18030",
    "big5",
    "cp932",
    "euc-jp",
    "cp949",
    "gbk",
    "iso2022_jp",
    "iso2022_jp",
];

/// Bytes that are special in some encoding: lead and trail bytes, surrogates, escapes, digits of GB18030.
const BYTES: [u8; 40] =
    *b"a0\n\x80\x81\x8E\x8F\xA0\xA1\xBF\xC2\xE2\xED\xF0\xF4\xFE\xFF\x00\x30\x31\x39\x40\x7E\x88\x62\
    \xD8\xD9\xDC\xDF\x1B$B(\x1B(J\x0E\x0F\x84\x95";

#[derive(Debug)]
struct Case {
    codec: Codec,
    bytes: Vec<u8>,
    /// Where a window begins and where a boundary is searched in it.
    start: usize,
    at: usize,
}

fn case(input: &mut Input<'_>) -> Case {
    let codec = Codec::from_label(input.pick(&CODECS)).unwrap();
    let (start, at) = (input.within(0..24), input.within(0..24));
    let mut bytes = if input.flip() {
        encoded(&text(input, 4, 40), codec).1
    } else {
        input.list(0..48, |input| if input.flip() { input.pick(&BYTES) } else { input.byte() })
    };
    bytes.truncate(200);
    Case { codec, bytes, start, at }
}

/// The length of the first character or maximal malformed subpart, and whether it is a character.
///
/// Source: Unicode Standard, table 3-7.
fn utf8_piece(bytes: &[u8]) -> (usize, bool) {
    let (trails, first): (usize, std::ops::RangeInclusive<u8>) = match bytes[0] {
        0x00..=0x7F => (0, 0..=0),
        0xC2..=0xDF => (1, 0x80..=0xBF),
        0xE0 => (2, 0xA0..=0xBF),
        0xED => (2, 0x80..=0x9F),
        0xE1..=0xEF => (2, 0x80..=0xBF),
        0xF0 => (3, 0x90..=0xBF),
        0xF1..=0xF3 => (3, 0x80..=0xBF),
        0xF4 => (3, 0x80..=0x8F),
        _ => return (1, false),
    };
    for at in 1..=trails {
        let allowed = if at == 1 { first.clone() } else { 0x80..=0xBF };
        if !bytes.get(at).is_some_and(|byte| allowed.contains(byte)) {
            return (at, false);
        }
    }
    (1 + trails, true)
}

fn decode_utf8(bytes: &[u8]) -> String {
    let (mut text, mut at) = (String::new(), 0);
    while at < bytes.len() {
        let (length, is_valid) = utf8_piece(&bytes[at..]);
        let piece = &bytes[at..at + length];
        text.push_str(if is_valid { std::str::from_utf8(piece).unwrap() } else { "\u{FFFD}" });
        at += length;
    }
    text
}

fn decode_utf16(bytes: &[u8], big_endian: bool) -> String {
    let in_order =
        |pair: [u8; 2]| if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) };
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| in_order([pair[0], pair[1]])).collect();
    let (mut text, mut at) = (String::new(), 0);
    while at < units.len() {
        let (unit, next) = (u32::from(units[at]), units.get(at + 1).map_or(0, |next| u32::from(*next)));
        let is_pair = (0xD800..0xDC00).contains(&unit) && (0xDC00..0xE000).contains(&next);
        let value = if is_pair { 0x1_0000 + ((unit - 0xD800) << 10) + (next - 0xDC00) } else { unit };
        text.push(char::from_u32(value).unwrap_or('\u{FFFD}'));
        at += 1 + usize::from(is_pair);
    }
    if !bytes.len().is_multiple_of(2) {
        text.push('\u{FFFD}');
    }
    text
}

fn decode_utf32(bytes: &[u8], big_endian: bool) -> String {
    let value = |unit: &[u8]| {
        let digit = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        let value = if big_endian { unit.iter().fold(0, digit) } else { unit.iter().rev().fold(0, digit) };
        let character = char::from_u32(value).filter(|_| unit.len() == 4);
        character.unwrap_or('\u{FFFD}')
    };
    bytes.chunks(4).map(value).collect()
}

/// Feeds a decoder of `encoding_rs` one byte at a time.
fn decode_stepwise(encoding: &'static Encoding, bytes: &[u8]) -> String {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() * 4 + 64);
    // A line feed shows how an incomplete sequence at the end of GB18030 would decode in a longer text.
    let end = if encoding == GB18030 { vec![b'\n'] } else { Vec::new() };
    let bytes = [bytes, &end].concat();
    for at in 0..=bytes.len() {
        let mut byte = &bytes[at..bytes.len().min(at + 1)];
        loop {
            let last = at == bytes.len();
            let (result, read) = decoder.decode_to_string_without_replacement(byte, &mut text, last);
            byte = &byte[read..];
            match result {
                // An escape of ISO-2022-JP directly after another, which Python's codec accepts.
                DecoderResult::Malformed(3, 3) => {}
                DecoderResult::Malformed(..) => text.push('\u{FFFD}'),
                DecoderResult::InputEmpty => break,
                DecoderResult::OutputFull => panic!("there is room for every character"),
            }
        }
    }
    text.truncate(text.len() - end.len());
    text
}

/// The signs that Python decodes differently from the WHATWG standard in EUC-JP, ISO-2022-JP and Big5.
const SIGNS: &str = "～∥－￠￡￢‧﹑¯⊕⊙∕﹨￥";

/// The text of `bytes`; `None` for the code pages of this crate, which decode each byte by itself.
fn expected(codec: Codec, bytes: &[u8]) -> Option<String> {
    match codec {
        Codec::Utf8 => Some(decode_utf8(bytes)),
        Codec::Utf16 { big_endian } => Some(decode_utf16(bytes, big_endian)),
        Codec::Utf32 { big_endian } => Some(decode_utf32(bytes, big_endian)),
        Codec::Latin1 => Some(bytes.iter().map(|byte| char::from(*byte)).collect()),
        Codec::Legacy(encoding) => Some(decode_stepwise(encoding, bytes)),
        Codec::CodePage(_) => None,
    }
}

fn check_decoding(codec: Codec, bytes: &[u8], whole: &str) {
    let Some(expected) = expected(codec, bytes) else {
        let alone: String = bytes.iter().map(|byte| decode(codec, &[*byte])).collect();
        assert_eq!(whole, alone);
        return;
    };
    assert_eq!(chars(whole), chars(&expected));
    let differs = |(one, other): &(char, char)| one != other && !SIGNS.contains(*other);
    assert_eq!(whole.chars().zip(expected.chars()).find(differs), None, "{whole:?} {expected:?}");
    let mut appended = "before ".to_owned();
    let replaced = codec.decode_into(bytes, &mut appended);
    assert_eq!(appended, format!("before {whole}"));
    // A text may contain a U+FFFD that is encoded.
    assert!(!replaced || whole.contains('\u{FFFD}'));
    assert!(
        replaced
            || !whole.contains('\u{FFFD}')
            || codec.unit() > 1
            || matches!(codec, Codec::Utf8 | Codec::Legacy(_))
    );
}

/// Checks where `bytes` can be cut, and how many characters are in each part.
fn check_cuts(codec: Codec, bytes: &[u8], whole: &str) {
    let total = chars(whole);
    assert_eq!(codec.count_chars(bytes), total);
    for wanted in 0..=total + 1 {
        let (length, found) = codec.skip_chars(bytes, wanted);
        assert!(found == wanted.min(total) || found == wanted + 1, "{wanted} → {found} of {total}");
        // Escapes of ISO-2022-JP at the end are no characters.
        assert!(length <= bytes.len() && (found < total || length == bytes.len() || codec.is_stateful()));
        assert_eq!(found == total, length == bytes.len() || (codec.is_stateful() && found == total));
        if !codec.is_stateful() {
            assert_eq!(chars(&decode(codec, &bytes[..length])), found);
            assert_eq!(decode(codec, &bytes[..length]) + &decode(codec, &bytes[length..]), whole);
        }
    }
    for at in 0..=bytes.len() {
        let joined = |cut: usize| decode(codec, &bytes[..cut]) + &decode(codec, &bytes[cut..]);
        if let Some(found) = codec.boundary(bytes, at) {
            assert!(found >= at && found < at + 4);
            assert_eq!(joined(found), whole, "boundary {at}");
        }
        let found = codec.floor_boundary(bytes, at);
        assert!(found <= at, "floor {at} → {found}");
        if !codec.is_stateful() {
            assert!(found + codec.max_char_bytes() > at, "floor {at} → {found}");
            assert_eq!(joined(found), whole, "floor {at}");
        }
    }
}

fn check(case: &Case) {
    let (codec, bytes) = (case.codec, &case.bytes);
    let whole = decode(codec, bytes);
    check_decoding(codec, bytes, &whole);
    check_cuts(codec, bytes, &whole);

    // A boundary found in a window with any start is also a boundary of the whole text.
    let unit = codec.unit();
    let start = (case.start / unit * unit).min(bytes.len() / unit * unit);
    if let Some(found) = codec.boundary(&bytes[start..], case.at) {
        let cut = start + found;
        assert_eq!(decode(codec, &bytes[..cut]) + &decode(codec, &bytes[cut..]), whole, "cut at {cut}");
    }
}

#[test]
fn test_decoding_matches_byte_by_byte_decoders_at_every_cut() {
    run("codecs", 1_500, case, check);
}
