//! Whether a range of a file is in the page cache, for file systems on which `RWF_NOWAIT` does not work.

use std::os::fd::{AsFd, AsRawFd};
use std::ptr;

use crate::size::to_usize;

/// The maximum size of a query, in pages of the smallest size: 1 MiB.
const MAX_PAGES: usize = 256;
/// The smallest page size; with larger pages, `mincore` writes fewer results.
const PAGE: u64 = 4096;

/// Whether all pages of `length` bytes from `offset` on are cached, found by `mincore` on a mapping that is
/// never accessed.
///
/// The result is correct for the owner of the file; for others the kernel reports that everything is cached.
/// A range that cannot be queried counts as not cached.
pub(crate) fn is_resident(descriptor: impl AsFd, offset: u64, length: usize) -> bool {
    let start = offset / page_bytes() * page_bytes();
    let span = to_usize(offset - start) + length;
    if length == 0 || span > MAX_PAGES * to_usize(PAGE) {
        return length == 0;
    }
    let Ok(start) = libc::off_t::try_from(start) else { return false };
    let mut pages = [0_u8; MAX_PAGES];
    // SAFETY: the descriptor is open, and the kernel chooses the address of the mapping, so no existing
    // memory changes. The mapping is never read, so that truncation of the file raises no signal, and it is
    // unmapped here. `mincore` writes one byte per page, and `span` is at most MAX_PAGES pages.
    unsafe {
        let fd = descriptor.as_fd().as_raw_fd();
        let address = libc::mmap(ptr::null_mut(), span, libc::PROT_READ, libc::MAP_SHARED, fd, start);
        if address == libc::MAP_FAILED {
            return false;
        }
        let answered = libc::mincore(address, span, pages.as_mut_ptr());
        libc::munmap(address, span);
        if answered != 0 {
            return false;
        }
    }
    let count = span.div_ceil(to_usize(page_bytes()));
    pages.iter().take(count).all(|page| page & 1 == 1)
}

fn page_bytes() -> u64 {
    (rustix::param::page_size() as u64).max(PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn test_written_pages_are_resident() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![b'x'; 100_000]).unwrap();
        for (offset, length) in [(0, 1), (0, 100_000), (4_095, 2), (99_999, 1), (50_000, 0)] {
            assert!(is_resident(&file, offset, length), "{offset} {length}");
        }
        assert!(!is_resident(&file, 0, (1 << 20) + 1), "larger than a query");
        assert!(!is_resident(&file, u64::MAX - 10, 5), "no such range");
    }

    #[test]
    fn test_dropped_pages_are_not_resident() {
        // Only a disk file system has pages that can be dropped; the source directory is usually on one.
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&vec![b'x'; 1 << 16]).unwrap();
        rustix::fs::fsync(&file).unwrap();
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
        let class = crate::system::device_of(&file).unwrap().class;
        if class == crate::device::DeviceClass::NoWait {
            assert!(!is_resident(&file, 0, 1 << 16));
        }
    }
}
