//! Sizes of files as sizes in memory.

/// A size in memory; saturates at the maximum, so that comparisons stay correct.
#[must_use]
pub fn to_usize(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
