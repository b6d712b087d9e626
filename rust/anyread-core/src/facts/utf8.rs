//! Where a file first is not valid UTF-8.
//!
//! The windows of a scan are checked in parallel. Each window checks a part of the file that begins at the
//! first byte of the window to which no earlier character can extend. If a part is valid, the next part
//! begins at a character. Only the first invalid part is then searched for the exact position.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Result;
use crate::lock::NoLockHeld;
use crate::scan::{ChunkBuffer, Interrupt, ScanWindow, in_order, read_window, to_usize};
use crate::source::Source;

/// The maximum number of continuation bytes of a character.
const CONTINUATIONS: usize = 3;

/// The first invalid sequence of a file, as in [`std::str::Utf8Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utf8Fault {
    /// Offset of the first byte that is not part of a valid character.
    pub index: u64,
    /// The length of the invalid sequence, 1 to 3 bytes; `None` if the file ends within a character.
    pub length: Option<usize>,
}

/// Where the bytes first are not valid UTF-8, if anywhere.
///
/// # Errors
/// Those of reading, and [`ErrorKind::Cancelled`](crate::error::ErrorKind::Cancelled).
pub fn utf8_fault(source: Source<'_>, path: &Path, interrupt: &dyn Interrupt) -> Result<Option<Utf8Fault>> {
    if let Source::Memory(bytes) = source {
        return Ok(fault_of(bytes));
    }
    let mut invalid = None;
    in_order(source, path, &(0..source.size()), interrupt, check_window, |part| {
        invalid = (!part.is_valid).then_some(part.start);
        part.is_valid
    })?;
    let Some(start) = invalid else { return Ok(None) };
    let (mut check, mut buffer) = (Check::new(start), ChunkBuffer::for_scan(source.size()));
    let stop = AtomicBool::new(false);
    read_window(source, path, start..source.size(), &stop, &mut buffer, |chunk| {
        if interrupt.interrupted(NoLockHeld::check()) {
            stop.store(true, Ordering::Relaxed);
        }
        check.push(chunk);
        check.fault.is_none()
    })?;
    Ok(check.finish())
}

fn fault_of(bytes: &[u8]) -> Option<Utf8Fault> {
    let error = simdutf8::compat::from_utf8(bytes).err()?;
    Some(Utf8Fault { index: error.valid_up_to() as u64, length: error.error_len() })
}

/// The part of the file that a window checks.
pub(crate) struct Part {
    start: u64,
    /// Whether it is valid UTF-8.
    pub(crate) is_valid: bool,
}

fn check_window(window: &mut ScanWindow<'_>) -> Result<Part> {
    check_window_with(window, |_| ())
}

/// Checks a window; `take` receives all its bytes, chunk by chunk.
pub(crate) fn check_window_with(window: &mut ScanWindow<'_>, mut take: impl FnMut(&[u8])) -> Result<Part> {
    let Range { start, end } = window.range();
    let mut check = Check::new(start);
    let mut offset = start;
    let mut part_start = None;
    let mut after = Vec::with_capacity(CONTINUATIONS + 1);
    window.read(start..end + CONTINUATIONS as u64 + 1, |chunk| {
        let (mut inside, outside) = chunk.split_at(to_usize(end - offset.min(end)).min(chunk.len()));
        take(inside);
        if part_start.is_none() {
            let skipped = if start == 0 { 0 } else { reached(inside) };
            inside = &inside[skipped..];
            check.next += skipped as u64;
            part_start = Some(check.next);
        }
        check.push(inside);
        after.extend_from_slice(outside);
        offset += chunk.len() as u64;
    })?;
    check.push(&after[..reached(&after)]);
    Ok(Part { start: part_start.unwrap_or(start), is_valid: check.finish().is_none() })
}

/// How many leading bytes may continue a character from before; 0 if there are more continuation bytes than a
/// character has.
fn reached(bytes: &[u8]) -> usize {
    let count = bytes.iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
    if count > CONTINUATIONS { 0 } else { count }
}

/// Checks bytes piece by piece.
struct Check {
    /// Offset of the first byte that is not known to be part of a valid character.
    next: u64,
    /// The incomplete character at the end of the last piece.
    cut: Vec<u8>,
    fault: Option<Utf8Fault>,
}

impl Check {
    fn new(start: u64) -> Self {
        Self { next: start, cut: Vec::with_capacity(2 * CONTINUATIONS), fault: None }
    }

    fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        if !self.cut.is_empty() {
            let before = self.cut.len();
            let joined = rest.len().min(CONTINUATIONS);
            self.cut.extend_from_slice(&rest[..joined]);
            let character = std::mem::take(&mut self.cut);
            self.check(&character);
            // The joined bytes after the character are checked again with the rest.
            let Some(used) = (character.len() - self.cut.len()).checked_sub(before) else { return };
            self.cut.clear();
            rest = &rest[used..];
        }
        self.check(rest);
    }

    fn check(&mut self, bytes: &[u8]) {
        if self.fault.is_some() {
            return;
        }
        let Some(fault) = fault_of(bytes) else {
            self.next += bytes.len() as u64;
            return;
        };
        self.next += fault.index;
        match fault.length {
            Some(_) => self.fault = Some(Utf8Fault { index: self.next, ..fault }),
            None => self.cut.extend_from_slice(&bytes[to_usize(fault.index)..]),
        }
    }

    /// The fault in the pushed bytes; no more follow.
    fn finish(self) -> Option<Utf8Fault> {
        let cut = (!self.cut.is_empty()).then_some(Utf8Fault { index: self.next, length: None });
        self.fault.or(cut)
    }
}
