//! CRC-32 as in zip, gzip and PNG.
//!
//! Sixteen bytes at a time, each with its own table ("slicing by 16", Kounavis and Berry 2005).

const SLICES: usize = 16;

static TABLES: [[u32; 256]; SLICES] = {
    let mut tables = [[0_u32; 256]; SLICES];
    let mut byte = 0_usize;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "it is below 256")]
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut slice = 1;
    while slice < SLICES {
        let mut byte = 0;
        while byte < 256 {
            let last = tables[slice - 1][byte];
            tables[slice][byte] = last >> 8 ^ tables[0][(last & 0xFF) as usize];
            byte += 1;
        }
        slice += 1;
    }
    tables
};

/// The CRC-32 of some bytes and `bytes` after them; `crc` is that of the bytes before, 0 if there are none.
#[must_use]
pub fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    let mut crc = !crc;
    let (blocks, rest) = bytes.as_chunks::<SLICES>();
    for block in blocks {
        let mut block = *block;
        for (byte, of_crc) in block.iter_mut().zip(crc.to_le_bytes()) {
            *byte ^= of_crc;
        }
        crc = block
            .iter()
            .zip(TABLES.iter().rev())
            .fold(0, |sum, (byte, table)| sum ^ table[usize::from(*byte)]);
    }
    for byte in rest {
        crc = crc >> 8 ^ TABLES[0][usize::from(crc.to_le_bytes()[0] ^ byte)];
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, as the polynomial is defined.
    fn slow(bytes: &[u8]) -> u32 {
        let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
    }

    #[test]
    fn test_crc_is_that_of_the_polynomial_however_the_bytes_are_split() {
        assert_eq!(crc32(0, b"123456789"), 0xCBF4_3926);
        let bytes: Vec<u8> = (0..100_u8).map(|byte| byte.wrapping_mul(167)).collect();
        for split in 0..bytes.len() {
            let (before, after) = bytes.split_at(split);
            assert_eq!(crc32(crc32(0, before), after), slow(&bytes), "split at {split}");
        }
    }
}
