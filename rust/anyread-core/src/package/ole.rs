//! Whether a compound file ("OLE") contains an encrypted document.
//!
//! Source: [MS-CFB] 2.6 and [MS-OFFCRYPTO] 2.3.

use memchr::memmem::Finder;

use super::number;
use crate::error::Result;
use crate::stream::{Bytes, Stream};

/// The first bytes of a compound file.
pub const MAGIC: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
/// The size of an entry of the directory, which begins at a multiple of it; where its size of the name is.
const ENTRY: usize = 128;
const NAME_SIZE: usize = 64;

/// Whether the file has the directory entry of an encrypted document, wherever its directory is.
///
/// # Errors
/// Those of reading.
pub fn is_encrypted(file: &Stream<'_>) -> Result<bool> {
    let name: Vec<u8> = "EncryptedPackage\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let finder = Finder::new(&name);
    let mut stream = file.of(0..file.end());
    loop {
        let offset = stream.offset();
        let bytes = stream.ahead(ENTRY)?;
        if bytes.len() < ENTRY {
            return Ok(false);
        }
        let is_entry = |at: usize| {
            (offset + at as u64).is_multiple_of(ENTRY as u64)
                && number(bytes, at + NAME_SIZE, 2) == name.len() as u64
        };
        if finder.find_iter(bytes).any(is_entry) {
            return Ok(true);
        }
        // The next bytes begin with an entry.
        let passed = bytes.len() / ENTRY * ENTRY;
        stream.skip(passed);
    }
}
