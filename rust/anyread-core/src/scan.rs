//! Bulk scans: how many lines end in each block of a file, and the threads that count many blocks.
//!
//! A scan is divided into windows of at most [`WINDOW`] bytes.
//! Scoped threads process them in any order; there is no thread pool, so that the host may fork.
//! The calling thread takes the results in the order of the file and polls for cancellation; in short scans it works
//! alone.
//! Only [`ScanWindow`] decides whether the bytes of a window are read or mapped.

mod buffer;
mod choice;
mod terminator;
#[allow(unsafe_code)]
pub(crate) mod vectors;
mod windows;

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Result;
use crate::lock::NoLockHeld;
use crate::source::Source;

pub use crate::size::to_usize;
pub use buffer::ChunkBuffer;
pub use terminator::{BEHIND, ByteSet, Charset, LineEnds, Rule, Terminator};
pub use windows::{ScanWindow, in_order, in_windows, read_window, window_for};

/// Bytes in a block, the unit of the line index.
pub const BLOCK: u64 = 16 << 10;
/// Bytes in a window, the unit of work of a thread.
pub const WINDOW: u64 = 8 << 20;
/// Below this many bytes, starting a thread costs more than it saves.
const ALONE: u64 = 4 << 20;

/// How a caller interrupts a long scan and observes its progress.
///
/// Both methods are called only on the calling thread, so an implementation may be bound to that thread.
///
/// # Example
/// ```
/// use std::time::{Duration, Instant};
///
/// use anyread_core::lock::NoLockHeld;
/// use anyread_core::scan::Interrupt;
///
/// /// Stops a scan after a deadline.
/// struct Deadline(Instant);
///
/// impl Interrupt for Deadline {
///     fn interrupted(&self, _proof: NoLockHeld) -> bool {
///         Instant::now() >= self.0
///     }
///
///     fn scanned(&self, _bytes: u64) {}
/// }
///
/// assert!(Deadline(Instant::now()).interrupted(NoLockHeld::check()));
/// assert!(!Deadline(Instant::now() + Duration::from_secs(60)).interrupted(NoLockHeld::check()));
/// ```
pub trait Interrupt {
    /// Whether to stop now. This may run code of the host, so it is never called while a lock is held.
    fn interrupted(&self, proof: NoLockHeld) -> bool;
    /// Reports that `bytes` more bytes were scanned.
    fn scanned(&self, bytes: u64);
    /// Reports that at most `bytes` more bytes will be scanned, unless it is said again.
    fn expected(&self, _bytes: u64) {}
}

/// What interrupts a call that may wait. `None`: it may not, and is [`ErrorKind::WouldBlock`] where it would have to.
///
/// [`ErrorKind::WouldBlock`]: crate::error::ErrorKind::WouldBlock
pub type Wait<'a> = Option<&'a dyn Interrupt>;

/// Never interrupts.
#[derive(Debug, Clone, Copy)]
pub struct Never;

impl Interrupt for Never {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        false
    }
    fn scanned(&self, _bytes: u64) {}
}

/// Counts the terminators of whole blocks, from block `blocks.start` on, until `take` returns `false`.
///
/// `take` receives the count of each block in order, including the blocks before an error.
///
/// # Errors
/// Those of reading, and [`ErrorKind::Cancelled`].
pub fn count_blocks(
    source: Source<'_>,
    path: &Path,
    terminator: Terminator,
    blocks: Range<u64>,
    interrupt: &dyn Interrupt,
    mut take: impl FnMut(u16) -> bool,
) -> Result<()> {
    if blocks.is_empty() {
        return Ok(());
    }
    let bytes = blocks.start * BLOCK..blocks.end * BLOCK;
    let block = to_usize(BLOCK);
    // A target near the start is found without threads, which would read megabytes after it.
    let near = bytes.start..bytes.end.min(bytes.start + ALONE / 2);
    let mut buffer = ChunkBuffer::for_scan(near.end - near.start);
    let mut satisfied = false;
    let before = behind(terminator, bytes.start);
    let before = source.bytes(path, bytes.start - before, to_usize(before))?;
    let mut blocks = Blocks::after(terminator, &before);
    let running = AtomicBool::new(false);
    read_window(source, path, near.clone(), &running, &mut buffer, |chunk| {
        interrupt.scanned(chunk.len() as u64);
        if interrupt.interrupted(NoLockHeld::check()) {
            running.store(true, Ordering::Relaxed);
        }
        satisfied = !chunk.chunks(block).all(|piece| take(blocks.count(piece)));
        !satisfied
    })?;
    if satisfied || near.end == bytes.end {
        return Ok(());
    }
    let far = near.end..bytes.end;
    let work = |window: &mut ScanWindow<'_>| window.count_blocks(terminator);
    let window = window_for(far.end - far.start);
    in_windows(source, path, &far, window, interrupt, work, |counts: Vec<u16>| {
        counts.into_iter().all(&mut take)
    })
}

/// How many of the [`Terminator::behind`] bytes exist before `offset`.
pub(crate) fn behind(terminator: Terminator, offset: u64) -> u64 {
    offset.min(terminator.behind() as u64)
}

/// Counts the endings of consecutive blocks.
#[derive(Debug)]
pub(crate) struct Blocks {
    terminator: Terminator,
    /// The bytes before the next block that determine how its first endings are counted.
    before: [u8; BEHIND],
    known: usize,
}

impl Blocks {
    /// The blocks that follow the bytes `before`.
    pub(crate) fn after(terminator: Terminator, before: &[u8]) -> Self {
        let mut blocks = Self { terminator, before: [0; BEHIND], known: 0 };
        blocks.pass(before);
        blocks
    }

    /// How many endings are counted in the next block.
    pub(crate) fn count(&mut self, block: &[u8]) -> u16 {
        let count = self.terminator.count(&self.before[..self.known], block);
        self.pass(block);
        saturating_u16(count)
    }

    fn pass(&mut self, bytes: &[u8]) {
        if let Some(last) = bytes.last_chunk::<BEHIND>().filter(|_| !self.terminator.is_single()) {
            (self.before, self.known) = (*last, BEHIND);
        }
    }
}

/// A count of terminators in a block, which is at most 16,384.
fn saturating_u16(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
