//! The line index: how many line endings each block of a file has.
//!
//! It is sparse: a `u16` for each 16 KiB and a `u64` for each MiB, which is 0.013 % of the file.
//! A line is found by a binary search, a walk over at most 64 counts, and a search in one block.

pub mod columns;

use std::collections::TryReserveError;

use crate::scan::{BLOCK, to_usize};

/// Blocks in a group.
const GROUP: usize = 64;

/// Counts of terminators for the leading whole blocks of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineIndex {
    /// Terminators in each block.
    blocks: Vec<u16>,
    /// Terminators before each group of blocks.
    groups: Vec<u64>,
    /// Terminators in all blocks.
    newlines: u64,
}

/// The block that contains a terminator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundBlock {
    /// The number of the block, counted from 0.
    pub block: u64,
    /// How many terminators come before the block.
    pub before: u64,
    /// How many terminators the block had when it was counted.
    pub count: u16,
}

impl LineIndex {
    /// How many leading blocks are counted.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// How many terminators those blocks have.
    #[must_use]
    pub fn newlines(&self) -> u64 {
        self.newlines
    }

    /// A copy of the counts of at most `kept` leading blocks, with capacity for `blocks` blocks; growing step by
    /// step would reserve up to twice the memory.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn leading(&self, kept: u64, blocks: u64) -> Result<Self, TryReserveError> {
        let kept = to_usize(kept).min(self.blocks.len());
        let blocks = to_usize(blocks).max(kept);
        let mut copy = Self { newlines: self.newlines_before(kept as u64), ..Self::default() };
        copy.blocks.try_reserve_exact(blocks)?;
        copy.groups.try_reserve_exact(blocks.div_ceil(GROUP))?;
        copy.blocks.extend_from_slice(&self.blocks[..kept]);
        copy.groups.extend_from_slice(&self.groups[..kept.div_ceil(GROUP)]);
        Ok(copy)
    }

    /// Releases unused capacity.
    pub fn shrink(&mut self) {
        self.blocks.shrink_to_fit();
        self.groups.shrink_to_fit();
    }

    /// Adds the count of the next block.
    pub fn push(&mut self, count: u16) {
        if self.blocks.len().is_multiple_of(GROUP) {
            self.groups.push(self.newlines);
        }
        self.blocks.push(count);
        self.newlines += u64::from(count);
    }

    /// The count of a block, if it is known.
    #[must_use]
    pub fn count(&self, block: u64) -> Option<u16> {
        self.blocks.get(to_usize(block)).copied()
    }

    /// The block of terminator `number`, counted from 1.
    #[must_use]
    pub fn locate(&self, number: u64) -> Option<FoundBlock> {
        if number == 0 || number > self.newlines {
            return None;
        }
        let group = self.groups.partition_point(|before| *before < number) - 1;
        let mut before = self.groups[group];
        for (position, count) in self.blocks.iter().enumerate().skip(group * GROUP) {
            let after = before + u64::from(*count);
            if after >= number {
                return Some(FoundBlock { block: position as u64, before, count: *count });
            }
            before = after;
        }
        None
    }

    /// How many terminators there are in the leading `blocks` blocks, all of which must have been counted.
    #[must_use]
    pub fn newlines_before(&self, blocks: u64) -> u64 {
        let blocks = to_usize(blocks).min(self.blocks.len());
        let Some(before) = self.groups.get(blocks / GROUP) else { return self.newlines };
        let rest = &self.blocks[blocks / GROUP * GROUP..blocks];
        before + rest.iter().map(|count| u64::from(*count)).sum::<u64>()
    }

    /// The first block at or after `block` that has a terminator, or the first that is not counted.
    #[must_use]
    pub fn skip_empty(&self, block: u64) -> u64 {
        let start = to_usize(block).min(self.blocks.len());
        let empty = self.blocks[start..].iter().take_while(|count| **count == 0).count();
        block.max((start + empty) as u64)
    }

    /// Its memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.blocks.capacity() * 2 + self.groups.capacity() * 8) as u64
    }

    /// How many bytes of the file are counted.
    #[must_use]
    pub fn scanned(&self) -> u64 {
        self.blocks() * BLOCK
    }
}

#[cfg(test)]
mod tests {
    use super::LineIndex;

    fn index(counts: &[u16]) -> LineIndex {
        let mut index = LineIndex::default();
        for count in counts {
            index.push(*count);
        }
        index
    }

    #[test]
    fn test_locate_finds_each_terminator_in_its_block() {
        let counts: Vec<u16> = (0..1000_u16).map(|block| block * 7 % 5).collect();
        let index = index(&counts);
        let mut number = 0;
        for (block, count) in counts.iter().enumerate() {
            let before = number;
            for _ in 0..*count {
                number += 1;
                let found = index.locate(number).unwrap();
                assert_eq!((found.block, found.before, found.count), (block as u64, before, *count));
            }
        }
        assert_eq!(index.newlines(), number);
        assert_eq!(index.locate(0), None);
        assert_eq!(index.locate(number + 1), None);
    }

    #[test]
    fn test_newlines_before_sums_leading_blocks() {
        let counts: Vec<u16> = (0..300).collect();
        let all = index(&counts);
        for blocks in 0..=300 {
            let expected: u64 = counts[..blocks].iter().map(|count| u64::from(*count)).sum();
            assert_eq!(all.newlines_before(blocks as u64), expected);
            assert_eq!(all.leading(blocks as u64, 0).unwrap(), index(&counts[..blocks]));
        }
    }

    #[test]
    fn test_skip_empty_stops_at_terminators_and_at_the_end() {
        let index = index(&[0, 0, 3, 0, 0]);
        assert_eq!([0, 1, 2, 3, 5, 9].map(|block| index.skip_empty(block)), [2, 2, 2, 5, 5, 9]);
    }
}
