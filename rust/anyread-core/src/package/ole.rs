//! Whether a compound file ("OLE") contains an encrypted document.
//!
//! Source: [MS-CFB] 2.2 to 2.6 and [MS-OFFCRYPTO] 2.3.

use super::number;
use crate::error::Result;
use crate::stream::Stream;

/// The first bytes of a compound file.
pub const MAGIC: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
/// The most sectors of the directory, and of the table of sectors, that are followed.
const SECTORS: u64 = 1_024;
/// How many sectors of the allocation table the header names.
const IN_HEADER: u64 = 109;
/// From here on, numbers of sectors are marks.
const MARKS: u64 = 0xFFFF_FFFA;

/// Whether the directory has the entry of an encrypted document.
///
/// # Errors
/// Those of reading.
pub fn is_encrypted(file: &Stream<'_>) -> Result<bool> {
    let mut stream = file.of(0..file.end());
    let header = stream.ahead(512)?.to_vec();
    let shift = number(&header, 30, 2);
    if !matches!(shift, 9 | 12) {
        return Ok(false);
    }
    let mut sector = number(&header, 48, 4);
    for _ in 0..SECTORS {
        if sector >= MARKS || has_entry(&mut stream, sector, shift)? {
            return Ok(sector < MARKS);
        }
        sector = next_sector(&mut stream, &header, sector, shift)?;
    }
    Ok(false)
}

fn has_entry(stream: &mut Stream<'_>, sector: u64, shift: u64) -> Result<bool> {
    stream.seek((sector + 1) << shift);
    let length = 1 << shift;
    let bytes = stream.ahead(length)?;
    let name = "EncryptedPackage\0".encode_utf16().flat_map(u16::to_le_bytes);
    let entries = bytes.get(..length.min(bytes.len())).unwrap_or_default().chunks_exact(128);
    Ok(entries.into_iter().any(|entry| {
        number(entry, 64, 2) == 34 && entry.iter().copied().zip(name.clone()).take(34).all(|(a, b)| a == b)
    }))
}

/// The sector after one, from the allocation table.
fn next_sector(stream: &mut Stream<'_>, header: &[u8], sector: u64, shift: u64) -> Result<u64> {
    let in_sector = 1_u64 << (shift - 2);
    let (table, within) = (sector / in_sector, sector % in_sector);
    let at = if table < IN_HEADER {
        number(header, usize::try_from(76 + table * 4).unwrap_or_default(), 4)
    } else {
        let (steps, within) = ((table - IN_HEADER) / (in_sector - 1), (table - IN_HEADER) % (in_sector - 1));
        let mut list = number(header, 68, 4);
        for _ in 0..steps.min(SECTORS) {
            list = entry_of(stream, list, in_sector - 1, shift)?;
        }
        entry_of(stream, list, within, shift)?
    };
    entry_of(stream, at, within, shift)
}

/// A number in a sector of numbers; a mark if the sector does not exist.
fn entry_of(stream: &mut Stream<'_>, sector: u64, index: u64, shift: u64) -> Result<u64> {
    if sector >= MARKS {
        return Ok(MARKS);
    }
    stream.seek(((sector + 1) << shift) + index * 4);
    let bytes = stream.ahead(4)?;
    Ok(if bytes.len() < 4 { MARKS } else { number(bytes, 0, 4) })
}
