//! The first NUL of a file.

use std::path::Path;

use crate::error::Result;
use crate::scan::{Interrupt, ScanWindow, in_order};
use crate::source::Source;

/// The offset of the first NUL.
///
/// # Errors
/// Those of reading, and [`ErrorKind::Cancelled`](crate::error::ErrorKind::Cancelled).
pub fn find_nul(source: Source<'_>, path: &Path, interrupt: &dyn Interrupt) -> Result<Option<u64>> {
    if let Source::Memory(bytes) = source {
        return Ok(memchr::memchr(0, bytes).map(|at| at as u64));
    }
    let mut first = None;
    let work = |window: &mut ScanWindow<'_>| {
        let (mut offset, mut found) = (window.range().start, None);
        window.read(window.range(), |chunk| {
            if found.is_none() {
                found = memchr::memchr(0, chunk).map(|at| offset + at as u64);
            }
            offset += chunk.len() as u64;
        })?;
        Ok(found)
    };
    in_order(source, path, &(0..source.size()), interrupt, work, |found| {
        first = found;
        found.is_none()
    })?;
    Ok(first)
}
