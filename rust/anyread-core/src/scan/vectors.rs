//! Loops over many bytes that are compiled twice: for every processor of the platform, and for wider vectors.
//!
//! The compiler vectorizes these loops. By default it may only use the vectors that all processors of the
//! platform have, which on x86-64 are half as wide as those of nearly all that exist.

use crate::byte_count;
use crate::sniff;

/// Bytes that are compared in parallel.
const STRIPE: usize = byte_count::STRIPE;
/// The first control character after LF, and how many of them follow in a row: VT to US, with CR and ESC.
const FIRST_RARE: u8 = b'\n' + 1;
const RARE: u8 = b' ' - FIRST_RARE;

/// How often `value` occurs in `bytes`.
pub(crate) fn count(bytes: &[u8], value: u8) -> usize {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that the function requires.
        return unsafe { count_avx2(bytes, value) };
    }
    byte_count::count(bytes, value)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn count_avx2(bytes: &[u8], value: u8) -> usize {
    byte_count::count(bytes, value)
}

/// Whether one of the control characters from VT to US occurs, which include CR and ESC.
pub(crate) fn has_rare_control(bytes: &[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that the function requires.
        return unsafe { has_rare_control_avx2(bytes) };
    }
    has_rare_control_by(bytes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn has_rare_control_avx2(bytes: &[u8]) -> bool {
    has_rare_control_by(bytes)
}

#[expect(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[inline(always)]
fn has_rare_control_by(bytes: &[u8]) -> bool {
    // Of all bytes, these have the smallest distance from the first of them, and a minimum takes one instruction.
    let distance = |byte: &u8| byte.wrapping_sub(FIRST_RARE);
    let (stripes, rest) = bytes.as_chunks::<STRIPE>();
    let mut least = [u8::MAX; STRIPE];
    for stripe in stripes {
        for (least, byte) in least.iter_mut().zip(stripe) {
            *least = (*least).min(distance(byte));
        }
    }
    let least = least.into_iter().chain(rest.iter().map(distance)).min();
    least.is_some_and(|least| least < RARE)
}

/// [`sniff::is_plain`].
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that the function requires.
        return unsafe { is_plain_avx2(bytes) };
    }
    sniff::is_plain(bytes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn is_plain_avx2(bytes: &[u8]) -> bool {
    sniff::is_plain(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_rare_controls_are_found_at_any_position() {
        for byte in 0..=u8::MAX {
            let is_rare = (0x0B..0x20).contains(&byte);
            for (length, at) in [(1, 0), (63, 62), (64, 0), (200, 63), (200, 130), (200, 199)] {
                let mut bytes = b"a\t\n\xC3\x7F\xFF ".repeat(30);
                bytes.truncate(length);
                bytes[at] = byte;
                assert_eq!(has_rare_control(&bytes), is_rare, "{byte} at {at} of {length}");
                assert_eq!(has_rare_control_by(&bytes), is_rare, "{byte} at {at} of {length}");
            }
        }
        assert!(!has_rare_control(b""));
    }

    #[test]
    fn test_count_is_that_of_a_simple_loop() {
        let bytes: Vec<u8> = (0..70_000_u32).map(|at| u8::try_from(at * 7 % 11).unwrap()).collect();
        for length in [0, 1, 63, 64, 65, 255 * 64, 255 * 64 + 1, 70_000] {
            let expected: usize = bytes[..length].iter().map(|byte| usize::from(*byte == 3)).sum();
            assert_eq!([count(&bytes[..length], 3), byte_count::count(&bytes[..length], 3)], [expected; 2]);
        }
    }
}
