//! Counting one byte among many: 64 small counts side by side, which the compiler keeps in vectors.
//!
//! A vector of comparisons is added to a vector of counts, and those are summed up once in 16 KiB.
//! `memchr`'s counter sums up after each comparison and takes three times as long: with it, counting
//! cached bytes costs half as much again as the kernel's copying of them.

/// Bytes that are compared side by side.
pub(crate) const STRIPE: usize = 64;
/// How many stripes there may be before a lane's count overflows.
const GROUP: usize = 255;

/// How often the byte was at each place of up to 255 stripes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lanes([u8; STRIPE]);

impl Default for Lanes {
    fn default() -> Self {
        Self([0; STRIPE])
    }
}

impl Lanes {
    /// Counts `value` in the next stripe.
    #[expect(clippy::inline_always, reason = "it takes on the instructions that its caller may use")]
    #[inline(always)]
    pub(crate) fn add(&mut self, stripe: &[u8; STRIPE], value: u8) {
        for (lane, byte) in self.0.iter_mut().zip(stripe) {
            *lane = lane.wrapping_add(u8::from(*byte == value));
        }
    }

    /// The sum.
    #[expect(clippy::inline_always, reason = "it takes on the instructions that its caller may use")]
    #[inline(always)]
    pub(crate) fn total(&self) -> usize {
        self.0.iter().map(|lane| usize::from(*lane)).sum()
    }
}

/// How often `value` stands in `bytes`.
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
