//! Columns in lines longer than 1 MiB: found with checkpoints, and compared with counting from the start.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test")]

use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyread_core::cache;
use anyread_core::encoding::Codec;
use anyread_core::lock::NoLockHeld;
use anyread_core::page::LineRule;
use anyread_core::page::view::View;
use anyread_core::registry::{self, Fresh, Key};
use anyread_core::scan::{Interrupt, LineEnds, Never};
use anyread_core::source::{Snapshot, Source, Waiting};
use anyread_core::text::TextPlan;

use crate::guard::{always_mapped, wait_until_at_rest};

/// A line of 20 MiB between two empty ones.
fn file_with_long_line(line: &[u8], codec: Codec) -> (std::fs::File, u64) {
    let newline: &[u8] = match codec {
        Codec::Utf16 { big_endian: false } => b"\n\0",
        Codec::Utf16 { big_endian: true } => b"\0\n",
        _ => b"\n",
    };
    let mut file = tempfile::tempfile().unwrap();
    let line = line.repeat((20_usize << 20).div_ceil(line.len()));
    file.write_all(&[newline, &line, newline].concat()).unwrap();
    (file, line.len() as u64)
}

fn check(piece: &[u8], codec: Codec) {
    let path = Path::new("long.txt");
    let (file, length) = file_with_long_line(piece, codec);
    let snapshot = Snapshot::of(&file).unwrap();
    let mapped = always_mapped();
    wait_until_at_rest(&file);
    let source = Source::File {
        descriptor: file.as_fd(),
        size: snapshot.size,
        scans: None,
        waiting: Waiting::Allowed,
        head: &[],
        present: None,
    };
    let start = codec.unit() as u64;
    let line = source.bytes(path, start, length as usize).unwrap();
    let total = codec.count_chars(&line);
    let columns = [1, 2, 1 << 20, (1 << 20) + 7, total / 3, total / 2 + 1, total - 1, total];
    let reversed = columns.iter().rev().copied().collect();
    for (scans, columns) in [(None, columns.to_vec()), (Some(&mapped), reversed)] {
        let source = Source::File {
            descriptor: file.as_fd(),
            size: snapshot.size,
            scans,
            waiting: Waiting::Allowed,
            head: &[],
            present: None,
        };
        cache::clear();
        for column in columns {
            let key = Key {
                identity: snapshot.identity(),
                encoding: Some(codec.name()),
                line_ends: LineEnds::Detected,
                is_decompressed: false,
            };
            let entry = registry::entry(&key);
            let fresh = Fresh { snapshot, tick_ns: 0, at_ns: i64::MAX, trust_append: true };
            let known = entry
                .known(source, path, fresh, || {
                    TextPlan::decide(source, path, Some(codec), LineEnds::Detected)
                })
                .unwrap();
            let view = View {
                source,
                path,
                plan: known.plan,
                lines: LineRule::READER,
                shared: Some((entry, known)),
                interrupt: &Never,
            };
            let position = view.column(start, column).unwrap().0.unwrap();
            let (bytes, _) = codec.skip_chars(&line, column - 1);
            assert_eq!(
                (position.byte, position.starts_line),
                (start + bytes as u64, false),
                "column {column}"
            );
            // The column after the last character would be in the next line, which does not exist.
            assert_eq!(view.column(start, total + 1).unwrap(), (None, 0));
        }
    }
    // Encodings that must be decoded from the start of the line are read sequentially, on the calling thread.
    let in_parallel = codec.boundary(&[b'x'; 8], 4).is_some();
    assert_eq!(mapped.mapped.load(Ordering::Relaxed) > 0, in_parallel);
    assert_eq!(mapped.mapping_repeats.load(Ordering::Relaxed), 0);
}

#[test]
fn test_columns_in_ascii_and_multibyte_utf8() {
    check(b"0123456789", Codec::Utf8);
    check("aé語😀".as_bytes(), Codec::Utf8);
}

#[test]
fn test_columns_in_malformed_utf8() {
    check(b"ok\xff\xe2\x82\xf0\x9f\x98\x80\x80\x80\x80\x80\x80.", Codec::Utf8);
    check(b"\x80", Codec::Utf8);
}

#[test]
fn test_columns_in_utf16_with_lone_surrogates() {
    check(b"a\0=\xd8\0\xde=\xd8b\0\0\xde", Codec::Utf16 { big_endian: false });
    check(b"\0a\xd8=\xde\0\xd8=\0b\xde\0", Codec::Utf16 { big_endian: true });
}

#[test]
fn test_columns_in_encodings_without_boundaries() {
    check(b"a\xc4\xe3\xba\xc3.", Codec::from_label("gb18030").unwrap());
    check(b"\xe9\xe8x", Codec::from_label("windows-1252").unwrap());
}

/// Cancels once a number of bytes has been scanned.
struct After(std::cell::Cell<u64>);

impl Interrupt for After {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        self.0.get() == 0
    }
    fn scanned(&self, bytes: u64) {
        self.0.set(self.0.get().saturating_sub(bytes));
    }
}

#[test]
fn test_cancelled_scan_keeps_counted_blocks() {
    let path = Path::new("lines.txt");
    let mut file = tempfile::tempfile().unwrap();
    let block = b"0123456\n".repeat(1 << 17);
    for _ in 0..64 {
        file.write_all(&block).unwrap();
    }
    let snapshot = Snapshot::of(&file).unwrap();
    let source = Source::File {
        descriptor: file.as_fd(),
        size: snapshot.size,
        scans: None,
        waiting: Waiting::Allowed,
        head: &[],
        present: None,
    };
    let entry = registry::entry(&Key {
        identity: snapshot.identity(),
        encoding: None,
        line_ends: LineEnds::Detected,
        is_decompressed: false,
    });
    let fresh = Fresh { snapshot, tick_ns: 0, at_ns: i64::MAX, trust_append: true };
    let known = entry
        .known(source, path, fresh, || TextPlan::decide(source, path, None, LineEnds::Detected))
        .unwrap();
    let interrupt = After(std::cell::Cell::new(20 << 20));
    let shared = Some((Arc::clone(&entry), Arc::clone(&known)));
    let view =
        View { source, path, plan: known.plan, lines: LineRule::READER, shared, interrupt: &interrupt };
    assert!(view.total_lines().is_err());
    let left = entry.latest(&known).index.scanned();
    assert!((8 << 20..64 << 20).contains(&left), "{left}");
    let view = View { shared: Some((entry, known)), interrupt: &Never, ..view };
    assert_eq!(view.total_lines().unwrap(), 64 << 17);
}
