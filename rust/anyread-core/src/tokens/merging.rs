//! Byte-pair encoding of one piece of a text: how many tokens it becomes.
//!
//! The adjacent parts whose concatenation has the lowest rank are merged, the first of them if there are
//! several, until no two adjacent parts form a token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::vocabulary::{NO_RANK, Vocabulary};
use crate::size::to_usize;

/// Up to this many bytes, searching all parts for each merge is faster than a heap.
const SHORT: usize = 96;
/// Longer pieces, which are no words, are counted in parts of this many bytes, each of which takes 23 MiB. That may
/// miscount a few tokens at the end of each part, which may be inside a character.
const LONGEST: usize = 1 << 20;

/// The number of tokens of a piece.
pub(super) fn count(vocabulary: &Vocabulary, piece: &[u8], scratch: &mut Scratch) -> usize {
    match piece.len() {
        0 | 1 => piece.len(),
        _ if vocabulary.rank(piece) != NO_RANK => 1,
        length if length <= SHORT => count_short(vocabulary, piece),
        _ => piece.chunks(LONGEST).map(|part| count_long(vocabulary, part, scratch)).sum(),
    }
}

/// Where each part begins, and the rank of the part merged with the next one.
fn count_short(vocabulary: &Vocabulary, piece: &[u8]) -> usize {
    let mut parts = [(0_u8, NO_RANK); SHORT + 1];
    let mut count = piece.len();
    for (start, part) in (0..).zip(&mut parts[..=count]) {
        let rank = match piece.get(usize::from(start)..) {
            Some([first, second, ..]) => vocabulary.pair(*first, *second),
            _ => NO_RANK,
        };
        *part = (start, rank);
    }
    loop {
        let (mut at, mut lowest) = (0, NO_RANK);
        for (index, (_, rank)) in parts[..count].iter().enumerate() {
            if *rank < lowest {
                (at, lowest) = (index, *rank);
            }
        }
        if lowest == NO_RANK {
            return count;
        }
        parts.copy_within(at + 2..=count, at + 1);
        count -= 1;
        let merged = |index: usize| match (parts.get(index), parts.get(index + 2)) {
            (Some((start, _)), Some((end, _))) if index + 2 <= count => {
                vocabulary.rank(&piece[usize::from(*start)..usize::from(*end)])
            }
            _ => NO_RANK,
        };
        let (after, before) = (merged(at), at.checked_sub(1).map(merged));
        parts[at].1 = after;
        if let Some(before) = before {
            parts[at - 1].1 = before;
        }
    }
}

/// The memory of [`count_long`], which is used again for the next piece.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    symbols: Vec<Symbol>,
    merges: Merges,
}

/// The possible merges, each a rank and the start of a part; those of parts that have changed are skipped later.
#[derive(Debug, Default)]
struct Merges {
    /// Those of two bytes, the last one first: sorting them is faster than a heap.
    pairs: Vec<u64>,
    /// Those that became possible by another merge.
    more: BinaryHeap<Reverse<u64>>,
}

impl Merges {
    fn key(rank: u32, start: u32) -> u64 {
        u64::from(rank) << 32 | u64::from(start)
    }

    /// The merge with the lowest rank, the first of them.
    fn pop(&mut self) -> Option<(u32, u32)> {
        let key = match (self.pairs.last(), self.more.peek()) {
            (Some(pair), Some(Reverse(other))) if pair > other => self.more.pop()?.0,
            (None, _) => self.more.pop()?.0,
            (Some(_), _) => self.pairs.pop()?,
        };
        let (high, low) = (key >> 32, key & u64::from(u32::MAX));
        Some((u32::try_from(high).ok()?, u32::try_from(low).ok()?))
    }
}

/// A part of a piece, found by its start.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    /// Where it ends, which is the start of the next one; 0 if it has become the end of another part.
    end: u32,
    /// The start of the previous one.
    previous: u32,
    /// The rank of this part merged with the next one.
    rank: u32,
}

/// Like [`count_short`], in a time that grows hardly faster than the length.
fn count_long(vocabulary: &Vocabulary, piece: &[u8], scratch: &mut Scratch) -> usize {
    let Scratch { symbols: parts, merges } = scratch;
    parts.clear();
    for (start, pair) in (0_u32..).zip(piece.windows(2)) {
        let rank = vocabulary.pair(pair[0], pair[1]);
        parts.push(Symbol { end: start + 1, previous: start.wrapping_sub(1), rank });
        if rank != NO_RANK {
            merges.pairs.push(Merges::key(rank, start));
        }
    }
    let last = u32::try_from(parts.len()).unwrap_or(u32::MAX);
    parts.push(Symbol { end: last + 1, previous: last.wrapping_sub(1), rank: NO_RANK });
    merges.pairs.sort_unstable_by(|left, right| right.cmp(left));
    let mut count = piece.len();
    while let Some((rank, start)) = merges.pop() {
        let here = to_usize(u64::from(start));
        let Symbol { end: next, previous, rank: current } = parts[here];
        if next == 0 || current != rank {
            continue;
        }
        // Merge it with the next one.
        let end = parts[to_usize(u64::from(next))].end;
        parts[to_usize(u64::from(next))].end = 0;
        parts[here].end = end;
        count -= 1;
        let after = parts.get(to_usize(u64::from(end))).map(|after| after.end);
        parts[here].rank = NO_RANK;
        if let Some(after) = after {
            parts[to_usize(u64::from(end))].previous = start;
            renew(vocabulary, piece, parts, merges, start, after);
        }
        if previous != u32::MAX {
            renew(vocabulary, piece, parts, merges, previous, end);
        }
    }
    count
}

/// Looks up the rank of the part at `start` merged with the next one, which ends at `end`.
fn renew(
    vocabulary: &Vocabulary,
    piece: &[u8],
    parts: &mut [Symbol],
    merges: &mut Merges,
    start: u32,
    end: u32,
) {
    let (from, to) = (to_usize(u64::from(start)), to_usize(u64::from(end)));
    let rank = vocabulary.rank(&piece[from..to]);
    parts[from].rank = rank;
    if rank != NO_RANK {
        merges.more.push(Reverse(Merges::key(rank, start)));
    }
}
