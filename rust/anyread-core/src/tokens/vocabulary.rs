//! A vocabulary in memory: the rank of each token, found by its bytes.

use miniz_oxide::inflate::decompress_to_vec_zlib;

/// How many bytes a token may have.
const LONGEST: usize = 128;
/// The rank of bytes that are not a token.
pub(super) const NO_RANK: u32 = u32::MAX;

/// The tokens of a vocabulary.
///
/// Tokens of two bytes, which are looked up most often, have a table of their own. The others are in a hash
/// table with open addressing, whose slots have a part of the hash, so that a lookup rarely reads a wrong token.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// All tokens, one after another in the order of their ranks.
    bytes: Vec<u8>,
    /// Where each token begins, and the end of the last.
    starts: Vec<u32>,
    /// The rank of each pair of bytes.
    pairs: Vec<u32>,
    /// A part of the hash and a rank.
    slots: Vec<(u32, u32)>,
}

impl Vocabulary {
    /// Unpacks a vocabulary; see `rust/vocabularies.py`. `None` if it is damaged.
    pub(super) fn unpack(packed: &[u8]) -> Option<Self> {
        let unpacked = decompress_to_vec_zlib(packed).ok()?;
        let (count, rest) = unpacked.split_first_chunk::<4>()?;
        let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let (lengths, bytes) = rest.split_at_checked(count)?;
        let mut starts = Vec::with_capacity(count + 1);
        let mut end = 0_u32;
        starts.push(end);
        for length in lengths {
            end = end.checked_add(u32::from(*length))?;
            starts.push(end);
        }
        if usize::try_from(end).ok()? != bytes.len() {
            return None;
        }
        // At most two fifths of the slots are used, so that a search ends soon.
        let slots = vec![(0, NO_RANK); (count * 5 / 2).next_power_of_two()];
        let mut vocabulary = Self { bytes: bytes.to_vec(), starts, pairs: vec![NO_RANK; 1 << 16], slots };
        for rank in 0..u32::try_from(count).ok()? {
            vocabulary.insert(rank);
        }
        Some(vocabulary)
    }

    fn insert(&mut self, rank: u32) {
        let token = self.token(rank);
        if let [first, second] = *token {
            self.pairs[index(first, second)] = rank;
            return;
        }
        let hash = hash(token);
        let mut slot = self.slot(hash);
        while self.slots[slot].1 != NO_RANK {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = (tag(hash), rank);
    }

    fn token(&self, rank: u32) -> &[u8] {
        let bound =
            |rank: usize| self.starts.get(rank).map_or(0, |start| crate::size::to_usize(u64::from(*start)));
        let rank = crate::size::to_usize(u64::from(rank));
        self.bytes.get(bound(rank)..bound(rank + 1)).unwrap_or_default()
    }

    /// The rank of a token; [`NO_RANK`] if the bytes are not one.
    #[inline]
    pub(super) fn rank(&self, bytes: &[u8]) -> u32 {
        if let [first, second] = *bytes {
            return self.pairs[index(first, second)];
        }
        if bytes.len() > LONGEST {
            return NO_RANK;
        }
        let hash = hash(bytes);
        let mut slot = self.slot(hash);
        loop {
            let (found, rank) = self.slots[slot];
            if rank == NO_RANK || (found == tag(hash) && self.token(rank) == bytes) {
                return rank;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// The rank of a pair of bytes.
    #[inline]
    pub(super) fn pair(&self, first: u8, second: u8) -> u32 {
        self.pairs[index(first, second)]
    }

    fn slot(&self, hash: u64) -> usize {
        crate::size::to_usize(hash) & (self.slots.len() - 1)
    }
}

fn index(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

fn tag(hash: u64) -> u32 {
    u32::try_from(hash >> 32).unwrap_or(0)
}

/// Multiplies and folds eight bytes at a time; the vocabulary is fixed, so nobody can choose colliding tokens.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| {
        let product = u128::from(state ^ word).wrapping_mul(u128::from(FACTOR));
        let [high, low] = [(product >> 64), product & u128::from(u64::MAX)];
        u64::try_from(high ^ low).unwrap_or(0)
    };
    let mut state = FACTOR ^ bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mix(state, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(state, u64::from_le_bytes(last)), FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_damaged_vocabulary_is_refused() {
        assert!(Vocabulary::unpack(b"").is_none());
        assert!(
            Vocabulary::unpack(&miniz_oxide::deflate::compress_to_vec_zlib(b"\x02\0\0\0\x01\x01a", 6))
                .is_none()
        );
    }

    #[test]
    fn test_ranks_are_the_positions_of_tokens() {
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(b"\x03\0\0\0\x01\x02\x03aababc", 6);
        let vocabulary = Vocabulary::unpack(&packed).unwrap();
        let ranks = [&b"a"[..], b"ab", b"abc", b"b", b"bc", b"abcd", &[b'a'; 200]]
            .map(|bytes| vocabulary.rank(bytes));
        assert_eq!(ranks, [0, 1, 2, NO_RANK, NO_RANK, NO_RANK, NO_RANK]);
        assert_eq!(vocabulary.pair(b'a', b'b'), 1);
    }
}
