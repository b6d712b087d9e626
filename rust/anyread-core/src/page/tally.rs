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
            self.estimate = self.estimate + tokens::estimate(&text[line_after(text, self.counted)..]);
            self.counted = text.len();
        }
        self.estimate
    }

    /// Updates the estimate before `text` is cut after the line that ends at `end`.
    pub fn cut(&mut self, text: &str, end: usize) {
        if self.counted > end {
            self.estimate = self.estimate - tokens::estimate(&text[line_after(text, end)..self.counted]);
            self.counted = end;
        }
    }

    /// The estimate of `text` with `footer`, if all of `text` is already counted.
    pub fn known(&self, text: &str, footer: &str) -> Option<u64> {
        (self.counted == text.len()).then(|| (self.estimate + tokens::estimate(footer)).tokens())
    }
}

/// Where the part of `text` after its first `bytes` bytes begins, which end with a whole line.
///
/// The estimate of a line includes its line feed, except for an empty line, whose line feed is counted with the next.
fn line_after(text: &str, bytes: usize) -> usize {
    let ends_with_text = bytes > 0 && text.as_bytes().get(bytes - 1) != Some(&b'\n');
    bytes + usize::from(ends_with_text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::check_random;

    #[test]
    fn test_estimate_does_not_depend_on_when_lines_are_counted() {
        check_random(256, |input| {
            let letters = [('a', 'z'), ('(', '('), (';', ';'), (' ', ' ')];
            let lines = input.list(1..30, |input| input.text(0..4, &letters));
            let mut tally = Tally::default();
            let mut text = String::new();
            let mut ends = Vec::new();
            for (number, line) in lines.iter().enumerate() {
                text += if number == 0 { "" } else { "\n" };
                text += line;
                ends.push(text.len());
                if input.flip() {
                    tally.count(&text);
                }
            }
            assert_eq!(tally.count(&text), tokens::estimate(&text));
            let end = input.pick(&ends);
            tally.cut(&text, end);
            text.truncate(end);
            assert_eq!(tally.count(&text), tokens::estimate(&text));
        });
    }
}
