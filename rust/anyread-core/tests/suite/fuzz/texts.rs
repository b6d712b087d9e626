//! Generators of texts: lines of unusual pieces with chosen endings, and malformed bytes between them.

use std::collections::HashMap;

use anyread_core::encoding::Codec;

use crate::encodings::support::decode;
use crate::input::Input;

/// Characters of all lengths, line separators that only some rules know, and parts of characters.
const PIECES: [&[u8]; 32] = [
    b"a",
    b"b",
    b"ab c",
    b"\t",
    b" ",
    b"1",
    b"",
    "é".as_bytes(),
    "ß".as_bytes(),
    "\u{A8}".as_bytes(),
    "Ċ".as_bytes(),
    "€".as_bytes(),
    "語".as_bytes(),
    "\u{2027}".as_bytes(),
    "\u{E085}".as_bytes(),
    "😀".as_bytes(),
    "\u{B}".as_bytes(),
    "\u{C}".as_bytes(),
    "\u{1C}".as_bytes(),
    "\u{85}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{FEFF}".as_bytes(),
    b"\0",
    b"\r",
    b"\xE2\x80",
    b"\xA8",
    b"\xC2",
    b"\x85",
    b"\xF0\x9F",
    b"\xED\xA0\x80",
    b"\xFF",
    b"\xFF\xFE",
];

/// The endings of a text, which are used in turn: one kind, two kinds, or all of them.
const ENDINGS: [&[&str]; 8] = [
    &["\n"],
    &["\r\n"],
    &["\r"],
    &["\n", "\r\n"],
    &["\n", "\r"],
    &["\n", "", "\r\n", "\r", "\n\r"],
    &["\n", "\u{2028}", "\u{85}"],
    &["\u{1E}", "\u{B}", "\n", "\u{2029}", "\r\n", "\u{C}", "\u{1D}"],
];

/// A text of at most `lines` lines; a piece is repeated up to `longest` times.
pub fn text(input: &mut Input<'_>, lines: usize, longest: usize) -> Vec<u8> {
    let endings = input.pick(&ENDINGS);
    let ends = input.flip();
    let lines = input.list(0..lines + 1, |input| line(input, longest));
    let last = lines.len().saturating_sub(1);
    let ending = |at: usize| if at == last && !ends { "" } else { endings[at % endings.len()] };
    lines.iter().enumerate().flat_map(|(at, line)| [line, ending(at).as_bytes()].concat()).collect()
}

fn line(input: &mut Input<'_>, longest: usize) -> Vec<u8> {
    let piece = |input: &mut Input<'_>| {
        let most = input.pick(&[1, 1, 12, 12, 12, longest + 1]);
        let count = if most == 1 { 1 } else { input.within(0..most) };
        input.pick(&PIECES).repeat(count)
    };
    input.list(0..4, piece).concat()
}

/// Encodes a text. Characters that the encoding lacks are left out; in multi-byte encodings, they become
/// numbers.
pub fn encode(text: &str, codec: Codec) -> Vec<u8> {
    match codec {
        Codec::Utf8 => text.as_bytes().to_vec(),
        Codec::Utf16 { big_endian } => {
            let in_order = |unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
            text.encode_utf16().flat_map(in_order).collect()
        }
        Codec::Utf32 { big_endian } => {
            let in_order = |unit: u32| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
            text.chars().flat_map(|character| in_order(character.into())).collect()
        }
        Codec::Legacy(encoding) if !encoding.is_single_byte() => encoding.encode(text).0.into_owned(),
        _ => {
            let character = |byte: u8| decode(codec, &[byte]).chars().next().unwrap();
            let bytes: HashMap<char, u8> = (0..=255).map(|byte| (character(byte), byte)).collect();
            text.chars().filter_map(|character| bytes.get(&character).copied()).collect()
        }
    }
}

/// A text and its bytes in an encoding; in UTF-8, malformed bytes stay as they are.
pub fn encoded(bytes: &[u8], codec: Codec) -> (String, Vec<u8>) {
    if codec == Codec::Utf8 {
        return (String::from_utf8_lossy(bytes).into_owned(), bytes.to_vec());
    }
    let bytes = encode(&String::from_utf8_lossy(bytes), codec);
    (decode(codec, &bytes), bytes)
}
