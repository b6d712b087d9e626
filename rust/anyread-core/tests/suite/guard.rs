//! Mapped scans: the same counts as with `pread`, on unchanging files and under a writer that truncates them.
//!
//! The effect of signals on a whole process is tested from Python, in separate processes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers may panic")]

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyread_core::error::{Error, ErrorKind};
use anyread_core::guard::set_owner_hook;
use anyread_core::mapping::{LargeScans, Mapping};
use anyread_core::scan::{BLOCK, Never, Rule, Terminator, count_blocks};
use anyread_core::snapshot::now_ns;
use anyread_core::source::{Snapshot, Source, Waiting};

use crate::input::{Input, check_random};

const MIB: u64 = 1 << 20;
const LF: Terminator = Terminator { width: 1, big_endian: false, value: b'\n', rule: Rule::Unit };

/// Scans that are mapped regardless of size; the SIGBUS handler of the test program may be replaced.
pub fn always_mapped() -> LargeScans {
    set_owner_hook(|_, _| true);
    LargeScans::new(Mapping::Always)
}

fn counts(
    file: &File,
    size: u64,
    terminator: Terminator,
    scans: Option<&LargeScans>,
) -> Result<Vec<u16>, Error> {
    let source = Source::File {
        descriptor: file.as_fd(),
        size,
        scans,
        waiting: Waiting::Allowed,
        head: &[],
        present: None,
    };
    let mut counts = Vec::new();
    count_blocks(source, Path::new("a"), terminator, 0..size / BLOCK, &Never, |count| {
        counts.push(count);
        true
    })?;
    Ok(counts)
}

/// Waits until the last change of a file is old enough; a file that was just written is never mapped.
pub fn wait_until_at_rest(file: &File) {
    while Snapshot::of(file).unwrap().is_racy(20_000_000, now_ns()) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn used(scans: &LargeScans) -> (u64, u64) {
    (scans.mapped.load(Ordering::Relaxed), scans.mapping_hits.load(Ordering::Relaxed))
}

/// Bytes with dense newlines in some places and none in others.
fn patchy(size: usize, input: &mut Input<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size + 64);
    while bytes.len() < size {
        let longest = if input.within(0..50) == 0 { 30_000 } else { 97 };
        let run = input.within(1..longest).min(size - bytes.len());
        bytes.extend(std::iter::repeat_n(input.pick(b"\n\0"), run));
    }
    bytes
}

#[test]
fn test_mapped_and_read_scans_count_the_same() {
    check_random(24, |input| {
        let (width, big_endian) = (input.pick(&[1, 1, 1, 2, 4]), input.flip());
        let (blocks, beyond) = (input.within(100..1_500) as u64, input.within(0..20_000));
        let terminator = Terminator { width, big_endian, ..LF };
        let size = blocks * BLOCK;
        let bytes = patchy(usize::try_from(size).unwrap() + beyond, input);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let block = usize::try_from(BLOCK).unwrap();
        let whole =
            bytes.chunks_exact(block).map(|block| u16::try_from(terminator.count(&[], block)).unwrap());
        let whole: Vec<u16> = whole.take(usize::try_from(blocks).unwrap()).collect();
        wait_until_at_rest(&file);
        let (always, never) = (always_mapped(), LargeScans::new(Mapping::Never));
        assert_eq!(&counts(&file, size, terminator, Some(&always)).unwrap(), &whole);
        assert_eq!(&counts(&file, size, terminator, Some(&never)).unwrap(), &whole);
        assert_eq!(&counts(&file, size, terminator, None).unwrap(), &whole);
        assert_eq!(used(&never), (0, 0));
        // The calling thread scans the first 2 MiB itself, without a mapping.
        assert_eq!(used(&always), (u64::from(size > 2 * MIB), 0));
    });
}

#[test]
fn test_auto_mapping_counts_the_same() {
    set_owner_hook(|_, _| true);
    let mut file = tempfile::tempfile().unwrap();
    let size = 160 * MIB;
    file.set_len(size).unwrap();
    for start in (0..size).step_by(1 << 20) {
        file.seek(SeekFrom::Start(start + start / 7 % MIB)).unwrap();
        file.write_all(b"a\nb\n").unwrap();
    }
    let expected = counts(&file, size, LF, None).unwrap();
    assert_eq!(expected.iter().map(|count| u64::from(*count)).sum::<u64>(), 2 * 160);
    wait_until_at_rest(&file);
    let auto = LargeScans::new(Mapping::Auto);
    for _ in 0..4 {
        assert_eq!(counts(&file, size, LF, Some(&auto)).unwrap(), expected);
    }
    assert_eq!(used(&auto), (4, 0), "each of them tried a mapping");
    let small = LargeScans::new(Mapping::Auto);
    counts(&file, 63 * MIB, LF, Some(&small)).unwrap();
    assert_eq!(used(&small), (0, 0));
}

#[test]
fn test_file_truncated_during_mapped_scan_is_counted_or_refused() {
    const SIZE: u64 = 24 * MIB;
    let scans = always_mapped();
    let mut file = tempfile::tempfile().unwrap();
    let lines = b"0123456789abcde\n".repeat(1 << 16);
    for _ in 0..SIZE / MIB {
        file.write_all(&lines).unwrap();
    }
    let done = AtomicBool::new(false);
    let (mut right, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        let mut writer = file.try_clone().unwrap();
        let (done, lines) = (&done, &lines);
        scope.spawn(move || {
            for turn in 0.. {
                if done.load(Ordering::Relaxed) {
                    return;
                }
                // Truncate at and within a page, then restore the content.
                let cut = SIZE / 2 + turn * 4097 % (8 * MIB);
                writer.set_len(cut).unwrap();
                std::thread::yield_now();
                writer.seek(SeekFrom::Start(cut / MIB * MIB)).unwrap();
                for _ in cut / MIB..SIZE / MIB {
                    writer.write_all(lines).unwrap();
                }
                std::thread::sleep(Duration::from_micros(21_000 + turn * 37 % 8_000));
            }
        });
        let begun = Instant::now();
        for _ in 0..1_000 {
            // With coverage instrumentation, scans are a hundred times slower.
            let is_seen = right > 0 && refused > 0 && used(&scans).1 > 0;
            if is_seen && begun.elapsed() > Duration::from_secs(5) {
                break;
            }
            match counts(&file, SIZE, LF, Some(&scans)) {
                Ok(counts) => {
                    assert!(counts.iter().all(|count| u64::from(*count) == BLOCK / 16));
                    right += 1;
                }
                Err(Error { kind: ErrorKind::FileChanged { .. }, .. }) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    let (mapped, hits) = used(&scans);
    assert!(mapped > 0 && hits > 0, "{mapped} scans were mapped, {hits} windows were hit");
    assert!(right > 0 && refused > 0, "{right} scans were right, {refused} refused");
}
