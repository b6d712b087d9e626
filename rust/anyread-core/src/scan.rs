//! Bulk scans: what ends a line, how often it stands in a block, and the threads that look at many blocks.
//!
//! A scan is cut into windows of [`WINDOW`] bytes.
//! Threads of our own (scoped: no pool survives, so the host may fork) work on them in any order,
//! the calling thread takes the results in the order of the file and polls for cancellation.
//! Whether a window's bytes are read or mapped is the business of [`Window`] alone.

mod mapping;
pub(crate) mod tally;
mod windows;

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Result;
use crate::lock::NoLockHeld;
use crate::source::Source;

pub use mapping::{LargeScans, Mapping};
pub use windows::{Window, in_order, read_window};

/// Bytes in a block, the unit of the line index.
pub const BLOCK: u64 = 16 << 10;
/// Bytes in a window, the unit of work of a thread.
pub const WINDOW: u64 = 8 << 20;
/// Below this many bytes the start of a thread costs more than it saves.
const ALONE: u64 = 4 << 20;

/// How a caller stops a long scan and watches it.
///
/// Only the calling thread asks, so an implementation may do what is bound to that thread.
pub trait Interrupt {
    /// Whether to stop now. This may run code of the host, so it is never asked while a lock is held.
    fn interrupted(&self, proof: NoLockHeld) -> bool;
    /// How many more bytes have been scanned.
    fn scanned(&self, bytes: u64);
}

/// Never interrupts.
#[derive(Debug, Clone, Copy)]
pub struct Never;

impl Interrupt for Never {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        false
    }
    fn scanned(&self, _bytes: u64) {}
}

/// What ends a line: a code unit of `width` bytes with the value of LF or CR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Terminator {
    /// Bytes of a code unit: 1, 2 or 4. Positions are multiples of it.
    pub width: usize,
    /// Byte order of units wider than a byte.
    pub big_endian: bool,
    /// The number of LF or CR: `b'\n'` or `b'\r'`, and 0x25 for the LF of EBCDIC.
    pub value: u8,
}

impl Terminator {
    /// Whether a CR before it belongs to the line's ending: not where CR itself ends lines.
    #[must_use]
    pub fn takes_cr(self) -> bool {
        self.value != b'\r'
    }

    /// The same code unit with another value.
    #[must_use]
    pub fn with_value(self, value: u8) -> Self {
        Self { value, ..self }
    }

    /// How many stand in `bytes`, which begins at a unit's start.
    #[must_use]
    pub fn count(self, bytes: &[u8]) -> usize {
        match (self.width, self.big_endian) {
            (1, _) => tally::count(bytes, self.value),
            (2, false) => self.count_units(bytes, |unit: [u8; 2]| u16::from_le_bytes(unit).into()),
            (2, true) => self.count_units(bytes, |unit: [u8; 2]| u16::from_be_bytes(unit).into()),
            (_, false) => self.count_units(bytes, u32::from_le_bytes),
            (_, true) => self.count_units(bytes, u32::from_be_bytes),
        }
    }

    fn count_units<const WIDTH: usize>(self, bytes: &[u8], unit: impl Fn([u8; WIDTH]) -> u32) -> usize {
        let value = u32::from(self.value);
        bytes.as_chunks::<WIDTH>().0.iter().filter(|chunk| unit(**chunk) == value).count()
    }

    /// Where the first one at or after `from` begins.
    #[must_use]
    pub fn find(self, bytes: &[u8], from: usize) -> Option<usize> {
        let tail = bytes.get(from..)?;
        if self.width == 1 {
            return memchr::memchr(self.value, tail).map(|at| from + at);
        }
        memchr::memchr_iter(self.value, tail).find_map(|at| self.unit_with_value_at(bytes, from + at))
    }

    /// Where the last one in `bytes` begins.
    #[must_use]
    pub fn rfind(self, bytes: &[u8]) -> Option<usize> {
        if self.width == 1 {
            return memchr::memrchr(self.value, bytes);
        }
        memchr::memrchr_iter(self.value, bytes).find_map(|at| self.unit_with_value_at(bytes, at))
    }

    /// Whether `bytes` ends with one.
    #[must_use]
    pub fn ends(self, bytes: &[u8]) -> bool {
        bytes.len() >= self.width && self.is_at(bytes, bytes.len() - self.width)
    }

    /// Whether one begins at `at`.
    #[must_use]
    pub fn is_at(self, bytes: &[u8], at: usize) -> bool {
        let low = if self.big_endian { at + self.width - 1 } else { at };
        bytes.get(low) == Some(&self.value) && self.unit_with_value_at(bytes, low) == Some(at)
    }

    /// The start of the unit whose value byte stands at `at`, if that unit is a terminator.
    fn unit_with_value_at(self, bytes: &[u8], at: usize) -> Option<usize> {
        let start = if self.big_endian { (at + 1).checked_sub(self.width)? } else { at };
        let unit = bytes.get(start..start + self.width)?;
        let zeros = if self.big_endian { &unit[..self.width - 1] } else { &unit[1..] };
        (start.is_multiple_of(self.width) && zeros.iter().all(|byte| *byte == 0)).then_some(start)
    }
}

/// Counts the terminators of whole blocks, from block `blocks.start` on, until `take` has enough.
///
/// `take` receives the count of each block in order, also before an error.
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
    // A near target is found without threads; they would read megabytes beyond it.
    let near = bytes.start..bytes.end.min(bytes.start + ALONE / 2);
    let mut buffer = Vec::new();
    let mut satisfied = false;
    let running = AtomicBool::new(false);
    read_window(source, path, near.clone(), &running, &mut buffer, |chunk| {
        interrupt.scanned(chunk.len() as u64);
        if interrupt.interrupted(NoLockHeld::check()) {
            running.store(true, Ordering::Relaxed);
        }
        satisfied = !chunk.chunks(block).all(|piece| take(saturating_u16(terminator.count(piece))));
        !satisfied
    })?;
    if satisfied || near.end == bytes.end {
        return Ok(());
    }
    let far = near.end..bytes.end;
    let work = |window: &mut Window<'_>| window.count_blocks(terminator);
    in_order(source, path, &far, interrupt, work, |counts: Vec<u16>| counts.into_iter().all(&mut take))
}

/// A size in memory; what does not fit becomes the largest there is, so that a comparison stays right.
#[must_use]
pub fn to_usize(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// A count of terminators in a block: 16,384 at the most.
fn saturating_u16(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
