//! Scans of many blocks: counts in order, interruption, errors.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use anyread_core::encoding::Codec;
use anyread_core::error::ErrorKind;
use anyread_core::lock::NoLockHeld;
use anyread_core::scan::{
    BLOCK, Interrupt, LineEnds, Never, Rule, ScanWindow, Terminator, WINDOW, count_blocks, in_order,
};
use anyread_core::source::Source;

#[test]
fn test_count_of_many_terminators_is_exact() {
    // More than fit into the byte counters of a vector, and a rest that does not fill one.
    let bytes = b"\n".repeat(300 * 64 + 63);
    assert_eq!(LF.count(&[], &bytes), bytes.len());
}

const LF: Terminator = Terminator { width: 1, big_endian: false, value: b'\n', rule: Rule::Unit };

/// Lines of increasing length, over several windows.
fn bytes() -> Vec<u8> {
    let size = usize::try_from(3 * WINDOW + 5 * BLOCK).unwrap();
    let mut bytes = Vec::with_capacity(size + 1000);
    let mut length = 1;
    while bytes.len() < size {
        bytes.resize(bytes.len() + length, b'x');
        bytes.push(b'\n');
        length = length % 997 + 1;
    }
    bytes.truncate(size);
    bytes
}

#[test]
fn test_blocks_are_counted_in_order_until_stopped() {
    let bytes = bytes();
    let block = usize::try_from(BLOCK).unwrap();
    let expected: Vec<usize> = bytes.chunks(block).map(|block| LF.count(&[], block)).collect();
    for wanted in [1, 3, 200, 700, expected.len()] {
        let mut counts = Vec::new();
        let blocks = 0..expected.len() as u64;
        count_blocks(Source::Memory(&bytes), Path::new("a"), LF, blocks, &Never, |count| {
            counts.push(usize::from(count));
            counts.len() < wanted
        })
        .unwrap();
        assert_eq!(counts, expected[..wanted]);
    }
}

/// Reports an interrupt from the start.
struct Interrupted;

impl Interrupt for Interrupted {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        true
    }
    fn scanned(&self, _bytes: u64) {}
}

#[test]
fn test_interrupted_scan_returns_no_results() {
    let bytes = bytes();
    let work = |window: &mut ScanWindow<'_>| {
        while !window.is_stopped() {
            std::thread::yield_now();
        }
        Ok(())
    };
    let range = 0..bytes.len() as u64;
    let mut taken = 0;
    let outcome = in_order(Source::Memory(&bytes), Path::new("a"), &range, &Interrupted, work, |()| {
        taken += 1;
        true
    });
    assert_eq!(outcome.unwrap_err().kind, ErrorKind::Cancelled);
    assert_eq!(taken, 0);
}

#[test]
fn test_scan_reports_first_error_in_file_order() {
    let failing = |window: &mut ScanWindow<'_>| {
        let start = window.range().start;
        let change = if start == WINDOW { "first" } else { "later" };
        let error = anyread_core::error::Error::new("a", ErrorKind::FileChanged { change });
        if start < WINDOW { Ok(start) } else { Err(error) }
    };
    let mut taken = Vec::new();
    let outcome = in_order(Source::Memory(&[]), Path::new("a"), &(0..5 * WINDOW), &Never, failing, |start| {
        taken.push(start);
        true
    });
    assert_eq!(outcome.unwrap_err().kind, ErrorKind::FileChanged { change: "first" });
    assert_eq!(taken, [0]);
}

/// The first bytes of a file were taken for bytes before it, so that a CR among them hid an LF at the start.
#[test]
fn test_no_bytes_precede_first_block() {
    let block = usize::try_from(BLOCK).unwrap();
    for (start, ends, expected) in [
        (&b"\nab\r"[..], LineEnds::LfCrlfCr, 2),
        (b"\nab\r", LineEnds::SplitLines, 2),
        (b"\xA8a\xE2\x80", LineEnds::SplitLines, 0),
    ] {
        let bytes = [start, &b"x".repeat(block - 4)].concat();
        let terminator = Terminator::new(Codec::Utf8, ends);
        let mut counts = Vec::new();
        count_blocks(Source::Memory(&bytes), Path::new("a"), terminator, 0..1, &Never, |count| {
            counts.push(count);
            true
        })
        .unwrap();
        assert_eq!(counts, [expected], "{start:?}");
    }
}
