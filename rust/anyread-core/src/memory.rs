//! Whether there is memory.
//!
//! An allocation that fails aborts the process. A buffer whose size depends on the input is therefore reserved
//! with functions that report a failure.
//! The many small allocations of a call cannot: before it begins, [`require_small_memory`] checks that there
//! is more room than they take together. Other threads may use up that room in between, and each allocation of
//! other crates that is larger than it must be preceded by [`require_memory`].

use std::hint::black_box;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// More than the small allocations of one call take together.
///
/// glibc consolidates its heap whenever a block of 64 KiB or more is freed, so the block is a little smaller.
const SMALL_BYTES: usize = 60 << 10;

/// Whether a block of `bytes` can be allocated now.
#[must_use]
pub fn has_memory(bytes: usize) -> bool {
    let mut block = Vec::<u8>::new();
    let is_reserved = block.try_reserve_exact(bytes).is_ok();
    // Otherwise the compiler may remove the allocation, which nothing uses.
    black_box(&block);
    is_reserved
}

/// Whether there is room for the small allocations of a call.
#[must_use]
pub fn has_small_memory() -> bool {
    has_memory(SMALL_BYTES)
}

/// Checks that a block of `bytes` can be allocated, before code that would abort the process.
///
/// # Errors
/// [`ErrorKind::OUT_OF_MEMORY`].
pub fn require_memory(path: &Path, bytes: usize) -> Result<()> {
    if has_memory(bytes) { Ok(()) } else { Err(out_of_memory(path)) }
}

/// Checks that there is room for the small allocations of a call about `path`.
///
/// # Errors
/// [`ErrorKind::OUT_OF_MEMORY`].
pub fn require_small_memory(path: &Path) -> Result<()> {
    require_memory(path, SMALL_BYTES)
}

/// The error of a call that runs out of memory; its path is empty if there is no memory for a copy of it.
#[must_use]
pub fn out_of_memory(path: &Path) -> Error {
    let mut copy = PathBuf::new();
    if copy.try_reserve_exact(path.as_os_str().len()).is_ok() {
        copy.push(path);
    }
    Error { path: copy, kind: ErrorKind::OUT_OF_MEMORY }
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

/// The items of an iterator as a list.
pub(crate) fn collected<T>(path: &Path, items: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve(items.size_hint().0).map_err(|_| out_of_memory(path))?;
    for item in items {
        list.try_reserve(1).map_err(|_| out_of_memory(path))?;
        list.push(item);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_memory_beyond_the_address_space_is_an_error() {
        let path = Path::new("a");
        let expected = Error::new(path, ErrorKind::OUT_OF_MEMORY);
        assert!(has_small_memory());
        assert_eq!(require_small_memory(path), Ok(()));
        let huge = usize::MAX / 4;
        assert!(!has_memory(huge));
        assert_eq!(require_memory(path, huge), Err(expected.clone()));
        assert_eq!(zeros(path, huge), Err(expected.clone()));
        assert_eq!(enlarge(path, &mut vec![1], huge), Err(expected.clone()));
        assert_eq!(collected(path, 0..huge), Err(expected));
    }

    #[test]
    fn test_reserved_buffers_have_their_content() {
        let path = Path::new("a");
        let mut buffer = zeros(path, 2).unwrap();
        buffer[1] = b'a';
        enlarge(path, &mut buffer, 3).unwrap();
        assert_eq!(buffer, b"\0a\0");
        assert_eq!(collected(path, (1..4).filter(|number| number % 2 == 1)).unwrap(), [1, 3]);
    }
}
