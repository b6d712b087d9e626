//! What the registry keeps about a file, and when it must discard it.

#![allow(clippy::disallowed_types)]

use std::cell::Cell;
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use crate::cache;
use crate::device::DeviceClass;
use crate::error::{Blocked, ErrorKind};
use crate::index::columns::Columns;
use crate::lock::NoLockHeld;
use crate::registry::{self, Entry, Fresh, Key, Known};
use crate::scan::{BLOCK, Interrupt, LineEnds, Never, to_usize};
use crate::source::{InlineLimit, Snapshot, Source, Waiting};
use crate::text::TextPlan;

const PLENTY: u64 = 1 << 30;
const TICK_NS: i64 = 20_000_000;

/// Serializes these tests, which share the registry of the process, and begins with an empty one: a new file may
/// have the inode and the times of one that was just removed.
fn alone() -> MutexGuard<'static, ()> {
    static MUTEX: Mutex<()> = Mutex::new(());
    let guard = MUTEX.lock().unwrap_or_else(PoisonError::into_inner);
    cache::clear();
    guard
}

fn file_of(lines: usize) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&b"0123456789abcde\n".repeat(lines)).unwrap();
    file
}

fn source_of(file: &File) -> Source<'_> {
    Source::File {
        descriptor: file.as_fd(),
        size: Snapshot::of(file).unwrap().size,
        scans: None,
        waiting: Waiting::Allowed,
        head: &[],
        present: None,
    }
}

fn look(file: &File, racy: bool, trust_append: bool) -> (Arc<Entry>, Arc<Known>) {
    let snapshot = Snapshot::of(file).unwrap();
    let at_ns = if racy { snapshot.rests_ns(TICK_NS, 0) - 1 } else { i64::MAX };
    look_at(file, Fresh { snapshot, tick_ns: TICK_NS, at_ns, trust_append })
}

fn look_at(file: &File, fresh: Fresh) -> (Arc<Entry>, Arc<Known>) {
    let source = source_of(file);
    let entry = registry::entry(&Key {
        identity: fresh.snapshot.identity(),
        encoding: None,
        line_ends: LineEnds::Detected,
        is_decompressed: false,
    });
    let path = Path::new("a");
    let known = entry
        .known(source, path, fresh, || TextPlan::decide(source, path, None, LineEnds::Detected))
        .unwrap();
    (entry, known)
}

/// Indexes the whole file; returns how many blocks were known before.
fn index(file: &File, racy: bool, trust_append: bool) -> u64 {
    let (entry, known) = look(file, racy, trust_append);
    let blocks = Snapshot::of(file).unwrap().size / BLOCK;
    let index = entry.extend(source_of(file), Path::new("a"), &known, (u64::MAX, blocks), &Never).unwrap();
    assert_eq!(index.blocks(), blocks);
    assert_eq!(index.newlines(), blocks * BLOCK / 16);
    known.index.blocks()
}

#[test]
fn test_index_is_kept_while_the_file_is_unchanged_or_grows() {
    let _alone = alone();
    let mut file = file_of(1 << 17);
    assert_eq!(index(&file, false, true), 0);
    assert_eq!(index(&file, false, true), 128);
    file.write_all(&b"0123456789abcde\n".repeat(1 << 16)).unwrap();
    assert_eq!(index(&file, false, true), 128);
    assert_eq!(index(&file, false, true), 192);
}

#[test]
fn test_index_is_discarded_when_the_head_changed_or_growth_is_not_trusted() {
    let _alone = alone();
    let mut file = file_of(1 << 17);
    index(&file, false, true);
    file.write_all(b"0123456789abcde\n").unwrap();
    assert_eq!(index(&file, false, false), 0, "not trusted");
    file.seek(SeekFrom::Start(0)).unwrap();
    file.write_all(b"edited").unwrap();
    assert_eq!(index(&file, false, true), 0, "edited, same size");
    file.write_all(b"again").unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    file.write_all(b"0123456789abcde\n").unwrap();
    assert_eq!(index(&file, false, true), 0, "edited and grown");
}

/// Counts inside a line, and the decisions about a text, were kept if only the head was the same.
#[test]
fn test_what_no_sample_checks_is_discarded_when_the_file_grows() {
    let _alone = alone();
    let mut file = file_of(1 << 17);
    let grow = |file: &mut File| file.write_all(b"0123456789abcde\n").unwrap();
    let (_, known) = look(&file, false, true);
    grow(&mut file);
    let (_, decided_again) = look(&file, false, true);
    assert_ne!(known.generation, decided_again.generation);
    index(&file, false, true);
    let counted = || {
        let (entry, known) = look(&file, false, true);
        (known.long_lines().of(0).reaches(9), entry.counted())
    };
    let mut columns = Columns::new(0);
    let source = source_of(&file);
    let text = (known.plan.codec, known.plan.terminator);
    columns.extend(source, Path::new("a"), text, 9, &Never).unwrap();
    look(&file, false, true).1.long_lines().store(0, Arc::new(columns));
    let (has_columns, generation) = counted();
    assert!(has_columns);
    grow(&mut file.try_clone().unwrap());
    assert_eq!(counted(), (false, generation));
}

/// Another reader, which trusted growth, had kept the index, and its answer was used.
#[test]
fn test_index_that_another_reader_kept_is_discarded_if_growth_is_not_trusted() {
    let _alone = alone();
    let mut file = file_of(1 << 17);
    index(&file, false, true);
    file.write_all(b"0123456789abcde\n").unwrap();
    assert_eq!(index(&file, false, true), 128);
    assert_eq!(index(&file, false, false), 0);
    assert_eq!(index(&file, false, false), 128);
}

#[test]
fn test_index_with_a_racy_stat_is_not_trusted_later() {
    let _alone = alone();
    let file = file_of(1 << 17);
    index(&file, true, true);
    assert_eq!(index(&file, false, true), 0);
    assert_eq!(index(&file, false, true), 128);
}

/// Looks at a file in a state that a test chooses, `age_ns` after its last change, and indexes all of it; returns
/// how many blocks were known before, and how many line endings all blocks have.
fn index_at(file: &File, snapshot: Snapshot, age_ns: i64) -> (u64, u64) {
    let at_ns = snapshot.rests_ns(0, 0) + age_ns;
    let (entry, known) = look_at(file, Fresh { snapshot, tick_ns: TICK_NS, at_ns, trust_append: true });
    let target = (u64::MAX, snapshot.size / BLOCK);
    let index = entry.extend(source_of(file), Path::new("a"), &known, target, &Never).unwrap();
    (known.index.blocks(), index.newlines())
}

/// The time in which a `write` that began with the last change may copy `bytes`.
fn copying_ns(bytes: u64) -> i64 {
    TICK_NS + (bytes * 20).cast_signed()
}

/// The kernel changes the times when a `write` begins: counts of what it was still copying were kept for good.
#[test]
fn test_index_built_during_a_write_is_built_again_once_after_it() {
    let _alone = alone();
    let size = 2 << 20;
    let line = b"0123456789abcde\n";
    let (half, half_lines) = (line.repeat(1 << 16), 1 << 16);
    let file = tempfile::tempfile().unwrap();
    file.set_len(size).unwrap();
    file.write_all_at(&half, 0).unwrap();
    let during = Snapshot::of(&file).unwrap();
    assert_eq!(index_at(&file, during, TICK_NS), (0, half_lines));
    // The same `write` goes on, so that the times are still those of its begin.
    file.write_all_at(&half, size / 2).unwrap();
    let last_ns = copying_ns(size) - 1;
    assert_eq!(index_at(&file, during, last_ns), (128, half_lines), "used meanwhile");
    assert_eq!(index_at(&file, during, last_ns + 1), (0, 2 * half_lines));
    assert_eq!(index_at(&file, during, last_ns + 2), (128, 2 * half_lines), "final");
}

/// Only what was appended lately is counted again, however often the file grows.
#[test]
fn test_index_of_a_growing_file_is_not_built_again() {
    let _alone = alone();
    let mut file = file_of(1 << 17);
    let mut grow = |lines: usize| {
        file.write_all(&b"0123456789abcde\n".repeat(lines)).unwrap();
        file.try_clone().unwrap()
    };
    let grown = grow(0);
    let first = Snapshot::of(&grown).unwrap();
    assert_eq!(index_at(&grown, first, copying_ns(first.size)).0, 0);
    let at = |size: u64, change_ns: i64| Snapshot { size, changed_ns: first.changed_ns + change_ns, ..first };
    let (block, second) = (to_usize(BLOCK) / 16, 1_000_000_000);
    // Each growth is counted once more when it is at rest; the blocks before it are not.
    let grown = grow(block);
    let next = at(first.size + BLOCK, second);
    assert_eq!(index_at(&grown, next, TICK_NS).0, 128);
    assert_eq!(index_at(&grown, next, copying_ns(BLOCK) - 1).0, 129);
    assert_eq!(index_at(&grown, next, copying_ns(BLOCK)).0, 128);
    assert_eq!(index_at(&grown, next, 2 * copying_ns(BLOCK)).0, 129);
    // It also grows before anything is at rest, and within one clock tick.
    let grown = grow(2 * block);
    let mut later = at(first.size + 3 * BLOCK, 2 * second);
    assert_eq!(index_at(&grown, later, 0).0, 129);
    assert_eq!(index_at(&grown, later, 1).0, 129, "another write may have had the same times");
    let grown = grow(block);
    later = at(first.size + 4 * BLOCK, 2 * second + 1);
    assert_eq!(index_at(&grown, later, 2).0, 131);
    // What was at rest when it grew last is not counted again.
    let grown = grow(block);
    later = at(first.size + 5 * BLOCK, 3 * second);
    assert_eq!(index_at(&grown, later, TICK_NS).0, 129);
    assert_eq!(index_at(&grown, later, copying_ns(2 * BLOCK)).0, 131);
}

/// Calls `callback` at each check and then interrupts.
struct InterruptAfter<F: Fn()> {
    callback: F,
}

impl<F: Fn()> Interrupt for InterruptAfter<F> {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        (self.callback)();
        true
    }
    fn scanned(&self, _bytes: u64) {}
}

/// A reader that waited for another reader's scan held the lock of the index while it checked for signals,
/// which needs the interpreter. A thread that held the interpreter and read the same file waited for that
/// lock, so that both were deadlocked.
#[test]
fn test_waiting_reader_holds_no_lock_during_its_interrupt_check() {
    let _alone = alone();
    let file = file_of(1 << 17);
    let (entry, known) = look(&file, false, true);
    let size = Snapshot::of(&file).unwrap().size;
    let limit = InlineLimit::new(DeviceClass::Memory, PLENTY);
    let extend = |waiting, interrupt: &dyn Interrupt| {
        let source =
            Source::File { descriptor: file.as_fd(), size, scans: None, waiting, head: &[], present: None };
        let target = (u64::MAX, size / BLOCK);
        entry.extend(source, Path::new("a"), &known, target, interrupt).map_err(|error| error.kind)
    };
    let (scanning, is_scanning) = mpsc::channel();
    let (stop, is_stopped) = mpsc::channel();
    std::thread::scope(|scope| {
        // Dropped if an assertion below fails, which ends the scan.
        let stop = stop;
        scope.spawn(move || {
            let interrupt = InterruptAfter {
                callback: || {
                    scanning.send(()).unwrap();
                    is_stopped.recv().unwrap();
                },
            };
            assert_eq!(extend(Waiting::Allowed, &interrupt), Err(ErrorKind::Cancelled));
        });
        is_scanning.recv().unwrap();
        // The file is being scanned now. While this reader waits, a non-blocking one returns at once.
        let attempts = Cell::new(0);
        let interrupt = InterruptAfter {
            callback: || {
                let attempt = std::thread::scope(|scope| {
                    scope.spawn(|| extend(Waiting::Refused(&limit), &Never)).join().unwrap()
                });
                assert_eq!(attempt, Err(ErrorKind::WouldBlock(Blocked::Work)));
                attempts.set(attempts.get() + 1);
            },
        };
        assert_eq!(extend(Waiting::Allowed, &interrupt), Err(ErrorKind::Cancelled));
        assert_eq!(attempts.get(), 1);
        stop.send(()).unwrap();
    });
}
