//! Generators of texts: lines of unusual pieces with chosen endings, and malformed bytes between them.

use std::collections::HashMap;

use anyread_core::encoding::Codec;
use bolero::Driver;
use bolero::generator::{ValueGenerator, constant, one_of, one_value_of, produce};

use crate::encodings::support::decode;

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

/// A list of as many values as `length` says.
pub fn list<G: ValueGenerator>(
    values: G,
    length: impl ValueGenerator<Output = usize>,
) -> impl ValueGenerator<Output = Vec<G::Output>> {
    List { values, length }
}

struct List<G, L> {
    values: G,
    length: L,
}

impl<G: ValueGenerator, L: ValueGenerator<Output = usize>> ValueGenerator for List<G, L> {
    type Output = Vec<G::Output>;

    fn generate<D: Driver>(&self, driver: &mut D) -> Option<Self::Output> {
        let length = self.length.generate(driver)?;
        (0..length).map(|_| self.values.generate(driver)).collect()
    }
}

/// Texts of at most `lines` lines; a piece is repeated up to `longest` times.
pub fn texts(lines: usize, longest: usize) -> impl ValueGenerator<Output = Vec<u8>> {
    let count =
        one_of((constant(1_usize), constant(1_usize), 0..12_usize, 0..12_usize, 0..12_usize, 0..=longest));
    let piece = (one_value_of(PIECES), count).map_gen(|(piece, count)| piece.repeat(count));
    let pieces = list(piece, 0..4_usize);
    let line = pieces.map_gen(|pieces| pieces.concat());
    let all = list(line, 0..=lines);
    (one_value_of(ENDINGS), produce::<bool>(), all).map_gen(|(endings, ends, lines)| {
        let last = lines.len().saturating_sub(1);
        let ending = |at: usize| if at == last && !ends { "" } else { endings[at % endings.len()] };
        lines.iter().enumerate().flat_map(|(at, line)| [line, ending(at).as_bytes()].concat()).collect()
    })
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
