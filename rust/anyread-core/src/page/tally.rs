//! The estimated tokens of a growing page, computed only when they can matter.

use crate::tokens::{self, Estimate};

/// The estimate of the leading lines of a text.
#[derive(Debug, Default)]
pub struct Tally {
    estimate: Estimate,
    /// How many bytes of the text the estimate includes.
    counted: usize,
}

impl Tally {
    /// Whether `text` is estimated at more than `maximum` tokens.
    pub fn exceeds(&mut self, text: &str, maximum: u64) -> bool {
        tokens::ceiling(text.len()).tokens() > maximum && self.count(text).tokens() > maximum
    }

    /// The estimate of `text`, which is the previous text, possibly followed by more lines.
    pub fn count(&mut self, text: &str) -> Estimate {
        if self.counted < text.len() {
            self.estimate = self.estimate + tokens::estimate(&text[line_after(self.counted)..]);
            self.counted = text.len();
        }
        self.estimate
    }

    /// Updates the estimate before `text` is cut after the line that ends at `end`.
    pub fn cut(&mut self, text: &str, end: usize) {
        if self.counted > end {
            self.estimate = self.estimate - tokens::estimate(&text[line_after(end)..self.counted]);
            self.counted = end;
        }
    }

    /// The estimate of `text` with `footer`, if all of `text` is already counted.
    pub fn known(&self, text: &str, footer: &str) -> Option<u64> {
        (self.counted == text.len()).then(|| (self.estimate + tokens::estimate(footer)).tokens())
    }
}

/// The start of the line after a text of `bytes` bytes: after a line feed, unless it is the first line.
///
/// The estimate counts a line feed at the end of each piece, not at its start.
fn line_after(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { bytes + 1 }
}
