//! Touching a mapping of a file that somebody may truncate, and living on.
//!
//! A page of a mapping that no longer has a file behind it raises SIGBUS, whose default action ends the process.
//! A signal's handler belongs to the whole process, of which this library owns nothing, so the guard keeps to this:
//!
//! 1. Mappings are touched only on threads that the core spawned for a scan, with SIGBUS unblocked ([`ScanThread`]).
//! 2. Which addresses are ours stands in a fixed table of atomics ([`slots`]): the handler takes no lock,
//!    allocates nothing and uses no thread-local storage.
//! 3. The handler acts only on `BUS_ADRERR` at such an address: it puts pages of zeros over the rest of the
//!    window, notes the hit and returns.
//! 4. Anything else is foreign. It never calls another handler; it puts back what it had replaced and returns,
//!    so that the fault happens again under its owner.
//! 5. It is armed only over the default action, or over a handler that the host approves of ([`set_owner_hook`]):
//!    the binding approves of Python's faulthandler and nothing else. Otherwise nothing is mapped.
//! 6. A window is small, is not inherited by a fork, and is worth nothing once it was hit
//!    ([`MappedWindow::is_intact`]): the caller discards what it found and reads by `pread`.
//! 7. Which files may be mapped at all is the caller's to say: those of local file systems.
//! 8. Only a file at rest is mapped: one that was not changed within the clock's last tick, nor under the window.
//!    A page whose file ends within it shows zeros after the end and raises nothing, so that a file which is
//!    cut and grows again could be seen with a hole that no `pread` would have met. Its times tell.
//!
//! The known gap: a handler that another thread installs while a window is being looked at (a millisecond)
//! gets the signal if the file is truncated within that very time.
//!
//! # Why no slice is ever made of a mapping
//!
//! Another process may write to the file while we look, so its bytes change behind the compiler's back.
//! A `&[u8]` promises that they do not; the promise would be false however short its life.
//! So there is no reference to mapped memory at all: bytes are loaded through a raw pointer, each exactly
//! once, by volatile loads ([`volatile`]), which is how Rust reads memory that is not its own.
//! What was loaded is a value like any other; that two loads may see two states of the file is the same
//! with two `pread`s.

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
use crate::snapshot::Snapshot;
use slots::OwnedSlot;

/// The proof that mappings may be touched on this thread: it is the core's own and SIGBUS reaches it.
///
/// A thread in which SIGBUS is blocked is killed by its first fault, whatever handler there is.
#[derive(Debug)]
pub(crate) struct ScanThread {
    /// The mask is the thread's, so the proof may not travel.
    not_send: PhantomData<*const ()>,
}

impl ScanThread {
    /// To be called on a thread that the core has spawned for a scan: its signal mask is nobody else's.
    pub(crate) fn enter() -> Option<Self> {
        handler::unblock().then_some(Self { not_send: PhantomData })
    }
}

/// A part of a file, mapped for as long as this lives.
#[derive(Debug)]
pub(crate) struct MappedWindow<'a> {
    file: BorrowedFd<'a>,
    /// Where the mapping begins; a page.
    base: *const u8,
    /// Its bytes: whole pages.
    length: usize,
    /// The bytes of the file that may be looked at, which begin on the first page.
    range: Range<u64>,
    /// Where the mapping begins in the file.
    offset: u64,
    /// The file as it was before.
    before: Snapshot,
    claim: OwnedSlot,
}

impl<'a> MappedWindow<'a> {
    /// Maps `range` of a file, or a little more; `None` where that must not or cannot be done.
    pub(crate) fn new(_thread: &ScanThread, file: BorrowedFd<'a>, range: Range<u64>) -> Option<Self> {
        if range.is_empty() || !handler::is_armed() {
            return None;
        }
        let before = Snapshot::of(file).ok().filter(|before| !before.is_racy(FINE_TICK_NS))?;
        let page = rustix::param::page_size();
        let offset = range.start - range.start % page as u64;
        let length = usize::try_from(range.end - offset).ok()?.checked_next_multiple_of(page)?;
        let claim = slots::claim()?;
        // SAFETY: with no address given the kernel chooses one where nothing is, so no memory of anybody's changes.
        // No reference into the mapping is ever made (see the module), so it does not matter who writes to the file.
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

    /// How often a byte stands in `range` of the file; `None` if that is not mapped.
    pub(crate) fn count(&self, range: &Range<u64>, value: u8) -> Option<usize> {
        let (start, length) = self.span(range)?;
        // SAFETY: `span` has checked that these bytes lie in the mapping, which lives as long as `self`,
        // and whose slot is published: pages that the file has lost are replaced by the handler.
        Some(unsafe { volatile::count(start, length, value) })
    }

    /// Copies `range` of the file; `None` if that is not mapped.
    pub(crate) fn copy(&self, range: &Range<u64>, into: &mut Vec<u8>) -> Option<()> {
        let (start, length) = self.span(range)?;
        into.resize(length, 0);
        // SAFETY: as in `count`; `into` is memory of our own, as long as what is copied.
        unsafe { volatile::copy(start, into) };
        Some(())
    }

    /// Whether a look met a page that the file had lost.
    pub(crate) fn is_hit(&self) -> bool {
        self.claim.is_hit()
    }

    /// Whether everything that was looked at came from the file as it was; asked after the last look.
    pub(crate) fn is_intact(&self) -> bool {
        compiler_fence(Ordering::SeqCst);
        !self.is_hit() && Snapshot::of(self.file) == Ok(self.before)
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
        // First the slot: as soon as the addresses are free, somebody else's mapping may lie there.
        self.claim.withdraw();
        compiler_fence(Ordering::SeqCst);
        // SAFETY: exactly what `new` has mapped, or the zeros that the handler has put over a part of it;
        // every pointer into it was derived from `self` inside a call that has ended.
        let unmapped = unsafe { rustix::mm::munmap(self.base.cast_mut().cast::<c_void>(), self.length) };
        debug_assert!(unmapped.is_ok(), "what was mapped can be unmapped");
    }
}

#[cfg(test)]
mod tests;
