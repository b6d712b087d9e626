//! Counting the occurrences of one byte, with 64 small counters that the compiler keeps in vector registers.
//!
//! A vector of comparisons is added to a vector of counters, which are summed once per 16 KiB.
//! `memchr`'s counter sums after each comparison and takes three times as long, so that counting cached bytes
//! would take 1.5 times as long as the kernel's copy of them.

/// Bytes that are compared in parallel.
pub(crate) const STRIPE: usize = 64;
/// The maximum number of stripes before the count of a lane could overflow.
const GROUP: usize = 255;

/// How often the byte occurred at each position of up to 255 stripes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lanes([u8; STRIPE]);

impl Default for Lanes {
    fn default() -> Self {
        Self([0; STRIPE])
    }
}

impl Lanes {
    /// Counts `value` in the next stripe.
    #[expect(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    #[inline(always)]
    pub(crate) fn add(&mut self, stripe: &[u8; STRIPE], value: u8) {
        for (lane, byte) in self.0.iter_mut().zip(stripe) {
            *lane = lane.wrapping_add(u8::from(*byte == value));
        }
    }

    /// The sum of all lanes.
    #[expect(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
    #[inline(always)]
    pub(crate) fn total(&self) -> usize {
        self.0.iter().map(|lane| usize::from(*lane)).sum()
    }
}

/// How often `value` occurs in `bytes`; `scan::vectors::count` is faster.
#[expect(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[inline(always)]
pub(crate) fn count(bytes: &[u8], value: u8) -> usize {
    let (stripes, rest) = bytes.as_chunks::<STRIPE>();
    let counted = stripes.chunks(GROUP).map(|group| {
        let mut lanes = Lanes::default();
        for stripe in group {
            lanes.add(stripe, value);
        }
        lanes.total()
    });
    counted.sum::<usize>() + memchr::memchr_iter(value, rest).count()
}
