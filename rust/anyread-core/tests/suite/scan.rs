//! What ends a line, in code units of all widths, against a search that looks at every unit.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use anyread_core::error::ErrorKind;
use anyread_core::lock::NoLockHeld;
use anyread_core::scan::{
    BLOCK, Interrupt, Never, Rule, ScanWindow, Terminator, WINDOW, count_blocks, in_order,
};
use anyread_core::source::Source;
use proptest::prelude::*;

/// The starts of all terminators, found one unit after the other.
fn starts(terminator: Terminator, bytes: &[u8]) -> Vec<usize> {
    let width = terminator.width;
    let value = |unit: &[u8]| {
        let digit = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        if terminator.big_endian { unit.iter().fold(0, digit) } else { unit.iter().rev().fold(0, digit) }
    };
    let units = bytes.chunks_exact(width).enumerate();
    units
        .filter(|(_, unit)| value(unit) == u32::from(terminator.value))
        .map(|(index, _)| index * width)
        .collect()
}

fn terminators() -> impl Strategy<Value = Terminator> {
    let widths = prop_oneof![Just(1_usize), Just(2), Just(4)];
    (widths, any::<bool>(), prop_oneof![Just(b'\n'), Just(b'\r')])
        .prop_map(|(width, big_endian, value)| Terminator { width, big_endian, value, rule: Rule::Unit })
}

proptest! {
    #[test]
    fn terminators_are_found_where_a_look_at_every_unit_finds_them(
        terminator in terminators(),
        bytes in prop::collection::vec(prop_oneof![Just(0_u8), Just(b'\n'), Just(b'\r'), Just(1)], 0..200),
        from in 0_usize..60,
    ) {
        let all = starts(terminator, &bytes);
        let from = from * terminator.width;
        prop_assert_eq!(terminator.count(&[], &bytes), all.len());
        prop_assert_eq!(terminator.find(&bytes, from).map(|ending| ending.start), all.iter().copied().find(|at| *at >= from));
        prop_assert_eq!(terminator.rfind(&bytes), all.last().copied());
        let last = bytes.len().checked_sub(terminator.width).filter(|at| at.is_multiple_of(terminator.width));
        prop_assert_eq!(terminator.ends(&bytes), last.is_some_and(|last| all.contains(&last)));
        for at in (0..bytes.len()).step_by(terminator.width) {
            prop_assert_eq!(terminator.is_at(&bytes, at), all.contains(&at));
        }
    }
}

#[test]
fn a_count_of_many_terminators_is_exact() {
    // More than fit into a byte at each place of a vector, and a rest that fills none.
    let bytes = b"\n".repeat(300 * 64 + 63);
    assert_eq!(LF.count(&[], &bytes), bytes.len());
}

const LF: Terminator = Terminator { width: 1, big_endian: false, value: b'\n', rule: Rule::Unit };

/// Lines of growing length, over several windows.
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
fn blocks_are_counted_in_order_and_no_farther_than_wanted() {
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

/// Interrupted from the start.
struct Interrupted;

impl Interrupt for Interrupted {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        true
    }
    fn scanned(&self, _bytes: u64) {}
}

#[test]
fn an_interrupted_scan_ends_and_takes_nothing() {
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
fn the_first_error_in_the_order_of_the_file_ends_a_scan() {
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
