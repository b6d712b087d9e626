//! The number of tokens of a file.

use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::lock::NoLockHeld;
use crate::memory;
use crate::scan::{Interrupt, to_usize};
use crate::source::Source;
use crate::tokens::Tokenizer;

/// The number of tokens of all bytes, decoded as UTF-8 with U+FFFD for malformed bytes.
///
/// # Errors
/// Those of reading, and [`ErrorKind::Cancelled`].
pub fn count_tokens(
    source: Source<'_>,
    path: &Path,
    tokenizer: Tokenizer,
    interrupt: &dyn Interrupt,
) -> Result<u64> {
    let bytes = source.bytes(path, 0, to_usize(source.size()))?;
    interrupt.scanned(bytes.len() as u64);
    if interrupt.interrupted(NoLockHeld::check()) {
        return Err(Error::new(path, ErrorKind::Cancelled));
    }
    tokenizer.prepare(path)?;
    // Each invalid byte becomes a character of three.
    memory::require_memory(path, bytes.len().saturating_mul(3))?;
    Ok(tokenizer.count(&String::from_utf8_lossy(&bytes)))
}
