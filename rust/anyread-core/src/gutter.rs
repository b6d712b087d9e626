//! The gutter: the line number before each line, in one of the forms that models know.

use crate::sniff::count_controls;

/// The format of a gutter: `before`, the number right-aligned in `width` columns, then `separator`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gutter {
    /// The text before the number.
    pub before: String,
    /// Minimum width of the number, in columns.
    pub width: usize,
    /// The text between the number and the line; `None` for no gutter at all.
    pub separator: Option<String>,
}

impl Gutter {
    /// Appends the gutter of line `number`, which is negative if lines are counted from the end.
    pub fn push(&self, number: i64, text: &mut String) {
        self.push_wide(number, self.width, text);
    }

    /// Appends the gutter of line `number`, with the number at least `width` columns wide.
    pub fn push_wide(&self, number: i64, width: usize, text: &mut String) {
        // A gutter consists of strings and ASCII characters, so it is always valid UTF-8.
        text.push_str(std::str::from_utf8(self.from(number, width).bytes()).unwrap_or_default());
    }

    /// Whether the gutter contains no control characters.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let is_clear = |text: &str| count_controls(text).is_clear();
        self.separator.as_ref().is_none_or(|separator| is_clear(separator) && is_clear(&self.before))
    }

    /// The gutters of line `number` and the lines after it, with numbers at least `width` columns wide.
    #[must_use]
    pub fn from(&self, number: i64, width: usize) -> Gutters<'_> {
        let bytes = Vec::with_capacity(GUTTER_BLOCK);
        let mut gutters = Gutters { gutter: self, width, number, bytes, length: 0, digits_end: 0 };
        gutters.write();
        gutters
    }
}

/// The size in bytes of [`Gutters::block`].
pub const GUTTER_BLOCK: usize = 32;

/// The gutters of consecutive lines.
///
/// Each number is computed by incrementing the digits of the previous one in place, which is several times
/// faster than formatting it.
#[derive(Debug)]
pub struct Gutters<'a> {
    gutter: &'a Gutter,
    width: usize,
    number: i64,
    /// The gutter of line `number`, padded with zeros to at least [`GUTTER_BLOCK`] bytes.
    bytes: Vec<u8>,
    /// The length of the gutter in bytes.
    length: usize,
    /// Where the number ends in `bytes`.
    digits_end: usize,
}

impl Gutters<'_> {
    /// The gutter of the current line.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The length of the gutter of the current line in bytes, if it is at most [`GUTTER_BLOCK`], and the
    /// gutter followed by other bytes.
    ///
    /// Copying a block of a fixed size takes a few instructions, copying as many bytes as needed a call.
    #[must_use]
    pub fn block(&self) -> Option<(&[u8; GUTTER_BLOCK], usize)> {
        let block = self.bytes.first_chunk()?;
        (self.length <= GUTTER_BLOCK).then_some((block, self.length))
    }

    /// Moves to the next line.
    pub fn advance(&mut self) {
        self.number = self.number.saturating_add(1);
        if self.length == 0 {
            return;
        }
        if self.number > 0 {
            for digit in self.bytes[self.gutter.before.len()..self.digits_end].iter_mut().rev() {
                match digit {
                    b'0'..=b'8' => {
                        *digit += 1;
                        return;
                    }
                    b'9' => *digit = b'0',
                    _ => break,
                }
            }
        }
        self.write();
    }

    fn write(&mut self) {
        self.bytes.clear();
        let Some(separator) = &self.gutter.separator else {
            self.bytes.resize(GUTTER_BLOCK, 0);
            return;
        };
        let digits = self.number.unsigned_abs().to_string();
        let sign = if self.number < 0 { "-" } else { "" };
        let blanks = self.width.saturating_sub(sign.len() + digits.len());
        self.bytes.extend_from_slice(self.gutter.before.as_bytes());
        self.bytes.extend(std::iter::repeat_n(b' ', blanks));
        self.bytes.extend_from_slice(sign.as_bytes());
        self.bytes.extend_from_slice(digits.as_bytes());
        self.digits_end = self.bytes.len();
        self.bytes.extend_from_slice(separator.as_bytes());
        self.length = self.bytes.len();
        if self.length < GUTTER_BLOCK {
            self.bytes.resize(GUTTER_BLOCK, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Gutter;

    #[test]
    fn test_numbers_match_standard_formatting() {
        for first in [0, 1, 9, 98, 123_456, 999_998, -1, -3, -100, i64::MAX - 3, i64::MIN] {
            for width in [0, 1, 4, 6, 19, 20, 21, 64, 70] {
                let gutter = Gutter { before: "L9".to_owned(), width, separator: Some(" │ ".to_owned()) };
                let mut gutters = gutter.from(first, width);
                for number in first..=first.saturating_add(20) {
                    let expected = format!("L9{number:>width$} │ ");
                    assert_eq!(gutters.bytes(), expected.as_bytes());
                    let block = gutters.block().map(|(block, length)| &block[..length]);
                    let fits = expected.len() <= super::GUTTER_BLOCK;
                    assert_eq!(block, fits.then_some(expected.as_bytes()));
                    let mut text = String::new();
                    gutter.push(number, &mut text);
                    assert_eq!(text, expected);
                    gutters.advance();
                }
            }
        }
    }

    #[test]
    fn test_gutter_without_separator_is_empty() {
        let gutter = Gutter { width: 6, ..Gutter::default() };
        let mut gutters = gutter.from(9, 6);
        gutters.advance();
        assert!(gutters.bytes().is_empty());
        assert_eq!(gutters.block().map(|(_, length)| length), Some(0));
    }
}
