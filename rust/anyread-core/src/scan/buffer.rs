//! A buffer for chunks of a file, aligned to the processor's cache lines.

use std::path::Path;

use crate::error::Result;
use crate::memory::enlarge;

/// The size of a cache line in bytes, and of the widest vector.
const LINE: usize = 64;

/// Bytes per `pread` in a scan of up to [`FEW_BYTES`].
///
/// Several passes are made over each chunk, which stays in the first-level cache. The allocator has such a buffer
/// ready, and gets a larger one from the system, page by page.
const SMALL_CHUNK: usize = 16 << 10;
const FEW_BYTES: u64 = 16 << 20;
/// The same in a longer scan, which needs fewer calls and stays in the second-level cache.
const LARGE_CHUNK: usize = 128 << 10;

/// A buffer whose chunks begin at a cache line.
///
/// The allocator aligns a block to 16 bytes only. Then the kernel's copy takes a quarter longer, and a pass over
/// the chunk with wide vectors takes half as long again, because every second load crosses two lines.
#[derive(Debug)]
pub struct ChunkBuffer {
    bytes: Vec<u8>,
    chunk: usize,
}

impl ChunkBuffer {
    /// A buffer for a scan of `bytes`, which reads [`ChunkBuffer::chunk`] bytes at a time.
    #[must_use]
    pub fn for_scan(bytes: u64) -> Self {
        let chunk = if bytes <= FEW_BYTES { SMALL_CHUNK } else { LARGE_CHUNK };
        Self { bytes: Vec::new(), chunk }
    }

    /// How many bytes to read at a time, a multiple of [`BLOCK`](super::BLOCK).
    #[must_use]
    pub fn chunk(&self) -> usize {
        self.chunk
    }

    /// Space for a chunk of `length` bytes; its content is undefined.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn space(&mut self, path: &Path, length: usize) -> Result<&mut [u8]> {
        let needed = length.saturating_add(LINE);
        if self.bytes.len() < needed {
            enlarge(path, &mut self.bytes, needed)?;
        }
        let start = self.bytes.as_ptr().align_offset(LINE).min(LINE);
        Ok(&mut self.bytes[start..start + length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_chunks_are_whole_blocks() {
        for bytes in [0, FEW_BYTES, FEW_BYTES + 1] {
            assert_eq!(ChunkBuffer::for_scan(bytes).chunk() as u64 % crate::scan::BLOCK, 0);
        }
    }

    #[test]
    fn test_space_is_aligned_and_has_the_length() {
        let mut buffer = ChunkBuffer::for_scan(1);
        for length in [0, 1, 63, 64, 65, 1 << 14, (1 << 17) + 3, 5] {
            let space = buffer.space(Path::new("a"), length).unwrap();
            assert_eq!((space.len(), space.as_ptr().addr() % LINE), (length, 0));
            space.fill(1);
        }
    }

    #[test]
    fn test_space_reports_a_lack_of_memory() {
        let failed = ChunkBuffer::for_scan(1).space(Path::new("a"), usize::MAX).unwrap_err();
        assert_eq!(failed, crate::memory::out_of_memory(Path::new("a")));
    }
}
