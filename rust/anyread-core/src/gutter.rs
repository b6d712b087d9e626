//! The gutter: the line number before each line, in one of the forms that models know.

use crate::sniff::count_controls;

/// The format of a gutter: `before`, the number right-aligned in `width` columns, then `separator`.
///
/// A line without a number has blanks in place of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gutter {
    /// The text before the number.
    pub before: String,
    /// Minimum width of the number, in columns.
    pub width: usize,
    /// The text between the number and the line; `None` for no gutter at all.
    pub separator: Option<String>,
    /// Which lines have a number: line 1, and those whose number is a multiple of this; up to 1: all lines.
    pub every: u64,
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

    /// The maximum length of the gutter of line `number` in bytes, with the number at least `width` columns wide.
    #[must_use]
    pub fn length(&self, number: i64, width: usize) -> usize {
        let Some(separator) = &self.separator else { return 0 };
        let digits = number.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
        let columns = (digits + usize::from(number < 0)).max(width);
        self.before.len().saturating_add(columns).saturating_add(separator.len())
    }

    /// Whether line `number` has a number.
    #[must_use]
    pub fn shows(&self, number: i64) -> bool {
        self.separator.is_some() && self.has_number(number)
    }

    fn has_number(&self, number: i64) -> bool {
        self.every < 2 || number == 1 || number.unsigned_abs().is_multiple_of(self.every)
    }

    /// The gutters of line `number` and the lines after it, with numbers at least `width` columns wide.
    #[must_use]
    pub fn from(&self, number: i64, width: usize) -> Gutters<'_> {
        let mut gutters = Gutters { gutter: self, width, number, bytes: Vec::new(), digits_end: 0 };
        gutters.write();
        gutters
    }
}

/// The gutters of consecutive lines.
///
/// Each number is computed by incrementing the digits of the previous one in place, which is several times
/// faster than formatting it.
#[derive(Debug)]
pub struct Gutters<'a> {
    gutter: &'a Gutter,
    width: usize,
    number: i64,
    /// The gutter of line `number`.
    bytes: Vec<u8>,
    /// Where the number ends in `bytes`.
    digits_end: usize,
}

impl Gutters<'_> {
    /// The gutter of the current line.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Moves to the next line.
    pub fn advance(&mut self) {
        self.number = self.number.saturating_add(1);
        if self.bytes.is_empty() {
            return;
        }
        if self.number > 0 && self.gutter.every < 2 {
            let columns = self.gutter.before.len()..self.digits_end;
            if increment(&mut self.bytes[columns]) {
                return;
            }
        }
        self.write();
    }

    fn write(&mut self) {
        let Some(separator) = &self.gutter.separator else { return };
        let mut buffer = [b'0'; MOST_DIGITS];
        let (mut digits, mut sign): (&[u8], &[u8]) = (b"", b"");
        if self.gutter.has_number(self.number) {
            digits = decimal(self.number.unsigned_abs(), &mut buffer);
            sign = if self.number < 0 { b"-" } else { b"" };
        }
        let before = self.gutter.before.as_bytes();
        self.digits_end = before.len() + (digits.len() + sign.len()).max(self.width);
        self.bytes.clear();
        self.bytes.extend_from_slice(before);
        self.bytes.resize(self.digits_end - digits.len() - sign.len(), b' ');
        for part in [sign, digits, separator.as_bytes()] {
            self.bytes.extend_from_slice(part);
        }
    }
}

/// Increments a positive number that is aligned in its columns; returns whether it still fits.
fn increment(columns: &mut [u8]) -> bool {
    for digit in columns.iter_mut().rev() {
        match digit {
            b'0'..=b'8' => {
                *digit += 1;
                return true;
            }
            b' ' => {
                *digit = b'1';
                return true;
            }
            _ => *digit = b'0',
        }
    }
    false
}

/// More digits than any number of 64 bits has.
const MOST_DIGITS: usize = 20;

/// The digits of a number, without the memory and the time that the formatter needs.
fn decimal(number: u64, buffer: &mut [u8; MOST_DIGITS]) -> &[u8] {
    let (mut rest, mut start) = (number, MOST_DIGITS);
    for (index, digit) in buffer.iter_mut().enumerate().rev() {
        let [low, ..] = (rest % 10).to_le_bytes();
        *digit = b'0' + low;
        start = index;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    buffer.split_at(start).1
}

#[cfg(test)]
mod tests {
    use super::Gutter;

    #[test]
    fn test_numbers_match_standard_formatting() {
        for first in [0, 1, 9, 98, 123_456, 999_998, -1, -3, -100, i64::MAX - 3, i64::MIN] {
            for width in [0, 1, 4, 6, 19, 20, 21, 64, 70] {
                let before = "L9".to_owned();
                let gutter = Gutter { before, width, separator: Some(" │ ".to_owned()), every: 0 };
                let mut gutters = gutter.from(first, width);
                for number in first..=first.saturating_add(20) {
                    let expected = format!("L9{number:>width$} │ ");
                    assert_eq!(gutters.bytes(), expected.as_bytes());
                    assert_eq!(gutter.length(number, width), expected.len());
                    let mut text = String::new();
                    gutter.push(number, &mut text);
                    assert_eq!(text, expected);
                    gutters.advance();
                }
            }
        }
    }

    #[test]
    fn test_other_lines_than_every_tenth_have_blanks() {
        let gutter = Gutter { width: 3, separator: Some("|".to_owned()), every: 10, ..Gutter::default() };
        for first in [-21, 0, 1, 5, 98, 1_009_995] {
            let mut gutters = gutter.from(first, 3);
            for number in first..first + 30 {
                let is_shown = number % 10 == 0 || number == 1;
                let expected = if is_shown { format!("{number:>3}|") } else { "   |".to_owned() };
                assert_eq!(gutters.bytes(), expected.as_bytes());
                assert!(gutter.length(number, 3) >= expected.len());
                gutters.advance();
            }
        }
    }

    #[test]
    fn test_gutter_without_separator_is_empty() {
        let gutter = Gutter { width: 6, ..Gutter::default() };
        let mut gutters = gutter.from(9, 6);
        gutters.advance();
        assert!(gutters.bytes().is_empty());
        assert_eq!(gutter.length(9, 6), 0);
    }
}
