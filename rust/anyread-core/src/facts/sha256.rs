//! The SHA-256 of a file.

use std::path::Path;

use sha2::Digest as _;

use crate::error::{Error, ErrorKind, Result};
use crate::lock::NoLockHeld;
use crate::memory::zeros;
use crate::scan::{Interrupt, to_usize};
use crate::source::Source;

/// A SHA-256 digest.
pub type Sha256 = [u8; 32];

/// Bytes per read; a buffer of this size stays in the second-level cache.
const STEP: usize = 128 << 10;

/// The SHA-256 of all bytes.
///
/// # Errors
/// Those of reading, and [`ErrorKind::Cancelled`].
pub fn sha256(source: Source<'_>, path: &Path, interrupt: &dyn Interrupt) -> Result<Sha256> {
    if let Source::Memory(bytes) = source {
        return Ok(sha2::Sha256::digest(bytes).into());
    }
    let mut digest = sha2::Sha256::new();
    let mut buffer = zeros(path, STEP.min(to_usize(source.size())))?;
    let mut offset = 0;
    while offset < source.size() {
        if interrupt.interrupted(NoLockHeld::check()) {
            return Err(Error::new(path, ErrorKind::Cancelled));
        }
        let count = source.read_at(path, offset, &mut buffer)?;
        digest.update(&buffer[..count]);
        interrupt.scanned(count as u64);
        offset += count as u64;
    }
    Ok(digest.finalize().into())
}
