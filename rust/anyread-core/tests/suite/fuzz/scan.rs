//! Finding and counting line endings, compared with a search that examines every code unit.

use std::path::Path;

use anyread_core::encoding::Codec;
use anyread_core::scan::{LineEnds, Never, Terminator, count_blocks};
use anyread_core::source::Source;

use super::run;
use super::texts::{encode, text};
use super::units::{Ending, endings, units};
use crate::input::Input;

pub const ENDS: [LineEnds; 5] =
    [LineEnds::Detected, LineEnds::Lf, LineEnds::LfCrlf, LineEnds::LfCrlfCr, LineEnds::SplitLines];

/// The names of encodings with different code units and different bytes for the line separators.
const CODECS: [&str; 8] =
    ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "latin-1", "cp037", "gb18030"];

/// Bytes of line endings in several encodings.
const BYTES: [u8; 16] =
    [0, 1, b'\n', b'\r', 0x0B, 0x15, 0x1C, 0x20, 0x25, 0x28, 0x29, 0x80, 0x85, 0xA8, 0xC2, 0xE2];

#[derive(Debug)]
struct Case {
    bytes: Vec<u8>,
    codec: Codec,
    ends: LineEnds,
    from: usize,
    split: usize,
}

fn case(input: &mut Input<'_>) -> Case {
    let codec = Codec::from_label(input.pick(&CODECS)).unwrap();
    let (ends, from, split) = (input.pick(&ENDS), input.within(0..200), input.within(0..200));
    let bytes = if input.flip() {
        encode(&String::from_utf8_lossy(&text(input, 12, 300)), codec)
    } else {
        input.list(0..400, |input| if input.flip() { input.pick(&BYTES) } else { input.byte() })
    };
    Case { bytes, codec, ends, from, split }
}

/// The endings as [`Terminator::find`] reports them: without a CR that only belongs to an ending.
fn found(all: &[Ending], terminator: Terminator) -> Vec<Ending> {
    let without_cr = |ending: &Ending| {
        let start = if terminator.is_single() { ending.end - terminator.width } else { ending.start };
        Ending { start, end: ending.end }
    };
    all.iter().map(without_cr).collect()
}

fn check(case: &Case) {
    let (codec, bytes) = (case.codec, &case.bytes);
    let terminator = Terminator::new(codec, case.ends);
    let all = endings(bytes, codec, case.ends);
    assert_eq!(terminator.count(&[], bytes), all.len(), "count");

    // The bytes before a block decide about its first endings.
    let width = codec.unit();
    let split = (case.split * width).min(bytes.len() / width * width);
    let (before, after) = bytes.split_at(split);
    let counts = (terminator.count(&[], before), terminator.count(before, after));
    assert_eq!(counts.0 + counts.1, all.len(), "{counts:?} at {split}");

    // A search may begin anywhere; it does not see what comes before.
    let from = (case.from * width).min(bytes.len() / width * width);
    let first = found(&endings(&bytes[from..], codec, case.ends), terminator).first().copied();
    let expected = first.map(|ending| ending.start + from..ending.end + from);
    assert_eq!(terminator.find(bytes, from), expected, "find from {from}");
    let one_by_one =
        std::iter::successors(terminator.find(bytes, 0), |last| terminator.find(bytes, last.end));
    let one_by_one: Vec<Ending> = one_by_one.map(|it| Ending { start: it.start, end: it.end }).collect();
    assert_eq!(one_by_one, found(&all, terminator));

    let is_whole = bytes.len().is_multiple_of(width);
    let ends = is_whole && all.last().is_some_and(|last| last.end == bytes.len());
    assert_eq!(terminator.ends(bytes), ends, "ends");
    let unit = u32::from(terminator.value);
    let values = units(bytes, codec);
    for (at, value) in values.iter().enumerate() {
        assert_eq!(terminator.is_at(bytes, at * width), *value == unit, "is_at {at}");
    }
    if terminator.is_single() {
        let last = values.iter().rposition(|value| *value == unit).map(|at| at * width);
        assert_eq!(terminator.rfind(bytes), last, "rfind");
    }
    for ending in &all {
        let end = found(&[*ending], terminator)[0];
        assert_eq!(terminator.without_cr(bytes, 0, end.start), ending.start, "without_cr");
        // An ending is counted at a byte of it, in the same part as all the bytes that decide about it.
        let counted = terminator.counted_at(bytes, &(end.start..end.end));
        assert!((end.start..end.end).contains(&counted));
        assert_eq!(
            terminator.may_go_on(&bytes[..end.start + width], &(end.start..end.start + width)),
            !terminator.is_single() && values[end.start / width] == 0x0D
        );
    }
}

#[test]
fn test_line_endings_match_search_by_unit() {
    run("scan", 2_000, case, check);
}

/// The blocks of a large file, each of which is counted on its own.
#[derive(Debug)]
struct Blocks {
    text: Vec<u8>,
    repeat: usize,
    codec: Codec,
    ends: LineEnds,
}

fn blocks(input: &mut Input<'_>) -> Blocks {
    let codec = Codec::from_label(input.pick(&CODECS)).unwrap();
    let (ends, repeat) = (input.pick(&ENDS), input.within(1..12));
    Blocks { text: text(input, 8, 20_000), repeat, codec, ends }
}

fn check_blocks(case: &Blocks) {
    const BLOCK: usize = anyread_core::scan::BLOCK as usize;
    const LARGEST: usize = 6 * BLOCK;
    let codec = case.codec;
    let text = case.text.repeat(case.repeat);
    let bytes = encode(&String::from_utf8_lossy(&text[..text.len().min(LARGEST)]), codec);
    let bytes = &bytes[..bytes.len().min(LARGEST)];
    let terminator = Terminator::new(codec, case.ends);
    let blocks = bytes.len() / BLOCK;
    let mut expected = vec![0_u16; blocks];
    for ending in endings(bytes, codec, case.ends) {
        let end = found(&[ending], terminator)[0];
        if let Some(count) = expected.get_mut(terminator.counted_at(bytes, &(end.start..end.end)) / BLOCK) {
            *count += 1;
        }
    }
    for first in 0..blocks.min(3) {
        let (mut counts, range) = (Vec::new(), first as u64..blocks as u64);
        count_blocks(Source::Memory(bytes), Path::new("a"), terminator, range, &Never, |count| {
            counts.push(count);
            true
        })
        .unwrap();
        assert_eq!(counts, expected[first..], "from block {first}");
    }
}

#[test]
fn test_counts_of_blocks_match_search_by_unit() {
    run("blocks", 100, blocks, check_blocks);
}
