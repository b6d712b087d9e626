//! Values for properties, made from bytes: random ones, or those that libFuzzer or a file has.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A source of values. After its last byte it has random ones, or zeros.
pub struct Input<'a> {
    bytes: &'a [u8],
    noise: Option<u64>,
}

impl<'a> Input<'a> {
    /// Random values, the same for the same seed.
    pub fn random(seed: u64) -> Self {
        Self { bytes: &[], noise: Some(seed << 32) }
    }

    /// The values that are made of `bytes`.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Self { bytes, noise: None }
    }

    pub fn byte(&mut self) -> u8 {
        if let Some(byte) = self.bytes.split_off_first() {
            return *byte;
        }
        let Some(state) = &mut self.noise else { return 0 };
        // SplitMix64.
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed.to_be_bytes()[0]
    }

    /// A number in a range, made from as few bytes as its size needs.
    pub fn within(&mut self, range: Range<usize>) -> usize {
        let bits = usize::BITS - (range.len() - 1).leading_zeros();
        let value = (0..bits.div_ceil(8)).fold(0, |value, _| value << 8 | usize::from(self.byte()));
        range.start + value % range.len()
    }

    pub fn flip(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.within(0..choices.len())]
    }

    pub fn maybe<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flip().then(|| value(self))
    }

    pub fn list<T>(&mut self, lengths: Range<usize>, mut value: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.within(lengths)).map(|_| value(self)).collect()
    }

    /// A text of characters from some ranges, each of which is as probable as the others.
    pub fn text(&mut self, lengths: Range<usize>, ranges: &[(char, char)]) -> String {
        let character = |input: &mut Self| {
            let (first, last) = input.pick(ranges);
            let code = input.within(first as usize..last as usize + 1);
            u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(first)
        };
        self.list(lengths, character).into_iter().collect()
    }
}

/// Calls `check` with random inputs, the same in each run.
pub fn check_random(count: u64, check: impl Fn(&mut Input<'_>)) {
    for seed in 0..count {
        let outcome = catch_unwind(AssertUnwindSafe(|| check(&mut Input::random(seed))));
        assert!(outcome.is_ok(), "the input with the seed {seed} fails");
    }
}
