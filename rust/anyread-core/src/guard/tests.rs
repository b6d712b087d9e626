//! Windows over files that are truncated while they are mapped.
//!
//! Rust programs have a SIGBUS handler for stack overflows; the hook of these tests approves it.

#![allow(clippy::disallowed_types)]

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{MappedWindow, ScanThread, arm, set_owner_hook};
use crate::device::FINE_TICK_NS;
use crate::snapshot::{Snapshot, now_ns};

const PAGE: u64 = 4096;

/// Serializes the tests that depend on the table of slots, which the whole process shares.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    static MUTEX: Mutex<()> = Mutex::new(());
    MUTEX.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file of `pages` pages in which every 16th byte is a newline.
fn file_of(pages: usize) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&b"0123456789abcde\n".repeat(256 * pages)).unwrap();
    file
}

/// Waits until the next change of the file would change its timestamps.
fn at_rest(file: &File) -> BorrowedFd<'_> {
    while Snapshot::of(file).unwrap().is_racy(FINE_TICK_NS, now_ns()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    file.as_fd()
}

/// Runs `test` on a thread that may access mappings, while no other test of the guard runs.
fn on_scan_thread(test: impl FnOnce(&ScanThread) + Send) {
    let _alone = alone();
    set_owner_hook(|_, _| true);
    assert!(arm());
    std::thread::scope(|scope| scope.spawn(|| test(&ScanThread::enter().unwrap())).join().unwrap());
}

#[test]
fn test_window_returns_the_bytes_of_the_file() {
    on_scan_thread(|thread| {
        let mut file = file_of(5);
        let mut bytes = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut bytes).unwrap();
        let range = PAGE + 10..4 * PAGE + 77;
        let window = MappedWindow::new(thread, at_rest(&file), range.clone()).unwrap();
        for part in [range.clone(), PAGE + 10..PAGE + 10, PAGE + 15..PAGE + 17, 2 * PAGE..3 * PAGE + 1] {
            let expected = &bytes[usize::try_from(part.start).unwrap()..usize::try_from(part.end).unwrap()];
            let newlines = memchr::memchr_iter(b'\n', expected).count();
            assert_eq!(window.count(&part, b'\n'), Some(newlines));
            let mut copied = vec![0; expected.len()];
            window.copy(&part, &mut copied).unwrap();
            assert_eq!(copied, expected);
        }
        for outside in [PAGE..2 * PAGE, range.start..range.end + 1, 0..1] {
            assert_eq!(window.count(&outside, b'\n'), None);
        }
        assert!(window.is_intact());
    });
}

#[test]
fn test_truncated_window_has_zeros_and_is_not_intact() {
    on_scan_thread(|thread| {
        for kept in [0, 1, 3] {
            let file = file_of(8);
            let window = MappedWindow::new(thread, at_rest(&file), 0..8 * PAGE).unwrap();
            assert_eq!(window.count(&(0..8 * PAGE), b'\n'), Some(8 * 256));
            assert!(window.is_intact());
            file.set_len(kept * PAGE).unwrap();
            let newlines = usize::try_from(kept).unwrap() * 256;
            assert_eq!(window.count(&(0..8 * PAGE), b'\n'), Some(newlines));
            assert!(window.is_hit() && !window.is_intact());
            // Once a page is lost, the rest of the window is zeros even if the file grows again.
            file.set_len(8 * PAGE).unwrap();
            assert_eq!(
                window.count(&(kept * PAGE..8 * PAGE), 0),
                Some(usize::try_from((8 - kept) * PAGE).unwrap())
            );
            assert!(!window.is_intact(), "growing again does not make the window valid");
        }
    });
}

#[test]
fn test_window_of_a_file_being_written_is_refused_or_not_intact() {
    on_scan_thread(|thread| {
        let mut file = file_of(2);
        at_rest(&file);
        file.write_all(b"more").unwrap();
        assert!(MappedWindow::new(thread, file.as_fd(), 0..2 * PAGE).is_none(), "written just now");
        let window = MappedWindow::new(thread, at_rest(&file), 0..2 * PAGE).unwrap();
        assert!(window.is_intact());
        // Truncated within a page and grown again: no fault, the same size, but zeros in between.
        file.set_len(2 * PAGE - 16).unwrap();
        assert_eq!(window.count(&(0..2 * PAGE), b'\n'), Some(511));
        (&file).seek(SeekFrom::Start(2 * PAGE - 16)).unwrap();
        (&file).write_all(b"0123456789abcde\nmore").unwrap();
        assert!(!window.is_hit());
        assert!(!window.is_intact());
    });
}

#[test]
fn test_scan_thread_unblocks_an_inherited_sigbus_mask() {
    let _alone = alone();
    set_owner_hook(|_, _| true);
    assert!(arm());
    let host = std::thread::spawn(|| {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the set is initialized before it is used; only this thread's mask changes.
        unsafe {
            libc::sigfillset(set.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
        }
        let scanned = std::thread::spawn(|| {
            let thread = ScanThread::enter().unwrap();
            let file = file_of(2);
            let window = MappedWindow::new(&thread, at_rest(&file), 0..2 * PAGE).unwrap();
            file.set_len(0).unwrap();
            window.count(&(0..2 * PAGE), b'\n')
        });
        scanned.join().unwrap()
    });
    assert_eq!(host.join().unwrap(), Some(0));
}

#[test]
fn test_window_is_refused_without_a_free_slot() {
    on_scan_thread(|thread| {
        let file = file_of(1);
        let map = || MappedWindow::new(thread, at_rest(&file), 0..PAGE);
        let windows: Vec<_> = std::iter::from_fn(map).collect();
        assert!((1..=64).contains(&windows.len()), "{}", windows.len());
        drop(windows);
        assert!(map().is_some(), "a dropped window releases its slot");
    });
}

// A static program has no loaded objects.
#[cfg(not(target_feature = "crt-static"))]
#[test]
fn test_same_object_compares_the_loaded_objects() {
    use super::same_object;

    let here = (alone as *const ()).addr();
    let elsewhere = (libc::getpid as *const ()).addr();
    assert!(same_object(here, (arm as *const ()).addr()));
    assert!(!same_object(here, elsewhere));
    assert!(!same_object(1, 1), "no object at this address");
}
