//! A slow and simple search for line endings: every code unit is examined, under every rule.

use anyread_core::encoding::Codec;
use anyread_core::scan::LineEnds;

/// A line ending in bytes: where it begins, and where the next line begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    pub start: usize,
    pub end: usize,
}

/// The values of the complete code units of `bytes`.
pub fn units(bytes: &[u8], codec: Codec) -> Vec<u32> {
    let is_big = matches!(codec, Codec::Utf16 { big_endian: true } | Codec::Utf32 { big_endian: true });
    let digit = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
    let value = |unit: &[u8]| {
        if is_big { unit.iter().fold(0, digit) } else { unit.iter().rev().fold(0, digit) }
    };
    bytes.chunks_exact(codec.unit()).map(value).collect()
}

/// The sequences of code units that end a line under a rule, longest first.
fn separators(codec: Codec, ends: LineEnds) -> Vec<Vec<u32>> {
    let lf = u32::from(codec.line_feed());
    match ends {
        LineEnds::Lf => vec![vec![lf]],
        LineEnds::Detected | LineEnds::LfCrlf => vec![vec![0x0D, lf], vec![lf]],
        LineEnds::LfCrlfCr => vec![vec![0x0D, lf], vec![lf], vec![0x0D]],
        LineEnds::SplitLines => {
            let split = [
                '\n', '\r', '\u{B}', '\u{C}', '\u{1C}', '\u{1D}', '\u{1E}', '\u{85}', '\u{2028}', '\u{2029}',
            ];
            let mut all = vec![vec![0x0D, lf]];
            if codec.unit() > 1 {
                all.extend(split.map(|character| vec![u32::from(character)]));
            } else if codec == Codec::Utf8 {
                all.extend(split.map(|character| character.to_string().bytes().map(u32::from).collect()));
            } else {
                let is_split = |byte: &u8| {
                    let mut text = String::new();
                    codec.decode_into(&[*byte], &mut text);
                    text.chars().count() == 1 && text.contains(split)
                };
                all.extend((0..=255).filter(is_split).map(|byte| vec![u32::from(byte)]));
            }
            all
        }
    }
}

/// All endings of `bytes`; for [`LineEnds::Detected`], those of LF and CR LF.
pub fn endings(bytes: &[u8], codec: Codec, ends: LineEnds) -> Vec<Ending> {
    let (units, width) = (units(bytes, codec), codec.unit());
    let separators = separators(codec, ends);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < units.len() {
        let here = separators.iter().find(|separator| units[at..].starts_with(separator));
        let length = here.map_or(1, Vec::len);
        if here.is_some() {
            found.push(Ending { start: at * width, end: (at + length) * width });
        }
        at += length;
    }
    found
}
