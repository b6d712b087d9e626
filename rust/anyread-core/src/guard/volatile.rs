//! Loads from memory to which other processes may write; each byte is loaded once.
//!
//! Wide loads use the machine's vector types, because the compiler splits a volatile load of any other type
//! into bytes.

use crate::byte_count::{Lanes, STRIPE};

/// The maximum number of stripes before the count of a lane could overflow.
const GROUP: usize = 255;
/// How many bytes ahead to prefetch; the hardware prefetcher stops at each 4 KiB page.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 2 << 10;

#[cfg(target_arch = "x86_64")]
type Vector = std::arch::x86_64::__m128i;
#[cfg(target_arch = "aarch64")]
type Vector = std::arch::aarch64::uint8x16_t;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
type Vector = u64;

/// Counts the bytes equal to `value`.
///
/// # Safety
/// The `length` bytes at `start` must be readable for the whole call; other processes may write to them.
pub(super) unsafe fn count(start: *const u8, length: usize, value: u8) -> usize {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2; the caller guarantees the rest.
        return unsafe { count_avx2(start, length, value) };
    }
    // SAFETY: guaranteed by the caller.
    unsafe { count_by::<Vector>(start, length, value) }
}

/// [`count`] with vectors of 32 bytes, which needs half as many loads; loads take most of its time.
///
/// # Safety
/// That of [`count`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn count_avx2(start: *const u8, length: usize, value: u8) -> usize {
    // SAFETY: guaranteed by the caller.
    unsafe { count_by::<std::arch::x86_64::__m256i>(start, length, value) }
}

/// Fills `into` with the bytes at `start`.
///
/// # Safety
/// The `into.len()` bytes at `start` must be readable for the whole call and must not overlap `into`.
pub(super) unsafe fn copy(start: *const u8, into: &mut [u8]) {
    let (head, stripes) = split(start, into.len());
    let (head_into, rest) = into.split_at_mut(head);
    let (stripes_into, tail_into) = rest.split_at_mut(stripes * STRIPE);
    let body = start.wrapping_add(head);
    // SAFETY: head, stripes and tail are consecutive parts of the range that the caller guarantees.
    unsafe {
        bytes(start, head_into.len(), |index, byte| head_into[index] = byte);
        let (chunks, _) = stripes_into.as_chunks_mut::<STRIPE>();
        self::stripes::<Vector>(body, stripes, |index, stripe| chunks[index] = stripe);
        bytes(body.wrapping_add(stripes * STRIPE), tail_into.len(), |index, byte| tail_into[index] = byte);
    }
}

/// # Safety
/// That of [`count`]; the processor must support the vectors `V`.
#[expect(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[inline(always)]
unsafe fn count_by<V: Copy>(start: *const u8, length: usize, value: u8) -> usize {
    let (head, whole) = split(start, length);
    let body = start.wrapping_add(head);
    let mut total = 0;
    // SAFETY: head, stripes and tail are consecutive parts of the range that the caller guarantees.
    unsafe {
        bytes(start, head, |_, byte| total += usize::from(byte == value));
        for first in (0..whole).step_by(GROUP) {
            let mut lanes = Lanes::default();
            let group = GROUP.min(whole - first);
            stripes::<V>(body.wrapping_add(first * STRIPE), group, |_, stripe| lanes.add(&stripe, value));
            total += lanes.total();
        }
        let tail = body.wrapping_add(whole * STRIPE);
        bytes(tail, length - head - whole * STRIPE, |_, byte| total += usize::from(byte == value));
    }
    total
}

/// How many bytes come before the first aligned stripe, and how many stripes there are.
fn split(start: *const u8, length: usize) -> (usize, usize) {
    let head = start.align_offset(STRIPE).min(length);
    (head, (length - head) / STRIPE)
}

/// # Safety
/// The `count` bytes at `start` must be readable.
unsafe fn bytes(start: *const u8, count: usize, mut take: impl FnMut(usize, u8)) {
    for index in 0..count {
        // SAFETY: in the range that the caller guarantees; any `u8` is valid and needs no alignment.
        take(index, unsafe { start.wrapping_add(index).read_volatile() });
    }
}

/// # Safety
/// The `count` stripes at `start` must be readable, `start` must be aligned to a stripe, and the processor
/// must support the vectors `V`.
#[expect(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[inline(always)]
unsafe fn stripes<V: Copy>(start: *const u8, count: usize, mut take: impl FnMut(usize, [u8; STRIPE])) {
    const { assert!(STRIPE.is_multiple_of(size_of::<V>()) && align_of::<V>() <= STRIPE) }
    for index in 0..count {
        let stripe = start.wrapping_add(index * STRIPE);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch is only a hint and is allowed for any address.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(stripe.wrapping_add(AHEAD).cast());
        }
        let mut loaded = [0; STRIPE];
        for at in (0..STRIPE).step_by(size_of::<V>()) {
            // SAFETY: the load is within the range that the caller guarantees and aligned like the stripe,
            // and a vector has no invalid values; the store is within `loaded`.
            unsafe {
                let vector = stripe.wrapping_add(at).cast::<V>().read_volatile();
                loaded.as_mut_ptr().wrapping_add(at).cast::<V>().write_unaligned(vector);
            }
        }
        take(index, loaded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_count_and_copy_at_any_alignment() {
        let bytes: Vec<u8> =
            (0..70_000_u32).map(|at| if at % 7 == 1 { b'\n' } else { at.to_le_bytes()[0] | 0x80 }).collect();
        for (start, length) in
            [(0, 0), (0, 1), (1, 62), (3, 64), (64, 64), (7, 500), (0, 16_320), (5, 69_000), (0, 70_000)]
        {
            let part = &bytes[start..start + length];
            let expected = memchr::memchr_iter(b'\n', part).count();
            let mut copied = vec![1; length];
            // SAFETY: the range is part of `bytes`, to which nothing writes.
            let counts = unsafe {
                copy(part.as_ptr(), &mut copied);
                [
                    count(part.as_ptr(), length, b'\n'),
                    count_by::<Vector>(part.as_ptr(), length, b'\n'),
                    count_by::<u64>(part.as_ptr(), length, b'\n'),
                ]
            };
            assert_eq!(counts, [expected; 3], "{start} {length}");
            assert_eq!(copied, part);
        }
    }

    #[test]
    fn test_count_of_many_equal_bytes_does_not_overflow() {
        let bytes = vec![b'\n'; 64 << 10];
        // SAFETY: the range is all of `bytes`, to which nothing writes.
        assert_eq!(unsafe { count(bytes.as_ptr(), bytes.len(), b'\n') }, bytes.len());
    }
}
