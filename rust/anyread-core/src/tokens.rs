//! Counting the tokens of a text: an estimate for budgets, exact counts on request.
//!
//! A page is budgeted line by line with [`estimate`], which needs no vocabulary and takes about a nanosecond
//! per byte. Hosts that need exact numbers pass a [`Counter`]: a [`Tokenizer`] of this crate, or their own
//! callable. Counters receive whole texts, because tokens span lines; [`longest_prefix`] calls them rarely.

use std::path::Path;

use crate::error::Result;
use crate::lock::NoLockHeld;

mod estimate;
mod exact;
mod merging;
mod pieces;
mod scripts;
mod vocabulary;
mod weights;

pub use estimate::{Estimate, Running, ceiling, estimate};
pub use exact::Tokenizer;

/// Anything that counts the tokens of a text.
pub trait Counter: Sync {
    /// The number of tokens of `text`. Never called while a lock is held, because it may run the host's code.
    ///
    /// # Errors
    ///
    /// Any error of the counter; a [`Tokenizer`] never fails.
    fn count(&self, text: &str, proof: NoLockHeld) -> Result<u64>;

    /// Called once before the first count of a read of `path`.
    ///
    /// # Errors
    ///
    /// There is no memory for the counter.
    fn prepare(&self, _path: &Path) -> Result<()> {
        Ok(())
    }
}

impl Counter for Tokenizer {
    fn count(&self, text: &str, _proof: NoLockHeld) -> Result<u64> {
        Ok(Self::count(*self, text))
    }

    fn prepare(&self, path: &Path) -> Result<()> {
        Self::prepare(*self, path)
    }
}

/// The number of leading pieces of `text` that fit into `budget` tokens, and their exact token count.
///
/// `ends` are the byte offsets at which the pieces end, ascending, on character boundaries.
/// The count should not decrease as text grows. With real tokenizers it sometimes decreases by one near a
/// boundary; then the result still fits, but a longer prefix might fit too.
/// A page takes three or four counts, each of a text of about the size of the budget.
///
/// # Errors
///
/// Any error of the counter.
pub fn longest_prefix(
    counter: &dyn Counter,
    text: &str,
    ends: &[usize],
    budget: u64,
) -> Result<(usize, u64)> {
    let mut bracket = Bracket::new(text, ends);
    while let Some(pieces) = bracket.next_guess(budget) {
        let tokens = counter.count(bracket.prefix(pieces), NoLockHeld::check())?;
        bracket.learn(pieces, tokens, budget);
    }
    Ok((bracket.fits, bracket.fits_tokens))
}

/// After this many proportional guesses the bracket is halved instead: a text whose token rate varies widely,
/// or a counter that is not monotone, must not require a count per line.
const GUESSES: u32 = 6;

/// The bounds of the result: `fits` pieces fit, `exceeds` pieces do not.
struct Bracket<'a> {
    text: &'a str,
    ends: &'a [usize],
    /// The estimate of the first `n` pieces, for each `n` from 0.
    estimates: Vec<u64>,
    fits: usize,
    fits_tokens: u64,
    /// One more than the number of pieces while all of them may still fit.
    exceeds: usize,
    /// The pieces and tokens of the last prefix counted. Their ratio scales the next guess.
    last: Option<(usize, u64)>,
    guesses: u32,
}

impl<'a> Bracket<'a> {
    fn new(text: &'a str, ends: &'a [usize]) -> Self {
        let mut estimates = Vec::with_capacity(ends.len() + 1);
        let (mut sum, mut start) = (Estimate::default(), 0);
        estimates.push(0);
        for &end in ends {
            sum = sum + estimate(text.get(start..end).unwrap_or_default());
            start = end;
            estimates.push(sum.tokens());
        }
        Self {
            text,
            ends,
            estimates,
            fits: 0,
            fits_tokens: 0,
            exceeds: ends.len() + 1,
            last: None,
            guesses: 0,
        }
    }

    fn prefix(&self, pieces: usize) -> &'a str {
        let end = pieces.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or(0);
        self.text.get(..end).unwrap_or_default()
    }

    /// The prefix to count next, strictly inside the bracket, or `None` when the bracket is closed.
    fn next_guess(&mut self, budget: u64) -> Option<usize> {
        let (low, high) = (self.fits + 1, self.exceeds.checked_sub(1)?);
        if low > high {
            return None;
        }
        self.guesses += 1;
        let guess = if self.guesses <= GUESSES {
            // The number of pieces whose estimate, corrected by the last count, still fits.
            let limit = self.estimate_that_fits(budget);
            self.estimates.partition_point(|&sum| sum <= limit).saturating_sub(1)
        } else {
            low.midpoint(high)
        };
        Some(guess.clamp(low, high))
    }

    /// The estimate at which the budget is expected to be used up, extrapolated from the last count.
    fn estimate_that_fits(&self, budget: u64) -> u64 {
        let Some((pieces, tokens)) = self.last else { return budget };
        let estimated = self.estimates.get(pieces).copied().unwrap_or(0);
        let scale = |difference: u64| {
            let scaled = u128::from(difference) * u128::from(estimated.max(1)) / u128::from(tokens.max(1));
            u64::try_from(scaled).unwrap_or(u64::MAX)
        };
        if tokens <= budget {
            estimated.saturating_add(scale(budget - tokens))
        } else {
            // One token less, because another guess that is only just too large would not help.
            estimated.saturating_sub(scale(tokens - budget).saturating_add(1))
        }
    }

    fn learn(&mut self, pieces: usize, tokens: u64, budget: u64) {
        self.last = Some((pieces, tokens));
        if tokens <= budget {
            (self.fits, self.fits_tokens) = (pieces, tokens);
        } else {
            self.exceeds = pieces;
        }
    }
}
