//! Whether a text in memory is plain, and where its line feeds are, in one pass.
//!
//! With AVX2 the pass takes half as long as the two that the compiler would vectorize, because the compiler
//! makes no bit masks of comparisons.

use crate::sniff::is_plain;

/// Room for this many more line feeds is made at once; a block has at most as many.
const BLOCK: usize = 64;

/// The offsets of the line feeds in `bytes`, if these [are plain](is_plain).
///
/// It is also `None` if there is no memory for the offsets, or if they do not fit into 32 bits.
#[must_use]
pub fn of_plain(bytes: &[u8]) -> Option<Vec<u32>> {
    u32::try_from(bytes.len()).ok()?;
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("bmi1") {
        // SAFETY: the processor has the features.
        return unsafe { avx2::of_plain(bytes) };
    }
    of_plain_portable(bytes)
}

/// [`of_plain`] in two passes.
fn of_plain_portable(bytes: &[u8]) -> Option<Vec<u32>> {
    if !is_plain(bytes) {
        return None;
    }
    let mut found = Vec::new();
    for at in memchr::memchr_iter(b'\n', bytes) {
        push(&mut found, at)?;
    }
    Some(found)
}

/// Adds an offset, if there is memory.
fn push(found: &mut Vec<u32>, at: usize) -> Option<()> {
    if found.len() == found.capacity() {
        found.try_reserve(BLOCK).ok()?;
    }
    found.push(u32::try_from(at).ok()?);
    Some(())
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
        _mm256_movemask_epi8, _mm256_or_si256, _mm256_set_epi64x, _mm256_set1_epi8,
    };

    use super::{BLOCK, of_plain_portable};
    use crate::size::to_usize;

    /// The size of a vector in bytes.
    const HALF: usize = BLOCK / 2;

    #[target_feature(enable = "avx2,bmi1")]
    pub(super) fn of_plain(bytes: &[u8]) -> Option<Vec<u32>> {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        let (mut found, mut count) = (Vec::new(), 0);
        let mut offset = 0_u32;
        for block in blocks {
            let (first, second) = block.split_at(HALF);
            let (first, second) = (vector(first.first_chunk()?), vector(second.first_chunk()?));
            if mask(_mm256_and_si256(plain(first), plain(second))) != u32::MAX {
                return None;
            }
            let mut left = u64::from(mask(line_feeds(first))) | u64::from(mask(line_feeds(second))) << HALF;
            // Pushing to a list would take twice as long.
            let room = match found.get_mut(count..).and_then(<[u32]>::first_chunk_mut::<BLOCK>) {
                Some(room) => room,
                None => enlarge(&mut found, bytes.len())
                    .and_then(|()| found.get_mut(count..)?.first_chunk_mut())?,
            };
            let mut place = 0_usize;
            while left != 0 {
                room[place % BLOCK] = offset.wrapping_add(left.trailing_zeros());
                left &= left.wrapping_sub(1);
                place = place.wrapping_add(1);
            }
            count += place;
            // All offsets fit into 32 bits.
            offset = offset.wrapping_add(64);
        }
        found.truncate(count);
        for at in of_plain_portable(rest)? {
            super::push(&mut found, bytes.len() - rest.len() + to_usize(at.into()))?;
        }
        Some(found)
    }

    /// Makes room for at least a block, and for the line feeds of most texts of a length in bytes.
    fn enlarge(found: &mut Vec<u32>, bytes: usize) -> Option<()> {
        let length = found.len() + BLOCK.max(bytes / 16);
        found.try_reserve(length - found.len()).ok()?;
        found.resize(length, 0);
        Some(())
    }

    /// Which bytes are plain: the signed sum with 1 is greater than 32 for `' '` to `'~'` only.
    #[target_feature(enable = "avx2")]
    fn plain(bytes: __m256i) -> __m256i {
        let next = _mm256_add_epi8(bytes, _mm256_set1_epi8(1));
        let is_printable = _mm256_cmpgt_epi8(next, _mm256_set1_epi8(0x20));
        let is_tab = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(0x09));
        _mm256_or_si256(_mm256_or_si256(is_printable, is_tab), line_feeds(bytes))
    }

    #[target_feature(enable = "avx2")]
    fn line_feeds(bytes: __m256i) -> __m256i {
        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(0x0A))
    }

    #[target_feature(enable = "avx2")]
    fn mask(bytes: __m256i) -> u32 {
        _mm256_movemask_epi8(bytes).cast_unsigned()
    }

    /// The bytes as a vector; the compiler makes a single load of it.
    #[target_feature(enable = "avx2")]
    fn vector(bytes: &[u8; HALF]) -> __m256i {
        let (words, _) = bytes.as_chunks::<8>();
        let [first, second, third, fourth] = *words.first_chunk().unwrap_or(&[[0; 8]; 4]);
        let word = i64::from_le_bytes;
        _mm256_set_epi64x(word(fourth), word(third), word(second), word(first))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn test_line_feeds_of_plain_text_are_found(
            mut bytes in prop::collection::vec(
                prop_oneof![2 => Just(b'\n'), 1 => Just(b'\t'), 9 => b' '..=b'~'], 0..500
            ),
            others in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..2),
        ) {
            for (index, byte) in others {
                if !bytes.is_empty() {
                    let at = index.index(bytes.len());
                    bytes[at] = byte;
                }
            }
            let all = (0_u32..).zip(&bytes).filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
            let expected: Option<Vec<u32>> = Some(all).filter(|_| is_plain(&bytes));
            prop_assert_eq!(of_plain(&bytes), expected.clone());
            prop_assert_eq!(of_plain_portable(&bytes), expected);
        }
    }

    #[test]
    fn test_each_byte_is_plain_in_every_block_if_it_is_alone() {
        for byte in 0..=u8::MAX {
            for at in [0, 31, 32, 63, 64, 100] {
                let mut bytes = [b'a'; 101];
                bytes[at] = byte;
                assert_eq!(of_plain(&bytes).is_some(), is_plain(&[byte]), "{byte} at {at}");
            }
        }
    }
}
