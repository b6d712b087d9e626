//! Samples of a file, which show whether it has only grown.

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use super::Known;
use crate::error::Result;
use crate::index::LineIndex;
use crate::scan::{BLOCK, behind, to_usize};
use crate::source::Source;

/// How many bytes of a file's head are hashed, to check that they are unchanged after the file has grown.
const HEAD: usize = 4 << 10;
/// How many blocks are counted again for the same purpose.
const PROBES: u64 = 16;

/// Hashes of parts of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Samples {
    /// Hash of the first bytes.
    head: u64,
    /// Hash of the last counted block.
    tail: u64,
}

impl Samples {
    pub(super) fn of(source: Source<'_>, path: &Path, index: &LineIndex) -> Result<Self> {
        let head = hash(&source.bytes(path, 0, HEAD)?);
        Ok(Self { head, tail: tail(source, path, index)? })
    }

    /// The samples once more blocks are counted.
    pub(super) fn after(self, source: Source<'_>, path: &Path, index: &LineIndex) -> Result<Self> {
        Ok(Self { tail: tail(source, path, index)?, ..self })
    }
}

/// Whether samples of the counted blocks are unchanged: the head, the last block, and some others.
///
/// A change in place that affects none of them is not detected; `trust_append` accepts that risk.
/// A file without samples counts as changed.
///
/// # Errors
/// Those of reading.
pub fn is_unchanged(known: &Known, source: Source<'_>, path: &Path) -> Result<bool> {
    let block = to_usize(BLOCK);
    let Some(samples) = known.samples else { return Ok(false) };
    if hash(&source.bytes(path, 0, HEAD)?) != samples.head {
        return Ok(false);
    }
    let blocks = known.index.blocks();
    let Some(last) = blocks.checked_sub(1) else { return Ok(true) };
    if hash(&source.bytes(path, last * BLOCK, block)?) != samples.tail {
        return Ok(false);
    }
    // A multiplicative hash of the size selects different probes each time the file has grown.
    let mut state = source.size();
    for _ in 0..PROBES {
        state = state.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ blocks;
        let probe = state % blocks;
        let before = behind(known.plan.terminator, probe * BLOCK);
        let bytes = source.bytes(path, probe * BLOCK - before, block + to_usize(before))?;
        let (before, bytes) = bytes.split_at(to_usize(before));
        let count = known.plan.terminator.count(before, bytes);
        if known.index.count(probe).map(usize::from) != Some(count) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The hash of the last counted block.
fn tail(source: Source<'_>, path: &Path, index: &LineIndex) -> Result<u64> {
    let start = index.scanned().saturating_sub(BLOCK);
    Ok(hash(&source.bytes(path, start, to_usize(index.scanned() - start))?))
}

/// A hash that is compared only with that of the same part of a file at another time.
///
/// The hasher of the standard library alone would take ten times as long.
fn hash(bytes: &[u8]) -> u64 {
    const FACTORS: [u64; 4] =
        [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63];
    let (groups, rest) = bytes.as_chunks::<32>();
    let mut lanes = FACTORS;
    for group in groups {
        let words = group.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        for ((lane, word), factor) in lanes.iter_mut().zip(words).zip(FACTORS) {
            // Each step is invertible, so a difference in one word of a lane is never lost.
            *lane = (*lane ^ word).wrapping_mul(factor).rotate_left(29);
        }
    }
    let mut hasher = DefaultHasher::new();
    for lane in lanes {
        hasher.write_u64(lane);
    }
    hasher.write(rest);
    hasher.finish()
}
