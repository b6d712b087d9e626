//! Whether there is memory for buffers whose size a file or a caller decides, and for those of 128 KiB or more.
//!
//! An allocation that fails aborts the process, so such a buffer is reserved with functions that report a failure.
//! [`require_memory`] comes before code of other crates that allocates as much. All other allocations are small,
//! and ordinary.

use std::hint::black_box;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};

/// Whether a block of `bytes` can be allocated now.
#[must_use]
pub fn has_memory(bytes: usize) -> bool {
    let mut block = Vec::<u8>::new();
    let is_reserved = block.try_reserve_exact(bytes).is_ok();
    // Otherwise the compiler may remove the allocation, which nothing uses.
    black_box(&block);
    is_reserved
}

/// Checks that a block of `bytes` can be allocated, before code that would abort the process.
///
/// # Errors
/// [`ErrorKind::OUT_OF_MEMORY`].
pub fn require_memory(path: &Path, bytes: usize) -> Result<()> {
    if has_memory(bytes) { Ok(()) } else { Err(out_of_memory(path)) }
}

/// The error of a call that runs out of memory.
#[must_use]
pub fn out_of_memory(path: &Path) -> Error {
    Error::new(path, ErrorKind::OUT_OF_MEMORY)
}

/// Enlarges a buffer to `length` bytes.
pub(crate) fn enlarge(path: &Path, buffer: &mut Vec<u8>, length: usize) -> Result<()> {
    let missing = length.saturating_sub(buffer.len());
    buffer.try_reserve_exact(missing).map_err(|_| out_of_memory(path))?;
    buffer.resize(length, 0);
    Ok(())
}

/// A buffer of `length` zeros.
pub(crate) fn zeros(path: &Path, length: usize) -> Result<Vec<u8>> {
    let mut buffer = Vec::new();
    enlarge(path, &mut buffer, length)?;
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_memory_beyond_the_address_space_is_an_error() {
        let path = Path::new("a");
        let expected = Error::new(path, ErrorKind::OUT_OF_MEMORY);
        let huge = usize::MAX / 4;
        assert!(!has_memory(huge));
        assert_eq!(require_memory(path, huge), Err(expected.clone()));
        assert_eq!(zeros(path, huge), Err(expected.clone()));
        assert_eq!(enlarge(path, &mut vec![1], huge), Err(expected));
    }

    #[test]
    fn test_reserved_buffers_have_their_content() {
        let path = Path::new("a");
        let mut buffer = zeros(path, 2).unwrap();
        buffer[1] = b'a';
        enlarge(path, &mut buffer, 3).unwrap();
        assert_eq!(buffer, b"\0a\0");
    }
}
