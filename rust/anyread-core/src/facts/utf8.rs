//! Where a file stops being UTF-8.
//!
//! The windows of a scan are checked side by side. A window's part begins at the first byte in it that no earlier
//! character can reach, so that a window which is valid proves that the next one's part begins with a character.
//! Only in the first window that is not valid the fault is looked for byte by byte.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Result;
use crate::lock::NoLockHeld;
use crate::scan::{Interrupt, ScanWindow, in_order, read_window, to_usize};
use crate::source::Source;

/// The most bytes of a character after its first.
const CONTINUATIONS: usize = 3;

/// The first bytes of a file that are not UTF-8, as [`std::str::Utf8Error`] has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utf8Fault {
    /// Offset of the first byte that is not part of a character.
    pub index: u64,
    /// How many bytes are invalid together, 1 to 3; `None`: the file ends within a character.
    pub length: Option<usize>,
}

/// Where the bytes stop being UTF-8, if they do.
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
    let (mut check, mut buffer) = (Check::new(start), Vec::new());
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

/// The part of the file that a window is responsible for.
struct Part {
    start: u64,
    is_valid: bool,
}

fn check_window(window: &mut ScanWindow<'_>) -> Result<Part> {
    let Range { start, end } = window.range();
    let mut check = Check::new(start);
    let mut offset = start;
    let mut part_start = None;
    let mut behind = Vec::with_capacity(CONTINUATIONS + 1);
    window.read(start..end + CONTINUATIONS as u64 + 1, |chunk| {
        let (mut inside, outside) = chunk.split_at(to_usize(end - offset.min(end)).min(chunk.len()));
        if part_start.is_none() {
            let skipped = if start == 0 { 0 } else { reached(inside) };
            inside = &inside[skipped..];
            check.next += skipped as u64;
            part_start = Some(check.next);
        }
        check.push(inside);
        behind.extend_from_slice(outside);
        offset += chunk.len() as u64;
    })?;
    check.push(&behind[..reached(&behind)]);
    Ok(Part { start: part_start.unwrap_or(start), is_valid: check.finish().is_none() })
}

/// How many bytes at the start a character before them may reach; none if there are more than any could.
fn reached(bytes: &[u8]) -> usize {
    let count = bytes.iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
    if count > CONTINUATIONS { 0 } else { count }
}

/// Checks bytes that come piece by piece.
struct Check {
    /// Offset of the first byte that is not known to be part of a character.
    next: u64,
    /// The beginning of a character, from there to the end of the last piece.
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
            // Of the bytes that were joined, those after the character are checked again with the rest.
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

    /// The fault in what was pushed, which is all there is.
    fn finish(self) -> Option<Utf8Fault> {
        let cut = (!self.cut.is_empty()).then_some(Utf8Fault { index: self.next, length: None });
        self.fault.or(cut)
    }
}
