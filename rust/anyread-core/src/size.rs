//! Sizes: 64 bits in a file, whatever the machine has in memory.

/// A size in memory; what does not fit becomes the largest there is, so that a comparison stays right.
#[must_use]
pub fn to_usize(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
