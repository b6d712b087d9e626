//! Safe access to a mapping of a file that another process may truncate.
//!
//! Access to a mapped page after the end of the file raises SIGBUS, whose default action ends the process.
//! Signal handlers apply to the whole process, which belongs to the host, so the guard follows these rules:
//!
//! 1. Mappings are accessed only on threads that the core spawned for a scan and that do not block SIGBUS
//!    ([`ScanThread`]).
//! 2. The addresses of our mappings are in a fixed table of atomics ([`slots`]), so that the handler takes no
//!    lock, allocates nothing and uses no thread-local storage.
//! 3. The handler acts only on `BUS_ADRERR` at such an address: it maps pages of zeros over the rest of the
//!    window, records the hit and returns.
//! 4. Any other signal belongs to the host. Our handler never calls another one; it reinstalls the handler
//!    that it had replaced and returns, so that the fault happens again under that handler.
//! 5. Our handler replaces only the default action, or a handler that the host approves ([`set_owner_hook`]).
//!    The binding approves only Python's faulthandler. In all other cases nothing is mapped.
//! 6. A window is small and is not inherited by a fork. After a hit it is invalid
//!    ([`MappedWindow::is_intact`]): the caller discards the results and reads by `pread`.
//! 7. The caller decides which files may be mapped: those of local file systems.
//! 8. A file is mapped only if it has not changed within the last clock tick, and the window is valid only if
//!    it does not change while mapped. If a file ends within a page, the rest of the page is zeros and raises
//!    no signal. So a file that is truncated and grows again could appear to have a hole that no `pread`
//!    would have returned. Its timestamps reveal this.
//!
//! Known gap: if another thread installs a handler while a window is being read (about a millisecond) and the
//! file is truncated within that time, that handler gets the signal.
//!
//! # Why there is never a slice of a mapping
//!
//! Another process may write to the file at any time, so its bytes may change without the compiler's
//! knowledge. A `&[u8]` guarantees that they do not, so even a short-lived one would be unsound.
//! Therefore there are no references to mapped memory. Each byte is loaded exactly once through a raw
//! pointer, by volatile loads ([`volatile`]), which is how Rust reads memory that it does not own.
//! A loaded byte is an ordinary value. Two loads may see two states of the file, as may two `pread` calls.

mod handler;
mod slots;
mod volatile;

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{Ordering, compiler_fence};

use rustix::mm::{Advice, MapFlags, ProtFlags};

pub use handler::{same_object, set_owner_hook};

pub(crate) use handler::arm;

use crate::device::FINE_TICK_NS;
use crate::snapshot::{Snapshot, now_ns};
use slots::OwnedSlot;

/// Proof that this thread may access mappings: the core spawned it, and SIGBUS is not blocked.
///
/// If SIGBUS is blocked, the first fault kills the process whatever handler is installed.
#[derive(Debug)]
pub(crate) struct ScanThread {
    /// The signal mask is per thread, so the proof must not move to another one.
    not_send: PhantomData<*const ()>,
}

impl ScanThread {
    /// Must be called on a thread that the core has spawned for a scan, because it changes the signal mask.
    pub(crate) fn enter() -> Option<Self> {
        handler::unblock().then_some(Self { not_send: PhantomData })
    }
}

/// A part of a file, mapped until this is dropped.
#[derive(Debug)]
pub(crate) struct MappedWindow<'a> {
    file: BorrowedFd<'a>,
    /// The start of the mapping, aligned to a page.
    base: *const u8,
    /// The length of the mapping in bytes, a multiple of the page size.
    length: usize,
    /// The bytes of the file that may be read, which begin on the first page.
    range: Range<u64>,
    /// The offset in the file at which the mapping begins.
    offset: u64,
    /// The state of the file before it was mapped.
    before: Snapshot,
    claim: OwnedSlot,
}

impl<'a> MappedWindow<'a> {
    /// Maps `range` of a file, extended to whole pages; `None` if that is not allowed or fails.
    pub(crate) fn new(_thread: &ScanThread, file: BorrowedFd<'a>, range: Range<u64>) -> Option<Self> {
        if range.is_empty() || !handler::is_armed() {
            return None;
        }
        let before = Snapshot::of(&file).ok().filter(|before| !before.is_racy(FINE_TICK_NS, now_ns()))?;
        let page = rustix::param::page_size();
        let offset = range.start - range.start % page as u64;
        let length = usize::try_from(range.end - offset).ok()?.checked_next_multiple_of(page)?;
        let claim = slots::claim()?;
        // SAFETY: no address is given, so the kernel chooses an unused range and no existing memory changes.
        // No reference into the mapping is ever created (see the module), so the file may be written to.
        let base = unsafe {
            rustix::mm::mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, offset)
        };
        let base = base.ok()?;
        let window = Self { file, base: base.cast_const().cast(), length, range, offset, before, claim };
        // SAFETY: the advice concerns exactly the mapping made above and changes no byte of it.
        let kept_from_forks = unsafe { rustix::mm::madvise(base, length, Advice::LinuxDontFork) };
        kept_from_forks.ok()?;
        window.claim.publish(base.addr()..base.addr().saturating_add(length));
        compiler_fence(Ordering::SeqCst);
        Some(window)
    }

    /// How often a byte occurs in `range` of the file; `None` if that is not mapped.
    pub(crate) fn count(&self, range: &Range<u64>, value: u8) -> Option<usize> {
        let (start, length) = self.span(range)?;
        // SAFETY: `span` has checked that these bytes lie in the mapping, which lives as long as `self`.
        // Its slot is published, so that the handler replaces pages after a new end of the file.
        Some(unsafe { volatile::count(start, length, value) })
    }

    /// Copies `range` of the file, which is as long as `into`; `None` if that is not mapped.
    pub(crate) fn copy(&self, range: &Range<u64>, into: &mut [u8]) -> Option<()> {
        let (start, length) = self.span(range)?;
        let into = into.get_mut(..length)?;
        // SAFETY: as in `count`; `into` is our own memory and has the length of the range.
        unsafe { volatile::copy(start, into) };
        Some(())
    }

    /// Whether an access hit a page that was no longer part of the file.
    pub(crate) fn is_hit(&self) -> bool {
        self.claim.is_hit()
    }

    /// Whether all bytes that were read belong to one state of the file; must be called after the last read.
    pub(crate) fn is_intact(&self) -> bool {
        compiler_fence(Ordering::SeqCst);
        !self.is_hit() && Snapshot::of(&self.file) == Ok(self.before)
    }

    fn span(&self, range: &Range<u64>) -> Option<(*const u8, usize)> {
        if range.start < self.range.start || range.end > self.range.end || range.start > range.end {
            return None;
        }
        let from = usize::try_from(range.start - self.offset).ok()?;
        let length = usize::try_from(range.end - range.start).ok()?;
        Some((self.base.wrapping_add(from), length))
    }
}

impl Drop for MappedWindow<'_> {
    fn drop(&mut self) {
        // The slot comes first: once the addresses are free, another mapping may use them.
        self.claim.withdraw();
        compiler_fence(Ordering::SeqCst);
        // SAFETY: this is exactly the range that `new` has mapped, part of which the handler may have
        // replaced by zeros; every pointer into it was derived from `self` inside a call that has ended.
        let unmapped = unsafe { rustix::mm::munmap(self.base.cast_mut().cast::<c_void>(), self.length) };
        debug_assert!(unmapped.is_ok(), "the window could not be unmapped");
    }
}

#[cfg(test)]
mod tests;
